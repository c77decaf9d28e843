//! Lists all schemas and examples of a document, so that rules do not need to know where they can
//! be. A component is listed once, at its definition, and not at each reference to it.

use crate::model::{Document, Header, Location, MediaType, Node, Schema};
use std::collections::HashSet;

/// The direction in which a value is sent. It decides whether required properties that are
/// `readOnly` or `writeOnly` may be absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Request,
    Response,
    /// Both directions, or an unknown direction.
    Either,
}

/// A schema that is not part of another schema, with the examples beside it.
pub(super) struct SchemaUse<'d> {
    pub(super) schema: &'d Schema,
    pub(super) examples: &'d [Node],
    pub(super) direction: Direction,
}

/// Lists all places of a document that contain a schema.
pub(super) fn schema_uses(document: &Document) -> Vec<SchemaUse<'_>> {
    let mut walk = Walk {
        places: Vec::new(),
        seen: HashSet::new(),
    };
    for schema in document.schemas.values() {
        walk.add(Some(schema), &[], Direction::Either);
    }
    for parameter in document.all_parameters() {
        let direction = Direction::Request;
        walk.add(parameter.schema.as_ref(), &parameter.examples, direction);
        walk.content(&parameter.content, direction);
    }
    let operations = || document.operations.iter();
    let bodies = operations().filter_map(|operation| operation.request_body.as_ref());
    for body in bodies.chain(document.request_bodies.values()) {
        walk.content(&body.content, Direction::Request);
    }
    let responses = operations().flat_map(|operation| &operation.responses);
    for response in responses.chain(document.responses.values()) {
        walk.headers(&response.headers);
        walk.content(&response.content, Direction::Response);
    }
    walk.headers(document.headers.values());
    walk.places
}

struct Walk<'d> {
    places: Vec<SchemaUse<'d>>,
    seen: HashSet<&'d Location>,
}

impl<'d> Walk<'d> {
    fn add(&mut self, schema: Option<&'d Schema>, examples: &'d [Node], direction: Direction) {
        if let Some(schema) = schema
            && self.seen.insert(&schema.at)
        {
            self.places.push(SchemaUse {
                schema,
                examples,
                direction,
            });
        }
    }

    fn headers(&mut self, headers: impl IntoIterator<Item = &'d Header>) {
        for header in headers {
            let schema = header.schema.as_ref();
            self.add(schema, &header.examples, Direction::Response);
        }
    }

    fn content(&mut self, content: &'d [MediaType], direction: Direction) {
        for media_type in content {
            self.add(media_type.schema.as_ref(), &media_type.examples, direction);
            self.add(media_type.item_schema.as_ref(), &[], direction);
        }
    }
}
