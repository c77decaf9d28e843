//! Generates Rust from any bytes that are a document. The generator must return files that are
//! valid Rust, or problems with a place in the document. It must not panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use openapi_dropshot::{Generated, Options, generate_client, generate_service};
use openapi_dropshot_contract::{Document, Problem, Problems, Severity, read};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    // There are two parsers. A JSON text that begins with a space is parsed as YAML.
    let name = if text.starts_with('{') {
        "fuzz.json"
    } else {
        "fuzz.yaml"
    };
    if let Ok(document) = read(name, &text) {
        check(&document);
    }
});

fn check(document: &Document) {
    let options = Options {
        command: "fuzz".to_owned(),
        source: "fuzz.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "fuzz_models".to_owned(),
        client_crate: "fuzz_client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    };
    let service = accepted(document, generate_service(document, &options));
    if let Some(api) = service.and_then(|generated| generated.api)
        && let Err(error) = api.probe(&document.info.title)
    {
        panic!("no probe of the generated code: {error}");
    }
    accepted(document, generate_client(document, &options));
}

/// Checks what the generator returned, and returns it.
fn accepted(document: &Document, result: Result<Generated, Vec<Problem>>) -> Option<Generated> {
    let problems = match result {
        Ok(generated) => {
            for file in generated.files.iter().filter(|file| file.path.ends_with(".rs")) {
                if let Err(error) = syn::parse_file(&file.text) {
                    panic!("{} is not valid Rust: {error}\n{}", file.path, file.text);
                }
            }
            return Some(generated);
        }
        Err(problems) => problems,
    };
    assert!(
        problems
            .iter()
            .any(|problem| problem.severity == Severity::Error),
        "nothing was generated, and no error says why: {problems:?}"
    );
    for problem in &problems {
        assert!(
            problem.rule != "generator-fault",
            "the generator reports its own fault: {problem:?}"
        );
    }
    drop(Problems::new(&document.text, problems).to_string());
    None
}
