//! Tests proxies, and HTTP clients that the application provides.

use crate::generated::{
    Client, RetryPolicy,
    reqwest::{self, Proxy},
    types::NewBook,
};
use crate::service::{KEY, REX, Service, json, response};

#[tokio::test]
async fn requests_are_sent_to_the_configured_proxy() {
    let proxy = Service::responding([json("200 OK", &[], "[]")]).await;
    let client = Client::builder("http://books.invalid/v1")
        .api_key(KEY)
        .proxy(Proxy::all(proxy.base_url()).expect("it is an address"))
        .build()
        .expect("it is valid");
    let response = client.list_books().send().await;
    assert!(response.expect("the proxy responds").is_empty());
    let request = &proxy.requests()[0];
    assert!(
        request.starts_with("GET http://books.invalid/v1/books HTTP/1.1\r\n"),
        "{request}"
    );
}

#[tokio::test]
async fn the_builder_method_no_proxy_disables_a_configured_proxy() {
    let service = Service::responding([json("200 OK", &[], "[]")]).await;
    let proxy = Service::responding([json("200 OK", &[], "[]")]).await;
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .proxy(Proxy::all(proxy.base_url()).expect("it is an address"))
        .no_proxy()
        .build()
        .expect("it is valid");
    client.list_books().send().await.expect("it succeeds");
    let asked = (service.requests().len(), proxy.requests().len());
    assert_eq!(asked, (1, 0));
}

#[tokio::test]
async fn an_http_client_of_the_application_is_used_unchanged() {
    let service = Service::responding([json("200 OK", &[], "[]")]).await;
    let http = reqwest::Client::builder()
        .user_agent("the-application/2")
        .no_proxy()
        .build()
        .expect("it is valid");
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .http_client(http)
        .build()
        .expect("it is valid");
    client.list_books().send().await.expect("it succeeds");
    let request = &service.requests()[0];
    assert!(
        request.contains("user-agent: the-application/2\r\n"),
        "{request}"
    );
    assert!(request.contains(&format!("authorization: Bearer {KEY}\r\n")));
}

/// Sends a request to a service that redirects it, and returns the first line of each request that the
/// service received.
async fn redirected(status: &str, location: &str, is_write: bool) -> (bool, Vec<String>) {
    let moved = response(status, &[&format!("location: {location}")], "");
    let last = match is_write {
        true => json("201 Created", &[], REX),
        false => json("200 OK", &[], "[]"),
    };
    let service = Service::responding([moved, last]).await;
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .retry(RetryPolicy::never())
        .follow_same_origin_redirects()
        .build()
        .expect("it is valid");
    let succeeds = match is_write {
        true => {
            let book = NewBook::builder().name("Rex").category_id(7);
            client.create_book().body(book).send().await.is_ok()
        }
        false => client.list_books().send().await.is_ok(),
    };
    let requests = service.requests();
    let with_key = requests.iter().all(|request| request.contains(KEY));
    assert!(with_key, "{requests:?}");
    let lines = requests.iter().filter_map(|request| request.lines().next());
    (succeeds, lines.map(str::to_owned).collect())
}

#[tokio::test]
async fn redirects_to_the_same_origin_are_followed_if_the_application_enables_it() {
    for status in ["301 Moved", "302 Found", "307 Moved", "308 Moved"] {
        let (succeeds, lines) = redirected(status, "/v2/books", false).await;
        assert!(succeeds, "{status}");
        assert_eq!(lines[1], "GET /v2/books HTTP/1.1", "{status}");
    }
    let (succeeds, lines) = redirected("308 Moved", "/v2/books", true).await;
    assert!(succeeds, "the body is sent again");
    assert_eq!(lines[1], "POST /v2/books HTTP/1.1");
    // A creation must not become a `GET` request.
    for status in ["301 Moved", "302 Found", "303 See Other"] {
        let (succeeds, lines) = redirected(status, "/v2/books", true).await;
        assert!(!succeeds && lines.len() == 1, "{status}: {lines:?}");
    }
    let (succeeds, lines) = redirected("308 Moved", "http://127.0.0.1:9/v1/books", false).await;
    assert!(!succeeds && lines.len() == 1, "another origin: {lines:?}");
}
