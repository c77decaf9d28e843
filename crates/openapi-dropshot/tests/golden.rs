//! Compares the output of the generator for the documents in `golden/` with the golden
//! files. The tests named after the documents compile and run them. `UPDATE_GOLDEN=1`
//! writes them.

use openapi_dropshot::{Options, generate_service};
use std::{collections::BTreeSet, fs, path::Path};

/// The folder of the golden files.
fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"))
}

/// The names of the documents, without `.yaml`.
const DOCUMENTS: &[&str] = &["harbour", "ledger", "workshop"];

#[test]
fn the_generator_writes_the_committed_golden_files() {
    for name in DOCUMENTS {
        let text = fs::read_to_string(folder().join(format!("{name}.yaml")))
            .expect("the document can be read");
        let document = openapi_dropshot_contract::read(&format!("{name}.yaml"), &text)
            .expect("the document is valid");
        let options = Options {
            command: "UPDATE_GOLDEN=1 cargo test".to_owned(),
            source: format!("{name}.yaml"),
            models: format!("{name}/models"),
            api: format!("{name}/api"),
            client: format!("{name}/client"),
            models_crate: format!("crate::{name}_models"),
            client_crate: "client".to_owned(),
            trait_name: None,
            renames: Default::default(),
        };
        let files = generate_service(&document, &options)
            .expect("the document is supported")
            .files;
        let mut expected = BTreeSet::new();
        for file in &files {
            let path = folder().join(&file.path);
            test_support::assert_golden(&path, &file.text);
            expected.insert(path);
        }
        for part in ["models", "api"] {
            for entry in
                fs::read_dir(folder().join(name).join(part)).expect("the folder can be listed")
            {
                let path = entry.expect("the entry can be read").path();
                assert!(
                    expected.contains(&path),
                    "{} is no longer generated; remove it",
                    path.display()
                );
            }
        }
    }
}
