//! Sends prepared responses for operations whose handlers are not written yet.
//!
//! A handler that is not written yet calls [`respond`] with a response in JSON. `cargo openapi-dropshot init` creates this JSON from the
//! examples of the document:
//!
//! ```json
//! {
//!   "status": 200,
//!   "headers": { "content-type": "application/json" },
//!   "body": { "id": 7, "name": "Ann" }
//! }
//! ```
//!
//! The pipeline does everything else as it does for a finished handler: it authenticates the request, and rejects invalid parameters and
//! bodies. The response has the header `x-mock: true`.

use dropshot::Body;
use http::{HeaderName, HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use openapi_dropshot_types::is_json;
use serde::Deserialize;
use serde_json::Value;
use std::{any::Any, collections::BTreeMap, panic::resume_unwind};

/// The header that marks a response that a handler did not create. Its value is `true`.
pub const MOCK: HeaderName = HeaderName::from_static("x-mock");

const JSON: &str = "application/json";

/// Ends the handler and makes the pipeline send this response. It does not return, so it can be used in a handler of any type, like
/// `todo!()`. `arguments` are the arguments of the handler; passing them avoids warnings about unused variables:
///
/// ```ignore
/// async fn get_thing(
///     rqctx: RequestContext<Self::Context>,
///     path: Path<GetThingPath>,
/// ) -> Result<HttpResponseOk<Thing>, GetThingError> {
///     mock::respond(include_str!("../mock/get_thing.json"), (rqctx, path))
/// }
/// ```
///
/// It unwinds the stack of the handler without printing a panic message. A program that is compiled with `panic = "abort"` would end.
pub fn respond<A>(response: &'static str, arguments: A) -> ! {
    drop(arguments);
    resume_unwind(Box::new(Unwound(response)))
}

/// The response with which a handler was ended.
struct Unwound(&'static str);

/// A response in the format of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prepared {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// JSON, or a string if the media type is not JSON.
    body: Option<Value>,
}

/// Returns the response with which a handler was ended, or the reason why the response is not valid. The outer error is the value of any
/// other panic.
pub(crate) fn response_of(
    panic: Box<dyn Any + Send>,
) -> Result<Result<Response<Body>, String>, Box<dyn Any + Send>> {
    let Unwound(text) = *panic.downcast::<Unwound>()?;
    Ok(response(text).map_err(|error| format!("a mock response cannot be sent: {error}: {text}")))
}

fn response(text: &str) -> Result<Response<Body>, Box<dyn std::error::Error>> {
    let prepared: Prepared = serde_json::from_str(text)?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::from_u16(prepared.status)?;
    let headers = response.headers_mut();
    for (name, value) in &prepared.headers {
        let value = HeaderValue::from_str(value)?;
        headers.insert(HeaderName::from_bytes(name.as_bytes())?, value);
    }
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let is_json = media_type.map(is_json);
    let body = match (prepared.body, is_json) {
        (None, Some(true)) => Some("null".to_owned()),
        (None, _) => None,
        (Some(Value::String(text)), Some(false)) => Some(text),
        (Some(body), _) => Some(body.to_string()),
    };
    if is_json.is_none() && body.is_some() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    }
    headers.insert(MOCK, HeaderValue::from_static("true"));
    if let Some(body) = body {
        *response.body_mut() = body.into();
    }
    Ok(response)
}

#[cfg(test)]
mod tests;
