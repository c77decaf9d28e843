//! Records the checksums of the released documents, and finds documents that were edited
//! after their release. The record is a file beside them, so that a clone without history
//! is enough; `sha256sum --check` reads it as well.

use super::Finding;
use crate::{Project, rules::FROZEN_DOCUMENT};
use anyhow::Result;
use openapi_dropshot_contract::{Severity, model::Location, release::Version};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The name of the record, in the folder of the released documents.
pub(crate) const NAME: &str = "SHA256SUMS";

/// The text of a file in the folder of released documents whose name is a version.
pub(crate) struct Text {
    /// Its version.
    pub(crate) version: Version,
    /// Its name in the folder.
    pub(crate) name: String,
    /// Its path, relative to the root.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

/// Returns the record for these documents: a line each, in the order of the versions.
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

/// The checksum of a text. Line ends do not count, because git may change them in a checkout.
fn checksum(text: &str) -> String {
    let digest = Sha256::digest(text.replace("\r\n", "\n"));
    digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Finds the released documents that differ from the record, those that are not in it, and
/// those that are only there.
pub(crate) fn findings(project: &Project, documents: &[Text]) -> Result<Vec<Finding>> {
    let path = path(project);
    if documents.is_empty() && !project.path(&path).exists() {
        return Ok(Vec::new());
    }
    if !project.path(&path).exists() {
        let message = "no checksums of the released documents are recorded, so that an edit of \
                       one is not found";
        let help = format!(
            "write them, in {}: sha256sum *.yaml > {NAME}",
            project.releases
        );
        let at = Location::start(&path);
        let problem = FROZEN_DOCUMENT.problem(&at, message, help);
        return Ok(vec![Finding::new(problem.with_severity(Severity::Warning))]);
    }
    let text = project.read(&path)?;
    let recorded: Vec<(usize, &str, &str)> = (text.lines().enumerate())
        .filter_map(|(index, line)| {
            let (checksum, name) = line.split_once(' ')?;
            Some((index + 1, checksum, name.trim_start_matches([' ', '*'])))
        })
        .collect();
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
                let help = format!("if it is what was released, add to {path}:\n{found}  {name}");
                let message = format!("the document has no checksum in {path}");
                findings.push(fault(&at, message, &help));
            }
        }
    }
    for (line, _, name) in recorded {
        if !documents.iter().any(|document| document.name == name) {
            let at = Location {
                line,
                ..Location::start(&path)
            };
            let message = format!("{name} was released and is not there any more");
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
