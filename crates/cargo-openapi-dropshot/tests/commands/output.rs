//! Tests of the formats of `check` and `diff`, of documents of git revisions, and of exit codes.

use crate::repository::{DOCUMENT, Repository, THINGS, assert_printed};
use serde_json::Value;
use std::fs;

/// A repository whose document breaks a client, without a changelog entry.
fn broken() -> Repository {
    let repository = Repository::code_first();
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    repository
}

fn json(repository: &Repository, arguments: &[&str], code: i32) -> Value {
    let output = repository
        .command(arguments)
        .output()
        .expect("the program runs");
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// Checks the form of a SARIF log, and returns its results.
fn results(sarif: &Value) -> &Vec<Value> {
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "cargo-openapi-dropshot");
    let results = run["results"].as_array().expect("results");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        let rule = &driver["rules"][index];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(
            rule["shortDescription"]["text"]
                .as_str()
                .is_some_and(|text| text.ends_with('.')),
            "{rule}"
        );
        assert!(rule["help"]["text"].is_string(), "{rule}");
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].is_string());
        assert!(place["region"]["startLine"].as_u64() >= Some(1));
        assert!(place["region"]["startColumn"].as_u64() >= Some(1));
    }
    results
}

#[test]
fn check_prints_sarif() {
    let sarif = json(&broken(), &["check", "--format", "sarif"], 1);
    let results = results(&sarif);
    let found = results
        .iter()
        .find(|result| result["ruleId"] == "request-parameter-max-decreased");
    let found = found.expect("the breaking change");
    assert_eq!(found["level"], "error");
    let place = &found["locations"][0];
    assert_eq!(
        place["physicalLocation"]["artifactLocation"]["uri"],
        DOCUMENT
    );
    assert_eq!(place["physicalLocation"]["region"]["startLine"], 11);
    let pointer = "/paths/~1things/get/parameters/0/schema/maximum";
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], pointer);
    assert!(
        found["message"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("fix: "))
    );
    let clean = json(
        &Repository::code_first(),
        &["check", "--format", "sarif"],
        0,
    );
    assert_eq!(clean["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn check_prints_workflow_commands() {
    let output = broken()
        .command(&["check", "--format", "github"])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    let start = "::error file=spec/things.yaml,line=11,col=";
    assert!(text.lines().any(|line| line.starts_with(start)), "{text}");
    assert!(text.lines().all(|line| line.starts_with("::")), "{text}");
}

#[test]
fn diff_prints_every_format_and_fails_for_a_breaking_change() {
    let repository = broken();
    let diff = |format: &'static str| {
        [
            "diff",
            "spec/released/1.0.0.yaml",
            DOCUMENT,
            "--format",
            format,
        ]
    };
    let found = json(&repository, &diff("json"), 1);
    assert_eq!(found["count"]["ERR"], 1);
    let sarif = json(&repository, &diff("sarif"), 1);
    assert_eq!(
        results(&sarif)[0]["ruleId"],
        "request-parameter-max-decreased"
    );
    assert_printed(
        repository.run(&diff("github")),
        1,
        &["::error file=spec/things.yaml,line=11,"],
    );
    assert_printed(
        repository.run(&diff("text")),
        1,
        &["ERR[request-parameter-max-decreased] GET /things"],
    );
    let same = ["diff", DOCUMENT, DOCUMENT, "--format", "github"];
    assert_eq!(repository.run(&same), (0, String::new()));
}

#[test]
fn diff_reads_documents_of_git_revisions() {
    let repository = Repository::code_first();
    repository.commit_all();
    repository.git(&["tag", "v1"]);
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    let run = repository.run(&["diff", "main:spec/things.yaml", DOCUMENT]);
    assert_printed(
        run,
        1,
        &[
            "base: main:spec/things.yaml:11:",
            "revision: spec/things.yaml:11:",
            "1 ERR",
        ],
    );
    repository.commit_all();
    let run = repository.run(&["diff", "v1:spec/things.yaml", "HEAD:spec/things.yaml"]);
    assert_printed(run, 1, &["1 ERR"]);
    let mut below = repository.command(&["diff", "HEAD~1:./things.yaml", "HEAD:./things.yaml"]);
    let output = below
        .current_dir(repository.path("spec"))
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_part_removed_since_a_git_revision_is_located_in_a_file_that_still_exists() {
    let repository = Repository::code_first();
    let other = THINGS.replace(
        "components:\n",
        "  /others:\n    get:\n      operationId: listOthers\n      responses: {'204': {description: None.}}\ncomponents:\n",
    );
    repository.write(
        DOCUMENT,
        &other.replacen("components:", "x-a: 1\ncomponents:", 1),
    );
    repository.commit_all();
    repository.write(DOCUMENT, THINGS);
    let old = "HEAD:spec/things.yaml";
    let paths = THINGS.lines().position(|line| line == "paths:");
    let line = paths.expect("a line") + 2;
    let run = repository.run(&["diff", old, DOCUMENT, "--format", "github"]);
    assert_printed(run, 1, &[&format!("::error file={DOCUMENT},line={line},")]);
    let found = json(
        &repository,
        &["diff", old, DOCUMENT, "--format", "sarif"],
        1,
    );
    let place = &results(&found)[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], DOCUMENT);
    // Both documents come from git revisions, and the command runs in a subfolder of the
    // repository.
    repository.commit_all();
    let mut below = repository.command(&[
        "diff",
        "HEAD~1:./things.yaml",
        "HEAD:spec/things.yaml",
        "--format",
        "sarif",
    ]);
    let output = below
        .current_dir(repository.path("spec"))
        .output()
        .expect("the program runs");
    let found: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let place = &results(&found)[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "things.yaml");
    // A revision without a file is not a document.
    let run = repository.run(&["diff", "HEAD", DOCUMENT]);
    assert_printed(
        run,
        1,
        &[
            "`HEAD` is a git revision, not a document",
            "as in `HEAD:spec/things.yaml`",
        ],
    );
}

#[test]
fn removing_an_error_status_fails_the_check_even_if_a_status_range_includes_the_status() {
    let repository = Repository::code_first();
    repository.replace(
        DOCUMENT,
        "        '404': {$ref: '#/components/responses/NotFound'}\n",
        "",
    );
    repository.replace(DOCUMENT, "rate_limited]\n", "rate_limited, not_found]\n");
    let rule = "error[response-non-success-status-removed]";
    assert_printed(
        repository.run(&["check", "--gate", "breaking"]),
        1,
        &[rule, "rule = 'response-non-success-status-removed'"],
    );
    let entry = "[[accepted]]\nrule = 'response-non-success-status-removed'\n\
                 at = '/components/responses/Rejected'\nreason = 'It was never sent.'\ndate = 2026-11-21\n";
    repository.write("spec/accepted-breaks.toml", entry);
    let (code, printed) = repository.run(&["check", "--gate", "breaking"]);
    assert!(
        code == 0 && printed.contains("1 accepted change breaks a client of 1.0.0"),
        "{printed}"
    );
    // Clients do not rely on an operation that is not stable yet.
    repository.write("spec/accepted-breaks.toml", "");
    let beta = THINGS.replace(
        "      summary:",
        "      x-stability-level: beta\n      summary:",
    );
    repository.release(&beta);
    repository.replace(
        DOCUMENT,
        "      summary:",
        "      x-stability-level: beta\n      summary:",
    );
    let (code, printed) = repository.run(&["check", "--gate", "breaking"]);
    assert!(
        code == 0 && printed.contains("warning[response-non-success-status-removed]"),
        "{printed}"
    );
}

#[test]
fn an_operation_without_the_responses_that_every_service_sends_fails_the_check() {
    let repository = Repository::code_first();
    repository.replace(DOCUMENT, "        4XX: {$ref: '#/components/responses/Rejected'}\n        5XX: {$ref: '#/components/responses/Broken'}\n", "");
    let message = "error[missing-response]: `listThings` has no response for `400`, `401`, `429`, `500` and `503`, which the service sends";
    assert_printed(
        repository.run(&["check", "--gate", "document"]),
        1,
        &[
            message,
            "add `4XX` and `5XX`",
            "`generate --fix` adds the missing responses",
        ],
    );
}

#[test]
fn an_edit_of_a_released_document_is_found_by_its_checksum() {
    let repository = Repository::code_first();
    let released = "spec/released/1.0.0.yaml";
    repository.replace(released, "How many.", "How many at most.");
    let breaking = ["check", "--gate", "breaking"];
    assert_printed(
        repository.run(&breaking),
        1,
        &[
            "error[frozen-document]: the document was edited after its release",
            "spec/released/SHA256SUMS:1",
            "restore the released text",
            "fix: follow the help above",
        ],
    );
    repository.replace(released, "How many at most.", "How many.");
    assert_eq!(repository.run(&breaking).0, 0);
    // Without the record, an edit cannot be detected, so a warning explains how to write the
    // record.
    fs::remove_file(repository.path("spec/released/SHA256SUMS")).expect("the record is removed");
    assert_printed(
        repository.run(&breaking),
        0,
        &["warning[frozen-document]", "sha256sum *.yaml > SHA256SUMS"],
    );
}

#[test]
fn a_released_document_that_was_edited_or_removed_since_an_earlier_commit_fails_the_check() {
    let repository = Repository::code_first();
    repository.commit_all();
    let breaking = ["check", "--gate", "breaking"];
    assert_eq!(repository.run(&breaking).0, 0);
    // An edited document with a matching checksum can only be detected with the git history.
    let edited = THINGS.replace("maximum: 100", "maximum: 50");
    repository.write(DOCUMENT, &edited);
    repository.release(&edited);
    let restore = "git restore --source=HEAD spec/released/1.0.0.yaml spec/released/SHA256SUMS";
    let texts = [
        "error[frozen-document]: 1.0.0.yaml, which is a released document in HEAD, was edited",
        "spec/released/1.0.0.yaml:1",
        restore,
    ];
    assert_printed(repository.run(&breaking), 1, &texts);
    fs::remove_dir_all(repository.path("spec/released")).expect("the folder is removed");
    let texts = [
        "error[frozen-document]: 1.0.0.yaml, which is a released document in HEAD, was removed",
        "spec/released/SHA256SUMS:1",
        restore,
    ];
    assert_printed(repository.run(&breaking), 1, &texts);
    // After the commit, HEAD does not have the document either, so an earlier revision must be named.
    repository.git(&["tag", "before"]);
    repository.commit_all();
    assert_eq!(repository.run(&breaking).0, 0);
    let since = ["check", "--gate", "breaking", "--since", "before"];
    let texts = ["1.0.0.yaml, which is a released document in before, was removed"];
    assert_printed(repository.run(&since), 1, &texts);
    repository.git(&["restore", "--source=before", "spec"]);
    assert_eq!(repository.run(&since).0, 0);
    // A later release does not change the earlier one.
    repository.commit_all();
    repository.replace(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n### Fixed\n\n- Words.\n",
    );
    assert_eq!(repository.run(&["release", "1.0.1"]).0, 0);
    assert_eq!(repository.run(&since).0, 0);
}

#[test]
fn an_unreleased_changelog_entry_that_was_removed_since_an_earlier_commit_fails_the_check() {
    let repository = Repository::code_first();
    let entries = "## Unreleased\n\n### Fixed\n\n- The server closes idle connections after one minute.\n- The log has the\n  time of each request.\n";
    repository.replace("CHANGELOG.md", "## Unreleased\n", entries);
    repository.commit_all();
    assert_eq!(repository.run(&["check"]).0, 0);
    // The entry has other words, but describes the same change.
    repository.replace(
        "CHANGELOG.md",
        "closes idle connections after one minute",
        "closes connections that are idle after one minute",
    );
    assert_eq!(repository.run(&["check"]).0, 0);
    repository.replace(
        "CHANGELOG.md",
        "- The log has the\n  time of each request.\n",
        "",
    );
    let run = repository.run(&["check"]);
    assert_printed(
        run,
        1,
        &[
            "error[changelog-entry-lost]: the entry `The log has the time of each request.…`, which is in HEAD, is missing",
            "CHANGELOG.md:3:1",
            "put the entry back under `## Unreleased`",
        ],
    );
    repository.git(&["tag", "before"]);
    repository.commit_all();
    assert_eq!(
        repository.run(&["check"]).0,
        0,
        "HEAD does not have the entry"
    );
    assert_printed(
        repository.run(&["check", "--since", "before"]),
        1,
        &["which is in before, is missing"],
    );
    assert_printed(
        repository.run(&["check", "--since", "befor"]),
        1,
        &["the git repository has no revision `befor`"],
    );
    // A release moves the entries, so none of them is missing.
    let toml = repository.read("openapi-dropshot.toml");
    let rule = "[document.rules]\nchangelog-entry-lost = { level = \"off\", reason = \"The log was taken back.\" }\n";
    repository.write("openapi-dropshot.toml", &format!("{toml}\n{rule}"));
    assert_eq!(repository.run(&["check", "--since", "before"]).0, 0);
    repository.write("openapi-dropshot.toml", &toml);
    assert_eq!(repository.run(&["release", "1.0.1"]).0, 0);
    assert_eq!(repository.run(&["check"]).0, 0);
}

#[test]
fn invalid_command_line_arguments_exit_with_code_2() {
    let repository = Repository::code_first();
    assert_eq!(repository.run(&["chek"]).0, 2);
    assert_eq!(repository.run(&["check", "--gate", "documents"]).0, 2);
    let help = repository.run(&["--help"]);
    assert_printed(help, 0, &["Exit codes: 0 success, 1", "explain"]);
}
