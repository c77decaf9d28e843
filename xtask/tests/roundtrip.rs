//! Tests `cargo xtask roundtrip` as a program: its output and its exit codes. `src/roundtrip/tests`
//! of `cargo-openapi-dropshot` tests it with a broken generator.

use std::{
    path::Path,
    process::{Command, Output},
};

fn roundtrip(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("roundtrip")
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("xtask can be run")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the words in the table row of a document.
fn row(text: &str, document: &str) -> Vec<String> {
    let row = text
        .lines()
        .find(|line| line.starts_with(&format!("{document} ")));
    let row = row.unwrap_or_else(|| panic!("no row for {document}:\n{text}"));
    row.split_whitespace().skip(1).map(str::to_owned).collect()
}

#[test]
fn the_contract_passes_the_round_trip_and_each_rejected_part_is_listed_with_its_place() {
    const REJECTED: &str = "crates/cargo-openapi-dropshot/src/roundtrip/tests/rejected.yaml";
    let output = roundtrip(&["spec/openapi.yaml", REJECTED]);
    let text = stdout(&output);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let contract = row(&text, "spec/openapi.yaml");
    for counts in &contract[..4] {
        let (through, all) = counts.split_once('/').expect("so many of so many");
        assert!(
            through == all && all != "0",
            "{counts} came through:\n{text}"
        );
    }
    assert_eq!(contract[6..], ["0", "0"], "rejected and different:\n{text}");

    assert!(
        text.contains(&format!("{REJECTED}:44:9")),
        "`not` is not shown at its place:\n{text}"
    );
    assert!(
        text.contains(&format!("{REJECTED}:30:11")),
        "the parameter is not shown at its place:\n{text}"
    );
    assert!(
        text.contains("GET /bad, GET /text"),
        "the rejected operations are not named:\n{text}"
    );
    let rejected = row(&text, REJECTED);
    assert_eq!(
        (
            rejected[0].as_str(),
            rejected[6].as_str(),
            rejected[7].as_str()
        ),
        ("1/3", "2", "0"),
        "{text}"
    );
}

#[test]
fn a_rejected_part_fails_the_round_trip_with_the_flag_whole() {
    let output = roundtrip(&[
        "--whole",
        "crates/cargo-openapi-dropshot/src/roundtrip/tests/rejected.yaml",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
}

#[test]
fn the_plan_counts_what_can_be_generated_and_names_the_rules_that_reject_the_rest() {
    let output = roundtrip(&[
        "--plan",
        "crates/cargo-openapi-dropshot/src/roundtrip/tests/rejected.yaml",
    ]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let row = text
        .lines()
        .find(|line| line.starts_with("| rejected.yaml |"));
    let row = row.unwrap_or_else(|| panic!("no row for the document:\n{text}"));
    assert!(row.starts_with("| rejected.yaml | 3 | 1 |"), "{row}");
    assert!(
        row.ends_with("| `unsupported-parameter` 1, `unsupported-schema` 1 |"),
        "{row}"
    );
}

#[test]
fn the_roundtrip_table_lists_differences_and_unreadable_documents() {
    let output = roundtrip(&[
        "--table",
        "crates/cargo-openapi-dropshot/src/roundtrip/tests/rejected.yaml",
        "rustfmt.toml",
    ]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let row = |name: &str| {
        let start = format!("| {name} |");
        let row = text.lines().find(|line| line.starts_with(&start));
        row.unwrap_or_else(|| panic!("no row for {name}:\n{text}"))
    };
    let rejected = row("rejected.yaml");
    assert!(
        rejected.starts_with("| rejected.yaml | 3 | 1 |"),
        "{rejected}"
    );
    assert!(
        rejected.ends_with("| 0 | `unsupported-parameter` 1, `unsupported-schema` 1 |"),
        "{rejected}"
    );
    let unreadable = row("rustfmt.toml");
    assert!(
        unreadable.starts_with("| rustfmt.toml | 0 | 0 | 0 |  | the document cannot be read: "),
        "{unreadable}"
    );
}

#[test]
fn the_error_for_a_file_that_does_not_exist_names_the_file() {
    let output = roundtrip(&["spec/no-such-file.yaml"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("spec/no-such-file.yaml"), "{error}");
}

#[test]
fn documents_of_other_teams_pass_the_round_trip_with_the_flag_whole() {
    let Some(folder) = test_support::documents_folder("foreign") else {
        return;
    };
    let names = [
        "null-parameter",
        "words-beside-map",
        "free-form",
        "described-reference",
        "webhooks-only",
        "names",
        "values",
    ];
    let own = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/cargo-openapi-dropshot/tests/foreign");
    let own = [
        "head-with-content",
        "media-types",
        "titled-parameter",
        "union-tag",
    ]
    .map(|name| own.join(format!("{name}.yaml")));
    let shared = names.map(|name| folder.join(format!("{name}.yaml")));
    let paths = shared.into_iter().chain(own);
    let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    let mut arguments = vec!["--whole"];
    arguments.extend(paths.iter().map(String::as_str));
    let output = roundtrip(&arguments);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for path in &paths {
        assert_eq!(
            row(&text, path)[6..],
            ["0", "0"],
            "rejected and different:\n{text}"
        );
    }
}
