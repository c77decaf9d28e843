//! The throw-away workspace: a crate for each document, with what was generated
//! of it and a program that answers questions about it. All are compiled at
//! once, with the versions, profiles and target folder of this workspace, so
//! that no dependency is compiled again.

use anyhow::{Context, Result};
use openapi_dropshot::{File, probe};
use openapi_dropshot_contract::Document;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where the throw-away workspaces are, below the target folder.
const FOLDER: &str = "roundtrip";

/// The program, as it is for every document.
const MAIN: &str = include_str!("program/main.rs");
const DOOR: &str = include_str!("program/door.rs");
const FAULT: &str = include_str!("program/fault.rs");

/// What the generated code and the program need, as `Cargo.toml` has it.
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

/// What was generated of one document.
pub(super) struct Generated<'d> {
    /// The document.
    pub(super) document: &'d Document,
    /// The files, relative to the sources of a crate.
    pub(super) files: Vec<File>,
}

/// Compiles a program for each of the documents, or says why that cannot be
/// done; `name` tells this workspace from others that are used at the same time.
pub(super) fn compile(
    root: &Path,
    name: &str,
    generated: &[Generated<'_>],
) -> Result<Vec<Result<PathBuf, String>>> {
    let target = target(root);
    let folder = target.join(FOLDER).join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let lock = fs::File::create(folder.join("lock"))
        .context("cannot make a lock for the throw-away crates")?;
    lock.lock().context("cannot lock the throw-away crates")?;

    let members: Vec<String> = (0..generated.len())
        .map(|index| format!("{name}-{index}"))
        .collect();
    write(&folder.join("Cargo.toml"), &workspace(root, &members)?)?;
    let versions = read(&root.join("Cargo.lock"))?;
    write(&folder.join("Cargo.lock"), &versions)?;
    let mut programs = Vec::new();
    for (member, generated) in members.iter().zip(generated) {
        crate_of(root, &folder.join(member), member, generated)?;
        let program = target.join("debug").join(member);
        // One of an earlier document must not stand in for this one's.
        fs::remove_file(&program).ok();
        programs.push(program);
    }
    let errors = build(&folder, &target)?;
    let programs = members.iter().zip(programs).map(|(member, program)| {
        if program.exists() {
            Ok(program)
        } else {
            Err(errors_of(member, &errors, &folder))
        }
    });
    Ok(programs.collect())
}

/// The target folder of the workspace.
fn target(root: &Path) -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    }
}

/// The manifest of the workspace: versions and profiles are those of this one.
fn workspace(root: &Path, members: &[String]) -> Result<String> {
    let own = read(&root.join("Cargo.toml"))?;
    let mut text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[workspace.lints.rust]\nwarnings = \"allow\"\n\n"
    );
    let mut wanted = false;
    for line in own.lines() {
        if line.starts_with('[') {
            wanted = line == "[workspace.dependencies]" || line.starts_with("[profile.");
        }
        // The crates of this workspace are none of that one.
        if wanted && !line.contains("path = ") {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(text)
}

fn crate_of(root: &Path, folder: &Path, name: &str, generated: &Generated<'_>) -> Result<()> {
    let dependencies: String = DEPENDENCIES
        .iter()
        .map(|name| format!("{name}.workspace = true\n"))
        .collect();
    // The types are a crate of this repository, which the workspace of the
    // throw-away crates does not know.
    let types = root.join("crates/openapi-dropshot-types");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [lints]\nworkspace = true\n\n[dependencies]\n{dependencies}openapi-dropshot-types = {{ path = {types:?}, features = [\"dropshot\"] }}\n"
    );
    let sources = folder.join("src");
    for part in ["models", "api"] {
        // What an earlier document left here is none of this one's.
        fs::remove_dir_all(sources.join(part)).ok();
    }
    write(&folder.join("Cargo.toml"), &manifest)?;
    write(&sources.join("main.rs"), MAIN)?;
    write(&sources.join("door.rs"), DOOR)?;
    write(&sources.join("fault.rs"), FAULT)?;
    write(
        &sources.join("probe.rs"),
        &probe(&generated.document.info.title, &generated.files)?,
    )?;
    for file in &generated.files {
        write(&sources.join(&file.path), &file.text)?;
    }
    Ok(())
}

/// Compiles what can be compiled, and returns what the compiler says.
fn build(folder: &Path, target: &Path) -> Result<String> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "build",
            "--workspace",
            "--keep-going",
            "--offline",
            "--quiet",
        ])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TERM_COLOR", "never")
        .output()
        .context("cannot start `cargo build`; is cargo installed?")?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The first errors of one crate.
fn errors_of(member: &str, errors: &str, folder: &Path) -> String {
    const SHOWN: usize = 3;
    let place = format!("{member}/");
    let mut own = errors
        .split("\n\n")
        .filter(|error| error.contains(&place))
        .peekable();
    let found: Vec<&str> = match own.peek() {
        Some(_) => own.take(SHOWN).collect(),
        // The fault is not in the generated code, but below it.
        None => errors.split("\n\n").take(SHOWN).collect(),
    };
    format!(
        "the generated code does not compile, which is a fault of the generator; look at it in {}:\n{}",
        folder.join(member).display(),
        found.join("\n\n")
    )
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file, unless it is as it should be: cargo looks at the time.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
