//! Plans `readOnly` and `writeOnly` members, which are sent in one direction. One
//! type serves both directions, so the generator accepts such a member only if its
//! schema is used in one direction, or if the member is optional.

use super::{Planner, ir::Direction};
use openapi_dropshot_contract::{
    Problem,
    model::{Document, MediaType, Node, NodeKind, Schema},
};
use std::collections::BTreeSet;

/// The places of schemas that bodies lead to.
pub(super) struct Bodies {
    /// Of requests.
    requests: BTreeSet<String>,
    /// Of responses.
    responses: BTreeSet<String>,
}

impl Bodies {
    /// Those of a document.
    pub(super) fn of(document: &Document) -> Self {
        let operations = &document.operations;
        let requests = operations
            .iter()
            .filter_map(|operation| operation.request_body.as_ref())
            .flat_map(|body| &body.content);
        let responses = operations
            .iter()
            .flat_map(|operation| &operation.responses)
            .flat_map(|response| &response.content);
        Bodies {
            requests: reached(document, requests),
            responses: reached(document, responses),
        }
    }
}

/// The places that the schemas of contents lead to.
fn reached<'d>(
    document: &'d Document,
    contents: impl Iterator<Item = &'d MediaType>,
) -> BTreeSet<String> {
    let mut left: Vec<String> = contents
        .filter_map(|content| content.schema.as_ref())
        .map(|schema| schema.at.pointer.clone())
        .collect();
    let mut reached = BTreeSet::new();
    while let Some(place) = left.pop() {
        if let Some(node) = document.root.pointer(&place)
            && reached.insert(place)
        {
            references(node, &mut left);
        }
    }
    reached
}

/// The places that a part of the document refers to.
fn references(node: &Node, found: &mut Vec<String>) {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        match &node.kind {
            NodeKind::Object(members) => {
                let reference = node.get("$ref").and_then(Node::as_str);
                found.extend(reference.and_then(|place| Some(place.strip_prefix('#')?.to_owned())));
                left.extend(members.values().map(|member| &member.value));
            }
            NodeKind::Array(items) => left.extend(items),
            _ => {}
        }
    }
}

/// Whether a place is one of these, or within one.
fn is_within(places: &BTreeSet<String>, place: &str) -> bool {
    let ends = place.char_indices().filter(|(_, sign)| *sign == '/');
    places.contains(place)
        || ends
            .into_iter()
            .any(|(end, _)| places.contains(&place[..end]))
}

impl Planner<'_> {
    /// The direction of a member. One that has to be there in one direction and
    /// may be absent in the other has no type.
    pub(super) fn direction(&mut self, wire: &str, schema: &Schema, required: bool) -> Direction {
        let place = &schema.at.pointer;
        let (direction, keyword, others, what) = match (schema.read_only, schema.write_only) {
            (false, false) => return Direction::Both,
            (true, false) => (
                Direction::Responses,
                "readOnly",
                &self.bodies.requests,
                "requests",
            ),
            (false, true) => (
                Direction::Requests,
                "writeOnly",
                &self.bodies.responses,
                "responses",
            ),
            (true, true) => {
                self.problems.push(Problem::error(
                    "unsupported-schema",
                    &schema.at,
                    format!("`{wire}` is both `readOnly` and `writeOnly`, and so is never sent"),
                    "remove the property, or one of the two keywords",
                ));
                return Direction::Both;
            }
        };
        if required && is_within(others, place) {
            self.problems.push(Problem::error(
                "unsupported-schema",
                &schema.at,
                format!(
                    "`{keyword}` is not supported for a required member of a schema of {what}: one \
                     type cannot have different properties in requests and in responses"
                ),
                "write two schemas, one for requests and one for responses, and share the rest \
                 with `allOf`; or take the member out of `required`",
            ));
        }
        direction
    }
}
