//! Tests `cargo xtask generate` as a program, on a copy of the contract and of
//! its generated code. The crates with generated code test its behaviour.

use crate::copy::Copy;
use std::{
    fs,
    ops::Deref,
    process::{Command, Output},
};

const DOCUMENT: &str = "spec/openapi.yaml";
const FOLDERS: [&str; 3] = [
    "crates/petstore-models/src/generated",
    "crates/petstore-api/src/generated",
    "crates/petstore-client/src/generated",
];
const SOME_FILE: &str = "crates/petstore-models/src/generated/mod.rs";

/// The document and the generated folders, nothing else.
struct Tree(Copy);

impl Tree {
    fn new() -> Self {
        Tree(Copy::of(&[&[DOCUMENT][..], &FOLDERS].concat()))
    }

    /// Runs the task and returns its exit code with all it printed.
    fn generate(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .arg("--root")
            .arg(self.root())
            .arg("generate")
            .args(arguments);
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().expect("xtask can be run");
        let printed = [stdout, stderr]
            .map(|bytes| String::from_utf8(bytes).expect("UTF-8 is printed"))
            .concat();
        (status.code().expect("xtask is not killed"), printed)
    }

    #[track_caller]
    fn assert_fresh(&self) {
        let (code, printed) = self.generate(&["--check"]);
        assert_eq!(code, 0, "{printed}");
    }
}

impl Deref for Tree {
    type Target = Copy;

    fn deref(&self) -> &Copy {
        &self.0
    }
}

#[track_caller]
fn assert_says(printed: &str, lines: &[&str]) {
    for line in lines {
        assert!(
            printed.contains(line),
            "`{line}` is not said in:\n{printed}"
        );
    }
}

#[test]
fn what_is_committed_is_fresh() {
    let (code, printed) = Tree::new().generate(&["--check"]);
    assert_eq!(code, 0, "{printed}");
    assert_says(&printed, &["fresh: "]);
}

#[test]
fn an_edit_of_a_generated_file_is_shown_as_a_diff_and_mended() {
    let tree = Tree::new();
    let before = tree.read(SOME_FILE);
    tree.write(SOME_FILE, &(before.clone() + "pub struct ByHand;\n"));

    let (code, printed) = tree.generate(&["--check"]);
    assert_eq!(code, 4, "{printed}");
    assert_says(
        &printed,
        &[
            &format!("--- a/{SOME_FILE}\n+++ b/{SOME_FILE}\n@@ "),
            "\n-pub struct ByHand;\n",
            "\nfix: cargo xtask generate\n",
        ],
    );
    assert!(
        tree.read(SOME_FILE).contains("ByHand"),
        "`--check` writes nothing"
    );

    let (code, printed) = tree.generate(&[]);
    assert_eq!(
        (code, printed.as_str()),
        (0, format!("wrote   {SOME_FILE}\n").as_str()),
        "only what changed is written"
    );
    assert_eq!(tree.read(SOME_FILE), before);
    tree.assert_fresh();
}

#[test]
fn an_edit_of_the_document_is_shown_as_a_diff_and_followed() {
    let tree = Tree::new();
    tree.replace(
        DOCUMENT,
        "        - sold\n",
        "        - sold\n        - reserved\n",
    );

    let (code, printed) = tree.generate(&["--check"]);
    assert_eq!(code, 4, "{printed}");
    assert_says(
        &printed,
        &[
            "--- a/crates/petstore-models/src/generated/",
            "--- a/crates/petstore-client/src/generated/",
            "Reserved",
            "fix: cargo xtask generate",
        ],
    );

    assert_eq!(tree.generate(&[]).0, 0);
    tree.assert_fresh();
}

#[test]
fn a_missing_file_is_stale_and_made_again() {
    let tree = Tree::new();
    fs::remove_file(tree.root().join(SOME_FILE)).expect("the file is there");

    let (code, printed) = tree.generate(&["--check"]);
    assert_eq!(code, 4, "{printed}");
    assert_says(&printed, &[&format!("--- /dev/null\n+++ b/{SOME_FILE}\n")]);

    assert_eq!(tree.generate(&[]).0, 0);
    tree.assert_fresh();
}

#[test]
fn a_file_that_is_generated_no_more_is_stale_and_removed() {
    let tree = Tree::new();
    let surplus = format!("{}/old/left_over.rs", FOLDERS[1]);
    tree.write(&surplus, "pub struct Old;\n");

    let (code, printed) = tree.generate(&["--check"]);
    assert_eq!(code, 4, "{printed}");
    assert_says(
        &printed,
        &[
            &format!("--- a/{surplus}\n+++ /dev/null\n"),
            "-pub struct Old;",
        ],
    );

    let (code, printed) = tree.generate(&[]);
    assert_eq!(
        (code, printed.as_str()),
        (0, format!("removed {surplus}\n").as_str())
    );
    tree.assert_fresh();
}

#[test]
fn generated_code_that_is_no_rust_at_all_is_repaired() {
    let tree = Tree::new();
    for folder in FOLDERS {
        tree.write(
            &format!("{folder}/mod.rs"),
            "<<<<<<< a conflict of git \u{0}\n",
        );
    }
    assert_eq!(tree.generate(&["--check"]).0, 4);
    assert_eq!(tree.generate(&[]).0, 0);
    tree.assert_fresh();
}

#[test]
fn everything_is_generated_where_nothing_is() {
    let tree = Tree::new();
    for folder in FOLDERS {
        fs::remove_dir_all(tree.root().join(folder)).expect("the folder is there");
    }
    assert_eq!(tree.generate(&["--check"]).0, 4);
    assert_eq!(tree.generate(&[]).0, 0);
    tree.assert_fresh();
}

#[test]
fn a_broken_document_is_rejected_with_its_place_and_writes_nothing() {
    let tree = Tree::new();
    tree.replace(
        DOCUMENT,
        "$ref: '#/components/schemas/NewPet'",
        "$ref: '#/components/schemas/NewPett'",
    );
    let line = 1 + tree
        .read(DOCUMENT)
        .lines()
        .position(|line| line.contains("NewPett"))
        .expect("the edit is there");

    for arguments in [&["--check"][..], &[]] {
        let (code, printed) = tree.generate(arguments);
        assert_eq!(code, 1, "{printed}");
        assert_says(
            &printed,
            &[
                &format!("{DOCUMENT}:{line}:"),
                "NewPett",
                "nothing was written",
            ],
        );
    }
    assert_eq!(tree.read(SOME_FILE), Tree::new().read(SOME_FILE));
}

#[test]
fn a_document_against_the_project_rules_is_rejected_with_its_place() {
    let tree = Tree::new();
    tree.replace(DOCUMENT, "      x-sunset: 2030-12-05\n", "");

    let (code, printed) = tree.generate(&[]);
    assert_eq!(code, 1, "{printed}");
    assert_says(&printed, &[&format!("{DOCUMENT}:"), "x-sunset"]);
}

#[test]
fn a_document_that_is_not_there_is_named_with_the_cause() {
    let tree = Tree::new();
    fs::remove_file(tree.root().join(DOCUMENT)).expect("the document is there");

    let (code, printed) = tree.generate(&[]);
    assert_eq!(code, 1, "{printed}");
    assert_says(
        &printed,
        &["error: cannot read ", DOCUMENT, "\n  because: No such file"],
    );
}

#[test]
fn what_is_not_supported_is_left_out_on_request_and_reported_with_exit_code_3() {
    let tree = Tree::new();
    let cookie =
        "        - {name: session, in: cookie, description: A session., schema: {type: string}}\n";
    let document = tree.read(DOCUMENT);
    // No other operation refers to the list of orders.
    let (before, after) = document
        .split_once("operationId: listOrders")
        .expect("a list");
    let after = after.replacen("parameters:\n", &format!("parameters:\n{cookie}"), 1);
    tree.write(DOCUMENT, &format!("{before}operationId: listOrders{after}"));

    let (code, printed) = tree.generate(&[]);
    assert_eq!(code, 1, "{printed}");
    assert_says(
        &printed,
        &["error[unsupported-parameter]", "nothing was written"],
    );

    let (code, printed) = tree.generate(&["--skip-unsupported"]);
    assert_eq!(code, 3, "{printed}");
    assert_says(
        &printed,
        &[
            "error[unsupported-parameter]",
            "skipped GET /store/orders\n",
            "wrote   ",
        ],
    );
    let contract = tree.read("crates/petstore-api/src/generated/contract.rs");
    assert!(contract.contains("fn list_pets") && !contract.contains("fn list_orders"));

    let (code, printed) = tree.generate(&["--skip-unsupported"]);
    assert_eq!(code, 3, "{printed}");
    assert_says(&printed, &["fresh: "]);
}

#[test]
fn a_document_that_is_supported_whole_is_generated_as_without_the_option() {
    let (code, printed) = Tree::new().generate(&["--check", "--skip-unsupported"]);
    assert_eq!(code, 0, "{printed}");
}
