//! Tests error bodies of the server that the service defines.

use crate::{INFO, send};
use dropshot::{
    ApiDescription, ApiDescriptionBuildErrors, ApiEndpoint, ApiEndpointVersions, Body,
    CONTENT_TYPE_JSON, HttpError, HttpResponseOk, RequestContext,
};
use http::{Method, Request, Response};
use openapi_dropshot_server::{
    Bound, Context, Setup, StartError, State,
    state::{AuthenticationError, Credential, ErrorBody, ServerError},
};
use openapi_dropshot_types::{
    Contract, ErrorEntry, ErrorMember, Operation, Rejection, Router, Security, Stability,
};
use serde_json::{Value, json};
use std::marker::PhantomData;

static OPERATIONS: [Operation; 1] = [Operation {
    index: 0,
    name: "addNote",
    method: "POST",
    path: "/notes",
    stability: Stability::Stable,
    security: Security::NONE,
    request_body: Some("application/json"),
    success: 200,
    errors: &[],
    deprecation: None,
}];

/// The fault of the body that a service returns.
const NOTHING: u8 = 0;
const NO_CODE: u8 = 1;
const TEXT_FOR_A_NUMBER: u8 = 2;
const OTHER_MEDIA_TYPE: u8 = 3;
const UNLISTED_KIND: u8 = 4;
const UNKNOWN_PROPERTY: u8 = 5;
const NO_BODY: u8 = 6;

/// A service whose error bodies have this fault.
struct Service<const FAULT: u8>;

impl<const FAULT: u8> State for Service<FAULT> {
    type Principal = u64;

    fn principal_id(_: &u64) -> &str {
        "k_1"
    }

    async fn authenticate(&self, _: Credential<'_, u64>) -> Result<u64, AuthenticationError> {
        Err(AuthenticationError::Unknown)
    }

    fn error_body(error: &ServerError<'_>) -> Option<ErrorBody> {
        let mut body = json!({
            "kind": "server",
            "error": {"code": error.entry.code, "status": error.entry.status, "text": error.message},
            "operation": error.operation.map(|operation| operation.name),
        });
        match FAULT {
            NO_BODY => return None,
            OTHER_MEDIA_TYPE => return Some(ErrorBody::problem_details(error)),
            NO_CODE => body["error"] = json!({"status": 1, "text": ""}),
            TEXT_FOR_A_NUMBER => body["error"]["status"] = "400".into(),
            UNLISTED_KIND => body["kind"] = "client".into(),
            UNKNOWN_PROPERTY => body["error"]["cause"] = "".into(),
            _ => {}
        }
        Some(ErrorBody::json(body))
    }
}

struct Notes<S>(PhantomData<fn() -> S>);

async fn handler<S: State>(_: RequestContext<Context<S>>) -> Result<HttpResponseOk<()>, HttpError> {
    Ok(HttpResponseOk(()))
}

impl<S: State> Contract for Notes<S> {
    type Context = Context<S>;

    const TITLE: &'static str = "Notes";
    const VERSION: &'static str = "1.0.0";
    const BASE_PATH: &'static str = "";
    const OPERATIONS: &'static [Operation] = &OPERATIONS;
    const ERRORS: &'static [ErrorEntry] = &[];
    const ERROR_BODY: &'static [(&'static str, ErrorMember)] = &[("message", ErrorMember::Message)];
    const DOCUMENT_JSON: &'static str = r##"{
        "openapi": "3.1.0",
        "info": {"title": "Notes", "version": "1.0.0"},
        "paths": {"/notes": {"post": {"operationId": "addNote", "responses": {
            "200": {"description": "Done."},
            "4XX": {"$ref": "#/components/responses/Failed"},
            "default": {"$ref": "#/components/responses/Failed"}
        }}}},
        "components": {
            "responses": {"Failed": {"description": "Failed.", "content": {"application/json": {
                "schema": {"allOf": [{"$ref": "#/components/schemas/Failure"}, {"required": ["error"]}]}
            }}}},
            "schemas": {
                "Failure": {"type": "object", "required": ["kind"], "properties": {
                    "kind": {"enum": ["server", "handler"]},
                    "operation": {"type": ["string", "null"]},
                    "error": {"oneOf": [{"$ref": "#/components/schemas/Details"}, {"type": "null"}]}
                }},
                "Details": {"type": "object", "required": ["code", "status"], "additionalProperties": false, "properties": {
                    "code": {"type": "string"}, "status": {"type": "integer"}, "text": {"type": "string"}
                }}
            }
        }
    }"##;
    const DOCUMENT_YAML: &'static str = "openapi: 3.1.0\n";

    fn router() -> Result<Router, ApiDescriptionBuildErrors> {
        let mut api = ApiDescription::new();
        let (name, path) = ("addNote".to_owned(), "/notes");
        let all = ApiEndpointVersions::All;
        let endpoint = ApiEndpoint::new(
            name,
            handler::<S>,
            Method::POST,
            CONTENT_TYPE_JSON,
            path,
            all,
        );
        api.register(endpoint).expect("there is one path");
        Ok(Router::new(api, &OPERATIONS))
    }

    async fn dispatch(
        _: &'static Operation,
        _: RequestContext<Self::Context>,
        request: Request<Body>,
    ) -> Result<Response<Body>, Rejection> {
        drop(request);
        // A handler of a document without a catalogue returns such an error; its body is not
        // changed.
        Err(Rejection::with_body(409, &json!({"kind": "handler"})))
    }
}

fn bound<const FAULT: u8>() -> Result<Bound<Service<FAULT>>, StartError> {
    Bound::bind::<Notes<_>>(Setup::new(&INFO, Service::<FAULT>))
}

fn body(response: &str) -> Value {
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{response}"))
}

#[tokio::test]
async fn a_service_can_define_the_body_of_the_errors_of_the_server() {
    let server = bound::<NOTHING>().expect("the body is allowed").start();
    let text = [
        "POST /notes",
        "Content-Type: text/plain",
        "Content-Length: 2",
    ];
    let (status, response) = send(&server, &text, b"{}").await;
    assert_eq!(status, 415, "{response}");
    let found = body(&response);
    assert_eq!(found["error"]["code"], "unsupported_media_type");
    assert_eq!(found["error"]["status"], 415);
    assert_eq!(found["operation"], "addNote");
    let (status, response) = send(&server, &["GET /nothing"], b"").await;
    assert_eq!((status, &body(&response)["operation"]), (404, &Value::Null));
    let json = [
        "POST /notes",
        "Content-Type: application/json",
        "Content-Length: 2",
    ];
    let (status, response) = send(&server, &json, b"{}").await;
    assert_eq!((status, body(&response)), (409, json!({"kind": "handler"})));
    // If the service does not define a body, the body has the form of the document.
    let server = bound::<NO_BODY>().expect("there is none").start();
    let (status, response) = send(&server, &text, b"{}").await;
    assert_eq!(status, 415, "{response}");
    assert!(body(&response)["message"].is_string(), "{response}");
}

#[tokio::test]
async fn a_server_does_not_start_with_an_error_body_that_the_document_does_not_allow() {
    let of = |error: Option<StartError>| error.expect("it does not start").to_string();
    for (message, reason) in [
        (
            of(bound::<NO_CODE>().err()),
            "/error has no `code`, which is required",
        ),
        (
            of(bound::<TEXT_FOR_A_NUMBER>().err()),
            "/error/status is \"400\", and the document requires the type \"integer\"",
        ),
        (
            of(bound::<OTHER_MEDIA_TYPE>().err()),
            "its media type is `application/problem+json`, and the document lists `application/json`",
        ),
        (
            of(bound::<UNLISTED_KIND>().err()),
            "/kind is \"client\", which the document does not list",
        ),
        (
            of(bound::<UNKNOWN_PROPERTY>().err()),
            "the document has no property /error/cause",
        ),
    ] {
        let begin = "`State::error_body` returns a body that the document does not allow for 400 of the operation `addNote`: ";
        assert!(message.starts_with(begin), "{message}");
        assert!(message.contains(reason), "{message}");
    }
}
