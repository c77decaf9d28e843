//! Plans the calls of the client: what each call sends and reads. The names, the document for progenitor and the code are
//! derived from this plan.

use super::document::essence;
use crate::plan::{streamed_lines, variant_name};
use openapi_dropshot_contract::model::{
    Document, MediaType, Method, Operation, ParameterIn, RequestBody, Response, Schema, StatusCode,
};

/// What the client sends and reads, and the requests that the service sends itself.
pub(super) struct Plan<'a> {
    pub(super) document: &'a Document,
    /// The calls, in the order of the document.
    pub(super) calls: Vec<Call<'a>>,
    /// The requests of callbacks and webhooks.
    pub(super) outgoing: Vec<Outgoing<'a>>,
}

/// A call of an operation.
pub(super) struct Call<'a> {
    pub(super) operation: &'a Operation,
    /// The `operationId`.
    pub(super) id: &'a str,
    /// The body, the media type that the client sends, and how the client sends it.
    pub(super) body: Option<(&'a RequestBody, &'a MediaType, Sent)>,
    /// The responses that the client reads as a success.
    pub(super) successes: Vec<&'a Response>,
    /// The success responses, if they have different bodies. They become an enum.
    pub(super) typed_successes: Vec<Case<'a>>,
    /// The error responses, if the error responses of the document have different bodies and this operation describes one of
    /// them. They become an enum.
    pub(super) typed_errors: Vec<Case<'a>>,
}

/// A response of an enum.
pub(super) struct Case<'a> {
    pub(super) response: &'a Response,
    pub(super) variant: String,
    pub(super) content: Content<'a>,
}

/// The body of a response.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    /// JSON with this schema; any JSON if the document has no schema.
    Json(Option<&'a Schema>),
    /// A text with any other media type.
    Text,
    Empty,
}

/// A request that the service sends.
pub(super) struct Outgoing<'a> {
    /// The name of its type: made from the names of the operation and the callback, or from the name of the webhook.
    pub(super) name: String,
    /// A sentence that describes the request.
    pub(super) about: String,
    pub(super) operation: &'a Operation,
    /// The body, and its JSON media type.
    pub(super) body: Option<(&'a RequestBody, &'a MediaType)>,
}

impl<'a> Plan<'a> {
    /// Plans the calls of a document.
    pub(super) fn of(document: &'a Document) -> Self {
        let operations = || document.operations.iter();
        let has_different_errors = differ(operations().flat_map(errors));
        let calls = operations().map(|operation| {
            let body = operation.request_body.as_ref();
            let (successes, errors) = (successes(operation), errors(operation));
            let has_bodies = operation.method != Method::Head;
            let has_body = |response: &&Response| !response.content.is_empty();
            let has_typed_successes = has_bodies && differ(successes.iter().copied());
            let has_typed_errors =
                has_bodies && has_different_errors && errors.iter().any(has_body);
            Call {
                operation,
                id: operation.id.as_ref().map_or("", |id| id.value.as_str()),
                body: body.and_then(|body| {
                    let (media, how) = sent(body.read())?;
                    let is_lines = streamed_lines(body, media).is_some();
                    Some((body, media, if is_lines { Sent::Lines } else { how }))
                }),
                typed_successes: cases(&successes, has_typed_successes),
                typed_errors: cases(&errors, has_typed_errors),
                successes,
            }
        });
        Plan {
            document,
            calls: calls.collect(),
            outgoing: outgoing(document),
        }
    }
}

/// Whether an operation with pages is a feed: it has a `cursor`, and can `wait` for new items.
pub(super) fn is_feed(operation: &Operation) -> bool {
    let has = |name: &str| {
        let mut parameters = operation.parameters.iter();
        parameters.any(|own| own.location == ParameterIn::Query && own.name.value == name)
    };
    has("cursor") && has("wait")
}

/// Returns the responses that a client reads as a success.
fn successes(operation: &Operation) -> Vec<&Response> {
    let with = |is_it: fn(StatusCode) -> bool| -> Vec<&Response> {
        let responses = operation.responses.iter();
        responses.filter(|own| is_it(own.status.value)).collect()
    };
    match with(StatusCode::is_success) {
        none if none.is_empty() => with(|status| status == StatusCode::Default),
        declared => declared,
    }
}

/// Returns the error responses.
pub(super) fn errors(operation: &Operation) -> Vec<&Response> {
    let has_success =
        (operation.responses.iter()).any(|response| response.status.value.is_success());
    let is_error = |response: &&Response| match response.status.value {
        StatusCode::Exact(status) => status >= 400,
        StatusCode::Range(class) => class >= 4,
        // If there is no success response, `default` is treated as a success.
        StatusCode::Default => has_success,
    };
    operation.responses.iter().filter(is_error).collect()
}

impl Call<'_> {
    /// Returns the media type and the schema of the items, if the success response is a stream of items.
    pub(super) fn items(&self) -> Option<(&MediaType, &Schema)> {
        let success = self.successes.first();
        let success = success.filter(|_| self.typed_successes.is_empty() && self.has_bodies());
        let media = success?.sent().filter(|media| !media.is_json())?;
        Some((media, media.items()?))
    }

    /// Whether responses can have bodies. For `HEAD`, the document describes the bodies that `GET` would have.
    pub(super) fn has_bodies(&self) -> bool {
        self.operation.method != Method::Head
    }
}

impl<'a> Content<'a> {
    fn of(response: &'a Response) -> Self {
        match response.content.iter().find(|media| media.is_json()) {
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

/// Returns what identifies a schema: the component to which it refers, or its place.
fn identity(schema: &Schema) -> &str {
    let component = schema.reference.as_ref().map(|name| name.value.as_str());
    component.unwrap_or(&schema.at.pointer)
}

/// Returns whether responses have bodies of different types.
fn differ<'a>(responses: impl Iterator<Item = &'a Response>) -> bool {
    let mut bodies = responses.map(Content::of);
    let first = bodies.next();
    first.is_some_and(|first| bodies.any(|other| !first.is_same(&other)))
}

/// Returns the cases of an enum; none if the operation has no enum.
fn cases<'a>(responses: &[&'a Response], are_typed: bool) -> Vec<Case<'a>> {
    let case = |response: &&'a Response| Case {
        response,
        variant: variant_name(response.status.value),
        content: Content::of(response),
    };
    let responses = responses.iter().filter(|_| are_typed);
    let mut cases: Vec<Case<'a>> = responses.map(case).collect();
    // A status is looked up in this order: exact statuses, then ranges, then everything else.
    cases.sort_by_key(|case| case.response.status.value);
    cases
}

/// Returns the requests of callbacks and webhooks.
fn outgoing(document: &Document) -> Vec<Outgoing<'_>> {
    let mut all = Vec::new();
    for operation in &document.operations {
        let id = operation.id.as_ref().map_or("", |id| id.value.as_str());
        for callback in &operation.callbacks {
            let name = &callback.name;
            let about = |request: &Operation| {
                let (method, address) = (request.method, &request.path.value);
                format!(
                    "the callback `{name}` of `{id}`: the service sends `{method}` to the address `{address}`."
                )
            };
            add_outgoing(&mut all, &callback.requests, &format!("{id} {name}"), about);
        }
    }
    for webhook in &document.webhooks {
        let name = &webhook.name;
        let about = |request: &Operation| {
            let method = request.method;
            format!("the webhook `{name}`: the service sends `{method}`.")
        };
        add_outgoing(&mut all, &webhook.requests, name, about);
    }
    all
}

/// Adds requests with the same name. All but the first get a number.
fn add_outgoing<'a>(
    all: &mut Vec<Outgoing<'a>>,
    requests: &'a [Operation],
    name: &str,
    about: impl Fn(&Operation) -> String,
) {
    all.extend(requests.iter().enumerate().map(|(index, operation)| {
        let body = operation.request_body.as_ref();
        Outgoing {
            name: match index {
                0 => name.to_owned(),
                _ => format!("{name} {}", index + 1),
            },
            about: about(operation),
            operation,
            body: body.and_then(|body| {
                let mut content = body.content.iter();
                Some((body, content.find(|media| media.is_json())?))
            }),
        }
    }));
}

/// Returns the media type of a request body that the client sends, and how it sends it.
pub(super) fn sent(content: &[MediaType]) -> Option<(&MediaType, Sent)> {
    let with = |wanted: Sent| {
        let media = (content.iter()).find(|media| Sent::of(media) == Some(wanted));
        media.map(|media| (media, wanted))
    };
    let ways = [Sent::Json, Sent::Form, Sent::Parts, Sent::Text, Sent::Bytes];
    ways.into_iter().find_map(with)
}

/// How a client sends a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Json,
    Form,
    /// A form in parts.
    Parts,
    Text,
    Bytes,
    /// Lines of JSON, written like the items of a stream.
    Lines,
}

impl Sent {
    fn of(media: &MediaType) -> Option<Self> {
        match essence(media) {
            _ if media.is_json() => Some(Sent::Json),
            "application/x-www-form-urlencoded" => Some(Sent::Form),
            range if range.contains('*') => None,
            "multipart/form-data" => Some(Sent::Parts),
            parts if parts.starts_with("multipart/") => None,
            text if text.starts_with("text/") => Some(Sent::Text),
            _ => Some(Sent::Bytes),
        }
    }

    /// The media type for which progenitor generates the same type.
    pub(super) fn for_progenitor(self) -> &'static str {
        match self {
            // The type of a line.
            Sent::Json | Sent::Lines => "application/json",
            Sent::Form => "application/x-www-form-urlencoded",
            Sent::Text => "text/plain",
            Sent::Parts | Sent::Bytes => "application/octet-stream",
        }
    }
}
