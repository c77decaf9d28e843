//! One TLS provider in the whole graph. Two of them make
//! `ServerConfig::builder()` panic when it is called.

use crate::{
    Copy, assert_kept, assert_seen,
    crates_and_sources::{House, cargo},
};
use std::collections::BTreeSet;

/// The provider of this house.
const PROVIDER: &str = "aws-lc-rs";

/// Whatever else could encrypt a connection.
const OTHERS: &[&str] = &[
    "boring",
    "native-tls",
    "openssl",
    "ring",
    "rustls-openssl",
    "rustls-rustcrypto",
    "s2n-tls",
];

fn one_tls_provider(house: &House) -> Vec<String> {
    let all = packages(house, "--workspace");
    let mut faults: Vec<String> = OTHERS
        .iter()
        .filter(|other| all.contains(**other))
        .map(|other| {
            format!(
                "{other} is in the graph beside {PROVIDER}, and two TLS providers make rustls panic: find who brings it \
                 with `cargo tree --workspace --invert {other}` and switch its feature off in Cargo.toml"
            )
        })
        .collect();
    if !packages(house, "--package=petstore-client").contains(PROVIDER) {
        faults.push(format!(
            "petstore-client alone does not reach {PROVIDER}: https would not work as delivered; \
             put `rustls` into the default features of crates/petstore-client/Cargo.toml"
        ));
    }
    faults
}

/// The packages that are compiled for some of the workspace. Asks `cargo tree`
/// and not the lock file: that one also lists what features and platforms
/// leave out.
fn packages(house: &House, of: &str) -> BTreeSet<String> {
    let tree = cargo(
        &house.root,
        &[
            "tree",
            "--offline",
            of,
            "--prefix",
            "none",
            "--format",
            "{p}",
        ],
    );
    tree.lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn exactly_one_tls_provider_is_in_the_graph() {
    assert_kept(one_tls_provider);
}

#[test]
fn a_second_tls_provider_is_seen() {
    // A package of that name in the copy itself: no registry has to be asked.
    let broken = Copy::of_the_house()
        .with(
            "crates/ring/Cargo.toml",
            "[package]\nname = \"ring\"\nversion = \"9.0.0\"\nedition = \"2024\"\n",
        )
        .with("crates/ring/src/lib.rs", "//! Another provider.\n")
        .with_dependency(
            "crates/petstore-client/Cargo.toml",
            "ring = { path = \"../ring\" }",
        );
    assert_seen(
        one_tls_provider,
        &broken,
        &["ring is in the graph beside aws-lc-rs"],
    );
}

#[test]
fn a_client_without_tls_is_seen() {
    let broken = Copy::of_the_house().replacing(
        "crates/petstore-client/Cargo.toml",
        "default = [\"rustls\"]",
        "default = []",
    );
    assert_seen(
        one_tls_provider,
        &broken,
        &["petstore-client alone does not reach aws-lc-rs"],
    );
}
