//! Generates code from a build script with one line.
//!
//! `build.rs`:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     openapi_dropshot::build_script::service("openapi.yaml")
//! }
//! ```
//!
//! Add the modules `models` and `api` to `src/lib.rs` or `src/main.rs`:
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/service.rs"));
//! ```
//!
//! [`service_and_client`] also generates the module `client`. Include `client.rs` in the same way; a test can then use the client.
//! [`client`] generates only that module, for an application. If the document has an error, the build stops and shows all errors
//! with their places, in the format of rustc.

use crate::{Generated, Options, generate, generate_client, generate_service};
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

/// Generates the models and the API of a document. The path of the document is relative to the package.
#[must_use]
pub fn service(document: &str) -> ExitCode {
    run(document, generate_service)
}

/// Generates the models, the API and the client of a document. The path of the document is relative to the package.
#[must_use]
pub fn service_and_client(document: &str) -> ExitCode {
    run(document, generate)
}

/// Generates the client of a document. The path of the document is relative to the package.
#[must_use]
pub fn client(document: &str) -> ExitCode {
    run(document, generate_client)
}

fn run(document: &str, generate: Generate) -> ExitCode {
    println!("cargo::rerun-if-changed={document}");
    // A package without such a feature has no blocking client.
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
    let (mut has_client, mut has_service) = (false, false);
    for file in generate(&document, &options).map_err(as_error)?.files {
        has_client |= file.path.starts_with("client/");
        has_service |= file.path.starts_with("api/");
        let path = out.join(file.path);
        fs::create_dir_all(path.parent().unwrap_or(out))?;
        fs::write(path, file.text)?;
    }
    // Rust does not allow `//!` at the top of an included file, so these files include the generated modules by their paths.
    let module = |name, about| {
        let path = out.join(name).join("mod.rs");
        format!("#[doc = {about:?}]\n#[path = {path:?}]\npub mod {name};\n")
    };
    let models = module("models", "The types of the document.");
    let api = module(
        "api",
        "The operations of the document, as a trait to implement.",
    );
    if has_service {
        fs::write(out.join("service.rs"), models + &api)?;
    }
    if has_client {
        let client = module("client", "The generated client.");
        fs::write(out.join("client.rs"), client)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
