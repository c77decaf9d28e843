//! Writes and compiles the temporary crate: for each document, a program with its generated code and
//! the code that tests it. All programs are compiled together, with the versions, profiles and target
//! folder of the project, so that no dependency is compiled again.

use super::source::Source;
use crate::{Project, files};
use anyhow::{Context, Result, ensure};
use std::{
    collections::HashSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};
use toml::{Table, Value};
use walkdir::WalkDir;

/// The folder of the temporary crates, below the target folder.
const FOLDER: &str = "roundtrip";

/// The program, which is the same for every document.
const MAIN: &str = include_str!("program/main.rs");
const SERVER: &str = include_str!("program/server.rs");

/// The dependencies of the generated code and the program, for a project that does not declare them in
/// `[workspace.dependencies]`.
const DEPENDENCIES: &str = r#"
async-trait = "0.1"
bytes = "1"
dropshot = "0.18"
futures = "0.3"
http = "1"
http-body-util = "0.1"
hyper = { version = "1", features = ["http1", "http2", "server"] }
schemars = { version = "0.8", features = ["chrono", "uuid1"] }
serde = { version = "1", features = ["derive"] }
serde_json = { version = "1", features = ["float_roundtrip"] }
slog = "2"
tokio = { version = "1", features = ["full"] }
"#;

/// Compiles a program for each document, and returns its path or the compiler errors. `name`
/// distinguishes the crate from the crates of other runs.
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
        .context("cannot make a lock for the temporary crate")?;
    lock.lock().context("cannot lock the temporary crate")?;

    let mut manifest = manifest(project, name)?;
    let mut files = Vec::new();
    // The exact versions of the project are already compiled.
    if project.path("Cargo.lock").exists() {
        files.push(("Cargo.lock".to_owned(), project.read("Cargo.lock")?));
    }
    let mut programs = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let program = format!("{name}-{index}");
        // Otherwise, the program of an earlier document could be run instead of this one.
        fs::remove_file(target.join("debug").join(&program)).ok();
        if !source.generated.files.is_empty() {
            manifest += &format!("\n[[bin]]\nname = {program:?}\npath = \"{program}/main.rs\"\n");
            let own = [("main.rs", MAIN), ("server.rs", SERVER)];
            let generated = source.generated.files.iter();
            let generated = generated.map(|file| (&*file.path, &*file.text));
            let all = own.into_iter().chain(generated);
            files.extend(all.map(|(path, text)| (format!("{program}/{path}"), text.to_owned())));
        }
        programs.push(program);
    }
    files.push(("Cargo.toml".to_owned(), manifest));
    let names: HashSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
    let earlier = programs
        .iter()
        .flat_map(|program| files_in(&folder, program));
    let removed = earlier
        .filter(|name| !names.contains(name))
        .map(|name| (name, None));
    let written = files.into_iter().map(|(name, text)| (name, Some(text)));
    // Cargo compares modification times: files that have not changed are not written.
    files::change_all(&folder, removed.chain(written).collect())?;
    let errors = build(&folder, &target)?;
    let results = programs.iter().map(|program| {
        let path = target.join("debug").join(program);
        match path.exists() {
            true => Ok(path),
            false => Err(errors_of(program, &errors, &folder)),
        }
    });
    Ok(results.collect())
}

/// The names of all files of a program, relative to the folder.
fn files_in(folder: &Path, program: &str) -> Vec<String> {
    let entries = WalkDir::new(folder.join(program)).into_iter().flatten();
    let files = entries.filter(|entry| entry.file_type().is_file());
    let names = files
        .filter_map(|entry| Some(entry.path().strip_prefix(folder).ok()?.to_str()?.to_owned()));
    names.collect()
}

/// Returns the manifest without its programs, with the versions and profiles of the project.
fn manifest(project: &Project, name: &str) -> Result<String> {
    const MANIFEST: &str = "Cargo.toml";
    let mut own = Table::new();
    if project.path(MANIFEST).exists() {
        let text = project.read(MANIFEST)?;
        own = text
            .parse()
            .with_context(|| format!("cannot read {MANIFEST}"))?;
    }
    let workspace = own.get("workspace").and_then(Value::as_table);
    let versions = workspace.and_then(|table| table.get("dependencies")?.as_table());
    let mut dependencies: Table = DEPENDENCIES.parse().context("the dependencies are TOML")?;
    for (name, dependency) in &mut dependencies {
        // The relative path of a crate in the project would not be valid in this manifest.
        let is_registry = |own: &&Value| own.get("path").is_none();
        if let Some(own) = versions.and_then(|own| own.get(name)).filter(is_registry) {
            *dependency = own.clone();
        }
    }
    let types = match &project.types_crate {
        Some(folder) => from_folder(folder),
        None => types_of(&project.root).unwrap_or_else(|| {
            // All toolkit crates have the same version.
            let version = env!("CARGO_PKG_VERSION").to_owned();
            Table::from_iter([("version".to_owned(), version.into())])
        }),
    };
    for (name, features) in [(TYPES, &["dropshot"][..]), (CONTEXTS, &[])] {
        let mut source = types.clone();
        if let Some(folder) = types.get("path").and_then(Value::as_str) {
            source = from_folder(&Path::new(folder).with_file_name(name));
        }
        source.insert("features".to_owned(), features.to_vec().into());
        dependencies.insert(name.to_owned(), source.into());
    }
    let mut manifest: Table = format!(
        "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [workspace]\nresolver = \"3\"\n\n[lints.rust]\nwarnings = \"allow\"\n"
    )
    .parse()
    .context("the manifest is TOML")?;
    manifest.insert("dependencies".to_owned(), dependencies.into());
    if let Some(profile) = own.get("profile") {
        manifest.insert("profile".to_owned(), profile.clone());
    }
    toml::to_string(&manifest).context("cannot write the manifest of the temporary crate")
}

/// The crate that generated code needs at run time.
const TYPES: &str = "openapi-dropshot-types";

/// The crate for the request contexts of the program. It has the same source as [`TYPES`].
const CONTEXTS: &str = "dropshot-request-context";

/// Returns the folder of the crate [`TYPES`] in a repository of the toolkit, or beside its other crates.
pub(super) fn types_in(toolkit: &Path) -> Result<PathBuf> {
    let folders = [toolkit.join("crates").join(TYPES), toolkit.join(TYPES)];
    let found = folders
        .iter()
        .find(|folder| folder.join("Cargo.toml").is_file());
    let found = found.with_context(|| {
        format!("{} has no crate `{TYPES}`: pass the folder of the toolkit's repository, or of its crates", toolkit.display())
    })?;
    fs::canonicalize(found).with_context(|| format!("cannot read {}", found.display()))
}

fn from_folder(folder: &Path) -> Table {
    let folder = folder.to_string_lossy().into_owned();
    Table::from_iter([("path".to_owned(), folder.into())])
}

/// The dependency of the project on the crate that generated code needs; `None` if the project does not
/// have it.
fn types_of(root: &Path) -> Option<Table> {
    let metadata = cargo(root)
        .args(["metadata", "--format-version", "1"])
        .output()
        .ok()?;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).ok()?;
    let mut packages = metadata["packages"].as_array()?.iter();
    let package = packages.find(|package| package["name"] == TYPES)?;
    if !package["source"].is_null() {
        let version = format!("={}", package["version"].as_str()?);
        return Some(Table::from_iter([("version".to_owned(), version.into())]));
    }
    Some(from_folder(
        Path::new(package["manifest_path"].as_str()?).parent()?,
    ))
}

fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder);
    cargo
}

/// What a command of cargo printed.
pub(crate) struct CargoOutput {
    pub(crate) succeeded: bool,
    /// Whether cargo did not find a dependency.
    pub(crate) is_unresolved: bool,
    pub(crate) text: String,
}

/// Runs a command of cargo. The network is used only if a dependency is not available locally.
pub(crate) fn offline_first(
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &Path)],
) -> Result<CargoOutput> {
    let run = |more: &[&str]| -> Result<CargoOutput> {
        let output = cargo(folder)
            .args(arguments)
            .args(more)
            .envs(variables.iter().copied())
            .env("CARGO_TERM_COLOR", "never")
            .output();
        let output = output.with_context(|| {
            format!("cannot start `cargo {}`; is cargo installed?", arguments[0])
        })?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        let causes = [
            "no matching package",
            "failed to select a version",
            "failed to download",
            "offline mode",
        ];
        let succeeded = output.status.success();
        Ok(CargoOutput {
            succeeded,
            is_unresolved: !succeeded && causes.iter().any(|cause| text.contains(cause)),
            text,
        })
    };
    let output = run(&["--offline"])?;
    match output.is_unresolved {
        true => run(&[]),
        false => Ok(output),
    }
}

/// Compiles as many programs as possible, and returns the errors of the compiler.
fn build(folder: &Path, target: &Path) -> Result<String> {
    let arguments = ["build", "--keep-going", "--quiet"];
    let variables = [
        ("CARGO_TARGET_DIR", target),
        ("CARGO_INCREMENTAL", Path::new("0")),
    ];
    let output = offline_first(folder, &arguments, &variables)?;
    ensure!(
        !output.is_unresolved,
        "the dependencies of the temporary crate cannot be resolved: make sure that cargo can reach the registry; for `{TYPES}` of another \
         source, add it to the dependencies of the crate of the models or, for a document outside of a project, pass the folder of the \
         toolkit with `--toolkit`:\n{}",
        output.text.trim_end()
    );
    Ok(output.text)
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
        "the generated code does not compile, which is a bug in the generator; the code is in {}:\n{}",
        folder.join(program).display(),
        listed.join("\n\n")
    )
}
