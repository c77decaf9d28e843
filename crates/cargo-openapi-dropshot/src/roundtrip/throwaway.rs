//! Writes and compiles the throw-away crate: a program for each document, with its
//! generated code and a program that tries it. All are compiled at once, with the
//! versions, profiles and target folder of the project, so that no dependency is
//! compiled again.

use super::source::Source;
use crate::{Project, files};
use anyhow::{Context, Result};
use openapi_dropshot::probe;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of the throw-away crates, below the target folder.
const FOLDER: &str = "roundtrip";

/// The program, which is the same for every document.
const MAIN: &str = include_str!("program/main.rs");
const SERVER: &str = include_str!("program/server.rs");

/// The dependencies of the generated code and the program.
const DEPENDENCIES: &[&str] = &[
    "async-trait",
    "bytes",
    "dropshot",
    "futures",
    "http",
    "http-body-util",
    "hyper",
    "schemars",
    "serde",
    "serde_json",
    "slog",
    "tokio",
];

/// Compiles a program for each of the documents, and returns its path or the errors of
/// the compiler; `name` distinguishes the crate from those of other runs.
pub(super) fn compile(
    project: &Project,
    name: &str,
    sources: &[Source],
) -> Result<Vec<Result<PathBuf, String>>> {
    let root = &project.root;
    let target = match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    };
    let folder = target.join(FOLDER).join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let lock = fs::File::create(folder.join("lock"))
        .context("cannot make a lock for the throw-away crate")?;
    lock.lock().context("cannot lock the throw-away crate")?;

    let mut manifest = manifest(project, name)?;
    let mut files = vec![("Cargo.lock".to_owned(), project.read("Cargo.lock")?)];
    let mut programs = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let program = format!("{name}-{index}");
        // The files of an earlier document could be taken for those of this one.
        fs::remove_file(target.join("debug").join(&program)).ok();
        for part in ["models", "api"] {
            fs::remove_dir_all(folder.join(&program).join(part)).ok();
        }
        if !source.files.is_empty() {
            manifest += &format!("\n[[bin]]\nname = {program:?}\npath = \"{program}/main.rs\"\n");
            let probe = probe(&source.document.info.title, &source.files)?;
            let own = [
                ("main.rs", MAIN),
                ("server.rs", SERVER),
                ("probe.rs", &probe),
            ];
            let generated = source.files.iter().map(|file| (&*file.path, &*file.text));
            let all = own.into_iter().chain(generated);
            files.extend(all.map(|(path, text)| (format!("{program}/{path}"), text.to_owned())));
        }
        programs.push(program);
    }
    files.push(("Cargo.toml".to_owned(), manifest));
    // Cargo compares modification times: files that have not changed are not written.
    files::write_all(&folder, files)?;
    let errors = build(&folder, &target)?;
    let results = programs.iter().map(|program| {
        let path = target.join("debug").join(program);
        if path.exists() {
            Ok(path)
        } else {
            Err(errors_of(program, &errors, &folder))
        }
    });
    Ok(results.collect())
}

/// Returns the manifest without its programs, with the versions and profiles of the project.
fn manifest(project: &Project, name: &str) -> Result<String> {
    let types = match &project.types_crate {
        Some(folder) => format!("path = {folder:?}"),
        // All toolkit crates have one version.
        None => format!("version = {:?}", env!("CARGO_PKG_VERSION")),
    };
    let mut text = format!(
        "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [workspace]\nresolver = \"3\"\n\n[lints.rust]\nwarnings = \"allow\"\n\n\
         [dependencies]\nopenapi-dropshot-types = {{ {types}, features = [\"dropshot\"] }}\n"
    );
    for dependency in DEPENDENCIES {
        text += &format!("{dependency}.workspace = true\n");
    }
    let mut is_wanted = false;
    for line in project.read("Cargo.toml")?.lines() {
        if line.starts_with('[') {
            is_wanted = line == "[workspace.dependencies]" || line.starts_with("[profile.");
        }
        // The relative path of a crate of the project is not valid in this manifest.
        if is_wanted && !line.contains("path = ") {
            text += &format!("{line}\n");
        }
    }
    Ok(text)
}

/// Compiles as many programs as possible, and returns the errors of the compiler.
fn build(folder: &Path, target: &Path) -> Result<String> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--keep-going", "--offline", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TERM_COLOR", "never")
        .output()
        .context("cannot start `cargo build`; is cargo installed?")?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Returns the first errors of one program.
fn errors_of(program: &str, errors: &str, folder: &Path) -> String {
    const LISTED: usize = 3;
    let errors: Vec<&str> = errors.split("\n\n").collect();
    let place = format!("{program}/");
    let is_own = |error: &&str| error.contains(&place);
    let mut listed: Vec<&str> = errors.iter().copied().filter(is_own).collect();
    if listed.is_empty() {
        // The error is in a dependency of the generated code.
        listed = errors;
    }
    listed.truncate(LISTED);
    format!(
        "the generated code does not compile, which is a fault of the generator; the code is in {}:\n{}",
        folder.join(program).display(),
        listed.join("\n\n")
    )
}
