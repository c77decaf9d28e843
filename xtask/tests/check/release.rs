//! Tests `cargo xtask release`: when it fails without changing anything, and what it changes.

use super::tree::{ACCEPTED, CHANGELOG, DOCUMENT, SUMS, TODAY, Tree, all_of};
use crate::copy::{Copy, files_of};
use std::{collections::BTreeMap, path::Path, process::Command};

/// An optional parameter, which is an addition.
const ADDITION: (&str, &str) = (
    "        - $ref: '#/components/parameters/Limit'\n",
    "        - $ref: '#/components/parameters/Limit'\n        - name: shop\n          in: query\n          \
     description: Which shop.\n          schema:\n            type: string\n          example: north\n",
);

/// Returns the version with its numbers increased.
fn raised(tree: &Tree, by: [u64; 3]) -> String {
    let version = tree.version();
    let numbers = version
        .split('.')
        .map(|number| number.parse::<u64>().expect("a number"));
    let mut raised: Vec<u64> = numbers.collect();
    let first = by.iter().position(|by| *by > 0).unwrap_or(3);
    for (index, number) in raised.iter_mut().enumerate() {
        *number = if index > first {
            by[index]
        } else {
            *number + by[index]
        };
    }
    let raised: Vec<String> = raised.iter().map(u64::to_string).collect();
    raised.join(".")
}

/// All files of a tree.
fn contents(tree: &Tree) -> BTreeMap<String, String> {
    let files = files_of(tree.root()).into_iter();
    files.map(|path| (path.clone(), tree.read(&path))).collect()
}

/// Fails unless the release is rejected with these texts and nothing changed.
#[track_caller]
fn assert_rejected(tree: &Tree, version: &str, words: &[&str]) {
    let before = contents(tree);
    let output = tree.xtask(&["release", version, "--today", TODAY]);
    let printed = all_of(&output);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    for words in words {
        assert!(printed.contains(words), "`{words}` is missing:\n{printed}");
    }
    assert_eq!(
        contents(tree),
        before,
        "a release that is rejected changes nothing"
    );
}

#[test]
fn invalid_versions_are_rejected() {
    let tree = Tree::new();
    for version in ["2", "2.0", "v2.0.0", "2.0.0-rc1", "02.0.0"] {
        assert_rejected(&tree, version, &["is not a version", "such as 1.1.0"]);
    }
}

#[test]
fn a_version_that_is_not_greater_is_rejected() {
    let tree = Tree::new();
    assert_rejected(
        &tree,
        &tree.version(),
        &["was already released", "choose a greater version"],
    );
    assert_rejected(&tree, "0.9.9", &["is not newer"]);
}

#[test]
fn a_release_without_changelog_entries_is_rejected() {
    let tree = Tree::new();
    let changelog = tree.read(CHANGELOG);
    let lines = changelog.lines().filter(|line| !line.starts_with("- `"));
    tree.write(
        CHANGELOG,
        &lines.map(|line| format!("{line}\n")).collect::<String>(),
    );
    let version = raised(&tree, [0, 0, 1]);
    assert_rejected(
        &tree,
        &version,
        &["CHANGELOG.md:3: `## Unreleased` has no entries"],
    );
    tree.replace(CHANGELOG, "## Unreleased", "## Soon");
    assert_rejected(
        &tree,
        &version,
        &["does not begin with the section `## Unreleased`"],
    );
}

#[test]
fn an_addition_needs_a_minor_version() {
    let tree = Tree::new();
    tree.replace(DOCUMENT, ADDITION.0, ADDITION.1);
    tree.generate();
    let least = format!(
        "need a minor version, at least {}",
        raised(&tree, [0, 1, 0])
    );
    assert_rejected(
        &tree,
        &raised(&tree, [0, 0, 1]),
        &[
            &least,
            "GET /pets",
            "[new-optional-request-parameter] (spec/openapi.yaml:",
        ],
    );
}

#[test]
fn an_entry_under_added_needs_a_minor_version() {
    let tree = Tree::new();
    tree.replace(CHANGELOG, "### Changed", "### Added");
    let version = raised(&tree, [0, 0, 1]);
    assert_rejected(
        &tree,
        &version,
        &["need a minor version", "`### Added` in CHANGELOG.md"],
    );
}

#[test]
fn an_accepted_break_needs_a_major_version() {
    let tree = Tree::new();
    break_and_accept(&tree);
    let least = format!(
        "need a major version, at least {}",
        raised(&tree, [1, 0, 0])
    );
    assert_rejected(
        &tree,
        &raised(&tree, [0, 1, 0]),
        &[
            &least,
            "a breaking change of GET /pets",
            "[request-parameter-max-decreased]",
        ],
    );
}

/// Lowers a bound, and accepts this breaking change.
fn break_and_accept(tree: &Tree) {
    tree.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    tree.generate();
    tree.write(
        ACCEPTED,
        "# Breaks that are intended.\n\n[[accepted]]\nrule = 'request-parameter-max-decreased'\n\
         at = '/components/parameters/Limit/schema/maximum'\nreason = 'larger pages never arrived whole'\n\
         date = 2027-01-01\n",
    );
}

#[test]
fn a_failed_gate_is_shown_and_prevents_the_release() {
    let tree = Tree::new();
    tree.replace(DOCUMENT, "The pet's name.", "How the pet is called.");
    assert_rejected(
        &tree,
        &raised(&tree, [0, 0, 1]),
        &[
            "generated  FAILED",
            "fix: cargo xtask generate",
            "because these gates failed: generated",
        ],
    );
}

#[test]
fn a_released_document_is_never_overwritten() {
    let tree = Tree::new();
    // The file already exists, but cannot be read as a release.
    let path = format!("spec/released/{}.yaml", raised(&tree, [0, 0, 1]));
    tree.write(&path, "openapi: 3.0.3\n");
    assert_rejected(&tree, &raised(&tree, [0, 0, 1]), &[&path, "breaking"]);
}

/// Tests the whole release, including the gate that compiles code. The folder is the same in each
/// run, so that compiled code can be used again.
#[test]
fn a_release_freezes_the_document_and_updates_every_version_and_then_all_gates_pass() {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let target = own.parent().expect("it is in the target folder");
    let folder = tempfile::Builder::new()
        .prefix("release")
        .rand_bytes(0)
        .tempdir_in(own)
        .expect("a folder for the copy");
    let tree = Tree::new_in(folder);
    tree.replace(DOCUMENT, ADDITION.0, ADDITION.1);
    tree.replace(
        CHANGELOG,
        "- `GET /pets`\n",
        "- `GET /pets` has the parameter `shop`.\n",
    );
    break_and_accept(&tree);
    let told = tree.read(CHANGELOG);
    let old = tree.version();
    let version = raised(&tree, [1, 0, 0]);
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("--root")
        .arg(tree.root())
        .args(["release", &version, "--today", TODAY])
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("xtask can be run");
    let printed = all_of(&output);
    assert!(output.status.success(), "{printed}");
    assert!(
        printed.contains(&format!("released {version}:\n")),
        "{printed}"
    );

    let document = tree.read(DOCUMENT);
    assert_eq!(tree.version(), version);
    assert_eq!(
        tree.read(&format!("spec/released/{version}.yaml")),
        document
    );
    assert_ne!(tree.read(&format!("spec/released/{old}.yaml")), document);
    let names = tree.read(SUMS);
    let names: Vec<&str> = names
        .lines()
        .filter_map(|line| line.split("  ").nth(1))
        .collect();
    assert_eq!(names, [format!("{old}.yaml"), format!("{version}.yaml")]);
    let check = Command::new("sha256sum")
        .args(["--check", "SHA256SUMS"])
        .current_dir(tree.root().join("spec/released"))
        .output()
        .expect("sha256sum can be run");
    assert!(check.status.success(), "{}", all_of(&check));
    let (head, entries) = told.split_once("## Unreleased\n").expect("a section");
    assert_eq!(
        tree.read(CHANGELOG),
        format!("{head}## Unreleased\n\n## {version} - {TODAY}\n{entries}")
    );
    assert_eq!(tree.read(ACCEPTED), "# Breaks that are intended.\n");
    assert!(
        !tree
            .read("Cargo.toml")
            .contains(&format!("\", version = \"{old}\""))
    );
    assert_lock_has(&tree, &version);
    assert!(
        !files_of(tree.root())
            .iter()
            .any(|path| path.ends_with(".new"))
    );

    let findings = tree.findings();
    assert_eq!(findings.0["passed"], true, "{}", findings.shown());
    let least = raised(&tree, [0, 0, 1]);
    assert_rejected(&tree, &least, &["`## Unreleased` has no entries"]);
}

#[test]
fn setting_a_dev_version_after_a_release_changes_only_cargo_files() {
    let tree = Tree::new();
    let released = tree.version();
    for version in [format!("{released}-dev"), "0.9.9-dev".to_owned()] {
        assert_rejected(
            &tree,
            &version,
            &["was already released", "choose a greater version"],
        );
    }
    let before = contents(&tree);
    let version = format!("{}-dev", raised(&tree, [0, 1, 0]));
    let output = tree.xtask(&["release", &version]);
    assert!(output.status.success(), "{}", all_of(&output));
    let changed: Vec<String> = contents(&tree)
        .into_iter()
        .filter(|(path, text)| before[path] != *text)
        .map(|(path, _)| path)
        .collect();
    assert!(changed.contains(&"Cargo.toml".to_owned()), "{changed:?}");
    assert!(
        changed.iter().all(|path| path.contains("Cargo.")),
        "{changed:?}"
    );
    assert_lock_has(&tree, &version);
    let findings = tree.findings();
    assert_eq!(findings.0["passed"], true, "{}", findings.shown());

    tree.replace("Cargo.toml", &version, &format!("{released}-dev"));
    let findings = tree.findings();
    assert_eq!(findings.0["passed"], false, "it comes before the release");
}

/// Checks that cargo accepts the lock file.
#[track_caller]
fn assert_lock_has(tree: &Tree, version: &str) {
    let lock = tree.read("Cargo.lock");
    for name in ["petstore-client", "petstore-server", "xtask"] {
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(
            lock.contains(&entry),
            "{name} is not {version} in Cargo.lock"
        );
    }
    // The lock file of another workspace, which depends on a crate of this workspace.
    let browser = tree.read("examples/browser/Cargo.lock");
    let entry = format!("name = \"petstore-client\"\nversion = \"{version}\"\n");
    assert!(
        browser.contains(&entry),
        "petstore-client is not {version} there"
    );
    // A version other than the workspace's is kept.
    for lock in [&lock, &browser] {
        let toolkit = "name = \"openapi-dropshot-client\"\nversion = \"0.";
        assert!(lock.contains(toolkit), "the toolkit has another version");
    }
    assert_cargo_accepts(tree);
}

/// Checks that the lock file matches the manifests.
#[track_caller]
fn assert_cargo_accepts(tree: &Tree) {
    let whole = Copy::of(&[""]);
    for file in files_of(tree.root()) {
        if file.ends_with("Cargo.toml") || file == "Cargo.lock" {
            whole.write(&file, &tree.read(&file));
        }
    }
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(whole.root())
        .output()
        .expect("cargo can be run");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_release_of_the_toolkit_changes_only_the_versions_and_the_changelog_of_the_toolkit() {
    const TOOLKIT: &str = "crates/openapi-dropshot/CHANGELOG.md";
    let tree = Tree::new();
    let entries = "### Added\n\n- All of it.\n";
    tree.write(
        TOOLKIT,
        &format!("# Changelog\n\n## Unreleased\n\n{entries}"),
    );
    // After this, the lock files match the manifests. Before, they have the versions of the
    // workspace.
    let version = format!("{}-dev", raised(&tree, [0, 1, 0]));
    let output = tree.xtask(&["release", &version]);
    assert!(output.status.success(), "{}", all_of(&output));
    assert_toolkit_rejected(&tree, "0.0.9", "is not newer");
    let before = contents(&tree);
    let output = tree.xtask(&["release-toolkit", "9.0.0", "--today", TODAY]);
    assert!(output.status.success(), "{}", all_of(&output));
    let changed: Vec<String> = contents(&tree)
        .into_iter()
        .filter(|(path, text)| before[path] != *text)
        .map(|(path, _)| path)
        .collect();
    let of_petstore = |path: &&String| path.contains("petstore") || path.starts_with("spec");
    assert!(
        !changed.iter().any(|path| of_petstore(&path)),
        "{changed:?}"
    );
    assert_eq!(
        tree.read(TOOLKIT),
        format!("# Changelog\n\n## Unreleased\n\n## 9.0.0 - {TODAY}\n\n{entries}")
    );
    for name in [
        "fair-shares",
        "openapi-dropshot-client",
        "cargo-openapi-dropshot",
    ] {
        let manifest = tree.read(&format!("crates/{name}/Cargo.toml"));
        assert!(manifest.contains("\nversion = \"9.0.0\"\n"), "{manifest}");
    }
    assert_cargo_accepts(&tree);
    assert!(
        tree.read("Cargo.lock")
            .contains("name = \"fair-shares\"\nversion = \"9.0.0\"\n")
    );
    assert_eq!(tree.findings().0["passed"], true);

    assert_toolkit_rejected(&tree, "9.0.1", "`## Unreleased` has no entries");
    let output = tree.xtask(&["release-toolkit", "9.1.0-dev"]);
    assert!(output.status.success(), "{}", all_of(&output));
    assert!(
        tree.read("Cargo.toml")
            .contains("fair-shares\", version = \"9.1.0-dev\"")
    );
}

/// Fails unless the release of the toolkit is rejected with this text and nothing changed.
#[track_caller]
fn assert_toolkit_rejected(tree: &Tree, version: &str, text: &str) {
    let before = contents(tree);
    let output = tree.xtask(&["release-toolkit", version]);
    assert_eq!(output.status.code(), Some(1), "{}", all_of(&output));
    assert!(all_of(&output).contains(text), "{}", all_of(&output));
    assert_eq!(contents(tree), before);
}
