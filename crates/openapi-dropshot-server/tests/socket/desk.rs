//! A small API with all kinds of bodies and a websocket, in the form in which the generator would
//! write it.

use dropshot::{
    ApiDescription, ApiDescriptionBuildErrors, ApiEndpoint, ApiEndpointVersions, Body,
    CONTENT_TYPE_JSON, CONTENT_TYPE_MULTIPART_FORM_DATA, CONTENT_TYPE_OCTET_STREAM,
    CONTENT_TYPE_URL_ENCODED, HttpError, HttpResponseOk, MultipartBody, RequestContext, TypedBody,
    UntypedBody, WebsocketUpgrade,
};
use http::{Method, Request, Response};
use openapi_dropshot_server::{
    Context, State,
    state::{AuthenticationError, Credential},
};
use openapi_dropshot_types::{
    Contract, ErrorEntry, ErrorMember, ErrorShape, Operation, OptionalBody, Rejection, Router,
    Security, Stability, dispatch,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// The state.
pub(crate) struct Desk;

impl State for Desk {
    type Principal = u64;

    fn principal_id(_: &u64) -> &str {
        "k_1"
    }

    async fn authenticate(&self, _: Credential<'_, u64>) -> Result<u64, AuthenticationError> {
        Err(AuthenticationError::Unknown)
    }
}

/// The API.
pub(crate) enum DeskContract {}

const fn operation(index: usize, path: &'static str, media_type: &'static str) -> Operation {
    Operation {
        index,
        // The operations are named after their paths.
        name: path,
        method: "POST",
        path,
        stability: Stability::Stable,
        security: Security::NONE,
        request_body: Some(media_type),
        success: 200,
        errors: &[],
        deprecation: None,
    }
}

static OPERATIONS: [Operation; 8] = [
    operation(0, "/bytes", "application/octet-stream"),
    operation(1, "/text", "text/plain"),
    operation(2, "/image", "image/*"),
    operation(3, "/form", "application/x-www-form-urlencoded"),
    operation(4, "/parts", "multipart/form-data"),
    operation(5, "/note", "application/json"),
    operation(6, "/optional-note", "application/json"),
    Operation {
        method: "GET",
        request_body: None,
        success: 101,
        ..operation(7, "/echo", "")
    },
];

type DeskRequest = RequestContext<Context<Desk>>;

#[derive(Debug, Deserialize, JsonSchema)]
struct Note {
    text: String,
}

async fn handler(_: DeskRequest) -> Result<HttpResponseOk<()>, HttpError> {
    Ok(HttpResponseOk(()))
}

async fn parts(mut body: MultipartBody) -> String {
    let mut found = Vec::new();
    while let Ok(Some(part)) = body.content.next_field().await {
        let name = part.name().unwrap_or_default().to_owned();
        found.push(format!("{name}={}", part.text().await.unwrap_or_default()));
    }
    found.join("&")
}

impl Contract for DeskContract {
    type Context = Context<Desk>;

    const TITLE: &'static str = "Desk";
    const VERSION: &'static str = "1.0.0";
    const BASE_PATH: &'static str = "";
    const OPERATIONS: &'static [Operation] = &OPERATIONS;
    const ERRORS: &'static [ErrorEntry] = &[];
    const ERROR_BODY: &'static [(&'static str, ErrorMember)] = &[("message", ErrorMember::Message)];
    const ERROR_SHAPES: &'static [ErrorShape] = &[ErrorShape {
        operation: "/form",
        statuses: (400, 499),
        media_type: "application/problem+json",
        members: &[
            ("title", ErrorMember::Message),
            ("status", ErrorMember::Status),
        ],
    }];
    const OPTIONAL_BODIES: &'static [&'static str] = &["/optional-note"];
    const DOCUMENT_JSON: &'static str = r##"{"components":{"parameters":{"Colour":{"in":"header","name":"X-Colour"}},"securitySchemes":{"inCookie":{"in":"cookie","name":"X-Cookie","type":"apiKey"},"key":{"in":"header","name":"X-Api-Key","type":"apiKey"}}},"info":{"title":"Desk","version":"1.0.0"},"openapi":"3.0.3","paths":{"/note":{"parameters":[{"in":"header","name":"X-Drawer"}],"post":{"parameters":[{"$ref":"#/components/parameters/Colour"},{"in":"header","name":"idempotency-key"},{"in":"header","name":"x-api-key"},{"in":"query","name":"X-Query"}],"responses":{}}}}}"##;
    const DOCUMENT_YAML: &'static str = "openapi: 3.0.3\n";

    fn router() -> Result<Router, ApiDescriptionBuildErrors> {
        let mut api = ApiDescription::new();
        for operation in &OPERATIONS {
            let media_type = match operation.path {
                "/form" => CONTENT_TYPE_URL_ENCODED,
                "/parts" => CONTENT_TYPE_MULTIPART_FORM_DATA,
                "/note" | "/optional-note" => CONTENT_TYPE_JSON,
                _ => CONTENT_TYPE_OCTET_STREAM,
            };
            let (name, all) = (operation.name.to_owned(), ApiEndpointVersions::All);
            let path = operation.path;
            let method = Method::from_bytes(operation.method.as_bytes()).expect("a method");
            let endpoint = ApiEndpoint::new(name, handler, method, media_type, path, all);
            api.register(endpoint).expect("the paths differ");
        }
        Ok(Router::new(api, &OPERATIONS))
    }

    async fn dispatch(
        operation: &'static Operation,
        rqctx: DeskRequest,
        request: Request<Body>,
    ) -> Result<Response<Body>, Rejection> {
        let text = match operation.name {
            "/echo" => {
                let upgrade: WebsocketUpgrade =
                    dispatch::read_body::<Self, _>(&rqctx, request).await?;
                let response = upgrade.handle(|connection| async move {
                    let (mut reader, mut writer) = tokio::io::split(connection.into_inner());
                    tokio::io::copy(&mut reader, &mut writer).await?;
                    Ok(())
                });
                return dispatch::respond::<Self, _, _>(
                    response.map_err(dispatch::rejection::<Self>),
                );
            }
            "/form" | "/note" => {
                let body: TypedBody<Note> = dispatch::read_body::<Self, _>(&rqctx, request).await?;
                format!("read: {}", body.into_inner().text)
            }
            "/optional-note" => {
                let body: OptionalBody<TypedBody<Note>> =
                    dispatch::read_body::<Self, _>(&rqctx, request).await?;
                match body.into_inner() {
                    Some(body) => format!("read: {}", body.into_inner().text),
                    None => "absent".to_owned(),
                }
            }
            "/parts" => {
                let body = dispatch::read_body::<Self, _>(&rqctx, request).await?;
                format!("read: {}", parts(body).await)
            }
            _ => {
                let body: UntypedBody = dispatch::read_body::<Self, _>(&rqctx, request).await?;
                format!("read: {:?}", body.as_bytes())
            }
        };
        Ok(Response::new(Body::from(text)))
    }
}
