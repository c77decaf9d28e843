//! Compiles fixtures. `rustc` links them with the library that this test was linked with, which takes a second; a
//! `cargo check` of a separate crate would first build all dependencies again.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Compiles a fixture.
pub(crate) fn compile(fixture: &str, flags: &[&str]) -> Output {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let libraries = std::env::current_exe()
        .expect("the system knows the running test")
        .parent()
        .expect("a test is in a folder")
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

/// Returns the library of this crate. There may be several, built with other features; the one that this test was
/// built with is never older than its source.
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
