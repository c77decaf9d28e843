//! Tests that the compiler warns about each call of a deprecated operation, with the removal date and the
//! replacement.

use crate::compiler::compile;
use std::{fs, path::Path, process::Output};

const NOTE: &str = "removed on 5 December 2030; use `GET /pets` with a `status` filter";

/// Level and message of each diagnostic of the lint `deprecated`.
fn deprecations(output: &Output) -> Vec<(String, String)> {
    String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|diagnostic| diagnostic["code"]["code"] == "deprecated")
        .map(|diagnostic| {
            let text = |name: &str| diagnostic[name].as_str().unwrap_or_default().to_owned();
            (text("level"), text("message"))
        })
        .collect()
}

#[test]
fn a_call_of_get_pet_warns_with_the_day_of_the_removal_and_the_replacement() {
    let output = compile("calls_get_pet.rs", &[]);
    let warnings = deprecations(&output);
    assert!(
        output.status.success(),
        "a warning is not an error: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(warnings[0].0, "warning");
    assert!(
        warnings[0].1.contains("`petstore_client::Client::get_pet`")
            && warnings[0].1.contains(NOTE),
        "{warnings:?}"
    );
}

#[test]
fn a_crate_that_denies_deprecated_code_does_not_compile_with_get_pet() {
    let output = compile("calls_get_pet.rs", &["-D", "deprecated"]);
    let warnings = deprecations(&output);
    assert!(!output.status.success());
    assert!(
        warnings
            .iter()
            .any(|(level, message)| level == "error" && message.contains(NOTE)),
        "{warnings:?}"
    );
}

#[test]
fn naming_the_builder_of_a_deprecated_operation_causes_a_deprecation_warning() {
    let warnings = deprecations(&compile("names_the_builder.rs", &[]));
    assert!(
        warnings
            .iter()
            .any(|(_, message)| message.contains("builder::GetPet") && message.contains(NOTE)),
        "{warnings:?}"
    );
}

#[test]
fn the_other_operations_compile_without_a_warning() {
    let output = compile("lists_and_adds.rs", &["-D", "warnings"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_documentation_of_the_deprecated_method_and_of_its_builder_names_the_removal_date_once() {
    for (file, item) in [
        ("client.rs", "pub fn get_pet(&self)"),
        ("builder.rs", "pub struct GetPet<'a>"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src/generated")
            .join(file);
        let text = fs::read_to_string(path).expect("generated code is committed");
        let before = text.split(item).next().expect("a text has a beginning");
        let own = &before[before.rfind("}\n\n").expect("another item is before it")..];
        let docs = own
            .lines()
            .filter_map(|line| line.trim().strip_prefix("///"))
            .collect::<String>();
        assert!(text.contains(item), "{file}: {item} is missing");
        assert_eq!(docs.matches("on 5 December 2030").count(), 1, "{docs}");
        assert!(
            docs.contains("`GET /pets` with a `status` filter"),
            "{docs}"
        );
    }
}
