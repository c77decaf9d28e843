//! Generates models, API and client from `openapi.yaml`. A document with an error stops the
//! build, and all its errors are shown as rustc shows errors.

use openapi_dropshot::{Options, generate};
use openapi_dropshot_contract::{Problems, Profile, Severity, lint, read};
use std::{env, error::Error, fs, path::PathBuf, process::ExitCode};

const DOCUMENT: &str = "openapi.yaml";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={DOCUMENT}");
    match write_files() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write_files() -> Result<(), Box<dyn Error>> {
    let document = read(DOCUMENT, &fs::read_to_string(DOCUMENT)?)?;
    let as_error = |problems| Problems::new(&document.text, problems);
    let mut problems = lint(&document, Profile::General);
    problems.retain(|problem| problem.severity == Severity::Error);
    if !problems.is_empty() {
        return Err(as_error(problems).into());
    }

    let out = PathBuf::from(env::var("OUT_DIR")?);
    let options = Options {
        command: "cargo build".to_owned(),
        source: DOCUMENT.to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "crate::models".to_owned(),
        client_crate: "bookmarks_client".to_owned(),
        trait_name: None,
    };
    for file in generate(&document, &options).map_err(as_error)? {
        let path = out.join(file.path);
        fs::create_dir_all(path.parent().unwrap_or(&out))?;
        fs::write(path, file.text)?;
    }
    // Rust allows no `//!` at the top of an included file, so these name the generated modules
    // by their paths. The service includes `service.rs`, the tests include `client.rs`.
    let module = |name, about| {
        let path = out.join(name).join("mod.rs");
        format!("#[doc = {about:?}]\n#[path = {path:?}]\npub mod {name};\n")
    };
    let models = module("models", "The types of the document.");
    let api = module(
        "api",
        "The operations of the document, as a trait to implement.",
    );
    fs::write(out.join("service.rs"), models + &api)?;
    fs::write(
        out.join("client.rs"),
        module("client", "The generated client."),
    )?;
    Ok(())
}
