//! Creates a response and a request for each operation from the examples of the document. If there is no example, the values
//! are made from the schema.

use crate::roundtrip::schemas::{Schema, Schemas};
use anyhow::Result;
use openapi_dropshot_contract::{
    Document,
    model::{MediaType, Node, Operation, Parameter, ParameterIn, Response, StatusCode, is_json},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

/// The media type of a body with several parts, and the boundary between them.
pub(super) const PARTS: &str = "multipart/form-data";
const BOUNDARY: &str = "part";

/// The response of an operation until its handler is written.
pub(super) struct MockResponse {
    pub(super) status: u16,
    /// The content of the file that `mock::respond` reads.
    pub(super) text: String,
}

/// A request that the document allows.
pub(super) struct Request {
    /// The parameters to send, each with its value and the text of the value.
    pub(super) parameters: Vec<(String, ParameterIn, Value, String)>,
    /// The media type of the body, and the body.
    pub(super) body: Option<(String, Value)>,
}

/// The examples of a document.
pub(super) struct Examples {
    schemas: Schemas,
}

impl Examples {
    pub(super) fn new(document: &Document) -> Self {
        Examples {
            schemas: Schemas::new(document.root.to_json()),
        }
    }

    /// Returns the response of an operation: the first success response or, if there is none, the first response in the
    /// document.
    pub(super) fn response(&self, operation: &Operation) -> Result<MockResponse> {
        let rank = |response: &&Response| match response.status.value {
            StatusCode::Exact(code) if code / 100 == 2 => (0, code),
            StatusCode::Range(2) => (1, 0),
            StatusCode::Default => (2, 0),
            StatusCode::Exact(code) => (3, code),
            StatusCode::Range(first) => (4, u16::from(first)),
        };
        let Some(response) = operation.responses.iter().min_by_key(rank) else {
            return Ok(written(204, Map::new(), None));
        };
        let status = match response.status.value {
            StatusCode::Exact(code) => code,
            StatusCode::Range(first) => u16::from(first) * 100,
            StatusCode::Default => 200,
        };
        let mut headers = Map::new();
        let is_sent = |header: &&Parameter| {
            let name = header.name.value.to_lowercase();
            match header.required {
                // These two are determined by the body.
                true => !["content-length", "content-type"].contains(&&*name),
                // An invented value without an example would not help a client.
                false => has_example(header) && !OF_SERVER.contains(&&*name),
            }
        };
        for header in response.headers.iter().filter(is_sent) {
            let value = self.parameter(header, "writeOnly")?;
            if let Some(text) = value.and_then(|value| text(&value)) {
                headers.insert(header.name.value.to_lowercase(), text.into());
            }
        }
        let Some(media) = response.sent() else {
            return Ok(written(status, headers, None));
        };
        let name = match media.name.value.as_str() {
            "*/*" => "application/octet-stream".to_owned(),
            other => other
                .replace("text/*", "text/plain")
                .replace("/*", "/octet-stream"),
        };
        let body = self.body(media, "writeOnly")?;
        headers.insert("content-type".to_owned(), name.into());
        Ok(written(status, headers, body))
    }

    /// Returns a request with everything that the operation requires, and with a body if the operation accepts one; `None` if
    /// no such values were found.
    pub(super) fn request(&self, operation: &Operation) -> Result<Option<Request>> {
        let mut parameters = Vec::new();
        for parameter in operation.parameters.iter().filter(|own| own.required) {
            let Some(value) = self.parameter(parameter, "readOnly")? else {
                return Ok(None);
            };
            let text = parameter_text(parameter, &value).unwrap_or_default();
            let name = parameter.name.value.clone();
            parameters.push((name, parameter.location, value, text));
        }
        let body = operation.request_body.as_ref();
        let media = body.and_then(|body| body.read().first());
        let body = match media {
            Some(media) => {
                let Some(body) = self.body(media, "readOnly")? else {
                    return Ok(None);
                };
                Some((media.name.value.clone(), body))
            }
            None => None,
        };
        Ok(Some(Request { parameters, body }))
    }

    fn parameter(&self, parameter: &Parameter, left_out: &str) -> Result<Option<Value>> {
        let schema = self.schemas.of(parameter.value())?;
        let examples = match parameter.json() {
            Some(media) => &media.examples,
            None => &parameter.examples,
        };
        let value = chosen(examples, schema.as_deref(), left_out);
        // An empty string is not a valid path segment.
        let has_text = |text: String| !text.is_empty();
        Ok(value.filter(|value| parameter_text(parameter, value).is_some_and(has_text)))
    }

    /// Returns the body for a media type: JSON, or a string if the media type is not JSON.
    fn body(&self, media: &MediaType, left_out: &str) -> Result<Option<Value>> {
        if let Some(items) = media.items() {
            let schema = self.schemas.of(Some(items))?;
            let item = chosen(&[], schema.as_deref(), left_out);
            let item = item.map(|item| item.to_string()).unwrap_or_default();
            return Ok(Some(match media.essence().as_str() {
                "text/event-stream" => format!("data: {item}\n\n").into(),
                _ if media.is_sequence() => format!("\u{1e}{item}\n").into(),
                _ => format!("{item}\n").into(),
            }));
        }
        let schema = self.schemas.of(media.schema.as_ref())?;
        let value = chosen(&media.examples, schema.as_deref(), left_out);
        let has_members = ["application/x-www-form-urlencoded", PARTS];
        if media.is_json() || has_members.contains(&&*media.name.value) {
            return Ok(value);
        }
        let text = value.map_or_else(String::new, |value| match value {
            Value::String(text) => text,
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            // A schema that allows anything would allow JSON, but this media type is not JSON.
            _ => "example".to_owned(),
        });
        Ok(Some(text.into()))
    }
}

/// Optional headers that only the server can set, or that lead a client to a next page, which a mock does not have.
const OF_SERVER: &[&str] = &[
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "link",
    "transfer-encoding",
];

fn has_example(header: &Parameter) -> bool {
    let schema = header.schema.as_ref();
    !header.examples.is_empty() || schema.is_some_and(|schema| !schema.examples.is_empty())
}

/// Returns the first valid example. If there is none, returns a value of the schema or, as a last resort, any JSON.
fn chosen(examples: &[Node], schema: Option<&Schema>, left_out: &str) -> Option<Value> {
    let mut examples = examples.iter().map(Node::to_json);
    match schema {
        Some(schema) => examples
            .find(|example| schema.is_valid(example))
            .or_else(|| schema.example(left_out)),
        None => Some(examples.next().unwrap_or_else(|| json!({}))),
    }
}

fn written(status: u16, headers: Map<String, Value>, body: Option<Value>) -> MockResponse {
    let mut response = json!({ "status": status });
    if !headers.is_empty() {
        response["headers"] = headers.into();
    }
    if let Some(body) = body {
        response["body"] = body;
    }
    MockResponse {
        status,
        text: format!("{response:#}\n"),
    }
}

/// Returns the text of a value in a request; `None` if the value cannot be sent as text.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Array(values) => {
            let texts: Option<Vec<String>> = values.iter().map(text).collect();
            texts.map(|texts| texts.join(","))
        }
        Value::Null | Value::Object(_) => None,
    }
}

/// Returns the text of the value of a parameter; `None` if the value cannot be sent as text.
fn parameter_text(parameter: &Parameter, value: &Value) -> Option<String> {
    match (parameter.json(), value) {
        (Some(_), value) => Some(value.to_string()),
        (None, Value::Array(values)) => {
            let texts: Option<Vec<String>> = values.iter().map(text).collect();
            let separator = String::from(parameter.separator().unwrap_or(','));
            texts.map(|texts| texts.join(&separator))
        }
        (None, value) => text(value),
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

impl Request {
    /// Returns the path and the query, beginning with `/`.
    pub(super) fn target(&self, base_path: &str, path: &str) -> String {
        let mut target = format!("{base_path}{path}");
        let mut query = Vec::new();
        for (name, location, _, text) in &self.parameters {
            let value = encoded(text);
            match location {
                ParameterIn::Path => target = target.replace(&format!("{{{name}}}"), &value),
                ParameterIn::Query => query.push(format!("{}={value}", encoded(name))),
                ParameterIn::Header | ParameterIn::Cookie => {}
            }
        }
        match query.is_empty() {
            true => target,
            false => format!("{target}?{}", query.join("&")),
        }
    }

    /// Returns the header lines, including the content type of the body.
    pub(super) fn header_lines(&self) -> Vec<String> {
        let parameters = self
            .parameters
            .iter()
            .filter_map(|(name, location, _, text)| match location {
                ParameterIn::Header => Some(format!("{name}: {text}")),
                ParameterIn::Cookie => Some(format!("cookie: {name}={}", encoded(text))),
                ParameterIn::Path | ParameterIn::Query => None,
            });
        let body = self
            .body
            .iter()
            .map(|(media_type, _)| match media_type.as_str() {
                PARTS => format!("content-type: {media_type}; boundary={BOUNDARY}"),
                _ => format!("content-type: {media_type}"),
            });
        parameters.chain(body).collect()
    }

    /// Returns the text of the body.
    pub(super) fn body_text(&self) -> String {
        match &self.body {
            None => String::new(),
            Some((media_type, body)) if media_type == "application/x-www-form-urlencoded" => {
                let members = body.as_object().into_iter().flatten();
                let members = members.filter_map(|(name, value)| Some((name, text(value)?)));
                serde_urlencoded::to_string(members.collect::<Vec<_>>()).unwrap_or_default()
            }
            Some((media_type, body)) if media_type == PARTS => {
                let members = body.as_object().into_iter().flatten();
                let parts = members.map(|(name, value)| {
                    let value = text(value).unwrap_or_else(|| value.to_string());
                    format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
                });
                parts.chain([format!("--{BOUNDARY}--\r\n")]).collect()
            }
            Some((media_type, Value::String(text))) if !is_json(media_type) => text.clone(),
            Some((_, body)) => body.to_string(),
        }
    }
}
