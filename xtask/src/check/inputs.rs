//! What the gates look at, read once for all of them: the document, the newest
//! release, what changed between the two, and which breaks are meant. What is
//! wrong with each is for the gates to say.

use super::accepted::Accepted;
use crate::{
    generate::DOCUMENT,
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

/// What the gates look at.
pub(crate) struct Inputs {
    /// The folder of the workspace.
    pub(super) root: PathBuf,
    /// The day on which the gates are run.
    pub(crate) today: NaiveDate,
    /// Where the document is.
    pub(super) path: PathBuf,
    /// How messages call the document.
    pub(super) file: Arc<str>,
    /// Whether it is the one that the code is generated from.
    pub(super) is_own: bool,
    /// The text of the document.
    pub(super) text: Arc<str>,
    /// The document, or why it cannot be read.
    pub(super) document: Result<Document, Problems>,
    /// What the rules say of it; nothing where it cannot be read.
    pub(super) lints: Vec<Problem>,
    /// The releases, oldest first, and what is wrong with them.
    pub(super) releases: released::All,
    /// From the newest release to the document; `None` where one of the two
    /// cannot be compared.
    pub(crate) changes: Option<Vec<Change>>,
    /// The breaks that are meant.
    pub(super) accepted: Accepted,
}

impl Inputs {
    /// Reads what the gates need from the workspace at `root`; `spec` is the
    /// document, if it is not the one of the workspace.
    ///
    /// # Errors
    ///
    /// A file that cannot be read at all. What is wrong inside is a finding.
    pub(crate) fn read(root: &Path, spec: Option<&Path>, today: NaiveDate) -> Result<Self> {
        let path = spec.map_or_else(|| root.join(DOCUMENT), Path::to_path_buf);
        let file: Arc<str> = match spec {
            Some(path) => Arc::from(path.to_string_lossy()),
            None => Arc::from(DOCUMENT),
        };
        let text: String = fs::read_to_string(&path)
            .with_context(|| format!("cannot read the document {file}"))?;
        // A byte order mark is no part of the text; editors do not count it.
        let text: Arc<str> = Arc::from(text.strip_prefix('\u{feff}').unwrap_or(&text));
        let document = openapi_dropshot_contract::read(&file, &text);
        let lints = (document.as_ref())
            .map(|document| openapi_dropshot_contract::lint(document, Profile::Strict))
            .unwrap_or_default();
        let releases = released::all(root)?;
        // Where something is missing, what is there can be compared all the same;
        // what a lost reference led to would count as removed.
        let is_lost = |fault: &Problem| fault.rule == "dangling-reference";
        let draft = openapi_dropshot_contract::read_draft(&file, &text)
            .ok()
            .filter(|draft| !draft.faults.iter().any(is_lost));
        let changes = (releases.newest().zip(draft.as_ref()))
            .map(|(newest, draft)| compare(&newest.root, &draft.root, &policy(today)));
        Ok(Inputs {
            root: root.to_path_buf(),
            today,
            is_own: is_same_file(&path, &root.join(DOCUMENT)),
            document,
            lints,
            releases,
            changes,
            accepted: Accepted::read(root, today)?,
            path,
            file,
            text,
        })
    }

    /// The beginning of the document.
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

/// A stable operation that is newly deprecated stays at least for as long as a
/// sunset is warned of.
fn policy(today: NaiveDate) -> Policy {
    Policy {
        deprecation_days_stable: WARNING_DAYS.try_into().unwrap_or_default(),
        ..Policy::on(today)
    }
}
