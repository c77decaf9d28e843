//! What a browser is told before and after a page of another origin calls.

use crate::{
    raw::{Answer, Request},
    running::{Running, With},
};
use openapi_dropshot_server::config::Web;

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

fn allowed(answer: &Answer) -> Option<&str> {
    answer.header("access-control-allow-origin")
}

fn varies(answer: &Answer) -> String {
    answer.headers("vary").join(", ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_named_origin_there_is_no_cors() {
    let running = allowing("none").await;
    let answer = running.send(&preflight(SHOP));
    answer.assert_error(405, "method_not_allowed");
    assert_eq!(allowed(&answer), None);
    let request = Request::get("/v1/pets").header("Origin", SHOP);
    let answer = running.send(&request.key(&running.key));
    assert_eq!((answer.status, allowed(&answer)), (200, None));
    assert!(!varies(&answer).contains("Origin"), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_preflight_of_a_named_origin_is_answered_without_a_key() {
    let running = allowing("https://other.example,https://shop.example").await;
    let answer = running.send(&preflight(SHOP));
    assert_eq!(answer.status, 204, "{answer:?}");
    assert!(answer.body.is_empty());
    assert_eq!(allowed(&answer), Some(SHOP));
    for (name, expected) in [
        ("access-control-allow-methods", "GET, PATCH, POST"),
        (
            "access-control-allow-headers",
            "Authorization, Content-Type, Idempotency-Key, Traceparent",
        ),
        ("access-control-max-age", "3600"),
    ] {
        assert_eq!(answer.header(name), Some(expected));
    }
    assert!(varies(&answer).contains("Origin"), "{answer:?}");
    assert_eq!(answer.header("access-control-allow-credentials"), None);

    let answer = running.send(&preflight("https://evil.example"));
    answer.assert_error(405, "method_not_allowed");
    assert_eq!(allowed(&answer), None);
    assert!(varies(&answer).contains("Origin"), "{answer:?}");
    // Without the question it is no preflight.
    let options = Request::new("OPTIONS", "/v1/pets").header("Origin", SHOP);
    running
        .send(&options)
        .assert_error(405, "method_not_allowed");
    running.still_answers();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_and_errors_say_which_page_may_read_them() {
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
        let answer = get(target, SHOP);
        assert_eq!((answer.status, allowed(&answer)), (status, Some(SHOP)));
        let exposed = answer.header("access-control-expose-headers");
        let exposed = exposed.unwrap_or_default();
        for name in ["Link", "Retry-After", "Sunset", "RateLimit", "X-Request-Id"] {
            assert!(exposed.split(", ").any(|one| one == name), "{exposed}");
        }
        assert!(varies(&answer).contains("Origin"), "{answer:?}");

        let answer = get(target, "https://shop.example.evil.example");
        assert_eq!((answer.status, allowed(&answer)), (status, None));
        assert!(varies(&answer).contains("Origin"), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_star_lets_every_page_read_answers() {
    let running = allowing("*").await;
    let answer = running.send(&preflight(SHOP));
    assert_eq!((answer.status, allowed(&answer)), (204, Some("*")));
    assert!(!varies(&answer).contains("Origin"), "{answer:?}");
    assert_eq!(allowed(&running.get("/v1/pets")), None, "no page asked");
}
