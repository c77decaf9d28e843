//! Tests that the compiler warns of each call of a deprecated operation, with the day of its removal and its
//! replacement.
//!
//! `rustc` compiles the fixtures with the library that this test was linked with, which takes a second; a `cargo check`
//! of another crate would first build all dependencies again.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const NOTE: &str = "removed on 5 December 2030; use `GET /pets` with a `status` filter";

/// Compiles a fixture.
fn compile(fixture: &str, flags: &[&str]) -> Output {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let libraries = std::env::current_exe()
        .expect("the system knows the running test")
        .parent()
        .expect("a test stands in a folder")
        .to_owned();
    let target = tempfile::tempdir().expect("a temporary folder can be made");
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        // The toolchain that the workspace pins.
        .current_dir(crate_folder)
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "--error-format",
            "json",
        ])
        .args(flags)
        .arg("--extern")
        .arg(format!(
            "petstore_client={}",
            newest_library(&libraries).display()
        ))
        .arg("-L")
        .arg(format!("dependency={}", libraries.display()))
        .arg("-o")
        .arg(target.path().join("fixture.rmeta"))
        .arg(crate_folder.join("tests/fixtures").join(fixture))
        .output()
        .expect("rustc can be run")
}

/// The library of this crate. There may be several, built with other features;
/// the one that this test was built with is never older than its source.
fn newest_library(folder: &Path) -> PathBuf {
    fs::read_dir(folder)
        .expect("the folder of a test can be read")
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libpetstore_client-") && name.ends_with(".rlib")
        })
        .max_by_key(|entry| {
            entry
                .metadata()
                .and_then(|metadata| metadata.modified())
                .ok()
        })
        .expect("the test was linked with the library")
        .path()
}

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
        "a warning is no error: {}",
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
fn naming_the_builder_of_a_deprecated_operation_warns_too() {
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
fn the_documentation_of_method_and_builder_names_the_day_of_the_removal_once() {
    for (file, item) in [
        ("client.rs", "pub fn get_pet(&self)"),
        ("builder.rs", "pub struct GetPet<'a>"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src/generated")
            .join(file);
        let text = fs::read_to_string(path).expect("generated code is committed");
        let before = text.split(item).next().expect("a text has a beginning");
        let own = &before[before
            .rfind("}\n\n")
            .expect("another item stands before it")..];
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
