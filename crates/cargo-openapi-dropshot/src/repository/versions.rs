//! Finds and sets the version of the project in `Cargo.toml` and in the `Cargo.lock` files.

use crate::Project;
use anyhow::{Context, Result};
use openapi_dropshot_contract::{model::Location, release::Version};
use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Component, Path, PathBuf},
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use walkdir::DirEntry;

/// The manifest of the workspace, relative to the root.
pub(crate) const MANIFEST: &str = "Cargo.toml";

/// A place where a version is written.
pub(crate) struct Mention {
    /// The package or workspace that has this version.
    pub(crate) of: String,
    pub(crate) version: String,
    /// The bytes of the version, with the quotes.
    span: Range<usize>,
}

impl Mention {
    /// The location in a file with this text.
    pub(crate) fn at(&self, file: &str, text: &str) -> Location {
        Location::at_byte(file, text, self.span.start)
    }
}

/// Returns the places of the version of the workspace, or of the package of this manifest, and the places where
/// crates of the workspace that inherit the version depend on each other.
pub(crate) fn of_manifest(project: &Project, text: &str) -> Result<Vec<Mention>> {
    let manifest = parsed(MANIFEST, text)?;
    let workspace = table(&manifest, "workspace");
    let package = workspace.and_then(|workspace| table(workspace, "package"));
    let common = package.and_then(|package| mention("the workspace", package));
    let mut mentions = Vec::from_iter(common.or_else(|| {
        let package = table(&manifest, "package")?;
        mention(package.get("name")?.get_ref().as_str()?, package)
    }));
    let dependencies = workspace.and_then(|workspace| table(workspace, "dependencies"));
    for (name, dependency) in dependencies.into_iter().flatten() {
        let Some(own) = dependency.get_ref().as_table() else {
            continue;
        };
        let path = own.get("path").and_then(|path| path.get_ref().as_str());
        let Some(own) = path.and_then(|_| mention(name.get_ref(), own)) else {
            continue;
        };
        // A crate with its own version keeps it.
        if Crate::at(project, path.unwrap_or_default())?.is_some_and(|found| found.is_versioned()) {
            mentions.push(own);
        }
    }
    Ok(mentions)
}

/// A crate below the root.
struct Crate {
    name: String,
    /// Whether it inherits its version from its workspace.
    inherits_version: bool,
    /// The folder of its workspace, if that is not the root.
    nested_in: Option<PathBuf>,
}

impl Crate {
    /// Reads the crate in a folder. Returns `None` if there is no crate, or if the folder is not below the root.
    fn at(project: &Project, folder: &str) -> Result<Option<Self>> {
        let mut inner = PathBuf::new();
        for part in Path::new(folder).components() {
            match part {
                Component::Normal(part) => inner.push(part),
                Component::CurDir => {}
                _ => return Ok(None),
            }
        }
        let path = inner.join(MANIFEST);
        if !project.path(&path).is_file() {
            return Ok(None);
        }
        let path = path.to_string_lossy().into_owned();
        let text = project.read(&path)?;
        let manifest = parsed(&path, &text)?;
        let Some(package) = table(&manifest, "package") else {
            return Ok(None);
        };
        let name = package.get("name").and_then(|name| name.get_ref().as_str());
        let inherited = table(package, "version")
            .and_then(|version| version.get("workspace")?.get_ref().as_bool());
        let above = inner
            .ancestors()
            .filter(|above| !above.as_os_str().is_empty());
        let mut nested_in = None;
        for above in above {
            if nested_in.is_none() && is_workspace(project, above)? {
                nested_in = Some(above.to_owned());
            }
        }
        Ok(Some(Crate {
            name: name.unwrap_or_default().to_owned(),
            inherits_version: inherited == Some(true),
            nested_in,
        }))
    }

    /// Whether its version is the version of the root.
    fn is_versioned(&self) -> bool {
        self.inherits_version && self.nested_in.is_none()
    }
}

/// Whether the manifest in a folder defines a workspace.
fn is_workspace(project: &Project, folder: &Path) -> Result<bool> {
    let path = folder.join(MANIFEST);
    if !project.path(&path).is_file() {
        return Ok(false);
    }
    let path = path.to_string_lossy();
    let text = project.read(&path)?;
    Ok(parsed(&path, &text)?.contains_key("workspace"))
}

/// Returns the manifest of the workspace and all lock files, with another version. Each workspace has its own
/// lock file, which may contain crates of this workspace.
pub(crate) fn updated_files(project: &Project, version: &str) -> Result<Vec<(String, String)>> {
    let text = project.read(MANIFEST)?;
    let mentions = of_manifest(project, &text)?;
    // Only the package of the root manifest has the version without inheriting it.
    let mut versioned: BTreeSet<String> =
        mentions.iter().take(1).map(|own| own.of.clone()).collect();
    let mut files = vec![(MANIFEST.to_owned(), set(&text, &mentions, version))];
    let (mut locks, mut nested) = (Vec::new(), BTreeSet::new());
    let is_of_tools =
        |name: &str| name.starts_with('.') || ["target", "node_modules"].contains(&name);
    let is_wanted =
        |entry: &DirEntry| entry.depth() == 0 || !is_of_tools(&entry.file_name().to_string_lossy());
    for path in project.files_below("", is_wanted)? {
        match path.rsplit('/').next() {
            Some("Cargo.lock") => locks.push(path),
            Some(MANIFEST) => {
                let folder = path.strip_suffix(MANIFEST).unwrap_or_default();
                match Crate::at(project, folder)? {
                    Some(found) if found.is_versioned() => {
                        versioned.insert(found.name);
                    }
                    Some(Crate {
                        name,
                        nested_in: Some(folder),
                        ..
                    }) => {
                        nested.insert((folder, name));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    locks.sort();
    for path in locks {
        let text = project.read(&path)?;
        let mut mentions = of_lock(&path, &text)?;
        // The crates of a nested workspace keep their version, even if one has the same name as a crate of this
        // workspace.
        let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
        let is_of_nested = |name: &str| nested.contains(&(folder.to_owned(), name.to_owned()));
        mentions.retain(|own| versioned.contains(&own.of) && !is_of_nested(&own.of));
        files.push((path, set(&text, &mentions, version)));
    }
    Ok(files)
}

/// The places of the versions of packages that do not come from a registry, in a lock file.
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

/// Returns the text with these versions replaced.
fn set(text: &str, mentions: &[Mention], version: &str) -> String {
    let mut spans: Vec<&Range<usize>> = mentions.iter().map(|mention| &mention.span).collect();
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    let mut text = text.to_owned();
    for span in spans {
        text.replace_range(span.clone(), &format!("\"{version}\""));
    }
    text
}

/// Parses a version between two releases, such as `1.3.0-dev`. Returns the version of the next release, or of a
/// later one.
pub(crate) fn parse_development(text: &str) -> Option<Version> {
    parse(text.strip_suffix("-dev")?)
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
