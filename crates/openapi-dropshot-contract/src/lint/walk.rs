//! The way through all schemas and examples of a document, so that no rule
//! needs to know where they may stand. What a component holds is met once at
//! its definition, not again wherever it is referred to.

use crate::model::{
    AdditionalProperties, Document, Header, Location, MediaType, Node, Parameter, Schema,
};
use std::collections::HashSet;

/// In which direction a value travels, which decides what `readOnly` and
/// `writeOnly` properties may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Request,
    Response,
    /// Both, or unknown.
    Either,
}

/// A schema that stands on its own, not inside another, with its examples.
pub(super) struct Place<'d> {
    pub(super) schema: &'d Schema,
    pub(super) examples: &'d [Node],
    pub(super) direction: Direction,
}

/// All places of a document that hold a schema.
pub(super) fn places(document: &Document) -> Vec<Place<'_>> {
    let mut walk = Walk {
        places: Vec::new(),
        seen: HashSet::new(),
    };
    for schema in document.schemas.values() {
        walk.add(Some(schema), &[], Direction::Either);
    }
    for operation in &document.operations {
        operation
            .parameters
            .iter()
            .for_each(|parameter| walk.parameter(parameter));
        if let Some(body) = &operation.request_body {
            walk.content(&body.content, Direction::Request);
        }
        for response in &operation.responses {
            walk.headers(&response.headers);
            walk.content(&response.content, Direction::Response);
        }
    }
    document
        .parameters
        .values()
        .for_each(|parameter| walk.parameter(parameter));
    document
        .headers
        .values()
        .for_each(|header| walk.header(header));
    document
        .request_bodies
        .values()
        .for_each(|body| walk.content(&body.content, Direction::Request));
    for response in document.responses.values() {
        walk.headers(&response.headers);
        walk.content(&response.content, Direction::Response);
    }
    walk.places
}

struct Walk<'d> {
    places: Vec<Place<'d>>,
    seen: HashSet<&'d Location>,
}

impl<'d> Walk<'d> {
    fn add(&mut self, schema: Option<&'d Schema>, examples: &'d [Node], direction: Direction) {
        if let Some(schema) = schema
            && self.seen.insert(&schema.at)
        {
            self.places.push(Place {
                schema,
                examples,
                direction,
            });
        }
    }

    fn parameter(&mut self, parameter: &'d Parameter) {
        self.add(
            parameter.schema.as_ref(),
            &parameter.examples,
            Direction::Request,
        );
        self.content(&parameter.content, Direction::Request);
    }

    fn headers(&mut self, headers: &'d [Header]) {
        headers.iter().for_each(|header| self.header(header));
    }

    fn header(&mut self, header: &'d Header) {
        self.add(
            header.schema.as_ref(),
            &header.examples,
            Direction::Response,
        );
    }

    fn content(&mut self, content: &'d [MediaType], direction: Direction) {
        for media_type in content {
            self.add(media_type.schema.as_ref(), &media_type.examples, direction);
        }
    }
}

/// Calls back for a schema and all schemas that are written inside it.
pub(super) fn each_schema<'d>(schema: &'d Schema, visit: &mut dyn FnMut(&'d Schema)) {
    visit(schema);
    for part in parts(schema) {
        each_schema(part, visit);
    }
}

/// The schemas written directly inside a schema.
pub(super) fn parts(schema: &Schema) -> impl Iterator<Item = &Schema> {
    let additional = match &schema.additional_properties {
        Some(AdditionalProperties::Schema(schema)) => Some(&**schema),
        _ => None,
    };
    schema
        .properties
        .values()
        .chain(schema.items.as_deref())
        .chain(additional)
        .chain(compositions(schema))
        .chain(schema.not.as_deref())
}

/// The schemas in `allOf`, `oneOf` and `anyOf`.
pub(super) fn compositions(schema: &Schema) -> impl Iterator<Item = &Schema> {
    schema
        .all_of
        .iter()
        .chain(&schema.one_of)
        .chain(&schema.any_of)
}
