//! Rewrites the schemas of a document to one form of JSON Schema 2020-12, the form that the model uses. Schemas of OpenAPI 3.0 are
//! converted to 2020-12, and if 2020-12 has several spellings for the same thing, one of them is chosen. Every part keeps its
//! place. Keywords that the model does not have stay as they are written: the reader accepts them, and the generator rejects them
//! at their place.

mod raise;
mod schema;
mod streams;
mod types;

pub(crate) use schema::is_constant;

use crate::grammar::{ObjectKind, Since, visit_mut};
use crate::model::{Node, NodeKind, unescape_pointer_token};
use crate::problem::Problem;
use crate::read::{MAX_COPIED, too_many_copies};
use crate::rules::document as rules;

/// The dialects of JSON Schema that a document may name: those of OpenAPI 3.1 and 3.2.
const DIALECTS: [&str; 4] = [
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://spec.openapis.org/oas/3.2/dialect/2025-09-17",
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
];

/// Rewrites a document, and reports parts that have no meaning. Returns `None` if there is nothing to rewrite.
pub(crate) fn rewrite(root: &Node, version: Since, problems: &mut Vec<Problem>) -> Option<Node> {
    if version == Since::V30 && !raise::has_older_keywords(root) {
        return None;
    }
    let mut rewriter = Rewriter {
        problems,
        written: root,
        version,
    };
    let mut root = root.clone();
    rewriter.document(&mut root);
    root.update_pointers();
    Some(root)
}

struct Rewriter<'p> {
    problems: &'p mut Vec<Problem>,
    /// The document before it is rewritten. References are looked up in it.
    written: &'p Node,
    version: Since,
}

impl Rewriter<'_> {
    fn document(&mut self, root: &mut Node) {
        let is_newer = self.version > Since::V30;
        if is_newer {
            self.newer_members(root);
        }
        visit_mut(root, ObjectKind::Document, &mut |kind, node| {
            match kind {
                ObjectKind::PathItem => {}
                _ if !is_newer && node.get("$ref").is_some() => self.siblings(node),
                ObjectKind::Schema => self.schema(node),
                ObjectKind::Response | ObjectKind::RequestBody if is_newer => {
                    streams::describe_data(self.written, node);
                }
                ObjectKind::Parameter if is_newer => query_of_form(node),
                // `responses` may be absent in OpenAPI 3.1.
                ObjectKind::Operation if is_newer => drop(node.get_or_add("responses")),
                _ => {}
            }
            kind != ObjectKind::Schema
        });
    }

    /// Rewrites the members that OpenAPI 3.0 does not have, outside of schemas.
    fn newer_members(&mut self, root: &mut Node) {
        self.dialect(root);
        if let Some(webhooks) = root.as_object().and_then(|members| members.get("webhooks")) {
            let message = "no code is generated that sends these requests";
            let problem = rules::WEBHOOKS.violation(&webhooks.key_at, message);
            self.problems.push(problem);
        }
        let mut take = |section| root.get_mut("components")?.remove(section);
        let (shared, media_types) = (take("pathItems"), take("mediaTypes"));
        root.get_or_add("paths");
        if let Some(shared) = media_types {
            streams::share_media_types(root, &shared, self.problems);
        }
        if let Some(shared) = shared {
            share_paths(root, &shared, self.problems);
        }
    }

    /// Reports a dialect of JSON Schema that is not known.
    fn dialect(&mut self, root: &Node) {
        if let Some(dialect) = root.get("jsonSchemaDialect")
            && !dialect
                .as_str()
                .is_some_and(|name| DIALECTS.contains(&name))
        {
            let message = format!("the dialect {} is not known", dialect.summary());
            self.problems
                .push(rules::DIALECT.violation(&dialect.at, message));
        }
    }
}

/// Converts a `querystring` parameter that is a form to a `query` parameter with the schema of the form.
fn query_of_form(node: &mut Node) {
    if node.word("in") != Some("querystring") {
        return;
    }
    let form = node.get("content").filter(|all| all.members().count() == 1);
    let form = form.and_then(|all| all.get("application/x-www-form-urlencoded"));
    if let Some(schema) = form.and_then(|form| form.get("schema")).cloned() {
        node.remove("content");
        node.set("schema", schema);
        if let Some(place) = node.get_mut("in") {
            place.kind = NodeKind::String("query".to_owned());
        }
    }
}

/// Copies the path items of the components to the paths and webhooks that refer to them, as long as the number of copied values
/// stays within the bound.
fn share_paths(root: &mut Node, shared: &Node, problems: &mut Vec<Problem>) {
    let mut copied = 0;
    for section in ["paths", "webhooks"] {
        for item in root.get_mut(section).into_iter().flat_map(Node::values_mut) {
            let name = item
                .word("$ref")
                .and_then(|text| text.strip_prefix("#/components/pathItems/"));
            let Some(target) = name.and_then(|name| shared.get(&unescape_pointer_token(name)))
            else {
                continue;
            };
            copied += target.size();
            if copied > MAX_COPIED {
                return problems.push(too_many_copies(&item.at));
            }
            *item = target.clone();
        }
    }
}
