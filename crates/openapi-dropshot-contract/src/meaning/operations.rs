//! Compares operations: paths, methods, ids, descriptions, parameters and bodies.

use super::{Comparer, TextRules, responses::CHANNEL, shape::is_anything};
use crate::model::{
    Document, Location, MediaType, Node, Operation, Parameter, ParameterIn, Schema, Type,
};
use crate::pairs::pairs;
use crate::rules::differences as rules;
use std::collections::BTreeSet;

/// The rules for differences in the summary of an operation.
const SUMMARY: TextRules = TextRules {
    form: &rules::SUMMARY_FORM,
    more: &rules::SUMMARY,
    added: &rules::SUMMARY_ADDED,
    lost: &rules::SUMMARY,
};

/// The rules for differences in the description of an operation.
const DESCRIPTION: TextRules = TextRules {
    form: &rules::DESCRIPTION_FORM,
    more: &rules::DESCRIPTION_MORE,
    added: &rules::DESCRIPTION_ADDED,
    lost: &rules::DESCRIPTION,
};

/// The rules for differences in the description of a parameter or a header.
pub(super) const PARAMETER: TextRules = TextRules {
    form: &rules::PARAMETER_DESCRIPTION_FORM,
    more: &rules::PARAMETER_DESCRIPTION_MORE,
    added: &rules::PARAMETER_DESCRIPTION_ADDED,
    lost: &rules::PARAMETER_DESCRIPTION,
};

impl<'d> Comparer<'d> {
    /// Compares all operations.
    pub(super) fn operations(&mut self) {
        let (source, emitted) = (self.source, self.emitted);
        let at = &source.root.at;
        let same =
            |a: &Operation, b: &Operation| a.method == b.method && a.path.value == b.path.value;
        for (operation, other) in pairs(&source.operations, &emitted.operations, same) {
            let part = operation
                .or(other)
                .map_or_else(String::new, Operation::request);
            self.part = part.clone();
            if operation.is_some() {
                self.comparison.operations.push(part.clone());
            }
            match (operation, other) {
                (Some(operation), Some(other)) => self.operation(operation, other),
                (Some(operation), None) => self.lost(&rules::OPERATION_LOST, &operation.at, &part),
                (None, _) => self.added(&rules::OPERATION_ADDED, at, &part),
            }
        }
        self.part = "document".to_owned();
        if !source.servers.is_empty() && emitted.servers.is_empty() {
            self.lost(&rules::SERVERS, at, "servers");
        }
    }

    fn operation(&mut self, source: &'d Operation, emitted: &'d Operation) {
        let (both, at) = ([source, emitted], &source.at);
        let id = |operation: &Operation| operation.id.as_ref().map(|id| id.value.clone());
        match both.map(id) {
            [None, Some(id)] => {
                let message = format!("the operation got the id `{id}`");
                self.differ(&rules::OPERATION_ID_ADDED, at, message);
            }
            ids => self.same(&rules::OPERATION_ID, at, ids),
        }
        let tags = |operation: &Operation| BTreeSet::from_iter(operation.tags.clone());
        self.same(&rules::TAGS, at, both.map(tags));
        self.same(&rules::DEPRECATED, at, both.map(|own| own.deprecated));
        self.summary(source, emitted);
        if !source.security.is_empty() && emitted.security.is_empty() {
            self.lost(&rules::SECURITY, at, "security");
        }
        let extensions = both.map(|operation| &operation.extensions);
        self.extensions(&rules::OPERATION_EXTENSION, at, extensions);
        for (name, value) in &emitted.extensions {
            let Some(own) = source.extensions.get(name) else {
                if name == CHANNEL && source.opens_websocket() {
                    continue;
                }
                self.added(&rules::OPERATION_EXTENSION_ADDED, at, name);
                continue;
            };
            if name == PAGES && is_older_form(own, value) {
                let message = format!("`{name}: true` became {{required: []}}");
                self.differ(&rules::PAGINATION_FORM, at, message);
            } else if !own.same_value(value) {
                let message = format!("`{name}` has another value");
                self.differ(&rules::OPERATION_EXTENSION_CHANGED, at, message);
            }
        }
        self.parameters(source, emitted);
        self.request_body(source, emitted);
        self.responses(source, emitted);
    }

    /// Compares summaries. Dropshot splits a description without a summary: the first line becomes
    /// the summary, the rest the description.
    fn summary(&mut self, source: &Operation, emitted: &Operation) {
        let at = &source.at;
        let summaries = [source, emitted].map(|operation| operation.summary.as_deref());
        let texts = [source, emitted].map(|operation| operation.description.as_deref());
        let ([None, summary], [own @ Some(_), rest]) = (summaries, texts) else {
            self.text(&SUMMARY, at, summaries);
            return self.text(&DESCRIPTION, at, texts);
        };
        let both = [summary, rest].map(Option::unwrap_or_default).join("\n\n");
        match DESCRIPTION.difference([own, Some(&both)]) {
            Some((rule, message)) if rule != DESCRIPTION.form => self.differ(rule, at, message),
            _ if summary.is_some() => {
                let message = "the first line of the description became the summary";
                self.differ(&rules::DESCRIPTION_SPLIT, at, message);
            }
            _ => {}
        }
    }

    fn parameters(&mut self, source: &'d Operation, emitted: &'d Operation) {
        let operation = source.request();
        // Header names are case-insensitive.
        let same = |a: &Parameter, b: &Parameter| {
            let (name, other) = (&a.name.value, &b.name.value);
            let is_header = a.location == ParameterIn::Header;
            a.location == b.location
                && (name == other || (is_header && name.to_lowercase() == other.to_lowercase()))
        };
        for (parameter, other) in pairs(&source.parameters, &emitted.parameters, same) {
            let part =
                |own: &Parameter| format!("{operation} {} `{}`", own.location, own.name.value);
            self.part = parameter.or(other).map(part).unwrap_or_default();
            if parameter.is_some() {
                let part = (operation.clone(), self.part.clone());
                self.comparison.parameters.push(part);
            }
            match (parameter, other) {
                (Some(parameter), Some(other)) => self.parameter(parameter, other),
                (Some(lost), None) => self.lost(&rules::PARAMETER_LOST, &lost.at, &lost.name.value),
                (None, Some(other)) => {
                    self.added(&rules::PARAMETER_ADDED, &source.at, &other.name.value)
                }
                (None, None) => {}
            }
        }
        self.part = operation;
    }

    fn parameter(&mut self, source: &'d Parameter, emitted: &'d Parameter) {
        let (both, at) = ([source, emitted], &source.at);
        // Without its own description, a parameter gets the description of its schema.
        let [mut description, text] = both.map(|own| own.description.as_deref());
        if description.is_none() && text.is_some() {
            let of_schema = source.schema.as_ref();
            description = of_schema.and_then(|schema| schema.description.as_deref());
        }
        self.text(&PARAMETER, at, [description, text]);
        self.same(&rules::PARAMETER_REQUIRED, at, both.map(|own| own.required));
        let deprecated = both.map(|own| own.deprecated);
        self.same(&rules::PARAMETER_DEPRECATED, at, deprecated);
        let empty = both.map(|own| own.allow_empty_value);
        self.same(&rules::PARAMETER_EMPTY_VALUE, at, empty);
        let extensions = both.map(|own| &own.extensions);
        self.extensions(&rules::PARAMETER_EXTENSION, at, extensions);
        if !source.examples.is_empty() && emitted.examples.is_empty() {
            self.differ(&rules::PARAMETER_EXAMPLE, at, "the example was lost");
        }
        self.in_parameter = true;
        self.optional(at, both.map(|own| own.schema.as_ref()));
        self.in_parameter = false;
        self.content(at, &source.content, &emitted.content);
    }

    fn request_body(&mut self, source: &'d Operation, emitted: &'d Operation) {
        let (body, other) = match (&source.request_body, &emitted.request_body) {
            (Some(body), Some(other)) => (body, other),
            (Some(body), None) => {
                return self.lost(&rules::REQUEST_BODY_LOST, &body.at, "requestBody");
            }
            (None, Some(_)) => {
                return self.added(&rules::REQUEST_BODY_ADDED, &source.at, "requestBody");
            }
            (None, None) => return,
        };
        if !body.required && other.required {
            let message = "the body may be absent, and became required";
            self.differ(&rules::OPTIONAL_BODY_REQUIRED, &body.at, message);
        } else {
            let required = [body.required, other.required];
            self.same(&rules::REQUEST_BODY_REQUIRED, &body.at, required);
        }
        if body.description.is_some() && other.description.is_none() {
            let message = "the description was lost";
            self.differ(&rules::REQUEST_BODY_DESCRIPTION, &body.at, message);
        }
        let read = body.read();
        for media in &body.content {
            if read.iter().all(|read| read.at != media.at) {
                let message = format!("`{}` is not read", media.name.value);
                self.differ(&rules::REQUEST_CONTENT_UNREAD, &media.at, message);
            }
        }
        // If there are several media types, the handler reads each of them itself.
        for media in read.chunks(1) {
            self.content(&body.at, media, &other.content);
        }
    }

    pub(super) fn content(
        &mut self,
        at: &Location,
        source: &'d [MediaType],
        emitted: &'d [MediaType],
    ) {
        if let ([only], [json]) = (source, emitted)
            && let Some(items) = only.items()
            && json.is_json()
        {
            let message = format!(
                "the stream `{}` became `{}` with one item",
                only.name.value, json.name.value
            );
            self.differ(&rules::CONTENT_STREAM, &only.at, message);
            self.is_nameless = true;
            self.optional(at, [Some(items), json.schema.as_ref()]);
            self.is_nameless = false;
            return;
        }
        if let ([only], [other]) = (source, emitted)
            && (is_raw(only) && only.name.value != other.name.value
                || became_bytes(self.source, only, other))
            && matches!(
                other.name.value.as_str(),
                "*/*" | "application/octet-stream"
            )
        {
            let message = match (&only.name.value, &other.name.value) {
                (name, other) if name == other => {
                    format!("the media type `{name}` became any content")
                }
                (name, other) => format!("`{name}` became `{other}`"),
            };
            return self.differ(&rules::CONTENT_ANY, &only.at, message);
        }
        if let ([only], [json]) = (source, emitted)
            && only.is_json()
            && !is_same(only, json)
            && json.name.value == "application/json"
        {
            let message = format!("`{}` became `application/json`", only.name.value);
            self.differ(&rules::CONTENT_JSON, &only.at, message);
            return self.media(at, only, json);
        }
        if let ([only], [other]) = (source, emitted)
            && only.name.value == other.name.value
            && only.name.value.starts_with("multipart/")
        {
            if let Some(schema) = only.schema.as_ref().filter(|schema| !is_string(schema)) {
                let message = "the schema of the parts became bytes";
                self.differ(&rules::CONTENT_PARTS, &schema.at, message);
            }
            return;
        }
        for pair in pairs(source, emitted, is_same) {
            match pair {
                (Some(media), Some(other)) => {
                    let (name, other_name) = (&media.name.value, &other.name.value);
                    if name != other_name {
                        let message = format!("`{name}` became `{other_name}`");
                        self.differ(&rules::CONTENT_CHARSET, &media.at, message);
                    }
                    self.media(at, media, other);
                }
                (Some(media), None) => {
                    self.lost(&rules::CONTENT_LOST, &media.at, &media.name.value)
                }
                (None, Some(other)) => self.added(&rules::CONTENT_ADDED, at, &other.name.value),
                (None, None) => {}
            }
        }
    }

    fn media(&mut self, at: &Location, source: &'d MediaType, emitted: &'d MediaType) {
        // A content without a schema allows anything.
        match [source, emitted].map(|own| own.schema.as_ref()) {
            [None, Some(schema)] if is_anything(schema) => {}
            both => {
                self.is_nameless = true;
                self.optional(at, both);
                self.is_nameless = false;
            }
        }
        if !source.examples.is_empty() && emitted.examples.is_empty() {
            self.differ(&rules::CONTENT_EXAMPLE, &source.at, "the example was lost");
        }
    }
}

/// The extension of operations that respond with pages.
const PAGES: &str = "x-dropshot-pagination";

/// Whether the first is the form that an older version of dropshot wrote for the second.
fn is_older_form(source: &Node, emitted: &Node) -> bool {
    let required = emitted.get("required").and_then(Node::as_array);
    source.as_bool() == Some(true) && required.is_some_and(<[Node]>::is_empty)
}

/// Whether two media types are the same. JSON is always UTF-8, with or without `charset`.
fn is_same(source: &MediaType, emitted: &MediaType) -> bool {
    let (name, other) = (&source.name.value, &emitted.name.value);
    let plain = name.to_ascii_lowercase().replace([' ', '"'], "");
    name == other || (other == "application/json" && plain == "application/json;charset=utf-8")
}

/// Whether a schema describes a string or bytes.
fn is_string(schema: &Schema) -> bool {
    schema.kind() == Some(Type::String)
}

/// Whether a string or bytes of any media type became bytes.
fn became_bytes(document: &Document, source: &MediaType, emitted: &MediaType) -> bool {
    let written = source.schema.as_ref();
    let Some(text) = written.and_then(|schema| document.resolve(schema)) else {
        return false;
    };
    let format = |schema: &Schema| schema.format.as_ref().map(|format| format.value.clone());
    let is_free = match &emitted.schema {
        Some(other) => is_anything(other) || is_string(other) && format(text) != format(other),
        None => true,
    };
    !source.is_json() && is_string(text) && is_free
}

/// Whether a body is sent without serialization, because it is not JSON.
fn is_raw(media: &MediaType) -> bool {
    media.name.value != "*/*" && !media.is_json()
}
