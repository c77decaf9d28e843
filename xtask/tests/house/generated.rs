//! Where generated code stands, how it says so, and that it is fresh.

use crate::{
    Copy, assert_kept, assert_seen,
    crates_and_sources::{GENERATED, House, Source},
    tokens::words,
};
use std::{path::Path, process::Command};

fn generated_code_stands_in_its_folders(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for source in house.sources("") {
        let says_so = source.first_line() == GENERATED;
        if source.is_generated() && !says_so {
            faults.push(format!(
                "{} does not begin with `{GENERATED}`: move what was written by hand out of src/generated, \
                 then run `cargo xtask generate`",
                source.path
            ));
        }
        // What the generator's own tests compare with is generated and stands elsewhere.
        if says_so && !source.is_generated() && !source.path.contains("/tests/") {
            faults.push(format!(
                "{} says it is generated and stands outside of src/generated: take the line out, or let the generator \
                 write it where it belongs",
                source.path
            ));
        }
    }
    faults.extend(house.files.iter().filter(|path| is_misplaced(path)).map(|path| {
        format!("{path}: a folder `generated` stands in crates/*/src only: move it, and mend the generator's options")
    }));
    faults
}

fn is_misplaced(path: &str) -> bool {
    let folders: Vec<&str> = path.split('/').collect();
    let Some(at) = folders.iter().position(|folder| *folder == "generated") else {
        return false;
    };
    let in_src_of_a_crate = at == 3 && folders[0] == "crates" && folders[2] == "src";
    let compared_by_tests = folders.contains(&"tests");
    !in_src_of_a_crate && !compared_by_tests
}

fn generated_code_has_a_hand_written_parent(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for name in house.generated_crates() {
        let folder = format!("{}/src", house.crates[name].folder);
        let is_parent = |source: &Source| {
            let declares = words(source)
                .windows(3)
                .any(|words| words == ["mod", "generated", ";"]);
            declares && !source.is_generated() && source.first_line() != GENERATED
        };
        let parent = format!("{folder}/lib.rs");
        if !house
            .sources(&folder)
            .iter()
            .any(|source| source.path == parent && is_parent(source))
        {
            faults.push(format!(
                "{parent} does not have `mod generated;`: generated code stands under a parent written by hand, \
                 which says what the crate is for"
            ));
        }
    }
    faults
}

fn generated_code_is_marked_for_reviewers(house: &House) -> Vec<String> {
    const LINE: &str = "**/src/generated/** linguist-generated=true";
    let marked = house.has(".gitattributes")
        && house
            .text(".gitattributes")
            .lines()
            .any(|line| line == LINE);
    if marked {
        Vec::new()
    } else {
        vec![format!(".gitattributes lacks the line `{LINE}`: add it")]
    }
}

/// Freshness as `cargo xtask generate --check` sees it.
fn generated_code_is_fresh(house: &House) -> Vec<String> {
    let output = check(&house.root);
    if output.status.success() {
        return Vec::new();
    }
    vec![format!(
        "the generated code is not what spec/openapi.yaml says:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )]
}

fn check(root: &Path) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("--root")
        .arg(root)
        .args(["generate", "--check"])
        .output()
        .expect("xtask can be run")
}

#[test]
fn generated_code_stands_only_in_src_generated_and_says_so() {
    assert_kept(generated_code_stands_in_its_folders);
}

#[test]
fn a_hand_written_file_among_generated_ones_is_seen() {
    let broken = Copy::of_the_house().with(
        "crates/petstore-models/src/generated/extra.rs",
        "//! Written by hand.\n",
    );
    assert_seen(
        generated_code_stands_in_its_folders,
        &broken,
        &["crates/petstore-models/src/generated/extra.rs does not begin with"],
    );
}

#[test]
fn a_generated_file_outside_of_its_folder_is_seen() {
    let broken = Copy::of_the_house().with(
        "crates/petstore-api/src/extra.rs",
        &format!("{GENERATED}\n"),
    );
    assert_seen(
        generated_code_stands_in_its_folders,
        &broken,
        &["crates/petstore-api/src/extra.rs says it is generated"],
    );
}

#[test]
fn a_folder_of_generated_code_in_another_place_is_seen() {
    let broken = Copy::of_the_house().with("examples/generated/extra.txt", "");
    assert_seen(
        generated_code_stands_in_its_folders,
        &broken,
        &["examples/generated/extra.txt", "crates/*/src only"],
    );
}

#[test]
fn generated_code_stands_under_a_parent_written_by_hand() {
    assert_kept(generated_code_has_a_hand_written_parent);
}

#[test]
fn a_crate_that_is_generated_as_a_whole_is_seen() {
    let broken = Copy::of_the_house().with(
        "crates/petstore-client/src/lib.rs",
        &format!("{GENERATED}\n"),
    );
    assert_seen(
        generated_code_has_a_hand_written_parent,
        &broken,
        &["crates/petstore-client/src/lib.rs does not have `mod generated;`"],
    );
}

#[test]
fn generated_code_is_marked_as_such_for_reviewers() {
    assert_kept(generated_code_is_marked_for_reviewers);
}

#[test]
fn generated_code_that_is_not_marked_is_seen() {
    let broken =
        Copy::of_the_house().with(".gitattributes", "Cargo.lock linguist-generated=true\n");
    assert_seen(
        generated_code_is_marked_for_reviewers,
        &broken,
        &[".gitattributes lacks the line"],
    );
}

#[test]
fn every_generated_file_is_what_the_document_gives() {
    assert_kept(generated_code_is_fresh);
}

#[test]
fn a_generated_file_edited_by_hand_is_seen() {
    let broken = Copy::of_the_house().appending(
        "crates/petstore-api/src/generated/mod.rs",
        "// a small fix\n",
    );
    assert_seen(
        generated_code_is_fresh,
        &broken,
        &["-// a small fix", "cargo xtask generate"],
    );
}
