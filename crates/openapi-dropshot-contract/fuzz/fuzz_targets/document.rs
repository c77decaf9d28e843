//! Reads any bytes as a document: reading, linting, rendering problems and comparing must not panic
//! or hang, and a document compared with itself must have no changes.

#![no_main]

use chrono::NaiveDate;
use libfuzzer_sys::fuzz_target;
use openapi_dropshot_contract::{
    Document, Problems, Profile, diff, lifecycle, lint, meaning, read, read_draft,
};

const POLICY: diff::Policy = diff::Policy {
    today: NaiveDate::MIN,
    deprecation_days_beta: 0,
    deprecation_days_stable: 180,
};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    // There are two parsers. A JSON text that begins with a space is parsed as YAML.
    let name = if text.starts_with('{') {
        "fuzz.json"
    } else {
        "fuzz.yaml"
    };
    match read(name, &text) {
        Ok(document) => check(&document),
        Err(problems) => {
            drop(problems.to_string());
            compare_what_is_there(name, &text);
        }
    }
});

/// Runs every function of the crate on a document that can be read.
fn check(document: &Document) {
    let problems = lint(document, Profile::Strict);
    drop(Problems::new(&document.text, problems).to_string());
    let changes = diff::compare(&document.root, &document.root, &POLICY);
    assert!(changes.is_empty(), "{changes:?}");
    // Differences are allowed, because emitted documents follow other rules than sources.
    drop(meaning::compare(document, document));
    drop(lifecycle::due(document, NaiveDate::MAX));
}

/// Compares documents that lack a required part.
fn compare_what_is_there(name: &str, text: &str) {
    if let Ok(draft) = read_draft(name, text) {
        drop(diff::compare(&draft.root, &draft.root, &POLICY));
    }
}
