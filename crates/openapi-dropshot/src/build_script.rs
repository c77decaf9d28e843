//! Generates code from a build script, in one line.
//!
//! `build.rs`:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     openapi_dropshot::build_script::service("openapi.yaml")
//! }
//! ```
//!
//! `src/lib.rs` or `src/main.rs` gets the modules `models` and `api` with
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/service.rs"));
//! ```
//!
//! [`service_and_client`] also makes the module `client`, which `client.rs` in the same folder includes: it can stand in a test. A document with an
//! error stops the build; all its errors are shown with their places, as rustc shows errors.

use crate::{Generated, Options, generate, generate_service};
use openapi_dropshot_contract::{
    Document, Problem, Problems, Profile, Severity, lint, read_with_files,
};
use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

type Generate = fn(&Document, &Options) -> Result<Generated, Vec<Problem>>;

/// Generates models and API of the document, whose path is relative to the package.
#[must_use]
pub fn service(document: &str) -> ExitCode {
    run(document, generate_service)
}

/// Generates models, API and client of the document, whose path is relative to the package.
#[must_use]
pub fn service_and_client(document: &str) -> ExitCode {
    run(document, generate)
}

fn run(document: &str, generate: Generate) -> ExitCode {
    println!("cargo::rerun-if-changed={document}");
    // A package that has no such feature has no such client.
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"blocking\"))");
    let written = env::var_os("OUT_DIR")
        .ok_or_else(|| "`OUT_DIR` is not set; call this function from a build script".into())
        .and_then(|out| write(document, &PathBuf::from(out), generate));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the generated code, and the files that include it.
fn write(source: &str, out: &Path, generate: Generate) -> Result<(), Box<dyn Error>> {
    let text =
        fs::read_to_string(source).map_err(|error| format!("cannot read {source}: {error}"))?;
    let document = read_with_files(source, &text, &mut |name| {
        println!("cargo::rerun-if-changed={name}");
        fs::read_to_string(name).map_err(|error| error.to_string())
    })?;
    let as_error = |problems| Problems::new(&document, problems);
    let mut problems = lint(&document, Profile::General);
    problems.retain(|problem| problem.severity == Severity::Error);
    if !problems.is_empty() {
        return Err(as_error(problems).into());
    }
    let options = Options {
        command: "cargo build".to_owned(),
        source: source.to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "crate::models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    };
    let mut has_client = false;
    for file in generate(&document, &options).map_err(as_error)?.files {
        has_client |= file.path.starts_with("client/");
        let path = out.join(file.path);
        fs::create_dir_all(path.parent().unwrap_or(out))?;
        fs::write(path, file.text)?;
    }
    // Rust allows no `//!` at the top of an included file, so these name the generated modules by
    // their paths.
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
    if has_client {
        let client = module("client", "The generated client.");
        fs::write(out.join("client.rs"), client)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "openapi: 3.0.3\ninfo: {title: Shop, version: 1.0.0}\npaths:\n  /things:\n    get:\n      operationId: listThings\n      responses:\n        '204': {description: Nothing.}\n";

    fn written(name: &str, text: &str, generate: Generate) -> (PathBuf, Result<(), String>) {
        let out = env::temp_dir().join(format!("openapi-dropshot-{}-{name}", std::process::id()));
        fs::create_dir_all(&out).expect("the folder can be made");
        let source = out.join("openapi.yaml");
        fs::write(&source, text).expect("the file can be written");
        let source = source.to_str().expect("UTF-8");
        let result = write(source, &out, generate).map_err(|error| error.to_string());
        (out, result)
    }

    #[test]
    fn the_modules_are_written_beside_the_files_that_include_them() {
        for (name, generate, has_client) in [
            ("service", generate_service as Generate, false),
            ("both", generate as Generate, true),
        ] {
            let (out, result) = written(name, DOCUMENT, generate);
            assert_eq!(result, Ok(()));
            let included = fs::read_to_string(out.join("service.rs")).expect("it was written");
            assert!(included.contains("pub mod models;") && included.contains("pub mod api;"));
            assert!(out.join("api/mod.rs").exists());
            assert_eq!(out.join("client.rs").exists(), has_client, "{name}");
            fs::remove_dir_all(out).expect("the folder is there");
        }
    }

    #[test]
    fn an_error_of_the_document_is_shown_with_its_place() {
        let text = DOCUMENT.replace("operationId", "operationIdd");
        let (out, result) = written("error", &text, generate_service);
        let error = result.expect_err("the document has an error");
        let place = format!("--> {}:6:7", out.join("openapi.yaml").display());
        assert!(error.contains(&place), "{error}");
        assert!(error.lines().count() > 5, "{error}");
        fs::remove_dir_all(out).expect("the folder is there");
        let missing = write("no/such.yaml", Path::new("no"), generate_service);
        let missing = missing.expect_err("there is no document").to_string();
        assert!(missing.starts_with("cannot read no/such.yaml"), "{missing}");
    }
}
