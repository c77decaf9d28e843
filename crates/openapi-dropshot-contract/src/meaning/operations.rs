//! Two documents, operation by operation: paths, methods, names, parameters,
//! bodies, statuses and headers.

use super::{Comparer, shape::is_anything, words};
use crate::model::{Location, MediaType, Node, Operation, Parameter, ParameterIn, Type};

/// What may differ in the summary of an operation.
const SUMMARY: words::Rules = words::Rules {
    form: "summary-form",
    more: "summary",
    added: "summary-added",
    lost: "summary",
};

/// What may differ in the description of an operation.
const DESCRIPTION: words::Rules = words::Rules {
    form: "description-form",
    more: "description-more",
    added: "description-added",
    lost: "description",
};

/// What may differ in the description of a parameter or a header.
pub(super) const PARAMETER: words::Rules = words::Rules {
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
                    format!("nobody wrote {}", key(other)),
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
        self.words(source, emitted);
        if !source.security.is_empty() && emitted.security.is_empty() {
            self.differ("security", at, "`security` was lost");
        }
        for name in source.extensions.keys() {
            if !emitted.extensions.contains_key(name) {
                self.differ("operation-extension", at, format!("`{name}` was lost"));
            }
        }
        for (name, value) in &emitted.extensions {
            let own = source.extensions.get(name);
            let same = own.is_some_and(|own| own.same_value(value));
            if name == PAGES && own.is_some_and(|own| is_older_form(own, value)) {
                self.differ(
                    "pagination-form",
                    at,
                    format!("`{name}: true` became {{required: []}}"),
                );
            } else if !same && !source.extensions.contains_key(name) {
                self.differ(
                    "operation-extension-added",
                    at,
                    format!("nobody wrote `{name}`"),
                );
            } else if !same {
                self.differ(
                    "operation-extension-changed",
                    at,
                    format!("`{name}` has another value"),
                );
            }
        }
        self.parameters(source, emitted);
        self.request_body(source, emitted);
        self.responses(source, emitted);
    }

    /// A description without a summary becomes both: the first line, and the rest.
    fn words(&mut self, source: &Operation, emitted: &Operation) {
        let at = &source.at;
        match (&source.summary, &source.description) {
            (None, Some(description)) => {
                let summary = emitted.summary.as_deref().unwrap_or_default();
                let rest = emitted.description.as_deref().unwrap_or_default();
                let both = format!("{summary}\n\n{rest}");
                if words::difference(&DESCRIPTION, Some(description), Some(&both))
                    .is_none_or(|(rule, _)| rule == DESCRIPTION.form)
                {
                    if emitted.summary.is_some() {
                        self.differ(
                            "description-split",
                            at,
                            "the first line of the description became the summary",
                        );
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
            // Header names are the same in capitals.
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
                self.differ(
                    "parameter-lost",
                    &parameter.at,
                    format!("`{}` was lost", parameter.name.value),
                );
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
                self.differ(
                    "parameter-added",
                    &source.at,
                    format!("nobody wrote `{}`", other.name.value),
                );
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
            self.differ("parameter-extension", at, format!("`{name}` was lost"));
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
                    self.differ(
                        "optional-body-required",
                        &body.at,
                        "the body may be absent, and became required",
                    );
                } else {
                    self.same(
                        "request-body-required",
                        &body.at,
                        &body.required,
                        &other.required,
                    );
                }
                if body.description.is_some() && other.description.is_none() {
                    self.differ(
                        "request-body-description",
                        &body.at,
                        "the description was lost",
                    );
                }
                self.content(&body.at, &body.content, &other.content);
            }
            (Some(body), None) => {
                self.differ("request-body-lost", &body.at, "the request body was lost")
            }
            (None, Some(_)) => self.differ(
                "request-body-added",
                &source.at,
                "nobody wrote a request body",
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
                        self.differ(
                            "content-charset",
                            &media.at,
                            format!("`{}` became `{}`", media.name.value, other.name.value),
                        );
                    }
                    self.optional(at, media.schema.as_ref(), other.schema.as_ref());
                    if !media.examples.is_empty() && other.examples.is_empty() {
                        self.differ("content-example", &media.at, "the example was lost");
                    }
                }
                None => self.differ(
                    "content-lost",
                    &media.at,
                    format!("`{}` was lost", media.name.value),
                ),
            }
        }
        for other in emitted
            .iter()
            .filter(|other| !source.iter().any(|media| is_same(media, other)))
        {
            self.differ(
                "content-added",
                at,
                format!("nobody wrote `{}`", other.name.value),
            );
        }
    }
}

/// The extension of operations that answer pages.
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

/// Whether a content is sent as it is given: not JSON, and no more than a text.
fn is_raw(media: &MediaType) -> bool {
    media.name.value != "*/*"
        && !media.name.value.starts_with("application/json")
        && media.schema.as_ref().is_none_or(|schema| {
            is_anything(schema)
                || schema.types.as_ref().map(|kind| kind.value) == Some(Type::String)
        })
}

/// How people call an operation: the names of the variables do not count less.
pub(super) fn key(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path.value)
}
