//! Rewrites a document of OpenAPI 3.1 as the document of OpenAPI 3.0 that means the same,
//! so that one model serves both. Every part keeps its line and column. What 3.0 cannot
//! say stays as it is written; the reader knows these keywords, and the generator rejects
//! them where they stand.

mod null;
mod schema;
mod types;

pub(crate) use schema::is_constant;

use crate::model::{Location, Member, Node, NodeKind};
use crate::problem::Problem;
use crate::read::MAX_COPIED;
use crate::rules::document as rules;
use indexmap::IndexMap;

/// The version that the rewritten document names.
const REWRITTEN: &str = "3.0.4";

/// The dialects of JSON Schema that a document may name: those of OpenAPI 3.1.
const DIALECTS: [&str; 3] = [
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
];

/// Returns whether a document names a version that this module rewrites.
pub(crate) fn is_newer(root: &Node) -> bool {
    let version = root.get("openapi").and_then(Node::as_str);
    version.is_some_and(|version| version.starts_with("3.1.") || version.starts_with("3.2."))
}

/// Rewrites a document, and reports what has no meaning.
pub(crate) fn rewrite(root: &Node, problems: &mut Vec<Problem>) -> Node {
    let mut rewriter = Rewriter {
        problems,
        written: root,
    };
    let mut root = root.clone();
    rewriter.document(&mut root);
    place(&mut root, &mut String::new());
    root
}

struct Rewriter<'p> {
    problems: &'p mut Vec<Problem>,
    /// The document before it is rewritten, to which references lead.
    written: &'p Node,
}

/// The members whose own members have names that the author chooses.
pub(crate) const MAPS: [&str; 14] = [
    "callbacks",
    "content",
    "encoding",
    "examples",
    "headers",
    "links",
    "parameters",
    "pathItems",
    "paths",
    "requestBodies",
    "responses",
    "securitySchemes",
    "variables",
    "webhooks",
];

/// The members of schemas whose own members have names that the author chooses.
const MAPS_OF_SCHEMAS: [&str; 5] = [
    "schemas",
    "properties",
    "patternProperties",
    "$defs",
    "dependentSchemas",
];

/// Returns whether the names of the members of a member have no meaning.
pub(crate) fn is_map(name: &str, value: &Node) -> bool {
    match name {
        "parameters" => value.as_object().is_some(),
        _ => MAPS.contains(&name) || MAPS_OF_SCHEMAS.contains(&name),
    }
}

impl Rewriter<'_> {
    fn document(&mut self, root: &mut Node) {
        self.dialect(root);
        let Some(members) = members(root) else {
            return;
        };
        if let Some(version) = members.get_mut("openapi") {
            version.value.kind = NodeKind::String(REWRITTEN.to_owned());
        }
        members.shift_remove("jsonSchemaDialect");
        if let Some(webhooks) = members.get("webhooks") {
            let message = "no code is generated that sends these requests";
            let problem = rules::WEBHOOKS.violation(&webhooks.key_at, message);
            self.problems.push(problem);
        }
        if let Some(info) = members
            .get_mut("info")
            .and_then(|info| self::members(&mut info.value))
        {
            info.shift_remove("summary");
            if let Some(license) = info.get_mut("license") {
                remove(&mut license.value, "identifier");
            }
        }
        let shared = members
            .get_mut("components")
            .and_then(|components| remove(&mut components.value, "pathItems"));
        if !members.contains_key("paths") {
            let at = root.at.clone();
            insert(
                root,
                "paths",
                Node::of(at, NodeKind::Object(IndexMap::new())),
            );
        }
        if let Some(shared) = shared {
            share_paths(root, &shared, self.problems);
        }
        self.part(root, false);
        require_responses(root);
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

    /// Rewrites the schemas inside of a part of the document that is not a schema. In a map
    /// the names of the members have no meaning.
    fn part(&mut self, node: &mut Node, is_map: bool) {
        match &mut node.kind {
            NodeKind::Array(items) => items.iter_mut().for_each(|item| self.part(item, false)),
            NodeKind::Object(members) => {
                if !is_map && members.contains_key("$ref") {
                    // A reference may have a text of its own, which is for readers.
                    members.retain(|name, _| !["summary", "description"].contains(&name.as_str()));
                }
                for (name, member) in members {
                    match name.as_str() {
                        _ if is_map => self.part(&mut member.value, false),
                        "schema" => self.schema(&mut member.value),
                        "schemas" => {
                            for schema in values(&mut member.value) {
                                self.schema(schema);
                            }
                        }
                        // Values and extensions are no part of the description.
                        "example" | "examples" | "value" | "security" | "scopes" => {}
                        name if name.starts_with("x-") => {}
                        "parameters" if member.value.as_object().is_none() => {
                            self.part(&mut member.value, false);
                        }
                        "links" => {}
                        name => self.part(&mut member.value, MAPS.contains(&name)),
                    }
                }
            }
            _ => {}
        }
    }
}

/// Puts the path items of the components where the paths and the webhooks refer to them, as far
/// as the copies are within bounds.
fn share_paths(root: &mut Node, shared: &Node, problems: &mut Vec<Problem>) {
    let mut copied = 0;
    let members = members(root).into_iter().flatten();
    let maps = members.filter(|(name, _)| ["paths", "webhooks"].contains(&name.as_str()));
    for item in maps.flat_map(|(_, member)| values(&mut member.value)) {
        let reference = item.get("$ref").and_then(Node::as_str);
        let name = reference.and_then(|text| text.strip_prefix("#/components/pathItems/"));
        let name = name.map(crate::model::unescape_pointer_token);
        let Some(target) = name.and_then(|name| shared.get(&name)) else {
            continue;
        };
        copied += target.size();
        if copied > MAX_COPIED {
            let message = format!("references up to here expand to more than {MAX_COPIED} values");
            problems.push(rules::TOO_MANY_REFERENCES.violation(&item.at, message));
            return;
        }
        *item = target.clone();
    }
}

/// Adds an empty `responses` to operations that have none, as OpenAPI 3.1 allows.
fn require_responses(root: &mut Node) {
    const METHODS: [&str; 8] = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ];
    let mut items: Vec<&mut Node> = Vec::new();
    for (name, member) in members(root).into_iter().flatten() {
        match name.as_str() {
            "paths" | "webhooks" => items.extend(values(&mut member.value)),
            "components" => {
                let parts = members(&mut member.value);
                let callbacks = parts.and_then(|parts| parts.get_mut("callbacks"));
                let callbacks = callbacks.into_iter();
                let callbacks = callbacks.flat_map(|member| values(&mut member.value));
                items.extend(callbacks.flat_map(values));
            }
            _ => {}
        }
    }
    while let Some(item) = items.pop() {
        for (name, operation) in members(item).into_iter().flatten() {
            let operation = &mut operation.value;
            if !METHODS.contains(&name.as_str()) || operation.as_object().is_none() {
                continue;
            }
            if operation.get("responses").is_none() {
                let at = operation.at.clone();
                insert(operation, "responses", empty(&at));
            }
            let callbacks = members(operation).and_then(|parts| parts.get_mut("callbacks"));
            let callbacks = callbacks.into_iter();
            let callbacks = callbacks.flat_map(|member| values(&mut member.value));
            items.extend(callbacks.flat_map(values));
        }
    }
}

/// Returns the members of an object.
pub(crate) fn members(node: &mut Node) -> Option<&mut IndexMap<String, Member>> {
    match &mut node.kind {
        NodeKind::Object(members) => Some(members),
        _ => None,
    }
}

/// Returns the values of the members of an object.
pub(crate) fn values(node: &mut Node) -> impl Iterator<Item = &mut Node> {
    let members = members(node).into_iter().flatten();
    members.map(|(_, member)| &mut member.value)
}

/// Removes a member of an object.
pub(crate) fn remove(node: &mut Node, name: &str) -> Option<Node> {
    let member = members(node)?.shift_remove(name)?;
    Some(member.value)
}

/// Adds or replaces a member of an object, at the place of its value.
pub(crate) fn insert(node: &mut Node, name: &str, value: Node) {
    if let Some(members) = members(node) {
        let key_at = value.at.clone();
        members.insert(name.to_owned(), Member { key_at, value });
    }
}

/// Makes an object without members.
pub(crate) fn empty(at: &Location) -> Node {
    Node::of(at.clone(), NodeKind::Object(IndexMap::new()))
}

/// Makes `true`.
pub(crate) fn flag(at: &Location) -> Node {
    Node::of(at.clone(), NodeKind::Bool(true))
}

impl Node {
    pub(crate) fn of(at: Location, kind: NodeKind) -> Self {
        Node { at, kind }
    }
}

/// Gives every value the pointer that leads to it in the rewritten tree. Lines and columns
/// stay those of the text.
pub(crate) fn place(node: &mut Node, pointer: &mut String) {
    if node.at.pointer != *pointer {
        node.at.pointer.clone_from(pointer);
    }
    let length = pointer.len();
    match &mut node.kind {
        NodeKind::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                pointer.push_str(&format!("/{index}"));
                place(item, pointer);
                pointer.truncate(length);
            }
        }
        NodeKind::Object(members) => {
            for (name, member) in members {
                pointer.push('/');
                pointer.push_str(&crate::model::escape_pointer_token(name));
                if member.key_at.pointer != *pointer {
                    member.key_at.pointer.clone_from(pointer);
                }
                place(&mut member.value, pointer);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}
