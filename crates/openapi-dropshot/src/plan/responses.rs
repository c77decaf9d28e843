//! Plans the response of an operation that is not an error: its one status, its body
//! and its headers.

use super::{Planner, bodies::raw, ir::Ty, parameters::Fields};
use crate::docs::Docs;
use openapi_dropshot_contract::{
    Problem,
    model::{MediaType, Operation, Response, StatusCode, Type},
};

/// The response that is not an error.
pub(crate) struct Success<'a> {
    /// The response in the document; absent only if a problem was found.
    pub(crate) response: Option<&'a Response>,
    /// Its status; `None` if the handler chooses it.
    pub(crate) status: Option<u16>,
    /// Its body, where it has one that is JSON.
    pub(crate) body: Option<Ty>,
    /// The media type of a body that is sent as the handler gives it.
    pub(crate) raw: Option<&'a str>,
    /// Its headers, where it has some.
    pub(crate) headers: Option<Fields>,
    /// The name of the type that is generated for it if dropshot has none.
    pub(crate) own: Option<String>,
}

impl<'a> Success<'a> {
    /// A response without body and headers.
    fn bare(response: Option<&'a Response>, status: Option<u16>) -> Self {
        Success {
            response,
            status,
            body: None,
            raw: None,
            headers: None,
            own: None,
        }
    }

    /// The response that opens a websocket, which dropshot sends.
    pub(super) fn upgrade(operation: &'a Operation) -> Self {
        Success::bare(operation.responses.first(), Some(101))
    }
}

/// The name of a status in the names of types.
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
        let mut found: Option<(&'a Response, u16)> = None;
        for response in &operation.responses {
            let at = &response.status.at;
            match response.status.value {
                StatusCode::Exact(status @ 200..=399) => match found {
                    None => found = Some((response, status)),
                    Some((other, _)) => {
                        let message = format!(
                            "{} has several responses that are not errors",
                            operation.label()
                        );
                        let help = "keep one; dropshot gives each operation one status of success";
                        let problem = Problem::error("several-successes", at, message, help);
                        self.problems
                            .push(problem.with_related(&other.status.at, "the first one"));
                    }
                },
                StatusCode::Exact(status @ ..=199) => self.problems.push(Problem::error(
                    "unsupported-status",
                    at,
                    format!("{status} is not supported: dropshot sends no interim responses"),
                    "remove it",
                )),
                StatusCode::Range(first @ 1..=3) => self.problems.push(Problem::error(
                    "unsupported-status",
                    at,
                    format!(
                        "`{first}XX` is not supported: a response that is not an error has one status"
                    ),
                    "write the exact status, such as `200`",
                )),
                StatusCode::Exact(_) | StatusCode::Range(_) | StatusCode::Default => {}
            }
        }
        if found.is_none()
            && let Some(free) = free_response(operation)
        {
            return Success::bare(Some(free), None);
        }
        let Some((response, status)) = found else {
            self.problems.push(Problem::error(
                "missing-success",
                &operation.at,
                format!("{} has no response that is not an error", operation.label()),
                "add a response such as `200` or `204`; a response of any status and content is a \
                 `default` alone, with `*/*: {schema: {}}`",
            ));
            return Success::bare(None, Some(200));
        };
        let raw = raw(&response.content).filter(|content| self.is_free_content(content));
        let body = match raw {
            Some(_) => None,
            None => self.response_body(response, status, type_name),
        };
        let raw = raw.map(|content| content.name.value.as_str());
        let docs = Docs::own(format!(
            "The headers of the {status} response of `{}`.",
            operation.id.as_ref().map_or("", |id| &id.value)
        ));
        let name = format!("{type_name}{}", status_name(status));
        let headers = self.headers(&response.headers, &format!("{name}Headers"), docs);
        let known = match raw {
            Some(media_type) => media_type == "*/*" && matches!(status, 200..=202),
            None => matches!((status, body.is_some()), (200..=202, true) | (204, false)),
        };
        let own = (!known).then_some(name);
        Success {
            response: Some(response),
            status: Some(status),
            body,
            raw,
            headers,
            own,
        }
    }

    /// Whether a content has only a media type: nothing checks what the handler
    /// sends.
    fn is_free_content(&self, content: &MediaType) -> bool {
        content.schema.as_ref().is_none_or(|schema| {
            Planner::is_free(schema)
                || (schema
                    .types
                    .as_ref()
                    .is_some_and(|kind| kind.value == Type::String)
                    && schema.reference.is_none()
                    && !schema.nullable
                    && Planner::says_only(schema, &["format"]))
        })
    }

    /// The body of a response; a status that forbids one must not have any.
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
            self.problems.push(Problem::error(
                "unsupported-body",
                &response.at,
                format!("a response with status {status} has no body"),
                "remove its `content`, or use another status",
            ));
        }
        let schema = self.json(&response.content, &response.at, "the body of a response")?;
        Some(self.body_type(schema, &format!("{type_name}{}Body", status_name(status))))
    }
}

/// The response of any status and any content: `default` alone, as dropshot
/// describes a handler that builds its response by itself.
pub(super) fn free_response(operation: &Operation) -> Option<&Response> {
    match operation.responses.as_slice() {
        [only] if only.status.value == StatusCode::Default && only.headers.is_empty() => {
            let [content] = only.content.as_slice() else {
                return None;
            };
            let free = content.schema.as_ref().is_none_or(Planner::is_free);
            (free && content.name.value == "*/*").then_some(only)
        }
        _ => None,
    }
}
