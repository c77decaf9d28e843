//! The house tests: what must hold of the workspace as a whole, read from its
//! manifests and its sources. Each rule is a function over a [`House`] that
//! lists its faults; each is also tried on a copy of the house in which it is
//! broken on purpose, so that it is known to see a break. What the code does
//! when it runs is left to the crates' own tests.

mod arrows;
mod copy;
mod crates_and_sources;
mod door;
mod features;
mod files;
mod generated;
mod generator;
#[path = "../support/mod.rs"]
mod support;
mod tls;
mod tokens;

use crates_and_sources::House;
use support::Copy;

/// A rule of the house: what breaks it, each with what to do.
type Rule = fn(&House) -> Vec<String>;

/// Fails with the faults that the rule finds in this workspace.
#[track_caller]
fn assert_kept(rule: Rule) {
    let faults = rule(House::this());
    assert!(
        faults.is_empty(),
        "{} of the house is broken:\n  {}\n",
        a_rule(&faults),
        faults.join("\n  ")
    );
}

fn a_rule(faults: &[String]) -> String {
    if faults.len() == 1 {
        "a rule".to_owned()
    } else {
        format!("a rule ({} faults)", faults.len())
    }
}

/// Fails unless the rule finds exactly one more fault in the broken copy than
/// in this workspace, and that fault says all of `words`.
#[track_caller]
fn assert_seen(rule: Rule, broken: &Copy, words: &[&str]) {
    let before = rule(House::this());
    let faults: Vec<String> = rule(&House::open(broken.root()))
        .into_iter()
        .filter(|fault| !before.contains(fault))
        .collect();
    println!("{}", faults.join("\n"));
    assert_eq!(
        faults.len(),
        1,
        "expected exactly one fault, found {faults:#?}"
    );
    for word in words {
        assert!(
            faults[0].contains(word),
            "the fault does not say `{word}`: {}",
            faults[0]
        );
    }
}
