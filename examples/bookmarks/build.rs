//! Generates models and API from `openapi.yaml`. An invalid document stops the
//! build with all its problems, displayed in the style of rustc.

use openapi_dropshot::{Options, generate_service};
use openapi_dropshot_contract::{Problems, Profile, Severity, lint, read};
use std::{env, error::Error, fs, path::PathBuf, process::ExitCode};

const DOCUMENT: &str = "openapi.yaml";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={DOCUMENT}");
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), Box<dyn Error>> {
    let document = read(DOCUMENT, &fs::read_to_string(DOCUMENT)?)?;
    let refused = |faults| Problems::new(&document.text, faults);
    let mut faults = lint(&document, Profile::General);
    faults.retain(|fault| fault.severity == Severity::Error);
    if !faults.is_empty() {
        return Err(refused(faults).into());
    }

    let out = PathBuf::from(env::var("OUT_DIR")?);
    let options = Options {
        command: "cargo build".to_owned(),
        source: DOCUMENT.to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "crate::models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
    };
    for file in generate_service(&document, &options).map_err(refused)? {
        let path = out.join(file.path);
        fs::create_dir_all(path.parent().unwrap_or(&out))?;
        fs::write(path, file.text)?;
    }
    // A file that is included cannot open with docs of its own, and the
    // generated ones do.
    let module = |name, about| {
        let path = out.join(name).join("mod.rs");
        format!("#[doc = {about:?}]\n#[path = {path:?}]\npub mod {name};\n")
    };
    let models = module("models", "What the service takes and gives.");
    let api = module("api", "The operations, as a trait to implement.");
    fs::write(out.join("generated.rs"), models + &api)?;
    Ok(())
}
