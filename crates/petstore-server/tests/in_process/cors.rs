//! Tests CORS: the responses to preflight requests and to requests of pages of other origins.

use crate::{
    raw::{RawResponse, Request},
    running::{Running, With},
};
use openapi_dropshot_server::config::Web;
use petstore_server::OPERATIONS;
use std::collections::BTreeSet;

const SHOP: &str = "https://shop.example";

async fn allowing(origins: &str) -> Running {
    Running::start(With {
        web: Web {
            cors_origins: origins.parse().expect("origins"),
            ..Web::default()
        },
        ..With::default()
    })
    .await
}

fn preflight(origin: &str) -> Request {
    Request::new("OPTIONS", "/v1/pets")
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "authorization")
}

fn allowed(response: &RawResponse) -> Option<&str> {
    response.header("access-control-allow-origin")
}

fn varies(response: &RawResponse) -> String {
    response.headers("vary").join(", ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_configured_origin_there_is_no_cors() {
    let running = allowing("none").await;
    let response = running.send(&preflight(SHOP));
    response.assert_error(405, "method_not_allowed");
    assert_eq!(allowed(&response), None);
    let request = Request::get("/v1/pets").header("Origin", SHOP);
    let response = running.send(&request.key(&running.key));
    assert_eq!((response.status, allowed(&response)), (200, None));
    assert!(!varies(&response).contains("Origin"), "{response:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_preflight_of_a_configured_origin_needs_no_key() {
    let running = allowing("https://other.example,https://shop.example").await;
    let response = running.send(&preflight(SHOP));
    assert_eq!(response.status, 204, "{response:?}");
    assert!(response.body.is_empty());
    assert_eq!(allowed(&response), Some(SHOP));
    let methods: BTreeSet<&str> = OPERATIONS
        .iter()
        .map(|operation| operation.method)
        .collect();
    let methods = Vec::from_iter(methods).join(", ");
    for (name, expected) in [
        ("access-control-allow-methods", &*methods),
        (
            "access-control-allow-headers",
            "Authorization, Content-Type, Idempotency-Key, Traceparent, Last-Event-ID",
        ),
        ("access-control-max-age", "3600"),
    ] {
        assert_eq!(response.header(name), Some(expected));
    }
    assert!(varies(&response).contains("Origin"), "{response:?}");
    assert_eq!(response.header("access-control-allow-credentials"), None);

    let response = running.send(&preflight("https://evil.example"));
    response.assert_error(405, "method_not_allowed");
    assert_eq!(allowed(&response), None);
    assert!(varies(&response).contains("Origin"), "{response:?}");
    // Without the header `Access-Control-Request-Method`, the request is not a preflight.
    let options = Request::new("OPTIONS", "/v1/pets").header("Origin", SHOP);
    running
        .send(&options)
        .assert_error(405, "method_not_allowed");
    running.still_responds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_and_errors_name_the_origin_that_may_read_them() {
    let running = allowing(SHOP).await;
    let get = |target: &str, origin: &str| {
        let request = Request::get(target).header("Origin", origin);
        running.send(&request.key(&running.key))
    };
    for (target, status) in [
        ("/v1/pets", 200),
        ("/v1/pets/1", 404),
        ("/v1/pets?limit=0", 400),
        ("/v1/none", 404),
        ("/v1/openapi.json", 200),
    ] {
        let response = get(target, SHOP);
        assert_eq!((response.status, allowed(&response)), (status, Some(SHOP)));
        let exposed = response.header("access-control-expose-headers");
        let exposed = exposed.unwrap_or_default();
        for name in ["Link", "Retry-After", "Sunset", "RateLimit", "X-Request-Id"] {
            assert!(exposed.split(", ").any(|one| one == name), "{exposed}");
        }
        assert!(varies(&response).contains("Origin"), "{response:?}");

        let response = get(target, "https://shop.example.evil.example");
        assert_eq!((response.status, allowed(&response)), (status, None));
        assert!(varies(&response).contains("Origin"), "{response:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_origin_star_allows_every_page_to_read_responses() {
    let running = allowing("*").await;
    let response = running.send(&preflight(SHOP));
    assert_eq!((response.status, allowed(&response)), (204, Some("*")));
    assert!(!varies(&response).contains("Origin"), "{response:?}");
    assert_eq!(allowed(&running.get("/v1/pets")), None, "no page asked");
}
