//! Task `release-toolkit`: sets the version of the toolkit crates, which is independent of the version of the contract, and converts the
//! unreleased section of their changelog to the section of the release. `.ci/semver` tells which version the changes require.

use anyhow::{Context, Result, ensure};
use cargo_openapi_dropshot::release::released_changelog;
use std::{fs, path::Path, process::ExitCode};
use walkdir::{DirEntry, WalkDir};

/// The changelog of the toolkit.
const CHANGELOG: &str = "crates/openapi-dropshot/CHANGELOG.md";

/// Release the crates of the toolkit: set their version, and date the section of their changelog
///
/// Exits with 0 if the files are written. Otherwise exits with 1 and changes nothing.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The version of the release, such as 0.1.0; a version such as 0.2.0-dev only sets the versions of the crates, for builds between releases
    version: semver::Version,

    /// The day of the release [default: today in UTC]
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = chrono::Utc::now().date_naive(), hide_default_value = true)]
    today: chrono::NaiveDate,
}

/// Sets the version in the manifests and the lock files, and releases the changelog.
pub(crate) fn run(root: &Path, Options { version, today }: &Options) -> Result<ExitCode> {
    let manifest = read(root, "Cargo.toml")?;
    let mut old = None;
    let mut files = Vec::new();
    let mut lines: Vec<String> = manifest.split_inclusive('\n').map(str::to_owned).collect();
    let mut names = Vec::new();
    for line in &mut lines {
        let Some((name, folder)) = crate_of(line) else {
            continue;
        };
        let path = format!("{folder}/Cargo.toml");
        let text = read(root, &path)?;
        // A crate that inherits its version belongs to the pet store.
        let Some(own) = text
            .lines()
            .find_map(|line| line.strip_prefix("version = "))
        else {
            continue;
        };
        let own = own.trim_matches('"').to_owned();
        ensure!(
            old.get_or_insert_with(|| own.clone()) == &own,
            "{path} has another version than the other toolkit crates: write the same version in all of them"
        );
        files.push((path, quoted(&text, &own, version)));
        *line = quoted(line, &own, version);
        names.push(name);
    }
    let old = old.context("no toolkit crate with its own version was found")?;
    let before: semver::Version = old.parse().context("the version of the toolkit")?;
    ensure!(
        *version > before,
        "the toolkit crates have the version {before}, and {version} is not newer: choose a greater version"
    );
    files.push(("Cargo.toml".to_owned(), lines.concat()));
    for path in locks(root)? {
        let mut text = read(root, &path)?;
        for name in &names {
            let entry = |version: &str| format!("name = \"{name}\"\nversion = \"{version}\"\n");
            text = text.replace(&entry(&old), &entry(&version.to_string()));
        }
        files.push((path, text));
    }
    if version.pre.is_empty() {
        let changelog = read(root, CHANGELOG)?;
        let released = released_changelog(CHANGELOG, changelog, &version.to_string(), *today)?;
        files.push((CHANGELOG.to_owned(), released));
    }
    for (path, text) in files {
        if read(root, &path)? != text {
            fs::write(root.join(&path), text).with_context(|| format!("cannot write {path}"))?;
            println!("wrote   {path}");
        }
    }
    println!("next: cargo xtask check, then commit these files together");
    Ok(ExitCode::SUCCESS)
}

/// Returns the name and the folder of the crate, if a line of `[workspace.dependencies]` refers to a crate in the repository.
fn crate_of(line: &str) -> Option<(String, String)> {
    let (name, source) = line.split_once(" = { path = \"")?;
    let (folder, _) = source.split_once("\", version = ")?;
    Some((name.to_owned(), folder.to_owned()))
}

/// Returns the text with the first quoted version that is equal to `old` replaced.
fn quoted(text: &str, old: &str, new: &semver::Version) -> String {
    text.replacen(
        &format!("version = \"{old}\""),
        &format!("version = \"{new}\""),
        1,
    )
}

/// Returns the lock files of the repository. Each workspace in it has a lock file.
fn locks(root: &Path) -> Result<Vec<String>> {
    let is_ours = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0
            || !(name.starts_with('.') || ["target", "node_modules"].contains(&&*name))
    };
    let mut paths = Vec::new();
    for entry in WalkDir::new(root).into_iter().filter_entry(is_ours) {
        let entry = entry.context("cannot list the files of the repository")?;
        if entry.file_name() == "Cargo.lock" {
            let path = entry.path().strip_prefix(root)?;
            paths.push(path.to_string_lossy().into_owned());
        }
    }
    paths.sort();
    Ok(paths)
}

fn read(root: &Path, path: &str) -> Result<String> {
    fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
}
