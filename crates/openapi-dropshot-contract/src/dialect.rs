//! Rewrites a document of OpenAPI 3.1 as the document of OpenAPI 3.0 that means the same,
//! so that one model serves both. Every part keeps its line and column. What 3.0 cannot
//! say stays as it is written; the reader knows these keywords, and the generator rejects
//! them where they stand.

mod schema;
mod types;

pub(crate) use schema::is_constant;

use crate::grammar::{ObjectKind, Since, visit_mut};
use crate::model::{Node, NodeKind};
use crate::problem::Problem;
use crate::read::MAX_COPIED;
use crate::rules::document as rules;

/// The version that the rewritten document names.
const REWRITTEN: &str = "3.0.4";

/// The dialects of JSON Schema that a document may name: those of OpenAPI 3.1.
const DIALECTS: [&str; 3] = [
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
];

/// Rewrites a document, and reports what has no meaning.
pub(crate) fn rewrite(root: &Node, version: Since, problems: &mut Vec<Problem>) -> Node {
    let mut rewriter = Rewriter {
        problems,
        written: root,
        version,
    };
    let mut root = root.clone();
    rewriter.document(&mut root);
    root.update_pointers();
    root
}

struct Rewriter<'p> {
    problems: &'p mut Vec<Problem>,
    /// The document before it is rewritten, to which references lead.
    written: &'p Node,
    version: Since,
}

impl Rewriter<'_> {
    fn document(&mut self, root: &mut Node) {
        self.dialect(root);
        if let Some(version) = root.get_mut("openapi") {
            version.kind = NodeKind::String(REWRITTEN.to_owned());
        }
        root.remove("jsonSchemaDialect");
        if let Some(webhooks) = root.as_object().and_then(|members| members.get("webhooks")) {
            let message = "no code is generated that sends these requests";
            let problem = rules::WEBHOOKS.violation(&webhooks.key_at, message);
            self.problems.push(problem);
        }
        if let Some(info) = root.get_mut("info") {
            info.remove("summary");
            if let Some(license) = info.get_mut("license") {
                license.remove("identifier");
            }
        }
        let components = root.get_mut("components");
        let shared = components.and_then(|components| components.remove("pathItems"));
        root.get_or_add("paths");
        if let Some(shared) = shared {
            share_paths(root, &shared, self.problems);
        }
        visit_mut(root, ObjectKind::Document, &mut |kind, node| {
            match kind {
                ObjectKind::Schema => self.schema(node),
                // They may be absent in OpenAPI 3.1.
                ObjectKind::Operation => drop(node.get_or_add("responses")),
                // A reference may have a text of its own, which is for readers.
                _ if node.get("$ref").is_some() => {
                    node.remove("summary");
                    node.remove("description");
                }
                _ => {}
            }
            kind != ObjectKind::Schema
        });
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

/// Puts the path items of the components where the paths and the webhooks refer to them, as far
/// as the copies are within bounds.
fn share_paths(root: &mut Node, shared: &Node, problems: &mut Vec<Problem>) {
    let mut copied = 0;
    for section in ["paths", "webhooks"] {
        for item in root.get_mut(section).into_iter().flat_map(Node::values_mut) {
            let name = item
                .word("$ref")
                .and_then(|text| text.strip_prefix("#/components/pathItems/"));
            let name = name.map(crate::model::unescape_pointer_token);
            let Some(target) = name.and_then(|name| shared.get(&name)) else {
                continue;
            };
            copied += target.size();
            if copied > MAX_COPIED {
                let message =
                    format!("references up to here expand to more than {MAX_COPIED} values");
                problems.push(rules::TOO_MANY_REFERENCES.violation(&item.at, message));
                return;
            }
            *item = target.clone();
        }
    }
}
