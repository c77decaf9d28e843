//! Tests of the script of the GitHub Action, run without GitHub, and of the hooks for pre-commit.

use crate::repository::{DOCUMENT, PROGRAM, Repository, all_of, assert_printed};
use serde_json::Value;
use std::{
    env, fs,
    path::Path,
    process::{Command, Output},
};

const TOOLKIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A search path that begins with the program under test.
fn search_path() -> String {
    let folder = Path::new(PROGRAM)
        .parent()
        .expect("a program is in a folder");
    format!(
        "{}:{}",
        folder.display(),
        env::var("PATH").expect("a search path")
    )
}

/// Runs the step of `action.yml` with these inputs, as GitHub does.
fn run_action(repository: &Repository, environment: &[(&str, &str)]) -> Output {
    let action = fs::read_to_string(format!("{TOOLKIT}/action.yml")).expect("an action");
    let step = action
        .lines()
        .find_map(|line| line.trim().strip_prefix("run: "));
    let mut command = Command::new("bash");
    command
        .args(["-c", step.expect("a step")])
        .current_dir(repository.root())
        .env("PATH", search_path())
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_ACTION_PATH", TOOLKIT)
        .env_remove("GITHUB_BASE_REF");
    // All variables that a test sets are variables that the action or GitHub sets.
    for (name, value) in environment {
        assert!(
            action.contains(&format!("{name}: ")) || *name == "GITHUB_BASE_REF",
            "{name}"
        );
        command.env(name, value);
    }
    command.output().expect("bash runs")
}

#[test]
fn the_action_passes_without_findings_and_annotates_each_finding() {
    let repository = Repository::code_first();
    repository.commit_all();
    assert_printed(
        all_of(&run_action(&repository, &[])),
        0,
        &["all 4 gates are green"],
    );
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    let run = all_of(&run_action(&repository, &[]));
    assert_printed(
        run,
        1,
        &[
            "2 of 4 gates failed: breaking, changelog",
            "::error file=spec/things.yaml,line=11,",
        ],
    );
    let skipped = run_action(
        &repository,
        &[
            ("OPENAPI_DROPSHOT_SKIP", "breaking changelog"),
            ("OPENAPI_DROPSHOT_DOCUMENT", "things"),
        ],
    );
    assert_printed(all_of(&skipped), 0, &["all 2 gates are green"]);
    let wrong = run_action(&repository, &[("OPENAPI_DROPSHOT_DOCUMENT", "thing")]);
    assert_printed(all_of(&wrong), 1, &["did you mean `things`?"]);
}

#[test]
#[cfg(unix)]
fn the_action_installs_the_command_with_its_own_toolchain() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::code_first();
    repository.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.89.0\"\n");
    // A `cargo` that records where it runs, and installs the program under test.
    let tools = tempfile::tempdir().expect("a folder");
    let cargo = tools.path().join("cargo");
    let installed = tools.path().join("cargo-openapi-dropshot");
    let script = format!(
        "#!/bin/sh\necho \"$PWD ${{RUSTUP_TOOLCHAIN-none}} $*\" >'{}/ran'\nln -s '{PROGRAM}' '{}'\n",
        tools.path().display(),
        installed.display()
    );
    fs::write(&cargo, script).expect("a script is written");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("the mode is set");
    let output = Command::new("bash")
        .arg(format!(
            "{TOOLKIT}/crates/cargo-openapi-dropshot/action/check.sh"
        ))
        .current_dir(repository.root())
        .env("PATH", format!("{}:/usr/bin:/bin", tools.path().display()))
        .env("RUSTUP_TOOLCHAIN", "1.89.0")
        .env_remove("GITHUB_BASE_REF")
        .output()
        .expect("bash runs");
    assert_printed(all_of(&output), 0, &["all 4 gates are green"]);
    let ran = fs::read_to_string(tools.path().join("ran")).expect("cargo ran");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).display().to_string();
    assert!(ran.starts_with(&format!("{folder} none install ")), "{ran}");
}

#[test]
fn the_action_writes_sarif() {
    let repository = Repository::code_first();
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    let output = run_action(
        &repository,
        &[("OPENAPI_DROPSHOT_SARIF_FILE", "found.sarif")],
    );
    assert_printed(all_of(&output), 1, &["::error file=spec/things.yaml,"]);
    let sarif: Value = serde_json::from_str(&repository.read("found.sarif")).expect("JSON");
    assert!(
        !sarif["runs"][0]["results"]
            .as_array()
            .expect("results")
            .is_empty()
    );
}

#[test]
fn the_action_compares_a_pull_request_with_the_target_branch() {
    let origin = Repository::code_first();
    origin.replace(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n### Fixed\n\n- Idle connections are closed after a minute.\n",
    );
    origin.commit_all();
    let address = origin.root().display().to_string();
    let clone = Repository::code_first();
    clone.commit_all();
    clone.git(&["remote", "add", "origin", &address]);
    let pull_request = [("GITHUB_BASE_REF", "main")];
    let run = all_of(&run_action(&clone, &pull_request));
    assert_printed(
        run,
        1,
        &["error[changelog-entry-lost]", "Idle connections are closed"],
    );
    fs::copy(origin.path("CHANGELOG.md"), clone.path("CHANGELOG.md")).expect("a copy");
    assert_eq!(all_of(&run_action(&clone, &pull_request)).0, 0);
}

#[test]
fn the_action_accepts_the_pull_request_that_adds_the_changelog() {
    let origin = Repository::code_first();
    origin.write("README.md", "Before.\n");
    origin.commit_all();
    origin.git(&["rm", "--quiet", "CHANGELOG.md"]);
    origin.commit_all();
    let clone = Repository::code_first();
    clone.commit_all();
    clone.git(&[
        "remote",
        "add",
        "origin",
        &origin.root().display().to_string(),
    ]);
    let run = run_action(&clone, &[("GITHUB_BASE_REF", "main")]);
    assert_printed(all_of(&run), 0, &["all 4 gates are green"]);
    // The history of the clone is still complete.
    assert!(!clone.path(".git/shallow").exists());
    clone.git(&["fetch", "--quiet", "--depth=1", "origin", "main"]);
    let run = run_action(&clone, &[("GITHUB_BASE_REF", "main")]);
    assert_printed(all_of(&run), 0, &["all 4 gates are green"]);
    assert!(clone.path(".git/shallow").exists());
    let run = clone.run(&["check", "--since", "no-such-branch"]);
    assert_printed(run, 1, &["has no revision `no-such-branch`"]);
}

#[test]
fn the_action_names_files_by_their_paths_in_the_git_repository() {
    let outer = Repository::code_first();
    outer.commit_all();
    let repository = Repository::below(&outer, "service");
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    let run = run_action(
        &repository,
        &[("OPENAPI_DROPSHOT_SARIF_FILE", "found.sarif")],
    );
    let annotation = "::error file=service/spec/things.yaml,line=11,";
    assert_printed(all_of(&run), 1, &[annotation]);
    let sarif: Value = serde_json::from_str(&repository.read("found.sarif")).expect("JSON");
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "service/spec/things.yaml");
    // Outside of GitHub Actions, paths are relative to the current folder.
    let run = repository.run(&["check", "--format", "github"]);
    assert_printed(run, 1, &["::error file=spec/things.yaml,line=11,"]);
}

/// The command of a hook in `.pre-commit-hooks.yaml`.
fn hook(id: &str) -> String {
    let hooks = fs::read_to_string(format!("{TOOLKIT}/.pre-commit-hooks.yaml")).expect("hooks");
    let own = hooks.split("- id: ").find(|hook| hook.starts_with(id));
    let own = own.unwrap_or_else(|| panic!("there is no hook `{id}`"));
    assert!(
        own.contains("language: system") && own.contains("pass_filenames: false"),
        "{own}"
    );
    let entry = own
        .lines()
        .find_map(|line| line.trim().strip_prefix("entry: "));
    entry.expect("a command").to_owned()
}

#[test]
#[cfg(unix)]
fn the_pre_commit_hooks_reject_a_commit_and_generate_the_code() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::with_crates();
    assert_eq!(repository.run(&["generate"]).0, 0);
    repository.commit_all();
    let script = repository.path(".git/hooks/pre-commit");
    let text = format!(
        "#!/bin/sh\nPATH='{}'\nexport PATH\nexec {}\n",
        search_path(),
        hook("openapi-dropshot-check")
    );
    fs::write(&script, text).expect("a hook is written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("the mode is set");
    let commit = || {
        let mut git = Command::new("git");
        git.args([
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.com",
            "-c",
            "commit.gpgsign=false",
        ]);
        git.args(["commit", "--quiet", "--all", "--message", "A change"]);
        all_of(
            &git.current_dir(repository.root())
                .output()
                .expect("git runs"),
        )
    };
    repository.replace(DOCUMENT, "maxLength: 100", "maxLength: 50");
    repository.replace(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n### Changed\n\n- GET /things: longer notes.\n",
    );
    assert_printed(
        commit(),
        1,
        &["error[stale-code]", "1 of 5 gates failed: generated"],
    );
    let generate = Command::new("sh")
        .args(["-c", &hook("openapi-dropshot-generate")])
        .env("PATH", search_path())
        .current_dir(repository.root())
        .output();
    assert_printed(
        all_of(&generate.expect("a shell runs")),
        0,
        &["wrote   models/src/generated/"],
    );
    assert_eq!(commit().0, 0);
}
