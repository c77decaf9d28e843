//! Tests of a repository that commits only the document that its code emits, and of a repository with
//! several documents.

use crate::repository::{CHANGELOG, DOCUMENT, Repository, THINGS, assert_printed};
use serde_json::Value;
use std::fs;

#[test]
fn check_runs_the_four_gates_that_need_no_generated_code() {
    let repository = Repository::code_first();
    let (code, printed) = repository.run(&["check"]);
    assert_eq!(code, 0, "{printed}");
    let gates: Vec<&str> = (printed.lines().take(4))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        gates,
        ["document", "breaking", "lifecycle", "changelog"],
        "{printed}"
    );
    assert!(printed.ends_with("\nall 4 gates are green\n"), "{printed}");
}

#[test]
fn the_configuration_is_found_from_a_subfolder_and_can_be_given_with_the_flag_config() {
    let repository = Repository::code_first();
    let mut below = repository.command(&["check", "--gate", "document"]);
    let output = below.current_dir(repository.path("spec")).output();
    assert!(output.expect("the program runs").status.success());
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let file = repository
        .path("openapi-dropshot.toml")
        .display()
        .to_string();
    let mut named = repository.command(&["check", "--config", &file]);
    let output = named.current_dir(elsewhere.path()).output();
    assert!(output.expect("the program runs").status.success());
}

#[test]
fn generate_says_that_there_is_nothing_to_generate() {
    let repository = Repository::code_first();
    let expected = "skipped spec/things.yaml: its configuration has no table `[document.generate]`";
    assert_printed(repository.run(&["generate"]), 0, &[expected]);
    let expected = "the gate `roundtrip` needs generated code: add a table `[document.generate]`";
    assert_printed(
        repository.run(&["check", "--gate", "roundtrip"]),
        1,
        &[expected],
    );
}

#[test]
fn a_breaking_change_fails_until_it_is_accepted() {
    let repository = Repository::code_first();
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    repository.replace(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n### Changed\n\n- GET /things: smaller pages.\n",
    );
    let run = repository.run(&["check"]);
    assert_printed(
        run,
        1,
        &[
            "error[request-parameter-max-decreased]",
            "1 of 4 gates failed: breaking",
        ],
    );
    let entry = "[[accepted]]\nrule = 'request-parameter-max-decreased'\n\
                 at = '/paths/~1things/get/parameters/0/schema/maximum'\nreason = 'Too large.'\ndate = 2026-11-21\n";
    repository.write("spec/accepted-breaks.toml", entry);
    assert_printed(
        repository.run(&["check"]),
        0,
        &["1 accepted change breaks a client of 1.0.0"],
    );
}

#[test]
fn a_release_freezes_the_document_without_a_cargo_toml() {
    let repository = Repository::code_first();
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 200");
    repository.replace(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n### Changed\n\n- GET /things: larger pages.\n",
    );
    let run = repository.run(&["release", "1.1.0", "--today", "2026-12-01"]);
    assert_printed(
        run,
        0,
        &["released 1.1.0:", "wrote   spec/released/1.1.0.yaml"],
    );
    assert!(
        repository
            .read("spec/released/1.1.0.yaml")
            .contains("version: 1.1.0")
    );
    assert!(
        repository
            .read("CHANGELOG.md")
            .contains("## 1.1.0 - 2026-12-01")
    );
    assert_eq!(repository.run(&["check"]).0, 0);
}

#[test]
fn the_profile_and_the_severities_of_rules_are_configured() {
    let repository = Repository::code_first();
    repository.replace(DOCUMENT, "      summary: List all things\n", "");
    repository.release(&repository.read(DOCUMENT));
    let rule = "error[missing-summary]";
    assert_printed(repository.run(&["check"]), 1, &[rule]);
    let toml = repository.read("openapi-dropshot.toml");
    let rules = |level: &str| {
        format!(
            "{toml}\n[document.rules]\nmissing-summary = {{ level = \"{level}\", reason = \"Names say it.\" }}\n"
        )
    };
    repository.write("openapi-dropshot.toml", &rules("warn"));
    assert_printed(
        repository.run(&["check"]),
        0,
        &["document   warning", "warning[missing-summary]"],
    );
    repository.write("openapi-dropshot.toml", &rules("off"));
    let (code, printed) = repository.run(&["check"]);
    assert!(
        code == 0 && !printed.contains("missing-summary"),
        "{printed}"
    );
    repository.write(
        "openapi-dropshot.toml",
        &format!("{toml}profile = \"general\"\n"),
    );
    assert_eq!(repository.run(&["check"]).0, 0);
}

fn several() -> Repository {
    let repository = Repository::code_first();
    repository.write(
        "openapi-dropshot.toml",
        "[[document]]\npath = \"spec/things.yaml\"\n\n[[document]]\nname = \"admin\"\npath = \"admin/openapi.yaml\"\n\
         changelog = \"admin/CHANGELOG.md\"\n",
    );
    repository.write(
        "admin/openapi.yaml",
        &THINGS.replace("summary: List all things", "summary: ''"),
    );
    repository.write(
        "admin/CHANGELOG.md",
        &CHANGELOG.replace("\n## 1.0.0 - 2026-11-20\n\n### Added\n\n- All of it.\n", ""),
    );
    repository
}

#[test]
fn several_documents_are_checked_each_with_its_own_files() {
    let repository = several();
    let run = repository.run(&["check"]);
    assert_printed(
        run,
        1,
        &[
            "things (spec/things.yaml):",
            "admin (admin/openapi.yaml):",
            "error[missing-summary]",
            "nothing is released yet",
        ],
    );
    assert_eq!(repository.run(&["check", "--document", "things"]).0, 0);
    assert_printed(
        repository.run(&["check", "--document", "thing"]),
        1,
        &["has no document with the name `thing`: did you mean `things`?"],
    );
    let output = repository
        .command(&["check", "--format", "json"])
        .output()
        .expect("the program runs");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["passed"], false);
    assert_eq!(json["documents"][0]["name"], "things");
    assert_eq!(json["documents"][0]["passed"], true);
    assert_eq!(json["documents"][1]["passed"], false);
    assert_eq!(
        json["documents"][1]["gates"][0]["findings"][0]["rule"],
        "missing-summary"
    );
    let run = repository.run(&["release", "1.1.0"]);
    assert_printed(
        run,
        1,
        &["choose it with `--document NAME`; the documents are things, admin"],
    );
}

#[test]
fn a_release_keeps_the_accepted_breaks_of_another_document() {
    let repository = Repository::code_first();
    let toml = repository.read("openapi-dropshot.toml");
    let other = "[[document]]\npath = \"spec/other.yaml\"\nreleases = \"spec/others\"\nchangelog = \"spec/OTHER.md\"\n";
    repository.write("openapi-dropshot.toml", &format!("{toml}\n{other}"));
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    repository.write("spec/other.yaml", &repository.read(DOCUMENT));
    repository.replace(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n### Changed\n\n- GET /things: smaller pages.\n",
    );
    let entry = "  [[ accepted ]]\n  rule = 'request-parameter-max-decreased'\n  \
                 at = '/paths/~1things/get/parameters/0/schema/maximum'\n  reason = 'Too large.'\n  date = 2026-11-21\n";
    // The file that both documents used by default in earlier versions: a release of one document would
    // remove the entries of the other.
    let former = "spec/accepted-breaks.toml";
    repository.write(former, entry);
    let before = repository.snapshot();
    let release = ["release", "2.0.0", "--document", "things"];
    assert_printed(
        repository.run(&release),
        1,
        &[
            "two documents have the same file of accepted breaks",
            "such as `spec/other-accepted-breaks.toml`, and move its entries from spec/accepted-breaks.toml",
        ],
    );
    assert_eq!(repository.snapshot(), before);
    fs::remove_file(repository.path(former)).expect("it is there");
    let [own, others] = ["things", "other"].map(|name| format!("spec/{name}-accepted-breaks.toml"));
    repository.write(&own, &format!("# What we accept.\n\n{entry}"));
    repository.write(&others, entry);
    assert_printed(repository.run(&release), 0, &["released 2.0.0"]);
    assert_eq!(repository.read(&own), "# What we accept.\n");
    assert_eq!(repository.read(&others), entry);
}
