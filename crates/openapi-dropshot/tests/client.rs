//! Clients of two small documents: their code is committed with the tests of `openapi-dropshot-client`, which compile it and
//! send its requests to a server. `GOLDEN=write` writes the files.

use openapi_dropshot::{Options, generate_client};
use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn the_client_of_a_small_document_is_fresh() {
    is_fresh("openapi.yaml", "generated", "books");
}

#[test]
fn the_client_of_a_document_whose_bodies_differ_by_status_is_fresh() {
    is_fresh("statuses.yaml", "statuses", "loans");
}

fn is_fresh(source: &str, client: &str, client_crate: &str) {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi-dropshot-client/tests/suite");
    let text = fs::read_to_string(folder.join(source)).expect("the document can be read");
    let document = openapi_dropshot_contract::read(source, &text).expect("the document is valid");
    let options = Options {
        command: "GOLDEN=write cargo test -p openapi-dropshot --test client".to_owned(),
        source: source.to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: client.to_owned(),
        models_crate: "models".to_owned(),
        client_crate: client_crate.to_owned(),
        trait_name: None,
    };
    let files = generate_client(&document, &options)
        .expect("the document is supported")
        .files;
    let mut expected = BTreeSet::new();
    for file in &files {
        let path = folder.join(&file.path);
        if std::env::var("GOLDEN").is_ok_and(|word| word == "write") {
            fs::create_dir_all(path.parent().expect("a file is in a folder"))
                .expect("the folder can be created");
            fs::write(&path, &file.text).expect("the file can be written");
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == file.text,
            "{} is stale; run GOLDEN=write cargo test -p openapi-dropshot --test client",
            file.path
        );
        expected.insert(path);
    }
    assert!(expected.len() > 4, "the client has several files");
}
