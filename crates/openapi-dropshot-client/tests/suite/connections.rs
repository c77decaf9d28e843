//! Tests proxies, and HTTP clients that the application provides.

use crate::generated::{
    Client,
    reqwest::{self, Proxy},
};
use crate::service::{KEY, Service, json};

#[tokio::test]
async fn a_proxy_gets_the_requests() {
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
async fn no_proxy_switches_proxies_off() {
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
