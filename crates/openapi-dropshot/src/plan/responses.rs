//! Plans the response of an operation that is not an error: its one status, its body
//! and its headers.

use super::{Planner, bodies::is_json, ir::Ty, parameters::Fields, value};
use crate::docs::Docs;
use openapi_dropshot_contract::{
    Problem,
    model::{MediaType, Operation, Response, StatusCode, Type},
};

/// The response that is not an error.
#[derive(Default)]
pub(crate) struct Success<'a> {
    /// The response in the document; absent only if a problem was found.
    pub(crate) response: Option<&'a Response>,
    /// Its status; `None` if the handler chooses it.
    pub(crate) status: Option<u16>,
    /// Its body, if it is JSON.
    pub(crate) body: Option<Ty>,
    /// The media type of a body that is sent as the handler gives it.
    pub(crate) raw: Option<&'a str>,
    pub(crate) headers: Option<Fields>,
    /// The name of the type that is generated for it if dropshot has none.
    pub(crate) own: Option<String>,
}

/// Returns the name of a status, for the names of types.
pub(super) fn status_name(status: u16) -> String {
    match status {
        200 => "Ok",
        201 => "Created",
        202 => "Accepted",
        203 => "NonAuthoritative",
        204 => "NoContent",
        205 => "ResetContent",
        206 => "PartialContent",
        301 => "MovedPermanently",
        302 => "Found",
        303 => "SeeOther",
        304 => "NotModified",
        307 => "TemporaryRedirect",
        308 => "PermanentRedirect",
        400 => "BadRequest",
        401 => "Unauthorized",
        402 => "PaymentRequired",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        408 => "RequestTimeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "LengthRequired",
        412 => "PreconditionFailed",
        413 => "PayloadTooLarge",
        414 => "UriTooLong",
        415 => "UnsupportedMediaType",
        416 => "RangeNotSatisfiable",
        417 => "ExpectationFailed",
        418 => "Teapot",
        421 => "MisdirectedRequest",
        422 => "UnprocessableContent",
        423 => "Locked",
        424 => "FailedDependency",
        425 => "TooEarly",
        426 => "UpgradeRequired",
        428 => "PreconditionRequired",
        429 => "TooManyRequests",
        431 => "RequestHeaderFieldsTooLarge",
        451 => "UnavailableForLegalReasons",
        500 => "InternalServerError",
        501 => "NotImplemented",
        502 => "BadGateway",
        503 => "ServiceUnavailable",
        504 => "GatewayTimeout",
        505 => "HttpVersionNotSupported",
        507 => "InsufficientStorage",
        other => return format!("Status{other}"),
    }
    .to_owned()
}

impl<'a> Planner<'a> {
    /// Plans the response that is not an error.
    pub(super) fn success(&mut self, operation: &'a Operation, type_name: &str) -> Success<'a> {
        let label = operation.label();
        let mut first: Option<(&'a Response, u16)> = None;
        for response in &operation.responses {
            let at = &response.status.at;
            match (response.status.value, first) {
                (StatusCode::Exact(status @ 200..=399), None) => first = Some((response, status)),
                (StatusCode::Exact(200..=399), Some((other, _))) => {
                    let message = format!("{label} has several responses that are not errors");
                    let help = "keep one; dropshot gives each operation one status of success";
                    let problem = Problem::error("several-successes", at, message, help);
                    let problem = problem.with_related(&other.status.at, "the first one");
                    self.problems.push(problem);
                }
                (StatusCode::Exact(status @ ..=199), _) => {
                    let message =
                        format!("{status} is not supported: dropshot sends no interim responses");
                    self.reject("unsupported-status", at, message, "remove it");
                }
                (StatusCode::Range(class @ 1..=3), _) => {
                    let message = format!(
                        "`{class}XX` is not supported: a response that is not an error has one status"
                    );
                    let help = "write the exact status, such as `200`";
                    self.reject("unsupported-status", at, message, help);
                }
                (StatusCode::Exact(_) | StatusCode::Range(_) | StatusCode::Default, _) => {}
            }
        }
        let Some((response, status)) = first else {
            let response = self.free_response(operation);
            if response.is_none() {
                let message = format!("{label} has no response that is not an error");
                let help = "add a response such as `200` or `204`; a response of any status and content is a \
                     `default` alone, with `*/*: {schema: {}}`";
                self.reject("missing-success", &operation.at, message, help);
            }
            return Success {
                response,
                ..Success::default()
            };
        };
        let raw = match response.content.as_slice() {
            [only] if !is_json(only) && self.is_free_content(only) => {
                Some(only.name.value.as_str())
            }
            _ => None,
        };
        let body = match raw {
            Some(_) => None,
            None => self.response_body(response, status, type_name),
        };
        let id = operation.id.as_ref().map_or("", |id| &id.value);
        let docs = Docs::own(format!("The headers of the {status} response of `{id}`."));
        let name = format!("{type_name}{}", status_name(status));
        let headers = self.headers(&response.headers, &format!("{name}Headers"), docs);
        let is_known = match raw {
            Some(media_type) => media_type == "*/*" && matches!(status, 200..=202),
            None => matches!((status, body.is_some()), (200..=202, true) | (204, false)),
        };
        Success {
            response: Some(response),
            status: Some(status),
            body,
            raw,
            headers,
            own: (!is_known).then_some(name),
        }
    }

    /// Returns whether a content has only a media type, so that nothing checks what the
    /// handler sends.
    fn is_free_content(&self, content: &'a MediaType) -> bool {
        content.schema.as_ref().is_none_or(|schema| {
            let is_string = value(&schema.types) == Some(Type::String) && !schema.nullable;
            self.is_free(schema) || (is_string && self.says_only(schema, &["format"]))
        })
    }

    /// Plans the body of a response, and rejects it if the status forbids a body.
    pub(super) fn response_body(
        &mut self,
        response: &'a Response,
        status: u16,
        type_name: &str,
    ) -> Option<Ty> {
        if response.content.is_empty() {
            return None;
        }
        if matches!(status, 204 | 205 | 304) {
            let message = format!("a response with status {status} has no body");
            let help = "remove its `content`, or use another status";
            self.reject("unsupported-body", &response.at, message, help);
        }
        let schema = self.json(&response.content, &response.at, "the body of a response")?;
        let wanted = format!("{type_name}{}Body", status_name(status));
        Some(self.body_type(schema, &wanted))
    }

    /// Finds the response of any status and any content: it is `default` alone, as
    /// dropshot describes a handler that builds its response by itself.
    pub(super) fn free_response(&self, operation: &'a Operation) -> Option<&'a Response> {
        let [only] = operation.responses.as_slice() else {
            return None;
        };
        let [content] = only.content.as_slice() else {
            return None;
        };
        let mut schema = content.schema.iter();
        let is_free = only.status.value == StatusCode::Default
            && only.headers.is_empty()
            && content.name.value == "*/*"
            && schema.all(|schema| self.is_free(schema));
        is_free.then_some(only)
    }
}
