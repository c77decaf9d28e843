//! Tests which versions in Cargo.toml and Cargo.lock follow the version of the document.

use crate::repository::{Repository, assert_printed};

/// A released repository with a manifest, and an entry for the next release.
fn with_manifest(manifest: &str) -> Repository {
    let repository = Repository::code_first();
    repository.write("Cargo.toml", manifest);
    repository.replace(
        "CHANGELOG.md",
        "## Unreleased\n",
        "## Unreleased\n\n### Fixed\n\n- A fault.\n",
    );
    repository
}

/// The text of a lock file with these crates.
fn lock(crates: &[(&str, &str)]) -> String {
    let package = |(name, version): &(&str, &str)| {
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n")
    };
    crates.iter().map(package).collect()
}

#[test]
fn a_release_keeps_the_version_of_a_crate_that_does_not_inherit_the_workspace_version() {
    let manifest = "[workspace]\nmembers = [\"libs/*\"]\n\n[workspace.package]\nversion = \"1.0.0\"\n\n[workspace.dependencies]\n\
                    codec = { path = \"libs/codec\", version = \"0.3.0\" }\nmodel = { path = \"./libs/model/\", version = \"1.0.0\" }\n";
    let repository = with_manifest(manifest);
    repository.write(
        "libs/codec/Cargo.toml",
        "[package]\nname = \"codec\"\nversion = \"0.3.0\"\n",
    );
    repository.write(
        "libs/model/Cargo.toml",
        "[package]\nname = \"model\"\nversion.workspace = true\n",
    );
    repository.write(
        "Cargo.lock",
        &lock(&[("codec", "0.3.0"), ("model", "1.0.0")]),
    );
    assert_printed(repository.run(&["check"]), 0, &["all 4 gates are green"]);
    assert_printed(
        repository.run(&["release", "1.0.1"]),
        0,
        &["released 1.0.1"],
    );
    assert_eq!(
        repository.read("Cargo.toml"),
        manifest.replace("1.0.0", "1.0.1")
    );
    let expected = lock(&[("codec", "0.3.0"), ("model", "1.0.1")]);
    assert_eq!(repository.read("Cargo.lock"), expected);
    // The version of the other crate is still compared.
    repository.replace(
        "Cargo.toml",
        "model/\", version = \"1.0.1\"",
        "model/\", version = \"1.0.0\"",
    );
    let wrong = "the version of model is 1.0.0, but the newest release is 1.0.1";
    assert_printed(repository.run(&["check"]), 1, &[wrong]);
}

#[test]
fn a_release_keeps_the_versions_of_a_workspace_inside_another_workspace() {
    let repository = with_manifest(
        "[workspace]\nexclude = [\"tools\"]\n\n[workspace.package]\nversion = \"1.0.0\"\n",
    );
    repository.write(
        "model/Cargo.toml",
        "[package]\nname = \"model\"\nversion.workspace = true\n",
    );
    let tools = "[workspace]\nmembers = [\"gen\"]\n\n[workspace.package]\nversion = \"1.0.0\"\n";
    repository.write("tools/Cargo.toml", tools);
    repository.write(
        "tools/gen/Cargo.toml",
        "[package]\nname = \"gen\"\nversion.workspace = true\n",
    );
    repository.write("tools/Cargo.lock", &lock(&[("gen", "1.0.0")]));
    // This workspace depends on a crate of the outer workspace, which has another version after the
    // release.
    repository.write(
        "fuzz/Cargo.toml",
        "[package]\nname = \"fuzz\"\nversion = \"0.0.0\"\n\n[workspace]\n",
    );
    repository.write(
        "fuzz/Cargo.lock",
        &lock(&[("fuzz", "0.0.0"), ("model", "1.0.0")]),
    );
    assert_printed(
        repository.run(&["release", "1.0.1"]),
        0,
        &["released 1.0.1"],
    );
    assert_eq!(repository.read("tools/Cargo.toml"), tools);
    assert_eq!(
        repository.read("tools/Cargo.lock"),
        lock(&[("gen", "1.0.0")])
    );
    let expected = lock(&[("fuzz", "0.0.0"), ("model", "1.0.1")]);
    assert_eq!(repository.read("fuzz/Cargo.lock"), expected);
}

#[test]
fn the_version_of_a_single_crate_must_equal_the_version_of_the_newest_release() {
    let manifest = "[package]\nname = \"shop\"\nversion = \"0.9.0\"\n";
    let repository = with_manifest(manifest);
    repository.write("Cargo.lock", &lock(&[("shop", "0.9.0")]));
    let wrong = "the version of shop is 0.9.0, but the newest release is 1.0.0";
    assert_printed(
        repository.run(&["check"]),
        1,
        &["error[version]", "Cargo.toml:3:11", wrong],
    );
    for file in ["Cargo.toml", "Cargo.lock"] {
        repository.replace(file, "0.9.0", "1.0.0");
    }
    assert_printed(
        repository.run(&["release", "1.0.1"]),
        0,
        &["released 1.0.1"],
    );
    assert_eq!(
        repository.read("Cargo.toml"),
        manifest.replace("0.9.0", "1.0.1")
    );
    assert_eq!(repository.read("Cargo.lock"), lock(&[("shop", "1.0.1")]));
}
