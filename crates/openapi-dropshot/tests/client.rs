//! Tests that the committed clients of small documents are up to date. Their code is in the tests of
//! `openapi-dropshot-client`, which compile it and send its requests to a server. `UPDATE_GOLDEN=1` writes the files.

use openapi_dropshot::{Options, generate_client};
use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn the_committed_client_of_a_small_document_is_up_to_date() {
    is_fresh("openapi.yaml", "generated", "books");
}

#[test]
fn the_committed_client_of_a_document_with_different_bodies_by_status_is_up_to_date() {
    is_fresh("statuses.yaml", "statuses", "loans");
}

#[test]
fn the_committed_client_of_a_document_with_several_security_schemes_is_up_to_date() {
    is_fresh("vault.yaml", "vault", "vault");
}

fn is_fresh(source: &str, client: &str, client_crate: &str) {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi-dropshot-client/tests/suite");
    let text = fs::read_to_string(folder.join(source)).expect("the document can be read");
    let document = openapi_dropshot_contract::read(source, &text).expect("the document is valid");
    let options = Options {
        command: "UPDATE_GOLDEN=1 cargo test -p openapi-dropshot --test client".to_owned(),
        source: source.to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: client.to_owned(),
        models_crate: "models".to_owned(),
        client_crate: client_crate.to_owned(),
        trait_name: None,
        renames: Default::default(),
    };
    let files = generate_client(&document, &options)
        .expect("the document is supported")
        .files;
    let mut expected = BTreeSet::new();
    for file in &files {
        let path = folder.join(&file.path);
        test_support::assert_golden(&path, &file.text);
        expected.insert(path);
    }
    assert!(expected.len() > 4, "the client has several files");
}
