//! A small API for the unit tests, in the form in which the generator would write it.

use crate::{
    pipeline::Context,
    state::{AuthenticationError, Credential, State, StateError},
};
use chrono::{DateTime, Utc};
use dropshot::{ApiDescription, ApiDescriptionBuildErrors, Body, HttpError, Path, RequestContext};
use http::{Request, Response};
use openapi_dropshot_types::{
    Contract, Deprecation, ErrorEntry, ErrorMember, Operation, Rejection, RequiredScheme, Router,
    SchemeKind, Security, SecurityScheme, Stability,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The API of the tests.
pub(crate) enum TestContract {}

const LIST: Operation = Operation {
    index: 0,
    name: "listItems",
    method: "GET",
    path: "/items",
    stability: Stability::Stable,
    security: Security {
        is_open: false,
        alternatives: &[&[RequiredScheme {
            scheme: &SecurityScheme {
                name: "bearer",
                kind: SchemeKind::Bearer,
            },
            scopes: &[],
        }]],
    },
    request_body: None,
    success: 200,
    errors: &[],
    deprecation: None,
};

/// `GET /items/{itemId}`, which is deprecated.
pub(crate) static RETIRED: Operation = OPERATIONS[2];

/// The operations of the tests.
pub(crate) static OPERATIONS: [Operation; 3] = [
    LIST,
    Operation {
        index: 1,
        name: "createItem",
        method: "POST",
        request_body: Some("application/json"),
        success: 201,
        ..LIST
    },
    Operation {
        index: 2,
        name: "getItem",
        path: "/items/{itemId}",
        deprecation: Some(Deprecation {
            since: 1_795_132_800,
            sunset: 1_922_659_200,
            note: "use `GET /items`",
            deprecation_header: "@1795132800",
            sunset_header: "Thu, 05 Dec 2030 00:00:00 GMT",
            link_header: "<../items>; rel=\"successor-version\"",
        }),
        ..LIST
    },
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ItemPath {
    #[expect(dead_code, reason = "declares the variable")]
    item_id: String,
}

type TestContext = RequestContext<Context<TestState>>;

#[dropshot::endpoint { method = GET, path = "/items", operation_id = "listItems" }]
async fn list_items(_: TestContext) -> Result<Response<Body>, HttpError> {
    Ok(Response::new(Body::empty()))
}

#[dropshot::endpoint { method = POST, path = "/items", operation_id = "createItem" }]
async fn create_item(_: TestContext) -> Result<Response<Body>, HttpError> {
    Ok(Response::new(Body::empty()))
}

#[dropshot::endpoint { method = GET, path = "/items/{itemId}", operation_id = "getItem" }]
async fn get_item(_: TestContext, _: Path<ItemPath>) -> Result<Response<Body>, HttpError> {
    Ok(Response::new(Body::empty()))
}

impl Contract for TestContract {
    type Context = Context<TestState>;

    const TITLE: &'static str = "Shop";
    const VERSION: &'static str = "1.0.0";
    const BASE_PATH: &'static str = "/v1";
    const OPERATIONS: &'static [Operation] = &OPERATIONS;
    const ERRORS: &'static [ErrorEntry] = &[];
    const ERROR_BODY: &'static [(&'static str, ErrorMember)] = &[
        ("code", ErrorMember::Code),
        ("message", ErrorMember::Message),
    ];
    const DOCUMENT_JSON: &'static str = r##"{"components":{"schemas":{"Item":{"type":"string"}},"securitySchemes":{"bearer":{"scheme":"bearer","type":"http"}}},"info":{"title":"Shop","version":"1.0.0"},"openapi":"3.0.3","paths":{"/items":{"get":{"operationId":"listItems","responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Item"}}}}}},"post":{"operationId":"createItem","responses":{}}},"/items/{itemId}":{"get":{"deprecated":true,"operationId":"getItem","responses":{}}}}}"##;
    const DOCUMENT_YAML: &'static str = "openapi: 3.0.3\n";

    fn router() -> Result<Router, ApiDescriptionBuildErrors> {
        let mut api = ApiDescription::new();
        let registered = [
            api.register(list_items),
            api.register(create_item),
            api.register(get_item),
        ];
        assert!(registered.iter().all(Result::is_ok), "{registered:?}");
        Ok(Router::new(api, &OPERATIONS))
    }

    async fn dispatch(
        _: &'static Operation,
        _: TestContext,
        _: Request<Body>,
    ) -> Result<Response<Body>, Rejection> {
        Ok(Response::new(Body::empty()))
    }
}

/// A state whose idempotency keys have all expired, and whose events, of two kinds, are all old.
#[derive(Debug, Default)]
pub(crate) struct TestState {
    pub(crate) expired: AtomicUsize,
    pub(crate) events: [AtomicUsize; 2],
}

/// Takes at most `limit` from a number, and returns how many.
fn take(number: &AtomicUsize, limit: usize) -> usize {
    let left = number.load(Ordering::Relaxed);
    let taken = left.min(limit);
    number.store(left - taken, Ordering::Relaxed);
    taken
}

impl State for TestState {
    type Principal = u64;

    fn principal_id(_: &u64) -> &str {
        "k_1"
    }

    async fn authenticate(&self, _: Credential<'_, u64>) -> Result<u64, AuthenticationError> {
        Ok(1)
    }

    async fn delete_expired_idempotency_keys(
        &self,
        _: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StateError> {
        Ok(take(&self.expired, limit))
    }

    async fn delete_expired_events(
        &self,
        _: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StateError> {
        Ok(self.events.iter().map(|kind| take(kind, limit)).sum())
    }
}
