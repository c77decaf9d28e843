//! Tests help, manual pages and completions.

use crate::program::petstore;
use std::fs;
use tempfile::TempDir;

fn finished(arguments: &[&str]) -> String {
    let folder = TempDir::new().expect("a folder");
    let output = petstore(folder.path()).args(arguments).output();
    let output = output.expect("the program can be run");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_help_has_every_command_and_every_exit_code() {
    let help = finished(&["--help"]);
    for word in [
        "pets",
        "orders",
        "completions",
        "man",
        "PETSTORE_API_KEY",
        "NO_COLOR",
    ] {
        assert!(help.contains(word), "no {word} in {help}");
    }
    for code in ["0", "1", "2", "3", "4", "5", "6", "75", "130", "143"] {
        let mut lines = help.lines();
        assert!(
            lines.any(|line| line.trim_start().starts_with(&format!("{code}  "))),
            "no {code} in {help}"
        );
    }
    assert!(!help.contains("--api-key"), "secrets have no flag");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let page = finished(&["man"]);
    assert!(page.contains(".TH petstore 1"), "{page}");
    for section in ["SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES"] {
        assert!(page.contains(&format!(".SH {section}\n")), "{page}");
    }
    assert!(
        page.contains("\\fB130\\fR\ninterrupted by SIGINT"),
        "{page}"
    );
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    assert_eq!(finished(&["man", "--to", path]), "");
    for (name, word) in [
        ("petstore.1", "PETSTORE_API_KEY"),
        ("petstore-pets-import.1", "journal"),
        ("petstore-pets-list.1", "cursor"),
        ("petstore-orders.1", "a later version may change both"),
        ("petstore-orders-list.1", "(beta: may change)"),
        ("petstore-orders-place.1", "(beta: may change)"),
        ("petstore-orders-get.1", "(beta: may change)"),
        ("petstore-orders-update.1", "(beta: may change)"),
    ] {
        let page = fs::read_to_string(folder.path().join(name));
        let page = page.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.contains(word), "no {word} in {name}");
    }
}

#[test]
fn the_help_says_that_commands_on_orders_may_change() {
    for arguments in [
        &["--help"][..],
        &["orders", "--help"],
        &["orders", "list", "--help"],
        &["orders", "place", "--help"],
        &["orders", "get", "--help"],
        &["orders", "update", "--help"],
    ] {
        let help = finished(arguments);
        assert!(help.contains("(beta: may change)"), "{help}");
    }
}

#[test]
fn completions_of_every_shell_list_all_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = finished(&["completions", shell]);
        for word in ["import", "concurrency", "completions"] {
            assert!(script.contains(word), "no {word} for {shell}");
        }
    }
}

#[test]
fn the_readme_has_the_exit_codes_of_the_help() {
    let help = finished(&["--help"]);
    let (_, table) = help.split_once("Exit codes:").expect("a table");
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = fs::read_to_string(readme).expect("there is a README");
    let codes = table.lines().filter(|line| !line.trim().is_empty());
    for line in codes {
        let (code, meaning) = line
            .trim()
            .split_once("  ")
            .expect("a code and its meaning");
        let row = format!("| {code} | {meaning} |");
        assert!(readme.contains(&row), "no {row}");
    }
}
