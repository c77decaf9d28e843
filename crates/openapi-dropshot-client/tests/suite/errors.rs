//! Tests the messages of errors: of proxies, of TLS, and of requests that were not sent again.

use crate::clock::Passing;
use crate::generated::{
    CallOptions, Client, ErrorKind, RetryBudget, RetryDecision, RetryPolicy, RetryStop,
    types::Search,
};
use crate::service::{KEY, Service, client, json, response};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

/// The body of a request that is not safe to repeat.
fn emma() -> crate::generated::types::builder::Search {
    Search::builder().author("Jane Austen")
}

fn bad_gateway() -> String {
    let page =
        "<html>\r\n<head><title>502</title></head>\n<body\nclass=x>\u{7}no  upstream</body></html>";
    response(
        "502 Bad Gateway",
        &["content-type: text/html; charset=utf-8"],
        page,
    )
}

#[tokio::test]
async fn the_error_of_a_proxy_names_its_media_type_and_has_a_clean_excerpt() {
    let long = format!("<p>{}</p>", "x".repeat(1_000));
    let service = Service::responding([
        bad_gateway(),
        response("404 Not Found", &["content-type: te\u{e9}xt"], &long),
        json("400 Bad Request", &[], r#"{"code":"no","message":"no"}"#),
    ])
    .await;
    let client = client(&service);
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("a proxy responds");
    assert_eq!(
        error.message(),
        "the response is 502 Bad Gateway with a body of the type text/html: a proxy seems to have responded instead of the \
         service; try again later"
    );
    assert_eq!(error.excerpt(), Some("502 no upstream"));
    assert!(!format!("{error} {error:?}").contains("upstream"));
    assert_eq!(error.status_code().map(|status| status.as_u16()), Some(502));
    let headers = error.headers().expect("there was a response");
    assert_eq!(headers["content-type"], "text/html; charset=utf-8");
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("it is not there");
    assert!(!error.message().contains("with a body"), "{error}");
    assert_eq!(error.excerpt().map(str::len), Some(200));
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("it is rejected");
    assert_eq!((error.message(), error.excerpt()), ("no", None));
}

#[tokio::test]
async fn an_error_says_why_the_request_was_not_sent_again() {
    let service = Service::responding((0..9).map(|_| bad_gateway())).await;
    let clock = Passing::new();
    let builder = Client::builder(service.base_url()).clock(clock);
    let client = builder.clone().build().expect("it is valid");
    let stop = async |client: &Client, options: CallOptions| {
        let error = client.list_books().with(options).send().await;
        let error = error.expect_err("it fails");
        (error.retry_stop(), error.to_string())
    };
    let tries = |tries| CallOptions::new().retry(RetryPolicy::new().max_tries(tries));
    let ends_with = |text: &str, end: &str| assert!(text.ends_with(end), "{text}");
    let (reason, text) = stop(&client, tries(2)).await;
    assert_eq!(reason, Some(RetryStop::Tries));
    ends_with(
        &text,
        ", tried twice, not sent again because the retry policy allows no further try",
    );
    let short = CallOptions::new().timeout(Duration::from_millis(150));
    let (reason, text) = stop(&client, short).await;
    assert_eq!(reason, Some(RetryStop::Timeout));
    ends_with(
        &text,
        ", not sent again because the time limit of the call leaves no time for it",
    );
    let policy = RetryPolicy::new().classify(|_| RetryDecision::Stop);
    let (reason, text) = stop(&client, CallOptions::new().retry(policy)).await;
    assert_eq!(reason, Some(RetryStop::Classifier));
    ends_with(
        &text,
        ", not sent again because the classifier of the retry policy forbids it",
    );
    let poor = builder
        .retry_budget(RetryBudget::new(1, 1))
        .build()
        .expect("it is valid");
    let (reason, text) = stop(&poor, tries(9)).await;
    assert_eq!(reason, Some(RetryStop::Budget));
    ends_with(
        &text,
        ", tried twice, not sent again because the retry budget of the client is used up",
    );
    let error = client.remove_shelf().shelf("a").with(tries(1)).send().await;
    assert_eq!(
        error.expect_err("it fails").retry_stop(),
        Some(RetryStop::Tries)
    );
    let error = client.search().body(emma()).send().await;
    let error = error.expect_err("it fails");
    assert_eq!(
        (error.retries(), error.retry_stop()),
        (0, Some(RetryStop::NotRepeatable))
    );
    ends_with(
        &error.to_string(),
        ", not sent again because it is not safe to repeat",
    );
}

#[tokio::test]
async fn a_body_that_is_a_stream_is_sent_once() {
    let overloaded = r#"{"code":"overloaded","message":"later"}"#;
    let overloaded = json("503 Service Unavailable", &["retry-after: 0"], overloaded);
    let service = Service::responding([overloaded.clone(), overloaded]).await;
    let client = Client::builder(service.base_url()).api_key(KEY).build();
    let client = client.expect("it is valid");
    let parts = futures::stream::iter([Ok::<_, std::io::Error>(vec![1_u8]), Ok(vec![2])]);
    let body = reqwest::Body::wrap_stream(parts);
    let error = client.upload_cover().body(body).send().await;
    let error = error.expect_err("it is rejected");
    assert_eq!(
        (error.retries(), error.retry_stop()),
        (0, Some(RetryStop::NotRepeatable))
    );
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn a_classifier_decides_which_errors_are_retried() {
    let broken = || {
        json(
            "500 Internal Server Error",
            &[],
            r#"{"code":"internal_error"}"#,
        )
    };
    let service =
        Service::responding([broken(), json("200 OK", &[], "[]"), bad_gateway(), broken()]).await;
    let policy = RetryPolicy::new().classify(|outcome| {
        let code = outcome.error().and_then(|error| error.code());
        match outcome.status_code().map(|status| status.as_u16()) {
            Some(502) => RetryDecision::Stop,
            Some(500) if outcome.is_repeatable() && code.is_some() => RetryDecision::Retry,
            _ => RetryDecision::Default,
        }
    });
    assert_eq!(policy, policy.clone());
    assert_ne!(policy, RetryPolicy::new());
    let client = Client::builder(service.base_url())
        .clock(Passing::new())
        .retry(policy)
        .build()
        .expect("it is valid");
    let books = client
        .list_books()
        .send()
        .await
        .expect("the second succeeds");
    assert_eq!(books.retries(), 1);
    assert_eq!(books.status_code(), books.status());
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("it is not sent again");
    assert_eq!(
        (error.retries(), error.retry_stop()),
        (0, Some(RetryStop::Classifier))
    );
    let error = client.search().body(emma()).send().await;
    assert_eq!(error.expect_err("it is not repeatable").retries(), 0);
}

#[tokio::test]
async fn an_https_request_to_a_server_without_tls_is_not_retried() {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port is free");
    let address = listener.local_addr().expect("a bound listener has one");
    let connections = tokio::spawn(async move {
        let mut connections = 0;
        while let Ok((mut connection, _)) = listener.accept().await {
            connections += 1;
            let bad = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n";
            let _ = connection.write_all(bad).await;
            let _ = connection.read(&mut [0; 4096]).await;
            if connections == 2 {
                break;
            }
        }
        connections
    });
    let url = format!("https://{address}/v1");
    let Ok(client) = Client::builder(url).clock(Passing::new()).build() else {
        return; // This test was built without TLS.
    };
    let error = client.list_books().send().await.expect_err("it is not TLS");
    assert_eq!(
        (error.kind(), error.retries()),
        (ErrorKind::Tls, 0),
        "{error:?}"
    );
    assert!(!error.is_retryable() && !error.was_sent());
    assert!(
        error
            .message()
            .contains("no secure connection to https://127.0.0.1:"),
        "{error}"
    );
    assert!(!connections.is_finished(), "there is one connection");
    connections.abort();
}
