//! Compares operations: paths, methods, ids, texts, parameters and bodies.

use super::{Comparer, shape::is_anything, texts};
use crate::model::{Location, MediaType, Node, Operation, Parameter, ParameterIn, Type};

/// What may differ in the summary of an operation.
const SUMMARY: texts::TextRules = texts::TextRules {
    form: "summary-form",
    more: "summary",
    added: "summary-added",
    lost: "summary",
};

/// What may differ in the description of an operation.
const DESCRIPTION: texts::TextRules = texts::TextRules {
    form: "description-form",
    more: "description-more",
    added: "description-added",
    lost: "description",
};

/// What may differ in the description of a parameter or a header.
pub(super) const PARAMETER: texts::TextRules = texts::TextRules {
    form: "parameter-description-form",
    more: "parameter-description-more",
    added: "parameter-description-added",
    lost: "parameter-description",
};

impl<'d> Comparer<'d> {
    /// Compares all operations.
    pub(super) fn operations(&mut self) {
        let (source, emitted) = (self.source, self.emitted);
        for operation in &source.operations {
            self.part = key(operation);
            self.comparison.operations.push(key(operation));
            match emitted
                .operations
                .iter()
                .find(|other| key(other) == key(operation))
            {
                Some(other) => self.operation(operation, other),
                None => self.differ(
                    "operation-lost",
                    &operation.at,
                    format!("{} was lost", key(operation)),
                ),
            }
        }
        for other in &emitted.operations {
            if !source
                .operations
                .iter()
                .any(|operation| key(operation) == key(other))
            {
                self.part = key(other);
                self.differ(
                    "operation-added",
                    &source.root.at,
                    format!("{} is not in the source", key(other)),
                );
            }
        }
        self.part = "document".to_owned();
        if !source.servers.is_empty() && emitted.servers.is_empty() {
            self.differ("servers", &source.root.at, "`servers` was lost");
        }
    }

    fn operation(&mut self, source: &'d Operation, emitted: &'d Operation) {
        let at = &source.at;
        let id = |operation: &Operation| operation.id.as_ref().map(|id| id.value.clone());
        self.same("operation-id", at, &id(source), &id(emitted));
        let tags = |operation: &Operation| {
            let mut tags = operation.tags.clone();
            tags.sort();
            tags
        };
        self.same("tags", at, &tags(source), &tags(emitted));
        self.same("deprecated", at, &source.deprecated, &emitted.deprecated);
        self.summary(source, emitted);
        if !source.security.is_empty() && emitted.security.is_empty() {
            self.differ("security", at, "`security` was lost");
        }
        for name in source.extensions.keys() {
            if !emitted.extensions.contains_key(name) {
                self.lost("operation-extension", at, name);
            }
        }
        for (name, value) in &emitted.extensions {
            let own = source.extensions.get(name);
            let same = own.is_some_and(|own| own.same_value(value));
            if name == PAGES && own.is_some_and(|own| is_older_form(own, value)) {
                let message = format!("`{name}: true` became {{required: []}}");
                self.differ("pagination-form", at, message);
            } else if !same && !source.extensions.contains_key(name) {
                self.added("operation-extension-added", at, name);
            } else if !same {
                let message = format!("`{name}` has another value");
                self.differ("operation-extension-changed", at, message);
            }
        }
        self.parameters(source, emitted);
        self.request_body(source, emitted);
        self.responses(source, emitted);
    }

    /// A description without a summary becomes both: the first line, and the rest.
    fn summary(&mut self, source: &Operation, emitted: &Operation) {
        let at = &source.at;
        match (&source.summary, &source.description) {
            (None, Some(description)) => {
                let summary = emitted.summary.as_deref().unwrap_or_default();
                let rest = emitted.description.as_deref().unwrap_or_default();
                let both = format!("{summary}\n\n{rest}");
                if texts::difference(&DESCRIPTION, Some(description), Some(&both))
                    .is_none_or(|(rule, _)| rule == DESCRIPTION.form)
                {
                    if emitted.summary.is_some() {
                        let message = "the first line of the description became the summary";
                        self.differ("description-split", at, message);
                    }
                } else {
                    self.text(&DESCRIPTION, at, Some(description), Some(&both));
                }
            }
            (summary, description) => {
                self.text(&SUMMARY, at, summary.as_deref(), emitted.summary.as_deref());
                self.text(
                    &DESCRIPTION,
                    at,
                    description.as_deref(),
                    emitted.description.as_deref(),
                );
            }
        }
    }

    fn parameters(&mut self, source: &'d Operation, emitted: &'d Operation) {
        let part = key(source);
        let name = |parameter: &Parameter| {
            // Header names are case-insensitive.
            let name = parameter.name.value.as_str();
            (
                parameter.location,
                if parameter.location == ParameterIn::Header {
                    name.to_lowercase()
                } else {
                    name.to_owned()
                },
            )
        };
        for parameter in &source.parameters {
            self.part = format!("{part} {} `{}`", parameter.location, parameter.name.value);
            self.comparison
                .parameters
                .push((part.clone(), self.part.clone()));
            let Some(other) = emitted
                .parameters
                .iter()
                .find(|other| name(other) == name(parameter))
            else {
                self.lost("parameter-lost", &parameter.at, &parameter.name.value);
                continue;
            };
            self.parameter(parameter, other);
        }
        for other in &emitted.parameters {
            if !source
                .parameters
                .iter()
                .any(|parameter| name(parameter) == name(other))
            {
                self.part = format!("{part} {} `{}`", other.location, other.name.value);
                self.added("parameter-added", &source.at, &other.name.value);
            }
        }
        self.part = part;
    }

    fn parameter(&mut self, source: &'d Parameter, emitted: &'d Parameter) {
        let at = &source.at;
        self.same(
            "parameter-required",
            at,
            &source.required,
            &emitted.required,
        );
        self.same(
            "parameter-deprecated",
            at,
            &source.deprecated,
            &emitted.deprecated,
        );
        self.text(
            &PARAMETER,
            at,
            source.description.as_deref(),
            emitted.description.as_deref(),
        );
        self.same(
            "parameter-empty-value",
            at,
            &source.allow_empty_value,
            &emitted.allow_empty_value,
        );
        for name in source
            .extensions
            .keys()
            .filter(|name| !emitted.extensions.contains_key(*name))
        {
            self.lost("parameter-extension", at, name);
        }
        if !source.examples.is_empty() && emitted.examples.is_empty() {
            self.differ("parameter-example", at, "the example was lost");
        }
        self.optional(at, source.schema.as_ref(), emitted.schema.as_ref());
        self.content(at, &source.content, &emitted.content);
    }

    fn request_body(&mut self, source: &'d Operation, emitted: &'d Operation) {
        match (&source.request_body, &emitted.request_body) {
            (Some(body), Some(other)) => {
                if !body.required && other.required {
                    let message = "the body may be absent, and became required";
                    self.differ("optional-body-required", &body.at, message);
                } else {
                    self.same(
                        "request-body-required",
                        &body.at,
                        &body.required,
                        &other.required,
                    );
                }
                if body.description.is_some() && other.description.is_none() {
                    let message = "the description was lost";
                    self.differ("request-body-description", &body.at, message);
                }
                self.content(&body.at, &body.content, &other.content);
            }
            (Some(body), None) => {
                self.differ("request-body-lost", &body.at, "the request body was lost")
            }
            (None, Some(_)) => self.differ(
                "request-body-added",
                &source.at,
                "the source has no request body",
            ),
            (None, None) => {}
        }
    }

    pub(super) fn content(
        &mut self,
        at: &Location,
        source: &'d [MediaType],
        emitted: &'d [MediaType],
    ) {
        if let ([only], [other]) = (source, emitted)
            && other.name.value == "*/*"
            && is_raw(only)
        {
            let message = format!("`{}` became `*/*`", only.name.value);
            return self.differ("content-any", &only.at, message);
        }
        for media in source {
            match emitted.iter().find(|other| is_same(media, other)) {
                Some(other) => {
                    if media.name.value != other.name.value {
                        let message =
                            format!("`{}` became `{}`", media.name.value, other.name.value);
                        self.differ("content-charset", &media.at, message);
                    }
                    self.optional(at, media.schema.as_ref(), other.schema.as_ref());
                    if !media.examples.is_empty() && other.examples.is_empty() {
                        self.differ("content-example", &media.at, "the example was lost");
                    }
                }
                None => self.lost("content-lost", &media.at, &media.name.value),
            }
        }
        for other in emitted
            .iter()
            .filter(|other| !source.iter().any(|media| is_same(media, other)))
        {
            self.added("content-added", at, &other.name.value);
        }
    }
}

/// The extension of operations that respond with pages.
const PAGES: &str = "x-dropshot-pagination";

/// Whether an older dropshot wrote the first for the second.
fn is_older_form(source: &Node, emitted: &Node) -> bool {
    source.as_bool() == Some(true)
        && emitted
            .get("required")
            .and_then(Node::as_array)
            .is_some_and(<[Node]>::is_empty)
}

/// Whether two media types are the same; JSON is UTF-8 whether it says so or not.
fn is_same(source: &MediaType, emitted: &MediaType) -> bool {
    let (name, other) = (&source.name.value, &emitted.name.value);
    let plain = name.to_ascii_lowercase().replace([' ', '"'], "");
    name == other || (other == "application/json" && plain == "application/json;charset=utf-8")
}

/// Whether a content is sent unchanged: it is not JSON, and at most a text.
fn is_raw(media: &MediaType) -> bool {
    media.name.value != "*/*"
        && !media.name.value.starts_with("application/json")
        && media.schema.as_ref().is_none_or(|schema| {
            is_anything(schema)
                || schema.types.as_ref().map(|kind| kind.value) == Some(Type::String)
        })
}

/// The method and path of an operation.
pub(super) fn key(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path.value)
}
