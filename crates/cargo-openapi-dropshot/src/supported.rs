//! Generates what can be generated of a document. Where the generator rejects a part, the
//! operations that need that part are left out, so that one construct does not hide the
//! others.

use crate::{counted, name_of};
use anyhow::anyhow;
use openapi_dropshot::Generated;
use openapi_dropshot_contract::{
    Document, Problem, Problems,
    model::{Node, NodeKind, Operation, escape_pointer_token},
    normalized,
};
use std::{collections::BTreeSet, iter};

/// A document, and what was generated of it.
pub(crate) struct Supported {
    /// The document without what was rejected.
    pub(crate) document: Document,
    /// What was generated; nothing where no operation is left.
    pub(crate) generated: Generated,
    /// What was rejected, and why.
    pub(crate) rejections: Vec<Problem>,
    /// The operations that were left out.
    pub(crate) rejected: Vec<RejectedOperation>,
    /// The number of component schemas that were left out.
    pub(crate) rejected_schemas: usize,
}

/// A function of the generator.
pub(crate) type Generate =
    fn(&Document, &openapi_dropshot::Options) -> Result<Generated, Vec<Problem>>;

/// An operation that the generator rejects.
pub(crate) struct RejectedOperation {
    /// The operation, as `GET /path`.
    pub(crate) name: String,
    /// The rules of the problems that reject it; none where the whole document is rejected.
    pub(crate) rules: BTreeSet<&'static str>,
}

impl Supported {
    /// Generates what can be generated of a document.
    pub(crate) fn of(
        document: Document,
        generate: Generate,
        options: &openapi_dropshot::Options,
    ) -> Self {
        let document = normalized(&document).unwrap_or(document);
        let mut supported = Supported {
            document,
            generated: Generated::default(),
            rejections: Vec::new(),
            rejected: Vec::new(),
            rejected_schemas: 0,
        };
        supported.generate(generate, options);
        supported
    }

    /// Generates the code. Leaves out what the generator rejects until it rejects nothing.
    fn generate(&mut self, generate: Generate, options: &openapi_dropshot::Options) {
        loop {
            match generate(&self.document, options) {
                Ok(generated) => {
                    // An API without operations is of no use.
                    let is_empty = self.document.operations.is_empty();
                    if !is_empty || self.rejected.is_empty() {
                        self.generated = generated;
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

    /// Generates what can be generated of the service and, with a client, of the client: what only the client does not support is
    /// served all the same. Prints what was rejected, and returns the service, and the client of what is left of it.
    ///
    /// # Errors
    ///
    /// What was rejected, if no operation is left of the service or of the client.
    pub(crate) fn of_service_and_client(
        document: Document,
        options: &openapi_dropshot::Options,
        not_in_client: Option<&[String]>,
    ) -> Result<(Self, Option<Self>), Problems> {
        let service = Supported::of(document, openapi_dropshot::generate_service, options);
        let client = not_in_client.map(|left_out| {
            let document = without(service.document.clone(), left_out);
            Supported::of(document, openapi_dropshot::generate_client, options)
        });
        for part in iter::once(&service).chain(&client) {
            let problems = part.rendered_rejections();
            if part.document.operations.is_empty() && !part.rejections.is_empty() {
                return Err(problems);
            }
            if !part.rejections.is_empty() {
                eprintln!("{problems}\n");
            }
        }
        Ok((service, client))
    }

    /// Leaves out the operations and schemas that need a part with a problem. Returns
    /// whether there are any.
    fn leave_out(&mut self, problems: &[Problem]) -> bool {
        let document = &mut self.document;
        let rules = |pointer: &str| rules_of(&document.root, pointer, problems);
        let before = (
            document.operations.len(),
            document.schemas.len(),
            document.webhooks.len(),
        );
        let mut left_out = Vec::new();
        document.webhooks.retain(|webhook| {
            let pointer = format!("/webhooks/{}", escape_pointer_token(&webhook.name));
            let keep = rules(&pointer).is_empty();
            left_out.extend((!keep).then_some(pointer));
            keep
        });
        document.schemas.retain(|_, schema| {
            let pointer = &schema.at.pointer;
            let keep = rules(pointer).is_empty();
            left_out.extend((!keep).then(|| pointer.clone()));
            keep
        });
        document.operations.retain(|operation| {
            let pointer = &operation.at.pointer;
            // A problem of a path concerns all operations of the path.
            let path = pointer.rsplit_once('/').map_or("", |(path, _)| path);
            let of_path = problems.iter().filter(|problem| problem.pointer == path);
            let mut rules = rules(pointer);
            rules.extend(of_path.map(|problem| problem.rule));
            let keep = rules.is_empty();
            if !keep {
                left_out.push(pointer.clone());
                let name = name_of(operation);
                self.rejected.push(RejectedOperation { name, rules });
            }
            keep
        });
        self.rejected_schemas += before.1 - document.schemas.len();
        for pointer in left_out {
            document.root.remove_at(&pointer);
        }
        before
            != (
                document.operations.len(),
                document.schemas.len(),
                document.webhooks.len(),
            )
    }

    /// Returns the rejections, each with the lines of the document around it.
    pub(crate) fn rendered_rejections(&self) -> Problems {
        Problems::new(&self.document, self.rejections.clone())
    }
}

/// Prints the problems of a document, and returns the error that ends the task.
pub(crate) fn rejected(document: &str, problems: &Problems, remedy: &str) -> anyhow::Error {
    eprintln!("{problems}\n");
    let errors = problems
        .problems()
        .iter()
        .filter(|problem| problem.is_error());
    let count = counted(errors.count(), "error");
    anyhow!("{document} has {count}; nothing was written{remedy}")
}

/// How a configuration names an operation: by its id or, without one, as `GET /things`.
pub(crate) fn configured_name(operation: &Operation) -> String {
    let id = operation.id.as_ref();
    id.map_or_else(|| name_of(operation), |id| id.value.clone())
}

/// The document without these operations, and without the component schemas that only they need.
pub(crate) fn without(document: Document, operations: &[String]) -> Document {
    if operations.is_empty() {
        return document;
    }
    let mut document = normalized(&document).unwrap_or(document);
    let root = &document.root;
    let is_left_out = |operation: &&Operation| operations.contains(&configured_name(operation));
    let pointer = |operation: &Operation| operation.at.pointer.clone();
    let left_out: Vec<String> = document
        .operations
        .iter()
        .filter(is_left_out)
        .map(pointer)
        .collect();
    let of_left_out = reachable(root, left_out.clone());
    let kept = document
        .operations
        .iter()
        .filter(|operation| !is_left_out(operation))
        .map(pointer);
    let schemas = document.schemas.values();
    let schemas = schemas.map(|schema| schema.at.pointer.clone());
    let schemas = schemas.filter(|pointer| !of_left_out.contains(pointer));
    let of_kept = reachable(root, kept.chain(schemas).collect());
    let mut removed = left_out.clone();
    document.schemas.retain(|_, schema| {
        let pointer = &schema.at.pointer;
        let keep = !of_left_out.contains(pointer) || of_kept.contains(pointer);
        removed.extend((!keep).then(|| pointer.clone()));
        keep
    });
    document
        .operations
        .retain(|operation| !left_out.contains(&operation.at.pointer));
    for pointer in removed {
        document.root.remove_at(&pointer);
    }
    document
}

/// Returns these pointers and those of the parts to which their parts refer.
fn reachable(root: &Node, mut left: Vec<String>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    while let Some(pointer) = left.pop() {
        // The parameters of a path belong to its operations.
        if let Some((path, _)) = pointer.rsplit_once('/')
            && path.starts_with("/paths/")
            && !pointer.ends_with("/parameters")
        {
            left.push(format!("{path}/parameters"));
        }
        if let Some(node) = root.pointer(&pointer)
            && seen.insert(pointer)
        {
            references(node, &mut left);
        }
    }
    seen
}

/// Returns the rules of the problems that are inside of the part at a pointer, or of a
/// part to which that part refers.
fn rules_of(root: &Node, pointer: &str, problems: &[Problem]) -> BTreeSet<&'static str> {
    let reached = reachable(root, vec![pointer.to_owned()]);
    let is_inside = |problem: &&Problem| {
        let mut rests =
            (reached.iter()).filter_map(|outer| problem.pointer.strip_prefix(outer.as_str()));
        rests.any(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let inside = problems.iter().filter(is_inside);
    inside.map(|problem| problem.rule).collect()
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
