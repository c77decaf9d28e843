//! Tests that responses are compressed with gzip only for clients that accept gzip.

use crate::{
    raw::Request,
    running::{Running, With},
};
use flate2::read::GzDecoder;
use openapi_dropshot_server::config::{Switch, Web};
use reqwest::{Method, Response};
use std::io::Read as _;

async fn running(compression: Switch) -> Running {
    let web = Web {
        compression,
        ..Web::default()
    };
    Running::start(With {
        web,
        ..With::default()
    })
    .await
}

async fn send(running: &Running, method: Method, path: &str, accepts: Option<&str>) -> Response {
    let url = format!("http://{}{path}", running.address);
    let mut request = reqwest::Client::new()
        .request(method, url)
        .bearer_auth(&running.key);
    if let Some(accepts) = accepts {
        request = request.header("accept-encoding", accepts);
    }
    request.send().await.expect("answered")
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_response_is_compressed_for_clients_that_accept_compression() {
    let running = running(Switch::On).await;
    let path = "/v1/openapi.json";
    let plain = send(&running, Method::GET, path, None).await;
    assert_eq!(header(&plain, "content-encoding"), None);
    assert_eq!(header(&plain, "vary"), Some("Accept-Encoding"));
    let plain = plain.bytes().await.expect("a body");

    let packed = send(&running, Method::GET, path, Some("br, gzip;q=0.5")).await;
    assert_eq!(packed.status(), 200);
    assert_eq!(header(&packed, "content-encoding"), Some("gzip"));
    assert_eq!(header(&packed, "vary"), Some("Accept-Encoding"));
    let packed = packed.bytes().await.expect("a body");
    assert!(packed.len() < plain.len() / 2, "{}", packed.len());
    let mut unpacked = Vec::new();
    GzDecoder::new(&*packed)
        .read_to_end(&mut unpacked)
        .expect("gzip");
    assert_eq!(unpacked, plain);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_page_of_pets_is_compressed_for_clients_that_accept_gzip() {
    let running = running(Switch::On).await;
    let pet = serde_json::json!({ "name": "x".repeat(20_000), "categoryId": 7 });
    let pet = Request::post("/v1/pets", pet.to_string()).key(&running.key);
    assert_eq!(running.send(&pet).status, 201);
    let plain = send(&running, Method::GET, "/v1/pets", None).await;
    assert_eq!(header(&plain, "content-encoding"), None);
    assert_eq!(header(&plain, "vary"), Some("Accept-Encoding"));
    let plain = plain.bytes().await.expect("a body");
    let packed = send(&running, Method::GET, "/v1/pets", Some("gzip")).await;
    assert_eq!(header(&packed, "content-encoding"), Some("gzip"));
    let packed = packed.bytes().await.expect("a body");
    assert!(packed.len() < 1000, "{}", packed.len());
    let mut unpacked = Vec::new();
    GzDecoder::new(&*packed)
        .read_to_end(&mut unpacked)
        .expect("gzip");
    assert_eq!(unpacked, plain);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_are_not_compressed_if_short_or_not_accepted() {
    let running = running(Switch::On).await;
    let path = "/v1/openapi.json";
    for accepts in ["gzip;q=0", "identity", "br"] {
        let response = send(&running, Method::GET, path, Some(accepts)).await;
        assert_eq!(header(&response, "content-encoding"), None, "{accepts}");
        assert!(header(&response, "content-length").is_some());
    }
    let short = send(&running, Method::GET, "/v1/pets", Some("gzip")).await;
    assert_eq!(header(&short, "content-encoding"), None);
    assert_eq!(short.text().await.expect("a body"), "[]");
    let error = send(&running, Method::GET, "/v1/none", Some("gzip")).await;
    assert_eq!(error.status(), 404);
    assert_eq!(header(&error, "content-encoding"), None);
    let head = send(&running, Method::HEAD, path, Some("gzip")).await;
    assert_eq!(head.status(), 200);
    assert_eq!(header(&head, "content-encoding"), Some("gzip"));
    assert!(head.bytes().await.expect("none").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compression_can_be_switched_off() {
    let running = running(Switch::Off).await;
    let response = send(&running, Method::GET, "/v1/openapi.json", Some("gzip")).await;
    assert_eq!(response.status(), 200);
    assert_eq!(header(&response, "content-encoding"), None);
    assert_eq!(header(&response, "vary"), None);
}
