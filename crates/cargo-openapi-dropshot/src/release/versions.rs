//! Finds and sets the version of the project in `Cargo.toml` and the `Cargo.lock`s.

use crate::{Project, location};
use anyhow::{Context, Result};
use openapi_dropshot_contract::{model::Location, release::Version};
use std::{collections::BTreeSet, ops::Range};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use walkdir::DirEntry;

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
        location(file, text, self.span.start)
    }
}

/// The version of the workspace, and those under which its crates depend on
/// each other.
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

/// Returns the manifest of the workspace and all lock files with another version: each
/// workspace has its own lock file.
pub(super) fn updated_files(project: &Project, version: &str) -> Result<Vec<(String, String)>> {
    let text = project.read(MANIFEST)?;
    let mut files = vec![(
        MANIFEST.to_owned(),
        set(&text, &of_manifest(&text)?, version),
    )];
    let (mut locks, mut crates) = (Vec::new(), BTreeSet::new());
    let is_of_tools =
        |name: &str| name.starts_with('.') || ["target", "node_modules"].contains(&name);
    let is_wanted =
        |entry: &DirEntry| entry.depth() == 0 || !is_of_tools(&entry.file_name().to_string_lossy());
    for path in project.files_below("", is_wanted)? {
        match path.rsplit('/').next() {
            Some("Cargo.lock") => locks.push(path),
            Some(MANIFEST) => crates.extend(versioned_by_workspace(project, &path)?),
            _ => {}
        }
    }
    locks.sort();
    for path in locks {
        let text = project.read(&path)?;
        let mut mentions = of_lock(&path, &text)?;
        // A crate with a version of its own keeps it.
        mentions.retain(|mention| crates.contains(&mention.of));
        files.push((path, set(&text, &mentions, version)));
    }
    Ok(files)
}

/// The name of a crate that takes its version from the workspace.
fn versioned_by_workspace(project: &Project, path: &str) -> Result<Option<String>> {
    let text = project.read(path)?;
    let manifest = parsed(path, &text)?;
    let name = table(&manifest, "package").and_then(|package| {
        let is_inherited = table(package, "version")?
            .get("workspace")?
            .get_ref()
            .as_bool()?;
        let name = package.get("name")?.get_ref().as_str()?;
        is_inherited.then(|| name.to_owned())
    });
    Ok(name)
}

/// The versions of the packages that come from no registry, in a lock file.
fn of_lock(path: &str, text: &str) -> Result<Vec<Mention>> {
    let lock = parsed(path, text)?;
    let packages = lock
        .get("package")
        .and_then(|list| list.get_ref().as_array());
    let packages = packages.into_iter().flatten().filter_map(|package| {
        let package = package.get_ref().as_table()?;
        let name = package.get("name")?.get_ref().as_str()?;
        mention(name, package).filter(|_| !package.contains_key("source"))
    });
    Ok(packages.collect())
}

/// The text with these versions set to another.
fn set(text: &str, mentions: &[Mention], version: &str) -> String {
    let mut spans: Vec<&Range<usize>> = mentions.iter().map(|mention| &mention.span).collect();
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    let mut text = text.to_owned();
    for span in spans {
        text.replace_range(span.clone(), &format!("\"{version}\""));
    }
    text
}

/// Parses a version of three numbers without leading zeros.
pub(crate) fn parse(text: &str) -> Option<Version> {
    Version::parse(text).filter(|version| version.to_string() == text)
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
