//! The paths, names and rules for one document of a repository.

use crate::{files::if_exists, supported::without};
use anyhow::{Context as _, Result as AnyResult};
use openapi_dropshot::{Generated, Options};
use openapi_dropshot_contract::{Document, Problem, Problems, Profile, Severity, lint};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};
use walkdir::{DirEntry, WalkDir};

/// A project: one document with its files and names. All paths except [`root`](Self::root) are relative to the root, with `/`
/// between the folders.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The name of the document, for a repository with several documents.
    pub name: String,
    /// The folder of the workspace.
    pub root: PathBuf,
    /// The configuration file, such as `openapi-dropshot.toml`; empty if there is none.
    pub configuration: String,
    /// The command that runs the tasks, as messages show it, such as
    /// `cargo openapi-dropshot`.
    pub command: String,
    /// The document, such as `spec/openapi.yaml`.
    pub document: String,
    /// The folder of the released documents, such as `spec/released`.
    pub releases: String,
    /// The file of the accepted breaking changes, such as `spec/accepted-breaks.toml`. The file does not have to exist.
    pub accepted_breaks: String,
    /// The changelog, such as `CHANGELOG.md`.
    pub changelog: String,
    /// The folders of the generated code; `None` if no code is generated.
    pub output: Option<Output>,
    /// The folder of the crate `openapi-dropshot-types`, for the temporary crates of the round trip. If it is `None`, the crate
    /// on which the project depends is used or, if there is none, the crate in the registry.
    pub types_crate: Option<PathBuf>,
    /// The command that lists the callers of
    /// deprecated operations, if the service has one.
    pub usage_command: Option<String>,
    /// Whether the version in the root `Cargo.toml` is the version of the document.
    pub cargo_version: bool,
    /// The rules that the linter applies.
    pub profile: Profile,
    /// The severities of linter rules that differ from the declared ones.
    pub severities: Severities,
    /// The minimum number of days between the deprecation and the sunset of a beta operation.
    pub deprecation_days_beta: u32,
    /// The minimum number of days between the deprecation and the sunset of a stable operation.
    pub deprecation_days_stable: u32,
}

/// Severities of rules, by id; `None` switches a rule off.
pub type Severities = BTreeMap<&'static str, Option<Severity>>;

/// The folders of the generated code, the names of its crates, and what it leaves out.
#[derive(Clone, Debug)]
pub struct Output {
    /// The options of the generator. The folder of the client is empty if no client is generated.
    pub options: Options,
    /// The parts that the service and the client skip: operations by id or as `POST /files`, and components as
    /// `#/components/schemas/A`.
    pub skip: Vec<String>,
    /// The operations that only the client skips, by id or as `POST /files`.
    pub skip_in_client: Vec<String>,
}

impl Project {
    /// A project in the current folder without a configuration, for tasks whose documents are arguments.
    pub(crate) fn unconfigured() -> Self {
        Project {
            root: PathBuf::from("."),
            command: "cargo openapi-dropshot".to_owned(),
            ..Project::default()
        }
    }

    /// The absolute path of one of the project's files.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// The command for a task of this project, as a user types it, such as `cargo xtask generate`.
    pub(crate) fn task(&self, task: &str) -> String {
        format!("{} {task}", self.command)
    }

    /// Reads one of the project's files.
    pub(crate) fn read(&self, relative: &str) -> AnyResult<String> {
        fs::read_to_string(self.path(relative)).with_context(|| format!("cannot read {relative}"))
    }

    /// Returns the paths of the files below a folder, relative to the root and unsorted. Returns no paths if the folder does not
    /// exist. `is_wanted` decides which folders are searched.
    pub(crate) fn files_below(
        &self,
        folder: &str,
        is_wanted: impl Fn(&DirEntry) -> bool,
    ) -> AnyResult<Vec<String>> {
        let mut files = Vec::new();
        let path = self.path(folder);
        if !path.exists() {
            return Ok(files);
        }
        for entry in WalkDir::new(path).into_iter().filter_entry(is_wanted) {
            // Another process may have removed the file in the meantime.
            let entry = if_exists(entry.map_err(io::Error::from));
            let entry = entry.with_context(|| format!("cannot list {folder}"))?;
            if let Some(entry) = entry.filter(|entry| !entry.file_type().is_dir()) {
                let path = entry.path().strip_prefix(&self.root)?;
                files.push(path.to_string_lossy().into_owned());
            }
        }
        Ok(files)
    }

    /// Does the same for a folder of generated code. Hidden files are skipped, because they do not belong to the project: for
    /// example, the temporary files of another process, or `.DS_Store`.
    pub(crate) fn generated_files_below(&self, folder: &str) -> AnyResult<Vec<String>> {
        let is_wanted = |entry: &DirEntry| {
            let name = entry.file_name().to_string_lossy();
            entry.depth() == 0 || !name.starts_with('.')
        };
        self.files_below(folder, is_wanted)
    }

    /// The names of the skipped parts of the document.
    pub(crate) fn skip(&self) -> &[String] {
        self.output.as_ref().map_or(&[], |output| &output.skip)
    }

    /// Lints a document with the profile and the severities of the project.
    pub(crate) fn lint(&self, document: &Document) -> Vec<Problem> {
        let mut problems = lint(document, self.profile);
        if self.output.is_some() {
            problems.extend(openapi_dropshot::warnings(document));
        }
        problems.retain_mut(|problem| match self.severities.get(problem.rule) {
            Some(Some(severity)) => {
                problem.severity = *severity;
                true
            }
            Some(None) => false,
            None => true,
        });
        problems
    }
}

impl Output {
    /// Whether a client is generated.
    pub(crate) fn has_client(&self) -> bool {
        !self.options.client.is_empty()
    }

    /// The folders that contain only generated code.
    pub(crate) fn folders(&self) -> Vec<&str> {
        let options = &self.options;
        let all = [&options.models, &options.api, &options.client];
        let used = all.into_iter().filter(|folder| !folder.is_empty());
        used.map(String::as_str).collect()
    }

    /// Generates the files for these folders.
    pub(crate) fn generate(&self, document: &Document) -> Result<Generated, Vec<Problem>> {
        let options = &self.options;
        let document = &without(document, &self.skip).map_err(Problems::into_problems)?;
        if !self.has_client() {
            return openapi_dropshot::generate_service(document, options);
        }
        if self.skip_in_client.is_empty() {
            return openapi_dropshot::generate(document, options);
        }
        let mut generated = openapi_dropshot::generate_service(document, options)?;
        let document = without(document, &self.skip_in_client).map_err(Problems::into_problems)?;
        generated.add_client(openapi_dropshot::generate_client(&document, options)?);
        Ok(generated)
    }
}
