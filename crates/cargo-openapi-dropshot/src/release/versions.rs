//! Finds and sets the version of the project in `Cargo.toml` and the `Cargo.lock`s.

use anyhow::{Context, Result};
use openapi_dropshot_contract::model::Location;
use std::{
    collections::BTreeSet,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The manifest of the workspace, relative to the root.
pub(crate) const MANIFEST: &str = "Cargo.toml";

/// A place where a version is written.
pub(crate) struct Mention {
    /// The package, or the workspace, that has this version.
    pub(crate) of: String,
    /// The version.
    pub(crate) version: String,
    /// The bytes of the version, with the quotes.
    span: Range<usize>,
}

impl Mention {
    /// The place in a file with this text.
    pub(crate) fn at(&self, file: &str, text: &str) -> Location {
        let before = &text[..self.span.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Location {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            ..Location::start(file)
        }
    }
}

/// The version of the workspace, and those under which its crates depend on
/// each other.
///
/// # Errors
///
/// The manifest is not TOML.
pub(crate) fn of_manifest(text: &str) -> Result<Vec<Mention>> {
    let manifest = parsed(MANIFEST, text)?;
    let mut mentions = Vec::new();
    let workspace = table(&manifest, "workspace");
    let package = workspace.and_then(|workspace| table(workspace, "package"));
    mentions.extend(package.and_then(|package| mention("the workspace", package)));
    let dependencies = workspace.and_then(|workspace| table(workspace, "dependencies"));
    for (name, dependency) in dependencies.into_iter().flatten() {
        let own = (dependency.get_ref().as_table()).filter(|own| own.contains_key("path"));
        mentions.extend(own.and_then(|own| mention(name.get_ref(), own)));
    }
    Ok(mentions)
}

/// The lock files, and the crates that have the version of the workspace.
pub(crate) struct Locks {
    /// The lock files, relative to the root: there is one for each workspace.
    pub(crate) paths: Vec<String>,
    /// The crates that take the version of the workspace.
    pub(crate) crates: BTreeSet<String>,
}

/// Finds the lock files and crates below `root`.
///
/// # Errors
///
/// A folder cannot be listed, or a manifest cannot be read.
pub(crate) fn locks(root: &Path) -> Result<Locks> {
    let mut locks = Locks {
        paths: Vec::new(),
        crates: BTreeSet::new(),
    };
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let shown = folder.display();
        let entries =
            fs::read_dir(root.join(&folder)).with_context(|| format!("cannot list {shown}"))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {shown}"))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = folder.join(&name);
            match name.as_str() {
                "Cargo.lock" => locks.paths.push(path.to_string_lossy().into_owned()),
                MANIFEST => locks.crates.extend(versioned_by_workspace(root, &path)?),
                // Folders of tools.
                "target" | "node_modules" => {}
                name if name.starts_with('.') => {}
                _ if entry.file_type().is_ok_and(|kind| kind.is_dir()) => folders.push(path),
                _ => {}
            }
        }
    }
    locks.paths.sort();
    Ok(locks)
}

/// The name of a crate that takes its version from the workspace.
fn versioned_by_workspace(root: &Path, path: &Path) -> Result<Option<String>> {
    let shown = path.display().to_string();
    let text =
        fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {shown}"))?;
    let manifest = parsed(&shown, &text)?;
    let name = table(&manifest, "package").and_then(|package| {
        table(package, "version")?
            .get("workspace")?
            .get_ref()
            .as_bool()?
            .then_some(())?;
        package.get("name")?.get_ref().as_str()
    });
    Ok(name.map(str::to_owned))
}

/// The versions of the packages that come from no registry, in a lock file.
///
/// # Errors
///
/// The lock file is not TOML.
pub(crate) fn of_lock(path: &str, text: &str) -> Result<Vec<Mention>> {
    let lock = parsed(path, text)?;
    let packages = lock
        .get("package")
        .and_then(|list| list.get_ref().as_array());
    let own = (packages.into_iter().flatten())
        .filter_map(|package| package.get_ref().as_table())
        .filter(|package| !package.contains_key("source"));
    Ok(own
        .filter_map(|package| {
            let name = package.get("name")?.get_ref().as_str()?;
            mention(name, package)
        })
        .collect())
}

/// The text with these versions set to another.
pub(crate) fn set(text: &str, mentions: &[&Mention], version: &str) -> String {
    let mut spans: Vec<&Range<usize>> = mentions.iter().map(|mention| &mention.span).collect();
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    let mut text = text.to_owned();
    for span in spans {
        text.replace_range(span.clone(), &format!("\"{version}\""));
    }
    text
}

fn parsed<'t>(file: &str, text: &'t str) -> Result<DeTable<'t>> {
    let parsed = DeTable::parse(text).with_context(|| format!("cannot read {file}"))?;
    Ok(parsed.into_inner())
}

fn table<'a, 't>(parent: &'a DeTable<'t>, name: &str) -> Option<&'a DeTable<'t>> {
    parent.get(name)?.get_ref().as_table()
}

fn mention(of: &str, package: &DeTable<'_>) -> Option<Mention> {
    let version: &Spanned<DeValue<'_>> = package.get("version")?;
    Some(Mention {
        of: of.to_owned(),
        version: version.get_ref().as_str()?.to_owned(),
        span: version.span(),
    })
}
