//! Tests which credentials a client sends if operations require different security schemes.

use crate::clock::Passing;
use crate::service::{Service, json, response};
use crate::vault::{
    ApiKey, BoxError, BuildError, CallOptions, Client, ClientBuilder, ErrorKind, TryRequest,
    schemes,
};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// Returns the path of each request below the base URL, and its headers with credentials, in the order in which they
/// were sent.
fn sent(service: &Service) -> Vec<String> {
    let names = ["authorization", "cookie", "x-key", "x-signature"];
    let requests = service.requests();
    let lines = requests.iter().map(|request| {
        let head = request.split_once("\r\n\r\n").map_or("", |(head, _)| head);
        let line = head.split(' ').nth(1).unwrap_or_default();
        let line = line.strip_prefix("/v1").unwrap_or(line);
        let mut parts = vec![line.to_owned()];
        for name in names {
            let prefix = format!("{name}: ");
            parts.extend(
                head.lines()
                    .filter(|line| line.starts_with(&prefix))
                    .map(str::to_owned),
            );
        }
        parts.join(" | ")
    });
    lines.collect()
}

fn done() -> String {
    response("204 No Content", &[], "")
}

fn unauthorized() -> String {
    json("401 Unauthorized", &[], r#"{"code":"unauthorized"}"#)
}

/// Starts a service that responds this many times, and a client of it.
async fn start(
    responses: usize,
    set: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> (Service, Client) {
    let service = Service::responding((0..responses).map(|_| done())).await;
    let builder = Client::builder(service.base_url()).clock(Passing::new());
    let client = set(builder).build().expect("the credentials are valid");
    (service, client)
}

#[tokio::test]
async fn each_scheme_has_its_place_in_the_request() {
    let (service, client) = start(2, |builder| {
        builder
            .credential(&schemes::PARTNER, ApiKey::user("änn", "a:b"))
            .credential(&schemes::SESSION, ApiKey::new("s-1"))
            .credential(&schemes::TOKEN, ApiKey::new("t-1"))
    })
    .await;
    client.list_boxes().send().await.expect("a success");
    let options = CallOptions::new().header("cookie", "colour=red");
    client
        .either()
        .size(3)
        .with(options)
        .send()
        .await
        .expect("a success");
    assert_eq!(
        sent(&service),
        [
            "/boxes | authorization: Basic w6RubjphOmI=",
            "/either?size=3 | authorization: Bearer t-1 | cookie: colour=red; session=s-1",
        ]
    );
    let (service, client) = start(2, |builder| {
        builder.credential(&schemes::APP_ID, ApiKey::new("a&b=c"))
    })
    .await;
    client.either().size(3).send().await.expect("a success");
    client.either().send().await.expect("a success");
    assert_eq!(
        sent(&service),
        [
            "/either?size=3&app-id=a%26b%3Dc",
            "/either?app-id=a%26b%3Dc"
        ]
    );
}

#[tokio::test]
async fn the_first_security_alternative_with_all_its_credentials_is_used() {
    let (service, client) = start(5, |builder| {
        builder
            .credential(&schemes::KEY, ApiKey::new("k-1"))
            .credential(&schemes::TOKEN, ApiKey::new("t-1"))
    })
    .await;
    client.either().send().await.expect("a success");
    // The token alone is not sufficient, and this operation does not require credentials.
    client.optional().send().await.expect("a success");
    client.public().send().await.expect("a success");
    client.create_box().send().await.expect("a success");
    client.list_boxes().send().await.expect("a success");
    assert_eq!(
        sent(&service),
        [
            "/either | x-key: k-1",
            "/optional",
            "/public",
            "/boxes | x-key: k-1",
            "/boxes",
        ]
    );
    let (service, client) = start(1, |builder| {
        builder
            .credential(&schemes::APP_ID, ApiKey::new("a-1"))
            .credential(&schemes::TOKEN, ApiKey::new("t-1"))
    })
    .await;
    client.optional().send().await.expect("a success");
    assert_eq!(
        sent(&service),
        ["/optional?app-id=a-1 | authorization: Bearer t-1"]
    );
}

#[tokio::test]
async fn an_interceptor_adds_the_signature_that_belongs_to_a_key() {
    let (service, client) = start(2, |builder| {
        builder
            .credential(&schemes::KEY, ApiKey::new("k-1"))
            .interceptor(|request: &mut TryRequest<'_>| {
                let key = request.headers().get("x-key");
                let signature = key.map(|key| format!("{}-signed", key.to_str().unwrap_or("")));
                if let Some(signature) = signature {
                    request
                        .headers_mut()
                        .insert("x-signature", signature.try_into()?);
                }
                Ok::<_, BoxError>(())
            })
    })
    .await;
    client.create_box().send().await.expect("a success");
    // A header of the call replaces the key.
    let options = CallOptions::new().header("x-key", "k-2");
    let call = client.create_box().with(options);
    call.send().await.expect("a success");
    assert_eq!(
        sent(&service),
        [
            "/boxes | x-key: k-1 | x-signature: k-1-signed",
            "/boxes | x-key: k-2 | x-signature: k-2-signed",
        ]
    );
}

#[tokio::test]
async fn the_rejected_credentials_of_all_schemes_are_loaded_again_once() {
    let responses = [unauthorized(), done(), done()];
    let service = Service::responding(responses).await;
    let loads = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&loads);
    let client = Client::builder(service.base_url())
        .clock(Passing::new())
        .credential(&schemes::SESSION, ApiKey::new("s-1"))
        .credential(&schemes::TOKEN, move || {
            let number = counted.fetch_add(1, Ordering::Relaxed) + 1;
            async move { Ok(ApiKey::new(format!("t-{number}"))) }
        })
        .build()
        .expect("the credentials are valid");
    let call = client.either().send().await;
    assert_eq!(call.expect("the second token is valid").retries(), 1);
    client.either().send().await.expect("it is kept");
    assert_eq!(
        sent(&service),
        [
            "/either | authorization: Bearer t-1 | cookie: session=s-1",
            "/either | authorization: Bearer t-2 | cookie: session=s-1",
            "/either | authorization: Bearer t-2 | cookie: session=s-1",
        ]
    );
    assert_eq!(loads.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn the_fingerprint_covers_each_credential_wherever_it_is_sent() {
    let fingerprint = async |session: &str, token: &str, app: Option<&str>| {
        let (_service, client) = start(1, |builder| match app {
            Some(app) => builder.credential(&schemes::APP_ID, ApiKey::new(app)),
            None => builder
                .credential(&schemes::SESSION, ApiKey::new(session))
                .credential(&schemes::TOKEN, ApiKey::new(token)),
        })
        .await;
        let response = client.either().send().await.expect("a success");
        response.credential_fingerprint().expect("it was sent")
    };
    let first = fingerprint("s-1", "t-1", None).await;
    assert_eq!(first, fingerprint("s-1", "t-1", None).await);
    let others = [
        fingerprint("s-2", "t-1", None).await,
        fingerprint("s-1", "t-2", None).await,
        fingerprint("", "", Some("a-1")).await,
        fingerprint("", "", Some("a-2")).await,
    ];
    let all = BTreeSet::from_iter(others.iter().chain([&first]));
    assert_eq!(all.len(), 5, "{others:?}");
    // A single credential in a header has the same fingerprint as in a client with only one key.
    let (_service, client) = start(2, |builder| {
        builder.credential(&schemes::TOKEN, ApiKey::new("key-1"))
    })
    .await;
    let response = client.either().send().await.expect("a success");
    assert_eq!(
        response.credential_fingerprint().as_deref(),
        Some("9d7ab93e-19aa-5724-812e-26d21dd5017e")
    );
    let open = client.public().send().await.expect("a success");
    assert_eq!(open.credential_fingerprint(), None);
}

#[tokio::test]
async fn a_cloned_client_keeps_the_credentials_of_its_schemes() {
    let (service, client) = start(1, |builder| {
        builder.credential(&schemes::KEY, ApiKey::new("k-1"))
    })
    .await;
    let copy = client.to_builder().build().expect("it is valid");
    copy.either().send().await.expect("a success");
    assert_eq!(sent(&service), ["/either | x-key: k-1"]);
}

#[tokio::test]
async fn only_the_calls_that_need_a_missing_credential_fail() {
    let (service, client) = start(1, |builder| {
        builder
            .credential(&schemes::PARTNER, || async {
                Err::<ApiKey, _>("the vault is closed".into())
            })
            .credential(&schemes::KEY, ApiKey::new("k-1"))
    })
    .await;
    let error = client.list_boxes().send().await;
    let error = error.expect_err("there is no credential");
    assert_eq!(error.kind(), ErrorKind::Credentials);
    client.either().send().await.expect("a success");
    assert_eq!(sent(&service), ["/either | x-key: k-1"]);
}

#[test]
fn a_credential_that_cannot_be_sent_is_rejected_when_the_client_is_built() {
    let build = |set: fn(ClientBuilder) -> ClientBuilder| {
        let error = set(Client::builder("http://localhost")).build();
        error.expect_err("the credential is not valid")
    };
    let user = |error| matches!(error, BuildError::InvalidUser);
    assert!(user(build(|builder| {
        builder.credential(&schemes::PARTNER, ApiKey::user("a:b", "c"))
    })));
    assert!(user(build(|builder| {
        builder.credential(&schemes::PARTNER, ApiKey::new("the-key"))
    })));
    let at = |error, expected| matches!(error, BuildError::InvalidApiKey { position } if position == expected);
    assert!(at(
        build(|builder| builder.credential(&schemes::PARTNER, ApiKey::user("a", "b\r"))),
        4
    ));
    assert!(at(
        build(|builder| builder.credential(&schemes::SESSION, ApiKey::new("a;b"))),
        2
    ));
    assert!(at(
        build(|builder| builder.credential(&schemes::KEY, ApiKey::new("a b"))),
        2
    ));
    // Only the last credential of a scheme is used.
    let client = Client::builder("http://localhost")
        .credential(&schemes::KEY, ApiKey::new("a b"))
        .credential(&schemes::KEY, ApiKey::new("k-1"));
    assert!(client.build().is_ok());
}
