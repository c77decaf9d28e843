//! Tests of bad input: each message has a place and a remedy, and no file is written partially.

use crate::repository::{DOCUMENT, PROGRAM, Repository, all_of, assert_printed};
use std::{fs, process::Command};

/// Runs a command that must fail, print these texts, and change nothing.
#[track_caller]
fn assert_changes_nothing(repository: &Repository, arguments: &[&str], texts: &[&str]) {
    let before = repository.snapshot();
    assert_printed(repository.run(arguments), 1, texts);
    assert_eq!(repository.snapshot(), before, "something was written");
}

#[test]
fn a_document_that_cannot_be_read_is_reported_and_nothing_is_changed() {
    let repository = Repository::with_crates();
    repository.replace(DOCUMENT, "paths:\n", "paths: [\n");
    let line = "--> spec/things.yaml:";
    let wrote = "spec/things.yaml has 1 error; nothing was written";
    assert_changes_nothing(&repository, &["generate"], &["error[syntax]", line, wrote]);
    assert_changes_nothing(
        &repository,
        &["check", "--skip", "roundtrip"],
        &[
            "error[syntax]",
            line,
            "change spec/things.yaml as the help above describes",
        ],
    );
    fs::remove_file(repository.path(DOCUMENT)).expect("the file is removed");
    let missing = "cannot read spec/things.yaml";
    assert_changes_nothing(
        &repository,
        &["generate"],
        &[missing, "No such file", "`path` in openapi-dropshot.toml"],
    );
    fs::write(repository.path(DOCUMENT), b"openapi: \xff").expect("a file is written");
    assert_changes_nothing(&repository, &["generate"], &[missing, "UTF-8"]);
}

#[test]
fn a_mistake_in_the_configuration_is_reported_with_its_place() {
    let repository = Repository::with_crates();
    for (old, new, texts) in [
        (
            "path =",
            "pth =",
            [
                "unknown key `pth`",
                "--> openapi-dropshot.toml:2:1",
                "did you mean `path`?",
            ],
        ),
        (
            "[[document]]",
            "[[document]",
            [
                "error[configuration]",
                "--> openapi-dropshot.toml:1:",
                "nothing was done",
            ],
        ),
        (
            "path = \"spec/things.yaml\"",
            "path = 1",
            [
                "invalid type",
                "--> openapi-dropshot.toml:2:8",
                "cargo openapi-dropshot schema",
            ],
        ),
        (
            "[document.generate]",
            "rules = { missing-example = \"off\" }\n\n[document.generate]",
            [
                "expected a table with `level` and `reason`",
                "--> openapi-dropshot.toml:4:",
                "cargo openapi-dropshot schema",
            ],
        ),
    ] {
        let text = repository.read("openapi-dropshot.toml");
        repository.replace("openapi-dropshot.toml", old, new);
        for task in ["generate", "check"] {
            assert_changes_nothing(&repository, &[task], &texts);
        }
        repository.write("openapi-dropshot.toml", &text);
    }
    fs::remove_file(repository.path("openapi-dropshot.toml")).expect("the file is removed");
    assert_changes_nothing(
        &repository,
        &["check"],
        &[
            "openapi-dropshot.toml was not found in this folder",
            "`--config FILE`",
        ],
    );
    assert_changes_nothing(
        &repository,
        &["check", "--config", "other.toml"],
        &["other.toml does not exist"],
    );
}

#[test]
fn a_folder_without_the_toolkit_is_rejected_by_the_round_trip() {
    let repository = Repository::code_first();
    fs::remove_file(repository.path("openapi-dropshot.toml")).expect("the file is removed");
    let arguments = ["roundtrip", "--toolkit", "spec", DOCUMENT];
    let message =
        "spec has no crate `openapi-dropshot-types`: pass the folder of the toolkit's repository";
    assert_changes_nothing(&repository, &arguments, &[message]);
}

#[test]
fn two_folders_with_the_same_crate_name_are_rejected() {
    let repository = Repository::with_crates();
    repository.replace("client/Cargo.toml", "things-client", "things-models");
    let texts = [
        "two folders of generated code have the same crate `things_models`",
        "--> openapi-dropshot.toml:7:21",
        "write the `crate` of each",
    ];
    assert_changes_nothing(&repository, &["generate"], &texts);
}

#[test]
fn the_error_for_a_git_revision_that_does_not_exist_names_the_revision() {
    let repository = Repository::code_first();
    let diff = |base: &'static str| ["diff", base, DOCUMENT];
    let outside = "this folder is not in a git repository";
    // A temporary folder could be inside of another git repository.
    let mut command = repository.command(&diff("main:spec/things.yaml"));
    let output = command.env(
        "GIT_CEILING_DIRECTORIES",
        repository.root().parent().expect("a parent"),
    );
    assert_printed(
        all_of(&output.output().expect("the program runs")),
        1,
        &[outside],
    );
    repository.commit_all();
    let texts = [
        "cannot read the document mian:spec/things.yaml",
        "has no revision `mian`",
        "git branch --all",
    ];
    assert_changes_nothing(&repository, &diff("mian:spec/things.yaml"), &texts);
    let texts = [
        "the revision `main` has no file spec/thing.yaml",
        "git ls-tree -r --name-only main",
    ];
    assert_changes_nothing(&repository, &diff("main:spec/thing.yaml"), &texts);
    assert_changes_nothing(
        &repository,
        &diff("spec/thing.yaml"),
        &["cannot read the document spec/thing.yaml"],
    );
}

#[test]
#[cfg(unix)]
fn the_error_for_a_folder_without_write_permission_names_the_folder_and_nothing_is_changed() {
    use std::os::unix::{fs::PermissionsExt as _, process::CommandExt as _};
    let repository = Repository::with_crates();
    assert_eq!(repository.run(&["generate"]).0, 0);
    repository.replace(DOCUMENT, "maxLength: 100", "maxLength: 50");
    let old =
        "//! Generated by `cargo openapi-dropshot generate` from spec/things.yaml; do not edit.\n";
    repository.write("models/src/generated/old.rs", old);
    let set = |path: &str, mode: u32| {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(repository.path(path), permissions).expect("the mode is set");
    };
    // Other users may write everywhere except in this folder; root may write everywhere.
    for entry in repository.snapshot() {
        let mode = if entry.0.is_dir() { 0o777 } else { 0o666 };
        fs::set_permissions(&entry.0, fs::Permissions::from_mode(mode)).expect("the mode is set");
    }
    set("", 0o777);
    set("models/src/generated", 0o555);
    let program = repository.path("program");
    fs::copy(PROGRAM, &program).expect("the program is copied");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("the mode is set");
    let before = repository.snapshot();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(repository.root());
        let is_root = fs::metadata("/proc/self")
            .is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        if is_root {
            command.uid(65534).gid(65534);
        }
        all_of(&command.output().expect("the program runs"))
    };
    let texts = [
        "; nothing was changed: check that you have write permission for ",
        "models/src/generated",
        "because: Permission denied",
    ];
    assert_printed(run(&["generate"]), 1, &texts);
    assert_eq!(repository.snapshot(), before, "something was written");
    set("models/src/generated", 0o777);
    assert_eq!(run(&["generate"]).0, 0);
    assert!(!repository.path("models/src/generated/old.rs").exists());

    // A release writes to several folders.
    repository.replace(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n### Changed\n\n- GET /things: longer notes.\n",
    );
    set("spec/released", 0o555);
    repository.replace(
        "openapi-dropshot.toml",
        "\n[document.generate]\n",
        "\n[document.rules]\n\n[document.generate]\n",
    );
    let toml = repository.read("openapi-dropshot.toml");
    let (without_code, _) = toml.split_once("[document.generate]").expect("a table");
    repository.write("openapi-dropshot.toml", without_code);
    let before = repository.snapshot();
    assert_printed(
        run(&["release", "1.1.0"]),
        1,
        &["cannot write spec/released/1.1.0.yaml; nothing was changed"],
    );
    assert_eq!(repository.snapshot(), before, "something was written");
    set("spec/released", 0o777);
}

#[test]
fn a_missing_changelog_is_reported_with_the_remedy() {
    let repository = Repository::code_first();
    fs::remove_file(repository.path("CHANGELOG.md")).expect("the file is removed");
    let texts = [
        "error[changelog-form]: there is no changelog",
        "create CHANGELOG.md with the heading `# Changelog`",
    ];
    assert_changes_nothing(&repository, &["check"], &texts);
}
