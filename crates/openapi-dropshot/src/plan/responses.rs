//! Plans the success responses of an operation (all responses that are not errors): their statuses,
//! bodies and headers.

use super::{
    OperationPlan, Planner,
    bodies::JsonBody,
    ir::{Scalar, Ty},
    parameters::Fields,
};
use crate::{
    docs::{Docs, code},
    rules,
};
use openapi_dropshot_contract::{
    Problem, Severity,
    model::{Document, MediaType, Node, Operation, Response, Schema, Spanned, StatusCode, Type},
};

/// The media type of events.
pub(super) const EVENTS: &str = "text/event-stream";

/// The response that is not an error.
#[derive(Default)]
pub(crate) struct Success<'a> {
    /// The response in the document; absent only if a problem was found.
    pub(crate) response: Option<&'a Response>,
    /// Its status; `None` if the handler chooses it.
    pub(crate) status: Option<u16>,
    /// Its body, if it is JSON.
    pub(crate) body: Option<JsonBody<'a>>,
    /// The media type, if the body is a stream or is sent as the handler returns it.
    pub(crate) raw: Option<&'a str>,
    /// The items, if the response is a stream of items.
    pub(crate) stream: Option<Items>,
    pub(crate) headers: Option<Fields>,
    /// The name of the type that is generated for the response, if dropshot has no type for it.
    pub(crate) own: Option<String>,
    /// The name of its variant, if it is one of several.
    pub(crate) variant: String,
    /// The responses between which the handler chooses. If this is set, the other fields are not
    /// used.
    pub(crate) several: Option<Successes<'a>>,
}

/// The items of a stream.
pub(crate) struct Items {
    pub(crate) ty: Ty,
    pub(crate) form: ItemForm,
}

/// How the items of a stream are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemForm {
    /// As the data of server-sent events: JSON.
    Events,
    /// As the data of server-sent events: text.
    TextEvents,
    Lines,
    Sequence,
}

impl ItemForm {
    /// Returns the form of the items of a media type with this schema.
    pub(crate) fn of(document: &Document, media: &MediaType, schema: &Schema) -> Self {
        let is_text = || match media.extensions.get("x-event-data").and_then(Node::as_str) {
            Some(data) => data == "text",
            None => document.resolve(schema).and_then(Schema::kind) == Some(Type::String),
        };
        match media.essence().as_str() {
            EVENTS if is_text() => ItemForm::TextEvents,
            EVENTS => ItemForm::Events,
            _ if media.is_sequence() => ItemForm::Sequence,
            _ => ItemForm::Lines,
        }
    }

    pub(crate) fn is_event(self) -> bool {
        matches!(self, ItemForm::Events | ItemForm::TextEvents)
    }
}

impl Success<'_> {
    /// Whether it is a stream of items, or several responses of which one is a stream.
    pub(crate) fn can_stream(&self) -> bool {
        let mut cases = self.several.iter().flat_map(|several| &several.cases);
        self.stream.is_some() || cases.any(|case| case.stream.is_some())
    }
}

/// The responses that are not errors, unless there is exactly one, with a single status. If the
/// document lists none, the handler can only return errors.
pub(crate) struct Successes<'a> {
    /// The name of the enum.
    pub(crate) name: String,
    /// The name of the type that describes the bodies.
    pub(crate) described: String,
    pub(crate) cases: Vec<Success<'a>>,
}

/// Returns the name of the variant of a response.
pub(crate) fn variant_name(status: StatusCode) -> String {
    match (status, status.class()) {
        (StatusCode::Exact(status), _) => return status_name(status),
        (_, Some(2)) => "Success",
        (_, Some(3)) => "Redirection",
        (_, Some(4)) => "ClientError",
        (_, Some(_)) => "ServerError",
        (_, None) => "Other",
    }
    .to_owned()
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

fn is_interim(response: &Response) -> bool {
    let status = response.status.value;
    matches!(status, StatusCode::Exact(..=199) | StatusCode::Range(1))
}

/// Reports interim responses, which a server does not have to send.
fn interim(operation: &Operation) -> impl Iterator<Item = Problem> {
    let responses = operation.responses.iter();
    let responses = responses.filter(|response| is_interim(response));
    responses.map(|response| {
        let Spanned { value, at } = &response.status;
        let message = format!("{value} is not sent: dropshot sends no interim responses");
        rules::UNSUPPORTED_STATUS.problem(at, message, "remove it")
    })
}

/// Warns about interim responses of an operation that has other responses, and about media types that the service does not
/// send.
pub(crate) fn warnings(operation: &OperationPlan<'_>) -> impl Iterator<Item = Problem> {
    let responses = operation.operation.responses.iter();
    let interim = interim(operation.operation);
    let interim = interim.map(|problem| problem.with_severity(Severity::Warning));
    let reported = interim.chain(responses.filter_map(unsent));
    reported.filter(|_| !operation.websocket)
}

/// Warns about the media types of a response that the service does not send.
fn unsent(response: &Response) -> Option<Problem> {
    let sent = response.sent()?;
    let contents = response.content.iter();
    let others = contents.filter(|media| !std::ptr::eq(*media, sent));
    let others: Vec<String> = others.map(|media| code(&media.name.value)).collect();
    let at = &response.content.first()?.name.at;
    let (own, unsent) = (code(&sent.name.value), others.join(", "));
    let message = format!("the service sends {own}, and never {unsent}");
    let help = "remove the other media types, or add an operation for each";
    (!others.is_empty()).then(|| rules::UNSENT_MEDIA_TYPE.problem(at, message, help))
}

impl<'a> Planner<'a> {
    /// Plans the responses that are not errors.
    pub(super) fn success(&mut self, operation: &'a Operation, type_name: &str) -> Success<'a> {
        let is_declared = |own: &&Response| matches!(own.status.value.class(), Some(2 | 3));
        let mut declared: Vec<&'a Response> =
            operation.responses.iter().filter(is_declared).collect();
        if operation.responses.iter().all(is_interim) {
            self.problems.extend(interim(operation));
        }
        if let [only] = declared.as_slice()
            && let StatusCode::Exact(status) = only.status.value
        {
            return self.success_of(operation, only, Some(status), type_name);
        }
        let free = self.free_response(operation);
        if free.is_some() {
            return Success {
                response: free,
                ..Success::default()
            };
        }
        if declared.is_empty() {
            // `default` stands for every status that the document does not list.
            let is_default = |response: &&Response| response.status.value == StatusCode::Default;
            declared.extend(operation.responses.iter().find(is_default));
        }
        let cases = declared.iter().map(|response| {
            let status = match response.status.value {
                StatusCode::Exact(status) => Some(status),
                StatusCode::Range(_) | StatusCode::Default => None,
            };
            self.success_of(operation, response, status, type_name)
        });
        let cases = cases.collect();
        Success {
            response: declared.first().copied(),
            several: Some(Successes {
                name: format!("{type_name}Success"),
                described: format!("{type_name}SuccessBody"),
                cases,
            }),
            ..Success::default()
        }
    }

    /// Plans a response that is not an error. `status` is `None` if the handler chooses it.
    fn success_of(
        &mut self,
        operation: &'a Operation,
        response: &'a Response,
        status: Option<u16>,
        type_name: &str,
    ) -> Success<'a> {
        let sent = response.sent().filter(|media| !media.is_json());
        let raw = sent.map(|media| media.name.value.as_str());
        let class = variant_name(response.status.value);
        let items = sent.and_then(|media| Some((media, media.items()?)));
        let items = items.filter(|_| status.is_some());
        let stream = items.map(|(media, schema)| Items {
            ty: self.body_type(schema, &format!("{type_name}{class}Item")),
            form: ItemForm::of(self.document, media, schema),
        });
        let body = match raw {
            Some(_) => None,
            None => self.response_body(response, &format!("{type_name}{class}Body")),
        };
        let name = format!("{type_name}{class}");
        let headers = self.response_headers(operation, response, &name);
        let is_known = match (raw, status) {
            (_, None) => true,
            (Some(media_type), Some(status)) => media_type == "*/*" && matches!(status, 200..=202),
            (None, Some(status)) => match &body {
                Some(body) => matches!(status, 200..=202) && body.own_media_type().is_none(),
                None => status == 204,
            },
        };
        Success {
            response: Some(response),
            status,
            body,
            raw,
            stream,
            headers,
            own: (!is_known).then_some(name),
            several: None,
            variant: class,
        }
    }

    /// Plans the headers of a response. `name` is the name of the response in those of types.
    pub(super) fn response_headers(
        &mut self,
        operation: &'a Operation,
        response: &'a Response,
        name: &str,
    ) -> Option<Fields> {
        let id = operation.id.as_ref().map_or("", |id| &id.value);
        let shown = response.status.value;
        let docs = Docs::own(format!("The headers of the {shown} response of `{id}`."));
        self.headers(&response.headers, &format!("{name}Headers"), docs)
    }

    /// Plans the body of a response. If there are several media types, the service sends the first
    /// one that is JSON.
    pub(super) fn response_body(
        &mut self,
        response: &'a Response,
        wanted: &str,
    ) -> Option<JsonBody<'a>> {
        let sent = response.sent()?;
        let ty = match &sent.schema {
            _ if !sent.is_json() => Ty::Scalar(Scalar::Text { format: None }),
            Some(schema) => self.body_type(schema, wanted),
            None => Ty::Any,
        };
        let media_type = &sent.name.value;
        Some(JsonBody { ty, media_type })
    }

    /// Finds the response with any status and any content: it is the only response and is `default`,
    /// which dropshot emits for a handler that builds its response itself.
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
