//! Finds the operations whose responses have different bodies by status. The client gets an enum for the errors, and for the
//! successes, of such an operation.

use super::{
    document::{errors, essence, successes},
    names::Names,
};
use crate::plan::{is_like_json, variant_name};
use openapi_dropshot_contract::model::{
    Document, MediaType, Operation, Response, Schema, StatusCode,
};

/// What a response has as its body.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    /// JSON of this schema; of any, if the document has no schema.
    Json(Option<&'a Schema>),
    /// Text of any other media type.
    Text,
    Empty,
}

/// A response of an enum.
pub(super) struct Case<'a> {
    pub(super) response: &'a Response,
    /// The variant.
    pub(super) variant: String,
    pub(super) content: Content<'a>,
}

impl<'a> Content<'a> {
    fn of(response: &'a Response) -> Self {
        let media: Option<&MediaType> = response.content.iter().find(|media| is_like_json(media));
        match media {
            Some(media) => Content::Json(media.schema.as_ref()),
            None if response.content.is_empty() => Content::Empty,
            None => Content::Text,
        }
    }

    /// Whether two bodies have the same type.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Content::Json(one), Content::Json(other)) => one.map(identity) == other.map(identity),
            (Content::Text, Content::Text) | (Content::Empty, Content::Empty) => true,
            _ => false,
        }
    }
}

/// The component that a schema is, or its place.
fn identity(schema: &Schema) -> &str {
    let component = schema.reference.as_ref().map(|name| name.value.as_str());
    component.unwrap_or(&schema.at.pointer)
}

/// Returns the error responses of an operation, each with its body, if the error responses of the document have different bodies
/// and this operation describes one.
pub(super) fn typed_errors<'a>(document: &Document, operation: &'a Operation) -> Vec<Case<'a>> {
    let all = || document.operations.iter().flat_map(errors).map(Content::of);
    let first = all().next();
    let differ = all().any(|other| first.as_ref().is_some_and(|first| !first.is_same(&other)));
    let cases = cases(errors(operation));
    let has_body = (cases.iter()).any(|case| !matches!(case.content, Content::Empty));
    if differ && has_body {
        cases
    } else {
        Vec::new()
    }
}

/// Returns the successes of an operation, each with its body, if they have different ones.
pub(super) fn typed_successes(operation: &Operation) -> Vec<Case<'_>> {
    let cases = cases(successes(operation));
    let differ = cases.first().is_some_and(|first| {
        let mut others = cases.iter();
        others.any(|other| !first.content.is_same(&other.content))
    });
    if differ { cases } else { Vec::new() }
}

fn cases(responses: Vec<&Response>) -> Vec<Case<'_>> {
    let case = |response| Case {
        response,
        variant: variant_name(response.status.value),
        content: Content::of(response),
    };
    let mut cases: Vec<Case<'_>> = responses.into_iter().map(case).collect();
    // The order in which a status is looked up: exact statuses, ranges, and then the others.
    cases.sort_by_key(|case| case.response.status.value);
    cases
}

/// The name of the body of an operation's response, if it is written in place.
pub(super) fn body_name(operation: &str, response: &Response) -> String {
    let kind = match response.status.value {
        StatusCode::Exact(..=399) | StatusCode::Range(..=3) => "response",
        _ => "error",
    };
    format!("{operation} {kind} {}", response.status.value)
}

/// Returns the name of the type of a schema: that of the component to which it refers, or its own.
pub(super) fn type_name<'n>(schema: &'n Schema, names: &'n Names<'_>) -> Option<&'n str> {
    if let Some(component) = &schema.reference {
        return Some(&component.value);
    }
    let mut named = names.values();
    let own = named.find(|named| named.schema.at == schema.at);
    own.map(|named| named.name.as_str())
}

/// Returns the schemas of the bodies of enums and of callbacks that are written in place: they become types of their own.
pub(super) fn bodies_in_place(document: &Document) -> Vec<(String, &Schema)> {
    let mut bodies = Vec::new();
    for operation in &document.operations {
        let id = operation.id.as_ref().map_or("", |id| id.value.as_str());
        let cases = typed_successes(operation).into_iter();
        for case in cases.chain(typed_errors(document, operation)) {
            if let Content::Json(Some(schema)) = case.content {
                bodies.push((
                    super::names::name_at(&case.response.at, || body_name(id, case.response)),
                    schema,
                ));
            }
        }
    }
    for request in outgoing(document) {
        let Some(body) = &request.operation.request_body else {
            continue;
        };
        if let Some(schema) = body
            .content
            .iter()
            .find(|media| is_like_json(media))
            .and_then(|media| media.schema.as_ref())
        {
            bodies.push((
                super::names::name_at(&body.at, || format!("{} body", request.name)),
                schema,
            ));
        }
    }
    bodies.retain(|(_, schema)| !schema.is_reference());
    bodies
}

/// A request that the service sends.
pub(super) struct Outgoing<'a> {
    /// The name of its type: that of the operation and of the callback, or that of the webhook.
    pub(super) name: String,
    /// The sentence about it.
    pub(super) about: String,
    pub(super) operation: &'a Operation,
}

/// Returns the requests of callbacks and webhooks.
pub(super) fn outgoing(document: &Document) -> Vec<Outgoing<'_>> {
    let mut outgoing = Vec::new();
    for operation in &document.operations {
        let id = operation.id.as_ref().map_or("", |id| id.value.as_str());
        for callback in &operation.callbacks {
            for request in &callback.requests {
                let (method, name) = (request.method, &callback.name);
                let address = &request.path.value;
                outgoing.push(Outgoing {
                    name: numbered(&callback.requests, request, &format!("{id} {name}")),
                    about: format!(
                        "the callback `{name}` of `{id}`: the service sends `{method}` to the address `{address}`."
                    ),
                    operation: request,
                });
            }
        }
    }
    for webhook in &document.webhooks {
        for request in &webhook.requests {
            let (method, name) = (request.method, &webhook.name);
            outgoing.push(Outgoing {
                name: numbered(&webhook.requests, request, name),
                about: format!("the webhook `{name}`: the service sends `{method}`."),
                operation: request,
            });
        }
    }
    outgoing
}

/// Adds the number of a request to a name, if there are several.
fn numbered(requests: &[Operation], request: &Operation, name: &str) -> String {
    let number = requests.iter().position(|other| other.at == request.at);
    match number {
        Some(number) if number > 0 => format!("{name} {}", number + 1),
        _ => name.to_owned(),
    }
}

/// Returns the media type of a request body that the client sends, and how it sends it.
pub(super) fn sent(content: &[MediaType]) -> Option<(&MediaType, Sent)> {
    let with = |wanted: Sent| {
        let mut content = content.iter();
        content
            .find(|media| Sent::of(media) == Some(wanted))
            .map(|media| (media, wanted))
    };
    [Sent::Json, Sent::Form, Sent::Text, Sent::Bytes]
        .into_iter()
        .find_map(with)
}

/// How a client sends a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Json,
    Form,
    Text,
    Bytes,
}

impl Sent {
    fn of(media: &MediaType) -> Option<Self> {
        match essence(media) {
            _ if is_like_json(media) => Some(Sent::Json),
            "application/x-www-form-urlencoded" => Some(Sent::Form),
            range if range.contains('*') => None,
            parts if parts.starts_with("multipart/") => None,
            text if text.starts_with("text/") => Some(Sent::Text),
            _ => Some(Sent::Bytes),
        }
    }

    /// The media type for which progenitor makes the same type.
    pub(super) fn for_progenitor(self) -> &'static str {
        match self {
            Sent::Json => "application/json",
            Sent::Form => "application/x-www-form-urlencoded",
            Sent::Text => "text/plain",
            Sent::Bytes => "application/octet-stream",
        }
    }
}
