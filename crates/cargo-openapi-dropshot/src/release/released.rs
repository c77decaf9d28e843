//! Reads the released documents. A document is compared with the newest of them to
//! find breaking changes.

use crate::{Project, check::Finding};
use anyhow::{Context, Result};
use openapi_dropshot_contract::{
    Severity,
    model::{Location, Node},
    release::Version,
};
use std::{fs, io};

/// A released document.
pub(crate) struct Released {
    /// Its version, which names the file.
    pub(crate) version: Version,
    /// Its file, relative to the root.
    pub(crate) path: String,
    /// Its content.
    pub(crate) root: Node,
}

/// All released documents, and what is wrong with them.
pub(crate) struct All {
    /// The documents, oldest first.
    pub(crate) documents: Vec<Released>,
    /// Faults of the files in the folder of released documents.
    pub(crate) findings: Vec<Finding>,
}

impl All {
    /// The newest one.
    pub(crate) fn newest(&self) -> Option<&Released> {
        self.documents.last()
    }
}

/// The file of a version, relative to the root.
pub(crate) fn path_of(project: &Project, version: Version) -> String {
    format!("{}/{version}.yaml", project.releases)
}

/// Reads the released documents of a project.
///
/// # Errors
///
/// A file cannot be read at all.
pub(crate) fn read_all(project: &Project) -> Result<All> {
    let folder = &project.releases;
    let mut all = All {
        documents: Vec::new(),
        findings: Vec::new(),
    };
    let entries = match fs::read_dir(project.path(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(all),
        Err(error) => return Err(error).with_context(|| format!("cannot list {folder}")),
    };
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {folder}"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        let version = (name.strip_suffix(".yaml"))
            .and_then(Version::parse)
            .filter(|version| path_of(project, *version) == path);
        let Some(version) = version else {
            all.findings.push(fault(
                Location::start(&path),
                "its name is not the version of a release, such as `1.0.0.yaml`",
                &format!(
                    "move it elsewhere; `{}` writes the files of this folder",
                    project.task("release")
                ),
            ));
            continue;
        };
        let text = fs::read_to_string(project.path(&path))
            .with_context(|| format!("cannot read {path}"))?;
        match parse(version, path, &text) {
            Ok(released) => all.documents.push(released),
            Err(finding) => all.findings.push(*finding),
        }
    }
    all.documents.sort_by_key(|released| released.version);
    all.findings.sort_by(|a, b| a.at.cmp(&b.at));
    Ok(all)
}

fn parse(version: Version, path: String, text: &str) -> Result<Released, Box<Finding>> {
    const HELP: &str = "a released document is never edited: restore the released text";
    let draft = match openapi_dropshot_contract::read_draft(&path, text) {
        Ok(draft) => draft,
        Err(problems) => {
            let finding = fault(Location::start(&path), "it cannot be read", HELP);
            return Err(Box::new(finding.with_lines(&problems.to_string())));
        }
    };
    let stated = draft.root.pointer("/info/version");
    let is_right = stated.and_then(Node::as_str) == Some(version.to_string().as_str());
    if !is_right {
        let at = stated.map_or_else(|| Location::start(&path), |node| node.at.clone());
        let message = format!("its `info.version` is not {version}");
        return Err(Box::new(fault(at, &message, HELP)));
    }
    Ok(Released {
        version,
        path,
        root: draft.root,
    })
}

fn fault(at: Location, message: &str, help: &str) -> Finding {
    Finding::new(Severity::Error, "released-document", at, message, help)
}
