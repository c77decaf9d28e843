//! The trait `Contract`, through which a server calls a generated API.

use crate::{
    Condition, ErrorEntry, Operation, OperationLimits, Rejection, Router,
    error::{self, ErrorMember, ErrorShape},
};
use dropshot::{ApiDescriptionBuildErrors, Body, RequestContext, ServerContext};
use http::{Request, Response};
use std::borrow::Cow;

/// A generated API together with the handlers of a service.
///
/// The generator implements this trait for `Generated<A>`, where `A` is the type that implements the trait of the
/// handlers. A server that is generic over this trait can serve any document.
pub trait Contract: Send + Sync + 'static {
    /// The context that every handler gets.
    type Context: ServerContext;

    /// `info.title`
    const TITLE: &'static str;
    /// `info.version`
    const VERSION: &'static str;
    /// The path of `servers`, such as `/v1`; empty if there is none.
    const BASE_PATH: &'static str;
    /// All operations, in the order of the document.
    const OPERATIONS: &'static [Operation];
    /// The error catalogue of the document, in its order; empty if the document has none.
    const ERRORS: &'static [ErrorEntry];
    /// The properties of the document's error body, in their order.
    const ERROR_BODY: &'static [(&'static str, ErrorMember)];
    /// The media type of errors that no handler creates.
    const ERROR_MEDIA_TYPE: &'static str = "application/json";
    /// The errors that have another body or media type, by operation and status.
    const ERROR_SHAPES: &'static [ErrorShape] = &[];
    /// The names of the operations whose request body may be absent.
    const OPTIONAL_BODIES: &'static [&'static str] = &[];
    /// The names of the operations whose response is a stream.
    const STREAMS: &'static [&'static str] = &[];
    /// The names of the operations whose handler reads the request body as it arrives.
    const STREAMED_BODIES: &'static [&'static str] = &[];
    /// The limits of operations that have their own limits, by the name of the operation.
    const LIMITS: &'static [(&'static str, OperationLimits)] = &[];
    /// Whether an integer in a JSON body may have a fraction of zero, as in `1.0`: OpenAPI 3.1 allows this, 3.0 does
    /// not.
    const INTEGERS_HAVE_FRACTIONS: bool = false;
    /// The document as JSON, without white space between its parts; the properties of each object are sorted by
    /// name.
    const DOCUMENT_JSON: &'static str;
    /// The document as it was given to the generator.
    const DOCUMENT_YAML: &'static str;

    /// Builds the router of the operations.
    ///
    /// # Errors
    ///
    /// Returns an error if two operations of the document conflict in dropshot's router.
    fn router() -> Result<Router, ApiDescriptionBuildErrors>;

    /// Reads the parameters and the body of a request and calls the handler of the operation. The endpoint metadata
    /// of `rqctx` must be the one that [`Router::find`] returned for the request.
    ///
    /// # Errors
    ///
    /// Returns [`Condition::InvalidRequest`] if a parameter or the body breaks a rule of the document; otherwise the
    /// error that the handler returned.
    fn dispatch(
        operation: &'static Operation,
        rqctx: RequestContext<Self::Context>,
        request: Request<Body>,
    ) -> impl Future<Output = Result<Response<Body>, Rejection>> + Send;

    /// Returns the catalogue entry for a condition: the entry with the same code; if there is none, the first entry
    /// with the same status; otherwise a built-in entry.
    fn error(condition: Condition) -> &'static ErrorEntry {
        condition.entry_in(Self::ERRORS)
    }

    /// Returns a rejection for a condition, with a message for the caller.
    fn reject(condition: Condition, message: impl Into<Cow<'static, str>>) -> Rejection {
        Rejection::new(Self::error(condition), message)
    }

    /// Returns a rejection because of an internal error of the service. The detail is only logged.
    fn internal(detail: impl Into<String>) -> Rejection {
        Rejection::internal(Self::error(Condition::Internal), detail)
    }

    /// Returns the body of the response to a rejected request as JSON, in the form that the document defines. It is
    /// empty if the document defines no body for the error.
    fn error_body(rejection: &Rejection, request_id: &str) -> Vec<u8> {
        let media_type = Self::ERROR_MEDIA_TYPE;
        error::body(Self::ERROR_BODY, media_type, rejection, request_id)
    }

    /// Returns the body of the response to a rejected request for an operation, and its media type. Without an
    /// operation, the body is the same as that of [`error_body`](Self::error_body).
    fn error_content(
        operation: Option<&Operation>,
        rejection: &Rejection,
        request_id: &str,
    ) -> (Vec<u8>, &'static str) {
        let status = rejection.error.status;
        let shape = operation
            .and_then(|operation| ErrorShape::of(Self::ERROR_SHAPES, operation.name, status));
        let (members, media_type) = match shape {
            Some(shape) => (shape.members, shape.media_type),
            None => (Self::ERROR_BODY, Self::ERROR_MEDIA_TYPE),
        };
        let body = error::body(members, media_type, rejection, request_id);
        let media_type = match rejection.body {
            None => media_type,
            Some(_) => rejection.media_type.unwrap_or("application/json"),
        };
        (body, media_type)
    }
}
