//! Reads one document and generates its code. Where the generator rejects a part,
//! the operations that need that part are left out, so that one construct does not
//! hide the result of the others.

use crate::{Project, name_of};
use anyhow::{Context, Result, anyhow};
use openapi_dropshot::File;
use openapi_dropshot_contract::{
    Document, Problem, Problems,
    model::{Node, NodeKind},
};
use std::{collections::BTreeSet, fs, path::Path};

/// A document, and what was generated of it.
pub(super) struct Source {
    /// The document without what was rejected.
    pub(super) document: Document,
    /// The files; none where no operation is left.
    pub(super) files: Vec<File>,
    /// What was rejected, and why.
    pub(super) rejections: Vec<Problem>,
    /// The operations that were left out.
    pub(super) rejected: Vec<RejectedOperation>,
    /// The number of component schemas that were left out.
    pub(super) rejected_schemas: usize,
}

/// A function of the generator.
type Generate = fn(&Document, &openapi_dropshot::Options) -> Result<Vec<File>, Vec<Problem>>;

/// An operation that the generator rejects.
pub(super) struct RejectedOperation {
    /// The operation, as `GET /path`.
    pub(super) name: String,
    /// The rules of the problems that reject it; none where the whole document is rejected.
    pub(super) rules: BTreeSet<&'static str>,
}

impl Source {
    /// Reads a document and generates the models and the API of what can be generated.
    pub(super) fn read(project: &Project, path: &Path) -> Result<Self> {
        Self::generated(project, path, openapi_dropshot::generate_service)
    }

    /// Reads a document and generates what service and client both support.
    pub(super) fn with_client(project: &Project, path: &Path) -> Result<Self> {
        Self::generated(project, path, openapi_dropshot::generate)
    }

    fn generated(project: &Project, path: &Path, generate: Generate) -> Result<Self> {
        let file = path.to_string_lossy();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {file}"))?;
        let document = openapi_dropshot_contract::read(&file, &text)
            .map_err(|problems| anyhow!("{file} is not a usable document:\n{problems}"))?;
        let mut source = Source {
            document,
            files: Vec::new(),
            rejections: Vec::new(),
            rejected: Vec::new(),
            rejected_schemas: 0,
        };
        source.generate(
            generate,
            &openapi_dropshot::Options {
                command: project.task("roundtrip"),
                source: file.into_owned(),
                models: "models".to_owned(),
                api: "api".to_owned(),
                client: "client".to_owned(),
                models_crate: "crate::models".to_owned(),
                client_crate: "client".to_owned(),
                trait_name: None,
            },
        );
        Ok(source)
    }

    /// Generates the code. Leaves out what the generator rejects until it rejects nothing.
    fn generate(&mut self, generate: Generate, options: &openapi_dropshot::Options) {
        loop {
            match generate(&self.document, options) {
                Ok(files) => {
                    // An API without operations is of no use.
                    let is_empty = self.document.operations.is_empty();
                    if !is_empty || self.rejected.is_empty() {
                        self.files = files;
                    }
                    return;
                }
                Err(problems) if self.leave_out(&problems) => self.rejections.extend(problems),
                Err(problems) => {
                    // No operation contains the problems, so no operation can be generated.
                    let rules: BTreeSet<_> = problems.iter().map(|problem| problem.rule).collect();
                    let operations = self.document.operations.drain(..);
                    let rejected = operations.map(|operation| RejectedOperation {
                        name: name_of(&operation),
                        rules: rules.clone(),
                    });
                    self.rejected.extend(rejected);
                    self.rejected_schemas += self.document.schemas.drain(..).count();
                    return self.rejections.extend(problems);
                }
            }
        }
    }

    /// Leaves out the operations and schemas that need a part with a problem. Returns
    /// whether there are any.
    fn leave_out(&mut self, problems: &[Problem]) -> bool {
        let document = &mut self.document;
        let rules = |pointer: &str| rules_of(&document.root, pointer, problems);
        let before = (document.operations.len(), document.schemas.len());
        document
            .schemas
            .retain(|_, schema| rules(&schema.at.pointer).is_empty());
        document.operations.retain(|operation| {
            let pointer = &operation.at.pointer;
            // A problem of a path concerns all operations of the path.
            let path = pointer.rsplit_once('/').map_or("", |(path, _)| path);
            let of_path = problems.iter().filter(|problem| problem.at.pointer == path);
            let mut rules = rules(pointer);
            rules.extend(of_path.map(|problem| problem.rule));
            let keep = rules.is_empty();
            if !keep {
                let name = name_of(operation);
                self.rejected.push(RejectedOperation { name, rules });
            }
            keep
        });
        self.rejected_schemas += before.1 - document.schemas.len();
        before != (document.operations.len(), document.schemas.len())
    }

    /// Returns the rejections, each with the lines of the document around it.
    pub(super) fn rendered_rejections(&self) -> Problems {
        Problems::new(&self.document.text, self.rejections.clone())
    }
}

/// Returns the rules of the problems that are inside of the part at a pointer, or of a
/// part to which that part refers.
fn rules_of(root: &Node, pointer: &str, problems: &[Problem]) -> BTreeSet<&'static str> {
    let (mut left, mut seen) = (vec![pointer.to_owned()], BTreeSet::new());
    let mut rules = BTreeSet::new();
    // The parameters of a path belong to its operations.
    if let Some((path, _)) = pointer.rsplit_once('/')
        && path.starts_with("/paths/")
    {
        left.push(format!("{path}/parameters"));
    }
    while let Some(pointer) = left.pop() {
        let is_inside = |problem: &&Problem| {
            let rest = problem.at.pointer.strip_prefix(pointer.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let inside = problems.iter().filter(is_inside);
        rules.extend(inside.map(|problem| problem.rule));
        if let Some(node) = root.pointer(&pointer)
            && seen.insert(pointer)
        {
            references(node, &mut left);
        }
    }
    rules
}

/// Adds the pointers to which a part of the document refers.
fn references(node: &Node, pointers: &mut Vec<String>) {
    match &node.kind {
        NodeKind::Object(members) => {
            let reference = node.get("$ref").and_then(Node::as_str);
            let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
            pointers.extend(pointer.map(str::to_owned));
            for member in members.values() {
                references(&member.value, pointers);
            }
        }
        NodeKind::Array(items) => items.iter().for_each(|item| references(item, pointers)),
        _ => {}
    }
}
