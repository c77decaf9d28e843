//! Finds the existing files of a repository. `init` adds to them, but does not overwrite anything.

use super::Plan;
use crate::{FILE, repository::changelog::Changelog};
use anyhow::{Context as _, Result, bail};
use std::{
    fs,
    path::{Path, PathBuf},
};
use toml::{Table, Value};
use walkdir::WalkDir;

/// The repository before anything is written.
pub(super) struct Existing {
    root: PathBuf,
    /// The manifest of the root, if there is one.
    manifest: Option<Table>,
    /// The configuration, if there is one.
    configuration: Option<Table>,
}

impl Existing {
    /// Reads the repository. The folder does not have to exist.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let table = |name: &str| -> Result<Option<Table>> {
            let path = root.join(name);
            if !path.exists() {
                return Ok(None);
            }
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let table = text.parse::<Table>().map(Some);
            table.with_context(|| format!("{} is not valid TOML; correct it first", path.display()))
        };
        Ok(Existing {
            root: root.to_path_buf(),
            manifest: table("Cargo.toml")?,
            configuration: table(FILE)?,
        })
    }

    /// Whether the configuration already has a document with this path.
    fn has_document(&self, path: &str) -> bool {
        let documents = self.configuration.as_ref();
        let documents = documents.and_then(|table| table.get("document")?.as_array());
        let mut paths = documents.into_iter().flatten();
        paths.any(|document| document.get("path").and_then(Value::as_str) == Some(path))
    }

    /// Whether there is no manifest, so that `init` writes the manifest of a workspace.
    pub(super) fn is_new(&self) -> bool {
        self.manifest.is_none()
    }

    /// Fails if another crate of the repository has one of these names.
    pub(super) fn check_crates(&self, names: &[String]) -> Result<()> {
        if self.manifest.is_none() {
            return Ok(());
        }
        let is_wanted =
            |name: &str| !name.starts_with('.') && !["target", "node_modules"].contains(&name);
        let entries = WalkDir::new(&self.root).min_depth(1).into_iter();
        let entries = entries.filter_entry(|entry| is_wanted(&entry.file_name().to_string_lossy()));
        for entry in entries.filter_map(Result::ok) {
            if entry.file_name() != "Cargo.toml" {
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let Ok(manifest) = text.parse::<Table>() else {
                continue;
            };
            let package = manifest.get("package");
            let Some(name) = package.and_then(|own| own.get("name")?.as_str()) else {
                continue;
            };
            let own = self.root.join("crates").join(name).join("Cargo.toml");
            if names.iter().any(|new| new == name) && own != entry.path() {
                bail!(
                    "{} is already a crate with the name `{name}`; nothing was written; pass another `--name`",
                    entry.path().display()
                );
            }
        }
        Ok(())
    }

    /// Returns the changes that the user has to make by hand, as paragraphs.
    pub(super) fn steps(&self, plan: &Plan) -> Vec<String> {
        let mut steps = Vec::new();
        if let Some(manifest) = &self.manifest {
            let workspace = manifest.get("workspace");
            let members = workspace.and_then(|workspace| workspace.get("members")?.as_array());
            let members = members.into_iter().flatten();
            let members: Vec<&str> = members.filter_map(Value::as_str).collect();
            let missing = plan.crates().into_iter().filter(|name| {
                let folder = format!("crates/{name}");
                !members.contains(&"crates/*") && !members.contains(&folder.as_str())
            });
            let missing: Vec<String> = missing.map(|name| format!("\"crates/{name}\"")).collect();
            if !missing.is_empty() {
                let list = missing.join(", ");
                steps.push(match workspace {
                    Some(_) => format!("Add these to `members` in `[workspace]` of Cargo.toml:\n\n    {list}"),
                    None => format!("Make the repository a workspace: add to Cargo.toml\n\n    [workspace]\n    members = [{list}]"),
                });
            }
        }
        let changelog = fs::read_to_string(self.root.join("CHANGELOG.md"));
        if changelog.is_ok_and(|text| !is_of_our_form(&text)) {
            steps.push("CHANGELOG.md was kept. The gate `changelog` and the command `release` need a file whose first section is `## Unreleased`, followed by releases such as \
                 `## 1.0.0 - 2026-11-20`: change the file to this form, or name another file with `changelog = \"spec/CHANGELOG.md\"` in \
                 openapi-dropshot.toml."
                .to_owned());
        }
        if self.configuration.is_some() && !self.has_document(&plan.source) {
            let table = super::texts::document_table(plan, self);
            let lines: Vec<String> = table.lines().map(|line| format!("    {line}")).collect();
            steps.push(format!(
                "openapi-dropshot.toml was kept, but does not contain the document yet: add\n\n{}",
                lines.join("\n").replace("\n    \n", "\n\n")
            ));
        }
        steps
    }
}

/// Whether the gate `changelog` finds the section for unreleased changes.
fn is_of_our_form(text: &str) -> bool {
    let changelog = Changelog::parse("CHANGELOG.md", text.to_owned());
    changelog.unreleased().is_some()
}
