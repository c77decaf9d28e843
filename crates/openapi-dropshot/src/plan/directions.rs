//! Plans `readOnly` and `writeOnly` members, which are sent in only one direction. The same type is used for
//! both directions, so the generator accepts such a member only if its schema is used in one direction, or if
//! the member is optional.

use super::{Planner, ir::Direction};
use crate::rules;
use openapi_dropshot_contract::model::{Document, MediaType, Schema};
use std::collections::BTreeSet;

/// Returns all places in the schemas of request bodies and of JSON parameters, including the schemas to which
/// they refer.
pub(super) fn in_requests(document: &Document) -> BTreeSet<&str> {
    let operations = document.operations.iter();
    let contents = operations.flat_map(|operation| {
        let parameters = operation.parameters.iter();
        let parameters = parameters.flat_map(|parameter| &parameter.content);
        let body = operation.request_body.iter();
        parameters.chain(body.flat_map(|body| &body.content))
    });
    reached(document, contents)
}

/// Returns all places in the schemas of response bodies, including the schemas to which they refer.
pub(super) fn in_responses(document: &Document) -> BTreeSet<&str> {
    let operations = document.operations.iter();
    let responses = operations.flat_map(|operation| &operation.responses);
    reached(document, responses.flat_map(|response| &response.content))
}

/// Returns the places in the schemas of contents, and in all schemas to which these refer.
fn reached<'d>(
    document: &'d Document,
    contents: impl Iterator<Item = &'d MediaType>,
) -> BTreeSet<&'d str> {
    let mut open: Vec<&Schema> = contents.flat_map(MediaType::schemas).collect();
    let mut reached = BTreeSet::new();
    while let Some(schema) = open.pop() {
        if reached.insert(schema.at.pointer.as_str()) {
            open.extend(schema.parts());
            let reference = schema.reference.as_ref();
            open.extend(reference.and_then(|name| document.schema(&name.value)));
        }
    }
    reached
}

impl<'a> Planner<'a> {
    /// Returns the direction of a member. One type cannot express a member that is required in one direction and
    /// may be absent in the other.
    pub(super) fn direction(&mut self, schema: &'a Schema, required: bool) -> Direction {
        let (direction, keyword, others, what) = match (schema.read_only, schema.write_only) {
            (false, false) => return Direction::Both,
            (true, _) => {
                let others = &self.in_requests;
                (Direction::Responses, "readOnly", others, "requests")
            }
            (false, true) => {
                let others = &self.in_responses;
                (Direction::Requests, "writeOnly", others, "responses")
            }
        };
        if required && others.contains(schema.at.pointer.as_str()) {
            let message = format!(
                "`{keyword}` is not supported for a required member of a schema of {what}: one \
                 type cannot have different properties in requests and in responses"
            );
            let help = "write two schemas, one for requests and one for responses, and share the rest \
                 with `allOf`; or take the member out of `required`";
            self.reject(&rules::UNSUPPORTED_SCHEMA, &schema.at, message, help);
        }
        direction
    }
}
