//! Any bytes as a document: reading, linting, showing what is wrong and
//! comparing neither panic nor hang, and no document has changed from itself.
//! What is found in documents is left to the tests of `openapi-dropshot-contract`.

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
    // There are two parsers. That of YAML gets JSON after a space.
    let name = if text.starts_with('{') {
        "fuzz.json"
    } else {
        "fuzz.yaml"
    };
    match read(name, &text) {
        Ok(document) => judge(&document),
        Err(problems) => {
            drop(problems.to_string());
            compare_what_is_there(name, &text);
        }
    }
});

/// Runs everything there is over a document that can be read.
fn judge(document: &Document) {
    // The house rules are the general ones and more.
    let problems = lint(document, Profile::Strict);
    drop(Problems::new(&document.text, problems).to_string());
    let changes = diff::compare(&document.root, &document.root, &POLICY);
    assert!(changes.is_empty(), "{changes:?}");
    // A document that a service emits is held to other rules than its source,
    // so that there may well be differences.
    drop(meaning::compare(document, document));
    drop(lifecycle::due(document, NaiveDate::MAX));
}

/// Documents that lack something they must have are compared as well.
fn compare_what_is_there(name: &str, text: &str) {
    if let Ok(draft) = read_draft(name, text) {
        drop(diff::compare(&draft.root, &draft.root, &POLICY));
    }
}
