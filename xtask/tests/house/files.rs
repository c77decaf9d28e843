//! The files of the house: what stands where, and how it begins.

use crate::{
    Copy, assert_kept, assert_seen,
    crates_and_sources::{ANOTHER_SERVICE, GENERATED, House},
};
use std::{fs, path::Path};

/// What stands at the top, files and folders; names that begin with a dot aside.
const TOP: &[&str] = &[
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "crates",
    "examples",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "schemathesis.toml",
    "spec",
    "xtask",
];

/// What others rely on finding below the top.
const BELOW: &[&str] = &[
    ".cargo/config.toml",
    ".ci/heavy",
    ".ci/run",
    ".gitattributes",
    ".github/workflows/ci.yml",
    ".gitignore",
    "crates/README.md",
    "spec/README.md",
    "spec/openapi.yaml",
    "spec/released/1.0.0.yaml",
    "xtask/src/main.rs",
];

/// How long `xtask/src/main.rs` may be.
const LINES_OF_MAIN: usize = 99;

fn everything_has_its_place(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for name in TOP.iter().filter(|name| !house.root.join(name).exists()) {
        faults.push(format!("{name} is missing at the top: put it back"));
    }
    for path in BELOW.iter().filter(|path| !house.has(path)) {
        faults.push(format!("{path} is missing: put it back"));
    }
    for name in names_at_the_top(&house.root) {
        if !TOP.contains(&name.as_str()) && name != "target" && !name.starts_with('.') {
            faults.push(format!(
                "{name} stands at the top, which is full: move it to the folder of the code map (crates/README.md) \
                 that it belongs to"
            ));
        }
    }
    faults
}

fn names_at_the_top(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).expect("the top can be listed");
    let names = entries.map(|entry| entry.expect("the entry can be read").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    // A store that was tried out here is ignored by git, too.
    names.retain(|name| !name.contains(".db"));
    names.sort();
    names
}

fn crates_stand_in_folders_of_their_names(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, member) in &house.crates {
        let expected = match name.as_str() {
            ANOTHER_SERVICE => format!("examples/{ANOTHER_SERVICE}"),
            "petstore-examples" => "examples".to_owned(),
            "xtask" => "xtask".to_owned(),
            name => format!("crates/{name}"),
        };
        if member.folder != expected {
            faults.push(format!(
                "{name} stands in {}: move it to {expected}",
                member.folder
            ));
        }
    }
    faults
}

fn every_file_says_what_it_is_for(house: &House) -> Vec<String> {
    let sources = house.sources("");
    let silent = sources.iter().filter(|source| {
        let words = source.first_line().strip_prefix("//!").unwrap_or_default();
        words.trim().is_empty() && !source.path.contains("/tests/golden/")
    });
    silent
        .map(|source| {
            format!(
                "{}:1: begins without `//!`: say in the first line what the file is for, and what it leaves to others",
                source.path
            )
        })
        .collect()
}

fn the_main_file_of_xtask_is_short(house: &House) -> Vec<String> {
    let lines = house.text("xtask/src/main.rs").lines().count();
    if lines <= LINES_OF_MAIN {
        return Vec::new();
    }
    vec![format!(
        "xtask/src/main.rs has {lines} lines: below {} it stays a table of contents; move the work to the file of the task",
        LINES_OF_MAIN + 1
    )]
}

#[test]
fn every_file_of_the_house_is_in_its_place() {
    assert_kept(everything_has_its_place);
}

#[test]
fn a_file_that_is_gone_is_seen() {
    let broken = Copy::of_the_house().without("spec/openapi.yaml");
    assert_seen(
        everything_has_its_place,
        &broken,
        &["spec/openapi.yaml is missing"],
    );
}

#[test]
fn a_newcomer_at_the_top_is_seen() {
    let broken = Copy::of_the_house().with("scripts/fix.sh", "#!/bin/sh\n");
    assert_seen(
        everything_has_its_place,
        &broken,
        &["scripts stands at the top"],
    );
}

#[test]
fn every_crate_stands_in_the_folder_of_its_name() {
    assert_kept(crates_stand_in_folders_of_their_names);
}

#[test]
fn a_crate_in_a_folder_of_another_name_is_seen() {
    let broken = Copy::of_the_house().replacing(
        "crates/petstore-client/Cargo.toml",
        "name = \"petstore-client\"",
        "name = \"petstore-sdk\"",
    );
    assert_seen(
        crates_stand_in_folders_of_their_names,
        &broken,
        &["petstore-sdk stands in crates/petstore-client"],
    );
}

#[test]
fn every_rust_file_says_in_its_first_line_what_it_is_for() {
    assert_kept(every_file_says_what_it_is_for);
}

#[test]
fn a_file_that_does_not_say_what_it_is_for_is_seen() {
    let broken = Copy::of_the_house().with("crates/petstore-store/src/extra.rs", "use std::fmt;\n");
    assert_seen(
        every_file_says_what_it_is_for,
        &broken,
        &["crates/petstore-store/src/extra.rs:1"],
    );
}

#[test]
fn the_main_file_of_xtask_has_less_than_a_hundred_lines() {
    assert_kept(the_main_file_of_xtask_is_short);
}

#[test]
fn a_main_file_that_does_the_work_itself_is_seen() {
    let broken = Copy::of_the_house().appending("xtask/src/main.rs", &"// work\n".repeat(100));
    assert_seen(
        the_main_file_of_xtask_is_short,
        &broken,
        &["xtask/src/main.rs has", "move the work"],
    );
}

#[test]
fn the_mark_of_generated_code_is_the_one_that_the_generator_writes() {
    let house = House::this();
    let options = house.sources("crates/petstore-models/src/generated");
    assert!(
        !options.is_empty(),
        "petstore-models has no generated code: run `cargo xtask generate`"
    );
    assert!(
        options
            .iter()
            .all(|source| source.first_line() == GENERATED)
    );
}
