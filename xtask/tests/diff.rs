//! Tests `cargo xtask diff` as a program: its output, its output streams, and its exit codes. Which
//! changes are found is tested in `openapi-dropshot-contract`.

use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tempfile::TempDir;

const BASE: &str = "\
openapi: 3.0.3
info: {title: Things, version: 1.0.0}
paths:
  /things:
    get:
      operationId: listThings
      deprecated: true
      x-sunset: 2030-12-05
      parameters:
        - {name: limit, in: query, schema: {type: integer, maximum: 100}}
      responses:
        '200': {description: All things.}
  /boxes:
    get:
      responses:
        '200': {description: All boxes.}
";

/// A folder with the base and a revision made from it.
fn folder(edit: impl Fn(&str) -> String) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "base.yaml", BASE);
    write(folder.path(), "revision.yaml", &edit(BASE));
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file is written");
}

fn diff(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["diff", "base.yaml", "revision.yaml"])
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .expect("the program runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn narrowed(base: &str) -> String {
    base.replace("maximum: 100", "maximum: 50")
        .replace("version: 1.0.0", "version: 2.0.0")
        .replace(
            "    get:\n      responses:",
            "    get:\n      tags: [boxes]\n      responses:",
        )
}

#[test]
fn diff_prints_a_breaking_change_first_with_both_places_and_exits_with_1() {
    let output = diff(&folder(narrowed), &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(
        stdout(&output),
        "\
ERR[request-parameter-max-decreased] GET /things
  the query parameter `limit`: `maximum` changed from `100` to `50`
  base: base.yaml:10:69 at /paths/~1things/get/parameters/0/schema/maximum
  revision: revision.yaml:10:69 at /paths/~1things/get/parameters/0/schema/maximum

INFO[api-tag-added] GET /boxes
  the tag \"boxes\" was added
  base: base.yaml:15:7 at /paths/~1boxes/get
  revision: revision.yaml:15:14 at /paths/~1boxes/get/tags/0

2 changes: 1 ERR, 0 WARN, 1 INFO
"
    );
}

#[test]
fn the_json_output_of_diff_has_the_same_changes_as_the_text_output() {
    let output = diff(&folder(narrowed), &["--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(
        json["count"],
        serde_json::json!({"ERR": 1, "WARN": 0, "INFO": 1})
    );
    let change = &json["changes"][0];
    assert_eq!(change["id"], "request-parameter-max-decreased");
    assert_eq!(change["level"], "ERR");
    assert_eq!(change["operation"], "GET /things");
    assert_eq!(change["base"]["line"], 10);
    assert_eq!(
        change["revision"]["pointer"],
        "/paths/~1things/get/parameters/0/schema/maximum"
    );
}

#[test]
fn diff_exits_with_0_if_no_change_is_breaking() {
    let same = diff(&folder(str::to_owned), &[]);
    assert_eq!(same.status.code(), Some(0));
    assert_eq!(stdout(&same), "0 changes: 0 ERR, 0 WARN, 0 INFO\n");
    let wider = diff(
        &folder(|base| base.replace("maximum: 100", "maximum: 200")),
        &[],
    );
    assert_eq!(wider.status.code(), Some(0), "{}", stdout(&wider));
}

#[test]
fn diff_takes_the_day_and_the_deprecation_policy_from_its_arguments() {
    let removed = folder(|base| base.replace("  /things:\n    get:", "  /things:\n    head:"));
    for (today, code, id) in [
        ("2030-12-04", 1, "ERR[api-removed-before-sunset]"),
        ("2030-12-05", 0, "INFO[api-removed-after-sunset]"),
        ("2030-12-06", 0, "INFO[api-removed-after-sunset]"),
    ] {
        let output = diff(&removed, &["--today", today]);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{today}: {}",
            stdout(&output)
        );
        assert!(stdout(&output).contains(id), "{today}: {}", stdout(&output));
    }
    let deprecated = folder(|base| {
        base.replace(
            "  /boxes:\n    get:",
            "  /boxes:\n    get:\n      deprecated: true",
        )
    });
    let policy = ["--deprecation-days-stable", "30"];
    assert_eq!(diff(&deprecated, &[]).status.code(), Some(0));
    assert_eq!(diff(&deprecated, &policy).status.code(), Some(1));
}

#[test]
fn the_error_for_a_document_that_cannot_be_compared_names_the_document_and_the_reason() {
    let folder = folder(|_| "openapi: 4.0.0\n".to_owned());
    let output = diff(&folder, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("revision.yaml:1:10"),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("write `openapi: 3.0.3`"),
        "{}",
        stderr(&output)
    );
    fs::remove_file(folder.path().join("revision.yaml")).expect("the file goes");
    let output = diff(&folder, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("cannot read the document revision.yaml"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn diff_compares_an_incomplete_document_and_prints_a_note() {
    let folder = folder(|base| base.replace("paths:\n", "tags: [{}]\npaths:\n"));
    let output = diff(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(
        stderr(&output).contains("note: revision.yaml:3:8: error[missing-member]"),
        "{}",
        stderr(&output)
    );
}
