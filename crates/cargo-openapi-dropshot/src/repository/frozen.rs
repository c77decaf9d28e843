//! Records the checksums of the released documents, and finds documents that were edited after their release. The record is
//! a file in the same folder, so that the check works in a clone without history. `sha256sum --check` can read it, too.

use super::Finding;
use crate::{Project, revision, rules::FROZEN_DOCUMENT};
use anyhow::Result;
use openapi_dropshot_contract::{Severity, model::Location, release::Version};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The name of the record, in the folder of the released documents.
pub(crate) const NAME: &str = "SHA256SUMS";

/// A file in the folder of released documents whose name is a version.
pub(crate) struct Text {
    pub(crate) version: Version,
    /// Its name in the folder.
    pub(crate) name: String,
    /// Its path, relative to the root.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

/// Returns the record for these documents: one line per document, in the order of the versions.
pub(crate) fn record(documents: &[Text]) -> String {
    let mut lines = String::new();
    for document in documents {
        let _ = writeln!(lines, "{}  {}", checksum(&document.text), document.name);
    }
    lines
}

/// The path of the record, relative to the root.
pub(crate) fn path(project: &Project) -> String {
    format!("{}/{NAME}", project.releases)
}

/// The checksum of a text. Line endings are ignored, because git may change them in a checkout.
fn checksum(text: &str) -> String {
    let digest = Sha256::digest(text.replace("\r\n", "\n"));
    digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The entries of a record, each with its line number, checksum and name.
fn recorded(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let (checksum, name) = line.split_once(' ')?;
        Some((index + 1, checksum, name.trim_start_matches([' ', '*'])))
    })
}

/// Finds the released documents of a git revision that were edited or removed since then, even if the record was changed
/// accordingly. The revision is `HEAD` unless the user asked for another one.
///
/// # Errors
///
/// The revision that the user asked for cannot be read.
pub(crate) fn findings_since(
    project: &Project,
    documents: &[Text],
    asked: Option<&str>,
) -> Result<Vec<Finding>> {
    let path = path(project);
    let revision = asked.unwrap_or("HEAD");
    let text = match revision::file_at(&project.root, revision, &path) {
        Ok(Some(text)) => text,
        Err(error) if asked.is_some() => return Err(error),
        // The commit has no record, or there is no commit, or no repository.
        Ok(None) | Err(_) => return Ok(Vec::new()),
    };
    let mut findings = Vec::new();
    for (_, released, name) in recorded(&text) {
        let document = documents.iter().find(|document| document.name == name);
        let what = match document.map(|document| checksum(&document.text)) {
            Some(found) if found == released => continue,
            Some(_) => "was edited",
            None => "was removed",
        };
        let file = format!("{}/{name}", project.releases);
        let at = document.map_or(&path, |document| &document.path);
        let message = format!("{name}, which is a released document in {revision}, {what}");
        let help = format!(
            "restore the released text (`git restore --source={revision} {file} {path}`), and make the change in {}",
            project.document
        );
        findings.push(fault(&Location::start(at), message, &help));
    }
    Ok(findings)
}

/// Finds the released documents that differ from the record, that are not in it, or that are only in it.
pub(crate) fn findings(project: &Project, documents: &[Text]) -> Result<Vec<Finding>> {
    let path = path(project);
    if documents.is_empty() && !project.path(&path).exists() {
        return Ok(Vec::new());
    }
    if !project.path(&path).exists() {
        let message = "the checksums of the released documents are not recorded, so an edit \
                       would not be detected";
        let help = format!(
            "write them, in {}: sha256sum *.yaml > {NAME}",
            project.releases
        );
        let at = Location::start(&path);
        let problem = FROZEN_DOCUMENT.problem(&at, message, help);
        return Ok(vec![Finding::new(problem.with_severity(Severity::Warning))]);
    }
    let text = project.read(&path)?;
    let recorded: Vec<(usize, &str, &str)> = recorded(&text).collect();
    let mut findings = Vec::new();
    for document in documents {
        let found = checksum(&document.text);
        let name = &document.name;
        let at = Location::start(&document.path);
        let known = recorded.iter().find(|(_, _, other)| other == name);
        match known {
            Some((_, checksum, _)) if *checksum == found => {}
            Some((line, ..)) => {
                let message = format!(
                    "the document was edited after its release: its checksum is not the one in \
                     {path}:{line}"
                );
                findings.push(fault(&at, message, &restore(project, &document.path)));
            }
            None => {
                let help = format!("if this is the released text, add to {path}:\n{found}  {name}");
                let message = format!("the document has no checksum in {path}");
                findings.push(fault(&at, message, &help));
            }
        }
    }
    for (line, _, name) in recorded {
        if !documents.iter().any(|document| document.name == name) {
            let at = Location::line(&path, line);
            let message = format!("{name} was released and no longer exists");
            let help = restore(project, &format!("{}/{name}", project.releases));
            findings.push(fault(&at, message, &help));
        }
    }
    Ok(findings)
}

fn restore(project: &Project, path: &str) -> String {
    format!(
        "restore the released text (`git log {path}` shows its commit, and `git restore \
         --source=COMMIT {path}` restores it), and make the change in {}",
        project.document
    )
}

fn fault(at: &Location, message: impl Into<String>, help: &str) -> Finding {
    Finding::new(FROZEN_DOCUMENT.problem(at, message, help))
}
