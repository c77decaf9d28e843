//! Reads the inputs that the gates share: the document, the releases, the changes since the newest
//! release, and the accepted breaking changes.

use super::{accepted::Accepted, usage::Usage};
use crate::{
    FILE, Project, files,
    repository::{
        Finding,
        released::{self, Released},
    },
    rules::is_raised,
};
use anyhow::{Context, Result};
use chrono::NaiveDate;
use openapi_dropshot_contract::{
    Document, Problem, Problems, Texts,
    diff::{Change, Level, Policy, compare},
    model::Node,
    read_draft_with_files, read_without,
    rules::document::DANGLING_REFERENCE,
};
use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The inputs of the gates.
pub(crate) struct Inputs<'p> {
    pub(crate) project: &'p Project,
    pub(crate) today: NaiveDate,
    pub(super) path: PathBuf,
    /// The name of the document in messages.
    pub(super) file: Arc<str>,
    /// Whether this is the document from which the code is generated.
    pub(super) is_own: bool,
    pub(super) texts: Texts,
    /// The document, or the reason why it cannot be read.
    pub(super) document: Result<Document, Problems>,
    /// The problems of the linter; empty if the document cannot be read.
    pub(super) lints: Vec<Problem>,
    /// The releases, oldest first, and the problems of the releases.
    pub(super) releases: released::All,
    /// The changes since the newest release; `None` if one of the two documents cannot be compared.
    pub(crate) changes: Option<Vec<Change>>,
    pub(super) accepted: Accepted,
    /// The git revision whose changelog entries and released documents must still exist. `None`
    /// means HEAD, if there is a HEAD.
    pub(super) since: Option<String>,
    /// The usage of deprecated operations from the file that `--usage` names; `None` without this option.
    pub(super) usage: Option<Usage>,
}

/// Sets the level that a change has for the gate; see [`is_raised`].
fn raise(change: &mut Change, base: &Node) {
    let (Some(operation), true) = (&change.operation, is_raised(change.id)) else {
        return;
    };
    let (method, path) = operation.split_once(' ').unwrap_or_default();
    let path = path.replace('~', "~0").replace('/', "~1");
    let pointer = format!("/paths/{path}/{}", method.to_lowercase());
    let operation = base.pointer(&pointer);
    let stability = operation.and_then(|operation| operation.get("x-stability-level")?.as_str());
    change.level = match stability {
        None | Some("stable") => Level::Err,
        Some(_) => Level::Warn,
    };
}

impl<'p> Inputs<'p> {
    /// Reads the inputs of a project. `spec` replaces the project's document. A problem inside of a
    /// file is a finding, not an error.
    pub(crate) fn read(
        project: &'p Project,
        spec: Option<&Path>,
        today: NaiveDate,
    ) -> Result<Self> {
        let own = project.path(&project.document);
        let path = spec.map_or_else(|| own.clone(), Path::to_path_buf);
        let file: Arc<str> = spec
            .map_or(Cow::from(&project.document), Path::to_string_lossy)
            .into();
        let text = fs::read_to_string(&path);
        let text = text.with_context(|| match spec {
            Some(_) => format!("cannot read the document {file}"),
            None => format!("cannot read the document {file}, which `path` in {FILE} names"),
        })?;
        // Editors do not count a byte order mark as a column.
        let text: Arc<str> = Arc::from(text.strip_prefix('\u{feff}').unwrap_or(&text));
        // The name of the project's document is relative to its root.
        let root = spec.map_or(&*project.root, |_| Path::new(""));
        let mut load = files::loader(root);
        let is_own = fs::canonicalize(&path).ok() == fs::canonicalize(&own).ok();
        let skip = if is_own { project.skip() } else { &[] };
        let document = read_without(&file, &text, &mut load, skip);
        let texts = match &document {
            Ok(document) => Texts::from(document),
            Err(problems) => problems.texts().clone(),
        };
        let lints = (document.as_ref())
            .map(|document| project.lint(document))
            .unwrap_or_default();
        let releases = released::read_all(project)?;
        // An incomplete document is compared as far as possible. A dangling reference prevents the
        // comparison, because its target would count as removed.
        let is_dangling = |fault: &Problem| fault.rule == DANGLING_REFERENCE.id;
        let draft = read_draft_with_files(&file, &text, &mut load)
            .ok()
            .filter(|draft| !draft.faults.iter().any(is_dangling));
        let policy = Policy {
            deprecation_days_beta: project.deprecation_days_beta,
            deprecation_days_stable: project.deprecation_days_stable,
            ..Policy::on(today)
        };
        let changes = (releases.documents.last().zip(draft)).map(|(newest, draft)| {
            let mut changes = compare(&newest.root, &draft.root, &policy);
            changes
                .iter_mut()
                .for_each(|change| raise(change, &newest.root));
            changes
        });
        Ok(Inputs {
            project,
            today,
            is_own,
            document,
            lints,
            releases,
            changes,
            accepted: Accepted::read(project, today)?,
            path,
            file,
            texts,
            since: None,
            usage: None,
        })
    }

    /// The newest release, if there is one.
    pub(crate) fn newest(&self) -> Option<&Released> {
        self.releases.documents.last()
    }

    /// Converts problems in the document to findings.
    pub(super) fn findings(&self, problems: impl IntoIterator<Item = Problem>) -> Vec<Finding> {
        let problems = problems.into_iter();
        let findings = problems.map(|problem| Finding::in_text(problem, &self.texts));
        findings.collect()
    }

    /// Returns the remedy for findings in the document.
    pub(super) fn follow_help(&self) -> String {
        let task = match self.project.output {
            Some(_) => "generate",
            None => "check",
        };
        let (file, command) = (&self.file, self.project.task(task));
        format!("change {file} as the help above describes, then: {command}")
    }

    /// Returns the document, if it could be read.
    pub(crate) fn document(&self) -> Option<&Document> {
        self.document.as_ref().ok()
    }
}
