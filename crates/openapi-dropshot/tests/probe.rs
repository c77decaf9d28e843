//! Tests the probe: it is made only from the generated files, is the same each
//! time, and reports what is missing. The round trip compiles and runs it.

use openapi_dropshot::{File, Options, generate_service, probe};
use std::error::Error;

fn files() -> Vec<File> {
    let text = include_str!("golden/ledger.yaml");
    let document =
        openapi_dropshot_contract::read("ledger.yaml", text).expect("the document is valid");
    let options = Options {
        command: "test".to_owned(),
        source: "ledger.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "crate::models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
    };
    generate_service(&document, &options)
        .expect("the document is supported")
        .files
}

#[test]
fn the_same_files_give_the_same_probe_with_a_handler_an_operation() {
    let text = probe("Ledger", &files()).expect("the files are whole");
    assert_eq!(probe("Ledger", &files()).ok(), Some(text.clone()));
    assert_eq!(text.matches("async fn ").count(), 3, "{text}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let mut files = files();
    files.retain(|file| file.path != "api/errors.rs");
    let error = probe("Ledger", &files).expect_err("a file is missing");
    assert_eq!(
        error.to_string(),
        "the generator wrote no api/errors.rs; pass all files that `generate_service` returned"
    );
}

#[test]
fn a_file_that_is_no_rust_is_named_with_what_its_parser_says() {
    let mut files = files();
    for file in &mut files {
        if file.path == "api/contract.rs" {
            file.text = "pub trait {".to_owned();
        }
    }
    let error = probe("Ledger", &files).expect_err("that is not valid Rust");
    assert_eq!(
        error.to_string(),
        "the generated api/contract.rs is not valid Rust"
    );
    assert!(error.source().is_some());
}
