//! Tests which headers a preflight request allows.

use crate::{send, start};

#[tokio::test]
async fn a_cors_preflight_allows_the_headers_that_the_document_declares() {
    let server = start(|setup| {
        setup.web.cors_origins = "https://shop.example".parse().expect("an origin");
    });
    let preflight = [
        "OPTIONS /note",
        "Origin: https://shop.example",
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: x-api-key",
    ];
    let (status, response) = send(&server, &preflight, b"").await;
    assert_eq!(status, 204, "{response}");
    let allowed = response
        .lines()
        .find_map(|line| line.strip_prefix("access-control-allow-headers: "));
    assert_eq!(
        allowed,
        Some(
            "Authorization, Content-Type, Idempotency-Key, Traceparent, X-Api-Key, X-Drawer, X-Colour"
        )
    );
}
