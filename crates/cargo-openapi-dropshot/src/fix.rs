//! Adds responses that every service sends to the text of a document, if the document lacks them.

mod insert;

use anyhow::{Context as _, Result, ensure};
use insert::{Insertions, Value};
use openapi_dropshot_contract::{
    Document, missing_statuses,
    model::{
        AdditionalProperties, Operation, Response, Schema, Spanned, StatusCode, Type, free_name,
        unescape_pointer_token,
    },
};
use std::{borrow::Cow, collections::BTreeMap};

/// A document with the missing responses added.
pub(crate) struct Fixed {
    /// The new text.
    pub(crate) text: String,
    /// A description of each added part, one line per part.
    pub(crate) lines: Vec<String>,
}

/// Adds `4XX` and `5XX` to operations that lack a response that every service sends. Returns `None` if no response is missing.
///
/// The new responses are those that other operations already have, or new components with the error body of the document.
///
/// # Errors
///
/// The text cannot be changed in such a way that the document differs only by the added responses.
pub(crate) fn add_missing_responses(document: &Document) -> Result<Option<Fixed>> {
    ensure!(
        matches!(document.one_text(), Cow::Borrowed(_)),
        "{} refers to other files, but --fix can change only documents that are a single file; add the responses by hand, as `cargo openapi-dropshot explain missing-response` describes",
        document.file
    );
    let is_json = document.file.ends_with(".json");
    let mut fix = Fix {
        document,
        insertions: Insertions::new(&document.text, document.as_written(), is_json),
        components: BTreeMap::new(),
        body: None,
        lines: Vec::new(),
    };
    for operation in &document.operations {
        fix.operation(operation);
    }
    if fix.lines.is_empty() {
        return Ok(None);
    }
    let (insertions, lines) = (fix.insertions, fix.lines);
    let by_hand = "the responses cannot be added to this text automatically; add them by hand, as `cargo openapi-dropshot explain missing-response` describes";
    let text = insertions.text().context(by_hand)?;
    let changed = openapi_dropshot_contract::read(&document.file, &text).context(by_hand)?;
    ensure!(
        changed.as_written().to_json() == insertions.json(),
        "{by_hand}"
    );
    Ok(Some(Fixed { text, lines }))
}

/// A range of statuses for which every operation needs a response, and the content of a new response.
struct ErrorRange {
    key: &'static str,
    name: &'static str,
    description: &'static str,
    /// The status and the code in the example of a body. The message in the example is the description.
    status: u16,
    code: &'static str,
}

const ERROR_RANGES: [ErrorRange; 2] = [
    ErrorRange {
        key: "4XX",
        name: "Rejected",
        description: "The request was rejected.",
        status: 400,
        code: "bad_request",
    },
    ErrorRange {
        key: "5XX",
        name: "Failed",
        description: "The service could not process the request.",
        status: 500,
        code: "internal_error",
    },
];

impl ErrorRange {
    fn contains(&self, status: u16) -> bool {
        status / 100 == self.status / 100
    }
}

struct Fix<'a> {
    document: &'a Document,
    insertions: Insertions<'a>,
    /// The names of the response components by the key of their range, after they have been chosen or created.
    components: BTreeMap<&'static str, String>,
    /// The name of the schema of an error body, after it has been chosen or created.
    body: Option<String>,
    lines: Vec<String>,
}

impl Fix<'_> {
    fn operation(&mut self, operation: &Operation) {
        let missing = missing_statuses(operation);
        let pointer = operation.at.pointer.trim_start_matches('/');
        let path: Vec<String> = pointer.split('/').map(unescape_pointer_token).collect();
        // Only an operation that is written at its place in this file is changed.
        let written = self.document.as_written().pointer(&operation.at.pointer);
        let is_here = operation.at.file == self.document.file && written.is_some();
        let mut added = Vec::new();
        for range in &ERROR_RANGES {
            if !is_here || !missing.iter().any(|status| range.contains(*status)) {
                continue;
            }
            let Some(name) = self.component(range) else {
                continue;
            };
            let mut path: Vec<&str> = path.iter().map(String::as_str).collect();
            path.extend(["responses", range.key]);
            self.insertions
                .add(&path, Value::reference("responses", &name));
            added.push(format!("`{}`", range.key));
        }
        if !added.is_empty() {
            let line = format!("added   {} of {}", added.join(" and "), operation.label());
            self.lines.push(line);
        }
    }

    /// Returns the response component for a range: the component that most operations use for the range or as the default, or a
    /// new one. Returns `None` if the document has a catalogue of error codes without a code for the range.
    fn component(&mut self, range: &'static ErrorRange) -> Option<String> {
        if let Some(name) = self.components.get(range.key) {
            return Some(name.clone());
        }
        let used = self.most_used(range.key);
        let used = used.or_else(|| self.most_used("default"));
        let name = used.or_else(|| self.new_component(range))?;
        self.components.insert(range.key, name.clone());
        Some(name)
    }

    /// Returns the component to which most operations refer with this key.
    fn most_used(&self, key: &str) -> Option<String> {
        let root = self.document.as_written();
        let references = self.document.operations.iter().filter_map(|operation| {
            let responses = root.pointer(&operation.at.pointer)?.get("responses")?;
            let reference = responses.get(key)?.get("$ref")?.as_str()?;
            reference.strip_prefix("#/components/responses/")
        });
        let references: Vec<&str> = references.collect();
        let count = |name: &str| references.iter().filter(|other| **other == name).count();
        // If several components are used equally often, the first one is chosen.
        let most = references.iter().rev().max_by_key(|name| count(name))?;
        Some(unescape_pointer_token(most))
    }

    fn new_component(&mut self, range: &ErrorRange) -> Option<String> {
        // If the status of a code has a separate response, the code is listed in that response.
        let is_own = |status: u16| {
            let mut users = self.document.operations.iter().filter(|operation| {
                let missing = missing_statuses(operation);
                missing.iter().any(|status| range.contains(*status))
            });
            users.any(|operation| {
                let mut responses = operation.responses.iter();
                responses.any(|response| response.status.value == StatusCode::Exact(status))
            })
        };
        let codes = self.document.error_catalogue().map(|codes| {
            let codes = codes
                .iter()
                .filter(|code| range.contains(code.status) && !is_own(code.status));
            codes.map(|code| code.code.clone()).collect::<Vec<_>>()
        });
        if codes.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let is_taken = |name: &str| self.document.responses.contains_key(name);
        let name = free_name(range.name.to_owned(), is_taken);
        let example = self.example(range);
        let body = self.body();
        let mut media_type = vec![("schema".to_owned(), Value::reference("schemas", &body))];
        media_type.extend(example.map(|example| ("example".to_owned(), example)));
        let mut response = vec![("description".to_owned(), range.description.into())];
        response.extend(codes.map(|codes| ("x-error-codes".to_owned(), Value::Texts(codes))));
        let name_of_media = self.media_type();
        let content = Value::object([(name_of_media, Value::Object(media_type))]);
        response.push(("content".to_owned(), content));
        self.insertions
            .add(&["components", "responses", &name], Value::Object(response));
        self.lines.push(format!("added   the response `{name}`"));
        Some(name)
    }

    /// Returns the name of the schema of an error body: the schema of the first error that the server can write, or `Error`, or a
    /// new one.
    fn body(&mut self) -> String {
        if let Some(body) = &self.body {
            return body.clone();
        }
        let body = self.existing_body().unwrap_or_else(|| {
            let is_taken = |name: &str| self.document.schemas.contains_key(name);
            let name = match is_taken("Error") {
                false => "Error".to_owned(),
                true => free_name("ServiceError".to_owned(), is_taken),
            };
            let member = |description: &str, example: &str| {
                Value::object([
                    ("description", description.into()),
                    ("type", "string".into()),
                    ("example", example.into()),
                ])
            };
            let code = member("Machine-readable error code.", "bad_request");
            let message = member("Human-readable description.", "The request was rejected.");
            let required = ["code", "message"].map(str::to_owned);
            let properties = Value::object([("code", code), ("message", message)]);
            let schema = Value::object([
                ("description", "The body of an error response.".into()),
                ("type", "object".into()),
                ("required", Value::Texts(required.into())),
                ("properties", properties),
            ]);
            self.insertions
                .add(&["components", "schemas", &name], schema);
            self.lines.push(format!("added   the schema `{name}`"));
            name
        });
        self.body = Some(body.clone());
        body
    }

    /// Returns the media type of an error body: the media type of all errors if it is the same.
    fn media_type(&self) -> &'static str {
        match self.document.error_media_type() {
            Some("application/problem+json") => "application/problem+json",
            _ => "application/json",
        }
    }

    fn existing_body(&self) -> Option<String> {
        let (document, media_type) = (self.document, self.media_type());
        if let Some(catalogue) = &document.error_catalogue {
            let pointer = catalogue.at.pointer.strip_prefix("/components/schemas/")?;
            return pointer.split('/').next().map(unescape_pointer_token);
        }
        let operations = document.operations.iter();
        let responses = operations.flat_map(|operation| &operation.responses);
        let mut bodies = responses
            .filter(|response| response.status.value.may_be_error())
            .filter_map(|response| json_body(response, media_type));
        let used = bodies.find_map(|schema| {
            let name = &schema.reference.as_ref()?.value;
            is_written_by_servers(document.resolve(schema)?).then(|| name.clone())
        });
        let unused = document.schema("Error");
        let unused = unused.and_then(|error| document.resolve(error));
        let unused = unused.filter(|error| is_written_by_servers(error));
        used.or_else(|| unused.map(|_| "Error".to_owned()))
    }

    /// Returns an example of the body with the members that every server writes; `None` if the schema has an example or restricts
    /// the members.
    fn example(&self, range: &ErrorRange) -> Option<Value> {
        let name = match &self.body {
            Some(name) => name.clone(),
            None => self.existing_body()?,
        };
        let schema = self.document.resolve(self.document.schema(&name)?)?;
        if !schema.examples.is_empty() || schema.required.is_empty() {
            return None;
        }
        let codes = self.document.error_catalogue().unwrap_or_default();
        let of_catalogue = codes.iter().find(|entry| range.contains(entry.status));
        let code = of_catalogue.map_or(range.code, |entry| &entry.code);
        let members = schema.required.iter().map(|required| {
            let member = schema.properties.get(&required.value)?;
            let is_free = member.reference.is_none()
                && member.enumeration.is_none()
                && member.pattern.is_none()
                && member.format.is_none()
                && member.max_length.is_none();
            let value = match (member.types.as_ref()?.value, required.value.as_str()) {
                (Type::String, "message") => range.description.into(),
                (Type::String, _) => code.into(),
                (Type::Integer, _) => Value::Number(range.status),
                _ => return None,
            };
            is_free.then(|| (required.value.clone(), value))
        });
        members.collect::<Option<Vec<_>>>().map(Value::Object)
    }
}

fn json_body<'a>(response: &'a Response, media_type: &str) -> Option<&'a Schema> {
    let mut content = response.content.iter();
    let media = content.find(|media| media.name.value == media_type)?;
    media.schema.as_ref()
}

/// Returns whether the server has a value for each required member: any string, or a number that is the status.
fn is_written_by_servers(schema: &Schema) -> bool {
    let members = schema.required.iter();
    let types = members.map(|name| {
        let kind = schema.properties.get(&name.value)?.kind()?;
        Some((name.value.to_ascii_lowercase(), kind))
    });
    let Some(types) = types.collect::<Option<Vec<_>>>() else {
        return false;
    };
    if types.is_empty() {
        // The object must allow unknown members, such as a message.
        let is_closed = matches!(
            schema.additional_properties,
            Some(
                AdditionalProperties::Allowed(Spanned { value: false, .. })
                    | AdditionalProperties::Schema(_)
            )
        );
        return !is_closed
            && !schema.properties.is_empty()
            && schema.compositions().next().is_none();
    }
    let is_status = |name: &str| name.contains("code") || name.contains("status");
    types.iter().any(|(_, kind)| *kind == Type::String)
        && types.iter().all(|(name, kind)| match kind {
            Type::String => true,
            Type::Integer => is_status(name),
            _ => false,
        })
}
