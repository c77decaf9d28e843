//! Reads the inputs of the gates once for all of them: the document, the releases,
//! the changes since the newest release, and the accepted breaking changes.

use super::accepted::Accepted;
use crate::{
    Project,
    release::released::{self, Released},
};
use anyhow::{Context, Result};
use chrono::NaiveDate;
use openapi_dropshot_contract::{
    Document, Problem, Problems, Profile,
    diff::{Change, Policy, compare},
    lifecycle::WARNING_DAYS,
    model::Location,
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The inputs of the gates.
pub(crate) struct Inputs<'p> {
    /// The project.
    pub(crate) project: &'p Project,
    /// The day on which the gates are run.
    pub(crate) today: NaiveDate,
    /// The path of the document.
    pub(super) path: PathBuf,
    /// The name of the document in messages.
    pub(super) file: Arc<str>,
    /// Whether the code is generated from this document.
    pub(super) is_own: bool,
    /// The text of the document.
    pub(super) text: Arc<str>,
    /// The document, or why it cannot be read.
    pub(super) document: Result<Document, Problems>,
    /// The lint problems; none where the document cannot be read.
    pub(super) lints: Vec<Problem>,
    /// The releases, oldest first, and what is wrong with them.
    pub(super) releases: released::All,
    /// The changes since the newest release; `None` where one of the two
    /// documents cannot be compared.
    pub(crate) changes: Option<Vec<Change>>,
    /// The accepted breaking changes.
    pub(super) accepted: Accepted,
}

impl<'p> Inputs<'p> {
    /// Reads the inputs of a project; `spec` replaces the project's document.
    ///
    /// # Errors
    ///
    /// A file cannot be read at all. A fault inside of a file is a finding.
    pub(crate) fn read(
        project: &'p Project,
        spec: Option<&Path>,
        today: NaiveDate,
    ) -> Result<Self> {
        let own = project.path(&project.document);
        let path = spec.map_or_else(|| own.clone(), Path::to_path_buf);
        let file: Arc<str> = match spec {
            Some(path) => Arc::from(path.to_string_lossy()),
            None => Arc::from(project.document.as_str()),
        };
        let text: String = fs::read_to_string(&path)
            .with_context(|| format!("cannot read the document {file}"))?;
        // Editors do not count a byte order mark as a column.
        let text: Arc<str> = Arc::from(text.strip_prefix('\u{feff}').unwrap_or(&text));
        let document = openapi_dropshot_contract::read(&file, &text);
        let lints = (document.as_ref())
            .map(|document| openapi_dropshot_contract::lint(document, Profile::Strict))
            .unwrap_or_default();
        let releases = released::read_all(project)?;
        // An incomplete document is compared as far as it goes, but the target of a
        // dangling reference would count as removed.
        let is_dangling = |fault: &Problem| fault.rule == "dangling-reference";
        let draft = openapi_dropshot_contract::read_draft(&file, &text)
            .ok()
            .filter(|draft| !draft.faults.iter().any(is_dangling));
        let changes = (releases.newest().zip(draft.as_ref()))
            .map(|(newest, draft)| compare(&newest.root, &draft.root, &policy(today)));
        Ok(Inputs {
            project,
            today,
            is_own: is_same_file(&path, &own),
            document,
            lints,
            releases,
            changes,
            accepted: Accepted::read(project, today)?,
            path,
            file,
            text,
        })
    }

    /// The first character of the document.
    pub(super) fn start(&self) -> Location {
        Location::start(&self.file)
    }

    /// The newest release, if there is one.
    pub(crate) fn newest(&self) -> Option<&Released> {
        self.releases.newest()
    }

    /// The document, if it can be read.
    pub(crate) fn document(&self) -> Option<&Document> {
        self.document.as_ref().ok()
    }
}

/// Whether two paths lead to one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let files = [one, other].map(fs::canonicalize);
    matches!(files, [Ok(one), Ok(other)] if one == other)
}

/// The policy of the gates: a newly deprecated stable operation stays at least for
/// the period in which a sunset is warned of.
fn policy(today: NaiveDate) -> Policy {
    Policy {
        deprecation_days_stable: WARNING_DAYS.try_into().unwrap_or_default(),
        ..Policy::on(today)
    }
}
