//! Tests that every mutation in the table is reported by the gate that is responsible for it, with
//! its place and a remedy, and by no other gate.

use super::{
    table::{self, Mutation},
    tree::{Findings, TODAY, Tree},
};
use std::collections::BTreeSet;

impl Mutation {
    /// Returns what the gates find after the tree was changed.
    fn findings(&self) -> (Tree, Findings) {
        let tree = Tree::new();
        for (path, old, new) in self.edits {
            let path = tree.named(path);
            let (old, new) = (
                old.replace("VERSION", &tree.version()),
                new.replace("VERSION", &tree.version()),
            );
            if old == "*" {
                tree.write(&path, &new);
            } else {
                tree.replace(&path, &old, &new);
            }
        }
        if self.is_generated {
            tree.generate();
        }
        let findings = tree.findings_on(self.today);
        (tree, findings)
    }

    /// Returns the difference between the expected and the actual findings of the gates.
    fn faults(&self) -> Option<String> {
        let (tree, findings) = self.findings();
        let mut expected: BTreeSet<&str> = self.also.iter().copied().collect();
        expected.insert(self.gate);
        let failed: BTreeSet<&str> = findings.failed().into_iter().collect();
        if failed != expected {
            return Some(format!(
                "failed are {failed:?}, not {expected:?}:\n{}",
                findings.shown()
            ));
        }
        let (path, line) = self.at;
        let path = tree.named(path);
        let text = tree.read(&path);
        let seen = findings.of(self.gate).into_iter().any(|found| {
            let number = found["line"].as_u64().unwrap_or_default() as usize;
            found["rule"] == self.rule
                && found["file"] == path.as_str()
                && text
                    .lines()
                    .nth(number - 1)
                    .unwrap_or_default()
                    .contains(line)
                && found["help"]
                    .as_str()
                    .is_some_and(|help| help.contains(self.help))
        });
        let has_fix = !findings.fix(self.gate).is_empty();
        (!seen || !has_fix).then(|| {
            format!(
                "not seen as {} at `{line}` of {path} with the help `{}`:\n{:#}",
                self.rule,
                self.help,
                findings.shown()
            )
        })
    }
}

impl Tree {
    /// Returns the path of a file in the table.
    fn named(&self, path: &str) -> String {
        match path {
            "RELEASED" => self.released(),
            path => path.to_owned(),
        }
    }
}

/// Fails with the list of all mutations of a gate that are not reported as in the table.
#[track_caller]
fn assert_seen(gate: &str) {
    let mutations = table::all().filter(|mutation| mutation.gate == gate);
    let faults: Vec<String> = mutations
        .filter_map(|mutation| Some(format!("{}: {}", mutation.what, mutation.faults()?)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_gates_have_no_findings_on_the_day_after_a_release() {
    let findings = Tree::new().findings();
    assert_eq!(findings.0["passed"], true, "{}", findings.shown());
    for gate in crate::check::tree::QUICK {
        assert!(findings.of(gate).is_empty(), "{}", findings.shown());
    }
}

#[test]
fn every_mutation_of_the_document_is_detected() {
    assert_seen("document");
}

#[test]
fn every_mutation_of_the_generated_code_is_detected() {
    assert_seen("generated");
}

#[test]
fn every_breaking_mutation_is_detected() {
    assert_seen("breaking");
}

#[test]
fn every_broken_lifecycle_rule_is_detected() {
    assert_seen("lifecycle");
}

#[test]
fn every_fault_of_changelog_and_versions_is_detected() {
    assert_seen("changelog");
}

#[test]
fn the_table_has_at_least_30_mutations_and_no_duplicates() {
    let count = table::all().count();
    let names: BTreeSet<&str> = table::all().map(|mutation| mutation.what).collect();
    assert_eq!(names.len(), count, "a mutation is listed twice");
    assert!(count >= 30, "only {count} mutations");
    assert!(table::all().all(|mutation| mutation.today >= TODAY));
}
