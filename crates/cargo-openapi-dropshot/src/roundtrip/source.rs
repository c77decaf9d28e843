//! Reads one document and generates its code. Where the generator rejects a part,
//! the operations that need that part are left out, so that one construct does not
//! hide the result of the others.

use crate::Project;
use anyhow::{Context, Result};
use openapi_dropshot::File;
use openapi_dropshot_contract::{
    Document, Problem, Problems,
    model::{Node, NodeKind},
};
use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

/// A document, and what was generated of it.
pub(super) struct Source {
    /// The document without what was rejected.
    pub(super) document: Document,
    /// The files; none where no operation is left.
    pub(super) files: Vec<File>,
    /// What was rejected, and why.
    pub(super) rejections: Vec<Problem>,
    /// The operations that were left out, as `GET /path`.
    pub(super) rejected: Vec<String>,
    /// The component schemas that were left out.
    pub(super) rejected_schemas: Vec<String>,
}

impl Source {
    /// Reads a document and generates what can be generated.
    pub(super) fn read(project: &Project, path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(
            match openapi_dropshot_contract::read(&path.to_string_lossy(), &text) {
                Ok(document) => Source::generate(project, document),
                Err(problems) => {
                    anyhow::bail!("{} is not a usable document:\n{problems}", path.display())
                }
            },
        )
    }

    fn generate(project: &Project, mut document: Document) -> Self {
        let (mut rejections, mut rejected, mut rejected_schemas) =
            (Vec::new(), Vec::new(), Vec::new());
        loop {
            let problems = match openapi_dropshot::generate_service(
                &document,
                &options(project, &document.file),
            ) {
                Ok(files) => {
                    return Source {
                        document,
                        files,
                        rejections,
                        rejected,
                        rejected_schemas,
                    };
                }
                Err(problems) => problems,
            };
            let before = document.operations.len() + document.schemas.len();
            let places: Vec<&str> = problems
                .iter()
                .map(|problem| problem.at.pointer.as_str())
                .collect();
            let lost = lost(&document, &places);
            document
                .schemas
                .retain(|name, _| !lost.contains(name.as_str()));
            document.operations.retain(|operation| {
                let pointer = operation.at.pointer.as_str();
                // What is wrong with a path is wrong with all of its operations.
                let path = pointer.rsplit_once('/').map_or("", |(path, _)| path);
                let keep =
                    !places.contains(&path) && !touches(&document.root, pointer, &places, &lost);
                if !keep {
                    rejected.push(format!("{} {}", operation.method, operation.path.value));
                }
                keep
            });
            rejected_schemas.extend(lost);
            rejections.extend(problems);
            if document.operations.len() + document.schemas.len() == before {
                // What is wrong belongs to no operation: nothing is left.
                rejected.extend(
                    document
                        .operations
                        .drain(..)
                        .map(|operation| format!("{} {}", operation.method, operation.path.value)),
                );
                rejected_schemas.extend(document.schemas.drain(..).map(|(name, _)| name));
                return Source {
                    document,
                    files: Vec::new(),
                    rejections,
                    rejected,
                    rejected_schemas,
                };
            }
        }
    }

    /// The rejections, each with the lines of the document around it.
    pub(super) fn rendered_rejections(&self) -> Problems {
        Problems::new(&Arc::clone(&self.document.text), self.rejections.clone())
    }
}

fn options(project: &Project, file: &str) -> openapi_dropshot::Options {
    openapi_dropshot::Options {
        command: project.task("roundtrip"),
        source: file.to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "crate::models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
    }
}

/// The component schemas that hold one of the places, or need one that does.
fn lost(document: &Document, places: &[&str]) -> BTreeSet<String> {
    let mut lost: BTreeSet<String> = BTreeSet::new();
    loop {
        let more: Vec<String> = document
            .schemas
            .iter()
            .filter(|(name, _)| !lost.contains(name.as_str()))
            .filter(|(_, schema)| touches(&document.root, &schema.at.pointer, places, &lost))
            .map(|(name, _)| name.clone())
            .collect();
        if more.is_empty() {
            return lost;
        }
        lost.extend(more);
    }
}

/// Whether what stands at a pointer holds one of the places, or refers to what does.
fn touches(root: &Node, pointer: &str, places: &[&str], lost: &BTreeSet<String>) -> bool {
    let (mut left, mut met) = (vec![pointer.to_owned()], BTreeSet::new());
    // Parameters that stand at the path belong to its operations.
    if let Some((path, _)) = pointer
        .rsplit_once('/')
        .filter(|_| pointer.starts_with("/paths/"))
    {
        left.push(format!("{path}/parameters"));
    }
    while let Some(pointer) = left.pop() {
        if !met.insert(pointer.clone()) {
            continue;
        }
        let holds = |place: &&str| {
            place
                .strip_prefix(pointer.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let name = pointer
            .strip_prefix("/components/schemas/")
            .map(openapi_dropshot_contract::model::unescape_pointer_token);
        if places.iter().any(holds) || name.is_some_and(|name| lost.contains(&name)) {
            return true;
        }
        if let Some(node) = root.pointer(&pointer) {
            references(node, &mut left);
        }
    }
    false
}

/// The pointers that a part of the document refers to.
fn references(node: &Node, found: &mut Vec<String>) {
    match &node.kind {
        NodeKind::Object(members) => {
            if let Some(reference) = node.get("$ref").and_then(Node::as_str) {
                found.extend(reference.strip_prefix('#').map(str::to_owned));
            }
            members
                .values()
                .for_each(|member| references(&member.value, found));
        }
        NodeKind::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}
