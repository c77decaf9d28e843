//! Tests of documents with several files: every command reads all files, and reports an error at
//! its place.

use crate::repository::{DOCUMENT, Repository, THINGS, assert_printed};
use std::fs;

const THING: &str = "type: object
required: [id]
properties:
  id: {type: integer, format: int64}
  note: {type: object, properties: {text: {type: string, maxLength: 100}}}
";

/// The document of the tests, with the schema of a thing in a file beside it.
fn split(repository: &Repository) {
    let start = THINGS.find("    Thing:\n").expect("the schema is there");
    let end = THINGS.find("    Error:\n").expect("another schema follows");
    let (before, after) = (&THINGS[..start], &THINGS[end..]);
    let main = format!("{before}    Thing: {{$ref: 'schemas/thing.yaml'}}\n{after}");
    repository.write(DOCUMENT, &main);
    repository.write("spec/schemas/thing.yaml", THING);
}

#[test]
fn a_document_in_several_files_generates_the_same_code_as_in_one_file() {
    let repository = Repository::with_crates();
    let generated = || {
        let mut files = repository.snapshot();
        files.retain(|(path, _)| path.extension().is_some_and(|extension| extension == "rs"));
        files
    };
    assert_eq!(repository.run(&["generate"]).0, 0);
    let of_one_file = generated();
    split(&repository);
    assert_printed(repository.run(&["generate"]), 0, &["wrote", "openapi.yaml"]);
    assert_eq!(generated(), of_one_file);
    // The document that the service serves does not refer to other files.
    let served = repository.read("api/src/generated/openapi.yaml");
    assert!(
        served.contains("\"maxLength\": 100") && !served.contains("thing.yaml"),
        "{served}"
    );
    assert_printed(repository.run(&["generate", "--check"]), 0, &["fresh"]);
    repository.replace("spec/schemas/thing.yaml", "maxLength: 100", "maxLength: 90");
    assert_printed(repository.run(&["generate", "--check"]), 4, &["stale"]);
    repository.replace("spec/schemas/thing.yaml", "type: string", "type: sting");
    assert_printed(
        repository.run(&["generate"]),
        1,
        &["--> spec/schemas/thing.yaml:5:50", "5 |   note: "],
    );
    fs::remove_file(repository.path("spec/schemas/thing.yaml")).expect("it is there");
    assert_printed(
        repository.run(&["generate"]),
        1,
        &[
            "spec/schemas/thing.yaml cannot be read: there is no such file",
            "--> spec/things.yaml:34:19",
        ],
    );
}

#[test]
fn the_gates_check_a_document_that_consists_of_several_files() {
    let repository = Repository::code_first();
    split(&repository);
    repository.commit_all();
    assert_printed(repository.run(&["check"]), 0, &["all 4 gates are green"]);
    repository.replace("spec/schemas/thing.yaml", "required: [id]", "required: []");
    assert_printed(
        repository.run(&["check", "--gate", "breaking"]),
        1,
        &["--> spec/schemas/thing.yaml:4:7"],
    );
    repository.replace(
        "spec/schemas/thing.yaml",
        "format: int64",
        "format: int65, minimum: b",
    );
    assert_printed(
        repository.run(&["check", "--gate", "document"]),
        1,
        &[
            "--> spec/schemas/thing.yaml:4:",
            "4 |   id: {type: integer, format: int65, minimum: b}",
        ],
    );
}

#[test]
fn diff_compares_documents_of_several_files_including_documents_of_git_revisions() {
    let repository = Repository::code_first();
    split(&repository);
    repository.commit_all();
    repository.replace("spec/schemas/thing.yaml", "required: [id]", "required: []");
    assert_printed(
        repository.run(&["diff", "main:spec/things.yaml", DOCUMENT]),
        1,
        &[
            "base: main:spec/schemas/thing.yaml:",
            "revision: spec/schemas/thing.yaml:",
            "1 ERR",
        ],
    );
    assert_printed(
        repository.run(&["diff", DOCUMENT, DOCUMENT]),
        0,
        &["0 changes"],
    );
    repository.git(&["rm", "--quiet", "--cached", "spec/schemas/thing.yaml"]);
    repository.git(&["commit", "--quiet", "--no-verify", "--message", "Lost"]);
    assert_printed(
        repository.run(&["diff", "main:spec/things.yaml", DOCUMENT]),
        1,
        &[
            "main:spec/schemas/thing.yaml cannot be read",
            "the revision `main` has no file",
        ],
    );
}

#[test]
fn the_round_trip_reads_a_document_of_several_files() {
    let repository = Repository::with_crates();
    split(&repository);
    assert_printed(
        repository.run(&["roundtrip", "--plan", DOCUMENT]),
        0,
        &["| things.yaml | 1 | 1 | 1 |"],
    );
}
