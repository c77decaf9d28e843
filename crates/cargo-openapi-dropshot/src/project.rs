//! The paths and the names of the files of a project.

use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};
use walkdir::{DirEntry, WalkDir};

/// A project with one document: its files and names. All paths but
/// [`root`](Self::root) are relative to the root, with `/` between the folders.
#[derive(Clone, Debug)]
pub struct Project {
    /// The folder of the workspace.
    pub root: PathBuf,
    /// The command that runs the tasks, as messages show it, such as
    /// `cargo openapi-dropshot`.
    pub command: String,
    /// The document, such as `spec/openapi.yaml`.
    pub document: String,
    /// The folder of the released documents, such as `spec/released`.
    pub releases: String,
    /// The file of the accepted breaking changes, such as
    /// `spec/accepted-breaks.toml`. It need not exist.
    pub accepted_breaks: String,
    /// The changelog, such as `CHANGELOG.md`.
    pub changelog: String,
    /// The folders of the generated code.
    pub output: Output,
    /// The folder of the crate `openapi-dropshot-types`, for the throw-away crates of
    /// the round trip; `None` takes it from the registry.
    pub types_crate: Option<PathBuf>,
    /// The command that lists who still calls deprecated operations, if the
    /// service has one.
    pub usage_command: Option<String>,
}

/// The folders of the generated code, and the names of its crates.
#[derive(Clone, Debug)]
pub struct Output {
    /// The folder of the models, such as `crates/shop-models/src/generated`.
    pub models: String,
    /// The folder of the trait, its dispatch and its table of operations.
    pub api: String,
    /// The folder of the client.
    pub client: String,
    /// The crate of the models as Rust writes it, such as `shop_models`.
    pub models_crate: String,
    /// The crate of the client as Rust writes it, such as `shop_client`.
    pub client_crate: String,
    /// The name of the trait; `None` derives it from the document's title.
    pub trait_name: Option<String>,
}

impl Project {
    /// The absolute path of one of the project's files.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A task of this project as a user types it, such as `cargo xtask generate`.
    pub(crate) fn task(&self, task: &str) -> String {
        format!("{} {task}", self.command)
    }

    /// Reads one of the project's files.
    pub(crate) fn read(&self, relative: &str) -> Result<String> {
        fs::read_to_string(self.path(relative)).with_context(|| format!("cannot read {relative}"))
    }

    /// Returns the paths of the files below a folder, relative to the root and unsorted;
    /// none if the folder does not exist. `is_wanted` decides which folders are searched.
    pub(crate) fn files_below(
        &self,
        folder: &str,
        is_wanted: impl Fn(&DirEntry) -> bool,
    ) -> Result<Vec<String>> {
        let mut files = Vec::new();
        let path = self.path(folder);
        if !path.exists() {
            return Ok(files);
        }
        for entry in WalkDir::new(path).into_iter().filter_entry(is_wanted) {
            let entry = entry.with_context(|| format!("cannot list {folder}"))?;
            if entry.file_type().is_dir() {
                continue;
            }
            let path = entry.path().strip_prefix(&self.root)?;
            files.push(path.to_string_lossy().into_owned());
        }
        Ok(files)
    }

    /// The options of the generator.
    pub(crate) fn generator_options(&self) -> openapi_dropshot::Options {
        let output = self.output.clone();
        openapi_dropshot::Options {
            command: self.task("generate"),
            source: self.document.clone(),
            models: output.models,
            api: output.api,
            client: output.client,
            models_crate: output.models_crate,
            client_crate: output.client_crate,
            trait_name: output.trait_name,
        }
    }
}

impl Output {
    /// The folders that hold generated code and nothing else.
    pub(crate) fn folders(&self) -> [&str; 3] {
        [&self.models, &self.api, &self.client]
    }
}
