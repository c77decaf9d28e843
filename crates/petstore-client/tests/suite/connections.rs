//! Whose connections are used: those of a proxy, or of a client of HTTP that the
//! application made.

use crate::service::{KEY, Service, json};
use petstore_client::{
    Client,
    reqwest::{self, Proxy},
};

#[tokio::test]
async fn a_proxy_gets_the_requests() {
    let proxy = Service::answering([json("200 OK", &[], "[]")]).await;
    let client = Client::builder("http://pets.invalid/v1")
        .api_key(KEY)
        .proxy(Proxy::all(proxy.base_url()).expect("it is an address"))
        .build()
        .expect("it is valid");
    let answer = client.list_pets().send().await;
    assert!(answer.expect("the proxy answers").is_empty());
    let request = &proxy.requests()[0];
    assert!(
        request.starts_with("GET http://pets.invalid/v1/pets HTTP/1.1\r\n"),
        "{request}"
    );
}

#[tokio::test]
async fn without_proxies_the_service_itself_is_asked() {
    let service = Service::answering([json("200 OK", &[], "[]")]).await;
    let proxy = Service::answering([json("200 OK", &[], "[]")]).await;
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .proxy(Proxy::all(proxy.base_url()).expect("it is an address"))
        .no_proxy()
        .build()
        .expect("it is valid");
    client.list_pets().send().await.expect("answered");
    let asked = (service.requests().len(), proxy.requests().len());
    assert_eq!(asked, (1, 0));
}

#[tokio::test]
async fn a_client_of_http_of_ones_own_is_used_as_it_is() {
    let service = Service::answering([json("200 OK", &[], "[]")]).await;
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
    client.list_pets().send().await.expect("answered");
    let request = &service.requests()[0];
    assert!(
        request.contains("user-agent: the-application/2\r\n"),
        "{request}"
    );
    assert!(request.contains(&format!("authorization: Bearer {KEY}\r\n")));
}
