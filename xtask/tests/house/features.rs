//! One set of features for all commands. Where tests alone switch a feature
//! on, all that stands on that package is compiled twice: for the README's
//! first command, and again for its second.

use crate::{
    Copy, assert_kept, assert_seen,
    crates_and_sources::{ANOTHER_SERVICE, House, cargo},
};
use std::collections::BTreeMap;

fn tests_switch_on_no_features(house: &House) -> Vec<String> {
    let without_tests = features(house, "normal,build");
    let with_tests = features(house, "normal,build,dev");
    let differ = without_tests
        .iter()
        .filter(|(package, features)| with_tests.get(*package) != Some(features));
    differ
        .map(|(package, features)| {
            format!(
                "{package} has the features `{features}` for `cargo run` and `{}` for `cargo test`, which compiles \
                 everything above it twice: switch the missing ones on among the dependencies of xtask/Cargo.toml, too",
                with_tests.get(package).map_or("", String::as_str),
            )
        })
        .collect()
}

/// The features of each package of a registry, by name and version. A package
/// that is compiled for build scripts as well may be there with two sets.
fn features(house: &House, edges: &str) -> BTreeMap<String, String> {
    let tree = cargo(
        &house.root,
        &[
            "tree",
            "--offline",
            "--workspace",
            // Its build script has the generator as a tool, which is compiled
            // apart from everything else in any case.
            "--exclude",
            ANOTHER_SERVICE,
            "--edges",
            edges,
            "--prefix",
            "none",
            "--no-dedupe",
            "--format",
            "{p}={f}",
        ],
    );
    let mut features: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (package, set) in tree.lines().filter_map(|line| line.split_once('=')) {
        let sets = features.entry(package.to_owned()).or_default();
        if !package.contains('/') && !sets.contains(&set) {
            sets.push(set);
        }
    }
    let joined = |mut sets: Vec<&str>| {
        sets.sort_unstable();
        sets.join("` and `")
    };
    features
        .into_iter()
        .map(|(package, sets)| (package, joined(sets)))
        .collect()
}

#[test]
fn running_and_testing_agree_on_the_features_of_every_package() {
    assert_kept(tests_switch_on_no_features);
}

#[test]
fn a_feature_that_only_tests_switch_on_is_seen() {
    let broken = Copy::of_the_house().replacing(
        "crates/petstore-store/Cargo.toml",
        "[dev-dependencies]\n",
        "[dev-dependencies]\nrustix = { workspace = true, features = [\"pty\"] }\n",
    );
    assert_seen(
        tests_switch_on_no_features,
        &broken,
        &[
            "rustix v1",
            "pty",
            "switch the missing ones on among the dependencies of xtask/Cargo.toml",
        ],
    );
}
