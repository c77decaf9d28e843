//! The released documents, frozen under `spec/released`: what "breaking" is
//! measured against. Freezing one is left to `release`.

use crate::check::Finding;
use anyhow::{Context, Result};
use openapi_dropshot_contract::{
    Severity,
    model::{Location, Node},
    release::Version,
};
use std::{fs, io, path::Path};

/// Where they are, relative to the root.
const FOLDER: &str = "spec/released";

/// A released document.
pub(crate) struct Released {
    /// Its version, which names the file.
    pub(crate) version: Version,
    /// Its file, relative to the root.
    pub(crate) path: String,
    /// What it says.
    pub(crate) root: Node,
}

/// All released documents, and what is wrong with them.
pub(crate) struct All {
    /// The documents, oldest first.
    pub(crate) documents: Vec<Released>,
    /// Files that are no released documents, or not what their names say.
    pub(crate) findings: Vec<Finding>,
}

impl All {
    /// The newest one.
    pub(crate) fn newest(&self) -> Option<&Released> {
        self.documents.last()
    }
}

/// The file of a version, relative to the root.
pub(crate) fn path_of(version: Version) -> String {
    format!("{FOLDER}/{version}.yaml")
}

/// Reads the released documents of the workspace at `root`.
///
/// # Errors
///
/// A file that cannot be read at all.
pub(crate) fn all(root: &Path) -> Result<All> {
    let mut all = All {
        documents: Vec::new(),
        findings: Vec::new(),
    };
    let entries = match fs::read_dir(root.join(FOLDER)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(all),
        Err(error) => return Err(error).with_context(|| format!("cannot list {FOLDER}")),
    };
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {FOLDER}"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{FOLDER}/{name}");
        let version = (name.strip_suffix(".yaml"))
            .and_then(Version::parse)
            .filter(|version| path_of(*version) == path);
        let Some(version) = version else {
            all.findings.push(fault(
                Location::start(&path),
                "its name is not the version of a release, such as `1.0.0.yaml`",
                "move it elsewhere; `cargo xtask release` writes what belongs here",
            ));
            continue;
        };
        let text =
            fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
        match released(version, path, &text) {
            Ok(released) => all.documents.push(released),
            Err(finding) => all.findings.push(*finding),
        }
    }
    all.documents.sort_by_key(|released| released.version);
    all.findings.sort_by(|a, b| a.at.cmp(&b.at));
    Ok(all)
}

fn released(version: Version, path: String, text: &str) -> Result<Released, Box<Finding>> {
    const HELP: &str = "a released document is never edited: put back what was released";
    let draft = match openapi_dropshot_contract::read_draft(&path, text) {
        Ok(draft) => draft,
        Err(problems) => {
            let found = fault(Location::start(&path), "it cannot be read", HELP);
            return Err(Box::new(found.showing(&problems.to_string())));
        }
    };
    let says = draft.root.pointer("/info/version");
    let is_right = says.and_then(Node::as_str) == Some(version.to_string().as_str());
    if !is_right {
        let at = says.map_or_else(|| Location::start(&path), |node| node.at.clone());
        let message = format!("it does not say that it is version {version}");
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
