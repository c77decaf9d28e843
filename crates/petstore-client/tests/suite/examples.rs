//! Tests that every public item of generated code has an example. The documentation tests compile each example. The example of a
//! type shows `builder`, the setters of its builder, and `build`. The example of a request shows its setters, and the example of
//! the client's method shows `send`. A list has the example of its items.

use std::{fs, path::Path};

/// The files below a folder.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            let text = fs::read_to_string(&path).expect("sources are text");
            found.push((path.display().to_string(), text));
        }
    }
}

/// The public items of a file that have no example.
fn without_example(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_public = |line: &str| {
        let line = line.trim_start();
        [
            "pub fn ",
            "pub async fn ",
            "pub struct ",
            "pub enum ",
            "pub trait ",
        ]
        .iter()
        .any(|begin| line.starts_with(begin))
    };
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_public(line)) {
        let above = lines[..index].iter().rev().take_while(|line| {
            let line = line.trim();
            let begins_a_block = line.ends_with('{') && !line.starts_with("///");
            !line.is_empty() && !begins_a_block
        });
        if !above.into_iter().any(|line| line.contains("```")) {
            found.push(*line);
        }
    }
    found
}

#[test]
fn every_public_item_has_an_example() {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    assert!(files.len() > 5, "the sources are elsewhere");
    for (path, text) in files {
        let mut missing = without_example(&text);
        missing.retain(|line| {
            let name = line.trim_start();
            // The signature of a function with a long name takes several lines.
            let is_setter = name.contains("<V>(mut self, value: V)")
                || name.contains("<T: toolkit::Into")
                || name.ends_with('<');
            let is_send =
                name.starts_with("pub async fn send(") || name.starts_with("pub fn send_blocking(");
            let is_constructor = name.starts_with("pub fn new(");
            let is_list = name.starts_with("pub struct ") && name.contains("(pub ::std::vec::Vec<");
            // Its alternatives have examples.
            let is_union = name == "pub enum Event {";
            !(is_setter || is_send || is_constructor || is_list || is_union)
        });
        assert!(missing.is_empty(), "{path}: no example at {missing:#?}");
    }
}

#[test]
fn an_item_without_an_example_is_reported() {
    let text = "/// Adds.\n#[must_use]\npub fn add() {}\n\n/// Takes.\n/// ```\n/// ```\n#[deprecated(\n    note = \"\"\n)]\npub fn take() {}\n";
    assert_eq!(without_example(text), ["pub fn add() {}"]);
}
