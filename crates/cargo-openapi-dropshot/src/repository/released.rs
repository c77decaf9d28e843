//! Reads the released documents. A document is compared with the newest of them to find breaking
//! changes.

use super::{
    Finding,
    frozen::{self, Text},
    versions,
};
use crate::{Project, files::if_exists, rules::RELEASED_DOCUMENT};
use anyhow::{Context, Result};
use openapi_dropshot_contract::{
    model::{Location, Node},
    release::Version,
};
use std::fs;

/// A released document.
pub(crate) struct Released {
    /// Its version, from which the name of the file is made.
    pub(crate) version: Version,
    /// Its file, relative to the root.
    pub(crate) path: String,
    /// Its content.
    pub(crate) root: Node,
}

/// All released documents, and the findings about them.
#[derive(Default)]
pub(crate) struct All {
    /// The documents, oldest first.
    pub(crate) documents: Vec<Released>,
    /// The texts of the documents, oldest first, including those that cannot be parsed.
    pub(crate) texts: Vec<Text>,
    /// Findings about the files in the folder of released documents.
    pub(crate) findings: Vec<Finding>,
}

/// The path of the file for a version, relative to the root.
pub(crate) fn path_of(project: &Project, version: Version) -> String {
    format!("{}/{version}.yaml", project.releases)
}

/// Reads the released documents of a project. A problem inside of a file is a finding, not an
/// error.
pub(crate) fn read_all(project: &Project) -> Result<All> {
    let folder = &project.releases;
    let mut all = All::default();
    let entries = if_exists(fs::read_dir(project.path(folder)));
    let Some(entries) = entries.with_context(|| format!("cannot list {folder}"))? else {
        return Ok(all);
    };
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {folder}"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == frozen::NAME {
            continue;
        }
        let path = format!("{folder}/{name}");
        let Some(version) = name.strip_suffix(".yaml").and_then(versions::parse) else {
            let command = project.task("release");
            let help = format!("move it elsewhere; `{command}` writes the files of this folder");
            let message = "its name is not the version of a release, such as `1.0.0.yaml`";
            all.findings
                .push(fault(&Location::start(&path), message, &help));
            continue;
        };
        let text = project.read(&path)?;
        match parse(version, path.clone(), &text) {
            Ok(released) => all.documents.push(released),
            Err(finding) => all.findings.push(*finding),
        }
        all.texts.push(Text {
            version,
            name,
            path,
            text,
        });
    }
    all.texts.sort_by_key(|text| text.version);
    all.findings.extend(frozen::findings(project, &all.texts)?);
    all.documents.sort_by_key(|released| released.version);
    all.findings.sort_by(|a, b| a.problem.at.cmp(&b.problem.at));
    Ok(all)
}

fn parse(version: Version, path: String, text: &str) -> Result<Released, Box<Finding>> {
    const HELP: &str = "a released document is never edited: restore the released text";
    let start = Location::start(&path);
    let root = match openapi_dropshot_contract::read_draft(&path, text) {
        Ok(draft) => draft.root,
        Err(problems) => {
            let finding = fault(&start, "it cannot be read", HELP);
            return Err(Box::new(finding.with_lines(&problems.to_string())));
        }
    };
    let stated = root.pointer("/info/version");
    if stated.and_then(Node::as_str) != Some(&version.to_string()) {
        let at = stated.map_or(&start, |node| &node.at);
        let message = format!("its `info.version` is not {version}");
        return Err(Box::new(fault(at, &message, HELP)));
    }
    Ok(Released {
        version,
        path,
        root,
    })
}

fn fault(at: &Location, message: &str, help: &str) -> Finding {
    Finding::new(RELEASED_DOCUMENT.problem(at, message, help))
}
