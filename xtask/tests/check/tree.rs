//! Copies the inputs of the gates in their state on the day after a release, so that the tests do
//! not depend on unreleased additions to the contract.

use crate::copy::{Copy, files_of, workspace_root};
use openapi_dropshot_contract::Document;
use serde_json::Value;
use std::{
    fs,
    ops::Deref,
    process::{Command, Output},
};
use tempfile::TempDir;

pub(crate) const DOCUMENT: &str = "spec/openapi.yaml";
pub(crate) const ACCEPTED: &str = "spec/accepted-breaks.toml";
pub(crate) const SUMS: &str = "spec/released/SHA256SUMS";
pub(crate) const CHANGELOG: &str = "CHANGELOG.md";

/// The date of the tests, long before any sunset.
pub(crate) const TODAY: &str = "2027-01-01";

/// All gates except `roundtrip`.
pub(crate) const QUICK: &[&str] = &[
    "document",
    "generated",
    "breaking",
    "lifecycle",
    "changelog",
];

const PARTS: &[&str] = &[
    "spec",
    "CHANGELOG.md",
    "crates/petstore-models/src/generated",
    "crates/petstore-api/src/generated",
    "crates/petstore-client/src/generated",
];

/// A copy of the document, the releases, the changelog, the generated code, and the files that
/// cargo reads.
pub(crate) struct Tree(Copy);

impl Tree {
    /// The day after a release: the document is the released one, and a changelog entry names every
    /// operation, so that every change has an entry.
    pub(crate) fn new() -> Self {
        Tree::new_in(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Does the same in a folder that the caller chose.
    pub(crate) fn new_in(folder: TempDir) -> Self {
        let files = files_of(&workspace_root());
        let is_of_cargo =
            |path: &&str| path.ends_with("Cargo.toml") || path.ends_with("Cargo.lock");
        let of_cargo = files.iter().map(String::as_str).filter(is_of_cargo);
        let parts: Vec<&str> = PARTS.iter().copied().chain(of_cargo).collect();
        let tree = Tree(Copy::into(folder, &parts));
        let version = tree.version();
        let manifest = tree.read("Cargo.toml");
        let between = manifest
            .lines()
            .find_map(|line| line.strip_prefix("version = "));
        let between = between.expect("the version of the workspace");
        tree.write(
            "Cargo.toml",
            &manifest.replace(between, &format!("{version:?}")),
        );
        let released = tree.root().join("spec/released");
        fs::remove_dir_all(released).expect("there are releases");
        tree.write(&tree.released(), &tree.read(DOCUMENT));
        tree.freeze();
        let mut entry = String::new();
        for operation in tree.document().operations {
            entry.push_str(&format!(
                "- `{} {}`\n",
                operation.method, operation.path.value
            ));
        }
        tree.write(
            CHANGELOG,
            &format!(
                "# Changelog\n\n## Unreleased\n\n### Changed\n\n{entry}\n## {version} - 2026-11-20\n\n\
                 ### Added\n\n- All of it.\n"
            ),
        );
        tree.write(ACCEPTED, "# Breaks that are intended.\n");
        tree
    }

    pub(crate) fn document(&self) -> Document {
        openapi_dropshot_contract::read(DOCUMENT, &self.read(DOCUMENT)).expect("a document")
    }

    /// `info.version`
    pub(crate) fn version(&self) -> String {
        self.document().info.version.value
    }

    /// The newest released document.
    pub(crate) fn released(&self) -> String {
        format!("spec/released/{}.yaml", self.version())
    }

    /// Records the checksum of the newest released document, as a release does.
    pub(crate) fn freeze(&self) {
        let path = self.released();
        let name = path.rsplit('/').next().expect("a name");
        let sum = Command::new("sha256sum")
            .arg(name)
            .current_dir(self.root().join("spec/released"))
            .output()
            .expect("sha256sum can be run");
        let sum = String::from_utf8(sum.stdout).expect("a line");
        self.write(SUMS, &sum);
    }

    /// Runs a task on the copy.
    pub(crate) fn xtask(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("--root")
            .arg(self.root())
            .args(arguments)
            .env_remove("GITHUB_ACTIONS")
            .output()
            .expect("xtask can be run")
    }

    /// Generates the code again.
    #[track_caller]
    pub(crate) fn generate(&self) {
        let output = self.xtask(&["generate"]);
        assert!(output.status.success(), "{}", all_of(&output));
    }

    /// Runs the gates except `roundtrip`, with more arguments.
    pub(crate) fn check(&self, arguments: &[&str]) -> Output {
        let gates = QUICK.iter().flat_map(|gate| ["--gate", gate]);
        let arguments: Vec<&str> = ["check"]
            .into_iter()
            .chain(gates)
            .chain(arguments.iter().copied())
            .collect();
        self.xtask(&arguments)
    }

    /// Returns what the gates find on this day.
    pub(crate) fn findings_on(&self, today: &str) -> Findings {
        let output = self.check(&["--format", "json", "--today", today]);
        let json: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", all_of(&output)));
        assert_eq!(
            json["passed"],
            output.status.success(),
            "the exit code says the same"
        );
        Findings(json)
    }

    /// Returns what the gates find.
    pub(crate) fn findings(&self) -> Findings {
        self.findings_on(TODAY)
    }
}

impl Deref for Tree {
    type Target = Copy;

    fn deref(&self) -> &Copy {
        &self.0
    }
}

/// The JSON that the gates print.
pub(crate) struct Findings(pub(crate) Value);

impl Findings {
    /// The gates that failed.
    pub(crate) fn failed(&self) -> Vec<&str> {
        self.gates()
            .filter(|gate| gate["state"] == "failed")
            .filter_map(|gate| gate["name"].as_str())
            .collect()
    }

    /// Returns the findings of a gate.
    pub(crate) fn of(&self, gate: &str) -> Vec<&Value> {
        self.gates()
            .filter(|found| found["name"] == gate)
            .filter_map(|found| found["findings"].as_array())
            .flatten()
            .collect()
    }

    /// Returns the command that fixes the findings of a gate.
    pub(crate) fn fix(&self, gate: &str) -> &str {
        let mut gates = self.gates().filter(|found| found["name"] == gate);
        gates
            .find_map(|gate| gate["fix"].as_str())
            .unwrap_or_default()
    }

    /// Returns one line per finding.
    pub(crate) fn shown(&self) -> String {
        let mut lines = String::new();
        for gate in self.gates() {
            for found in self.of(gate["name"].as_str().unwrap_or_default()) {
                lines.push_str(&format!(
                    "  {} {}:{} {}[{}]: {}; {}\n",
                    gate["name"],
                    found["file"],
                    found["line"],
                    found["severity"],
                    found["rule"],
                    found["message"],
                    found["help"]
                ));
            }
        }
        lines
    }

    fn gates(&self) -> impl Iterator<Item = &Value> {
        self.0["gates"].as_array().into_iter().flatten()
    }
}

/// Returns the whole output of a program.
pub(crate) fn all_of(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}
