//! The objects of OpenAPI that may be references, and where they stand.

/// The kind of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Document,
    Components,
    PathItem,
    Operation,
    Callback,
    RequestBody,
    Response,
    Parameter,
    Header,
    MediaType,
    Encoding,
    Example,
    Link,
    SecurityScheme,
    Schema,
    /// Without references.
    Other,
}

/// How objects stand in a member.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    One,
    /// As the values of members whose names the author chooses.
    Map,
    List,
}

impl Kind {
    /// The sections of the components.
    pub(super) const SECTIONS: &'static [(Kind, &'static str)] = &[
        (Kind::Schema, "schemas"),
        (Kind::Response, "responses"),
        (Kind::Parameter, "parameters"),
        (Kind::Example, "examples"),
        (Kind::RequestBody, "requestBodies"),
        (Kind::Header, "headers"),
        (Kind::SecurityScheme, "securitySchemes"),
        (Kind::Link, "links"),
        (Kind::Callback, "callbacks"),
    ];

    /// The section of its components.
    pub(super) fn section(self) -> Option<&'static str> {
        let mut sections = Kind::SECTIONS.iter();
        let section = sections.find(|(kind, _)| *kind == self);
        section.map(|(_, section)| *section)
    }

    /// The kind of the objects in a member.
    pub(super) fn member(self, name: &str) -> Option<(Shape, Kind)> {
        use Shape::{List, Map, One};
        let member = match (self, name) {
            (Kind::Document, "paths" | "webhooks") => (Map, Kind::PathItem),
            (Kind::Document, "components") => (One, Kind::Components),
            (Kind::Components, "pathItems") => (Map, Kind::PathItem),
            (Kind::Components, section) => {
                let mut sections = Kind::SECTIONS.iter();
                let kind = sections.find(|(_, name)| *name == section);
                (Map, kind.map(|(kind, _)| *kind)?)
            }
            (Kind::PathItem | Kind::Operation, "parameters") => (List, Kind::Parameter),
            (
                Kind::PathItem,
                "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace",
            ) => (One, Kind::Operation),
            (Kind::Operation, "requestBody") => (One, Kind::RequestBody),
            (Kind::Operation, "responses") => (Map, Kind::Response),
            (Kind::Operation, "callbacks") => (Map, Kind::Callback),
            // The expressions.
            (Kind::Callback, name) if !name.starts_with("x-") && name != "$ref" => {
                (One, Kind::PathItem)
            }
            (Kind::RequestBody | Kind::Response | Kind::Parameter | Kind::Header, "content") => {
                (Map, Kind::MediaType)
            }
            (Kind::Response | Kind::Encoding, "headers") => (Map, Kind::Header),
            (Kind::Response, "links") => (Map, Kind::Link),
            (Kind::Parameter | Kind::Header | Kind::MediaType, "schema") => (One, Kind::Schema),
            (Kind::Parameter | Kind::Header | Kind::MediaType, "examples") => (Map, Kind::Example),
            (Kind::MediaType, "encoding") => (Map, Kind::Encoding),
            (
                Kind::Schema,
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
            ) => (Map, Kind::Schema),
            (Kind::Schema, "allOf" | "oneOf" | "anyOf" | "prefixItems") => (List, Kind::Schema),
            (
                Kind::Schema,
                "items"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames"
                | "unevaluatedItems"
                | "unevaluatedProperties"
                | "contentSchema",
            ) => (One, Kind::Schema),
            _ => return None,
        };
        Some(member)
    }
}
