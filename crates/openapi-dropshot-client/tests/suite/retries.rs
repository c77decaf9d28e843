//! Tests which requests are sent again, how often, and after which pause.

use crate::generated::{
    CallOptions, Client, ClientBuilder, ErrorKind, RetryBudget, RetryPolicy, RetryStop,
    types::NewBook,
};
use crate::{
    clock::Passing,
    service::{KEY, REX, Service, json, response},
};
use std::time::Duration;

const OVERLOADED: &str = r#"{"code":"overloaded","message":"later","status":503}"#;
const UNAVAILABLE: &str = r#"{"code":"unavailable","message":"who knows","status":503}"#;
const CONFLICT: &str = r#"{"code":"conflict","message":"in flight","status":409}"#;
const REUSED: &str = r#"{"code":"idempotency_key_reused","message":"another body","status":422}"#;

fn builder(service: &Service, clock: &Passing) -> ClientBuilder {
    Client::builder(service.base_url())
        .api_key(KEY)
        .clock(clock.clone())
}

fn rex() -> crate::generated::types::builder::NewBook {
    NewBook::builder().name("Rex").category_id(7)
}

fn books() -> String {
    json("200 OK", &[], &format!("[{REX}]"))
}

fn added() -> String {
    json("201 Created", &[], REX)
}

fn bad_gateway() -> String {
    response("502 Bad Gateway", &["content-type: text/html"], "<html>")
}

/// A successful response that is interrupted in the middle of its body.
fn cut() -> String {
    "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"
        .to_owned()
}

fn header<'r>(request: &'r str, name: &str) -> Option<&'r str> {
    let found = request.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    });
    found.filter(|value| !value.is_empty())
}

#[tokio::test]
async fn a_safe_request_is_sent_again_until_it_succeeds() {
    let service = Service::responding([
        String::new(),
        bad_gateway(),
        json("503 Service Unavailable", &[], UNAVAILABLE),
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n["
            .to_owned(),
        books(),
    ])
    .await;
    let clock = Passing::new();
    let client = builder(&service, &clock).build().expect("it is valid");
    let response = client.list_books().send().await.expect("at last");
    assert_eq!((response.len(), response.retries()), (1, 4));
    // The maximum of each pause is twice the previous maximum.
    assert_eq!(clock.pauses(), [200, 400, 800, 1_600]);
}

#[tokio::test]
async fn the_number_of_tries_is_limited_and_the_error_contains_this_number() {
    let service = Service::responding((0..9).map(|_| bad_gateway())).await;
    let clock = Passing::new();
    let client = builder(&service, &clock)
        .retry(RetryPolicy::new().max_tries(3))
        .build()
        .expect("it is valid");
    let error = client.list_books().send().await.expect_err("all fail");
    assert_eq!((error.status(), error.retries()), (Some(502), 2));
    assert!(error.is_retryable() && error.was_sent());
    assert!(error.to_string().contains(", tried 3 times,"), "{error}");
    assert_eq!(service.requests().len(), 3);

    let once = CallOptions::new().retry(RetryPolicy::never());
    let error = client.list_books().with(once).send().await;
    assert_eq!(error.expect_err("all fail").retries(), 0);
    assert_eq!(service.requests().len(), 4);
}

#[tokio::test]
async fn a_permanent_error_is_not_retried() {
    for (status, body) in [
        (
            "400 Bad Request",
            r#"{"code":"invalid_request","message":"no","status":400}"#,
        ),
        (
            "401 Unauthorized",
            r#"{"code":"unauthorized","message":"no","status":401}"#,
        ),
        (
            "500 Internal Server Error",
            r#"{"code":"internal_error","message":"no","status":500}"#,
        ),
        ("404 Not Found", "<html>"),
        ("422 Unprocessable Content", REUSED),
    ] {
        let service = Service::responding([json(status, &[], body), books()]).await;
        let client = builder(&service, &Passing::new())
            .build()
            .expect("it is valid");
        let error = client.list_books().send().await.expect_err("an error");
        assert!(!error.is_retryable(), "{error}");
        assert_eq!(
            (error.retries(), service.requests().len()),
            (0, 1),
            "{error}"
        );
    }
}

#[tokio::test]
async fn all_tries_of_a_creation_have_the_same_idempotency_key() {
    let service = Service::responding([
        String::new(),
        cut(),
        bad_gateway(),
        json("409 Conflict", &[], CONFLICT),
        added(),
        added(),
    ])
    .await;
    let client = builder(&service, &Passing::new())
        .build()
        .expect("it is valid");
    let book = client
        .create_book()
        .body(rex())
        .send()
        .await
        .expect("at last");
    assert_eq!(book.retries(), 4);
    let requests = service.requests();
    let keys: Vec<_> = requests
        .iter()
        .map(|request| header(request, "idempotency-key"))
        .collect();
    let first = keys[0].expect("the client makes a key");
    assert_eq!(first.len(), "00000000-0000-4000-8000-000000000000".len());
    assert!(keys.iter().all(|key| *key == Some(first)), "{keys:?}");

    client
        .create_book()
        .body(rex())
        .send()
        .await
        .expect("added");
    let requests = service.requests();
    assert_ne!(header(&requests[5], "idempotency-key"), Some(first));
}

#[tokio::test]
async fn an_idempotency_key_of_the_caller_is_sent_and_returned_in_the_error() {
    let service = Service::responding([json("422 Unprocessable Content", &[], REUSED)]).await;
    let client = builder(&service, &Passing::new())
        .build()
        .expect("it is valid");
    let call = client.create_book().idempotency_key("mine-1").body(rex());
    let error = call.send().await.expect_err("used before");
    assert_eq!(error.code(), Some(&"idempotency_key_reused".to_owned()));
    assert_eq!(
        (error.retries(), error.idempotency_key()),
        (0, Some("mine-1"))
    );
    assert_eq!(
        header(&service.requests()[0], "idempotency-key"),
        Some("mine-1")
    );
}

#[tokio::test]
async fn the_pause_before_a_retry_is_the_time_in_retry_after_plus_jitter() {
    let service = Service::responding([
        json("429 Too Many Requests", &["retry-after: 3"], "{}"),
        json(
            "503 Service Unavailable",
            &[
                "date: Sat, 21 Nov 2026 10:00:00 GMT",
                "retry-after: Sat, 21 Nov 2026 10:00:05 GMT",
            ],
            OVERLOADED,
        ),
        books(),
    ])
    .await;
    let clock = Passing::new();
    let client = builder(&service, &clock).build().expect("it is valid");
    client.list_books().send().await.expect("at last");
    assert_eq!(clock.pauses(), [3_200, 5_400]);
}

#[tokio::test]
async fn a_pause_beyond_the_deadline_ends_the_call() {
    let service = Service::responding([
        json("429 Too Many Requests", &["retry-after: 60"], "{}"),
        books(),
    ])
    .await;
    let clock = Passing::new();
    let client = builder(&service, &clock).build().expect("it is valid");
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("a minute is more than 30 seconds");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(60)));
    assert_eq!((error.status(), error.retries()), (Some(429), 0));
    assert!(clock.pauses().is_empty());

    let patient = CallOptions::new().timeout(Duration::from_secs(90));
    client
        .list_books()
        .with(patient)
        .send()
        .await
        .expect("now it has");
    assert_eq!(
        clock.pauses(),
        [60_200],
        "the whole client waits for its key, and for the greatest random time"
    );
}

#[tokio::test]
async fn a_pause_of_any_length_ends_the_call_without_a_panic() {
    let forever = RetryPolicy::new()
        .first_pause(Duration::MAX)
        .longest_pause(Duration::MAX);
    for (status, seconds, policy) in [
        ("503 Service Unavailable", u64::MAX, RetryPolicy::new()),
        ("429 Too Many Requests", u64::MAX, RetryPolicy::new()),
        ("429 Too Many Requests", u64::MAX / 4, RetryPolicy::new()),
        ("503 Service Unavailable", 1, forever),
    ] {
        let header = format!("retry-after: {seconds}");
        let service = Service::responding([json(status, &[&header], "{}"), books()]).await;
        let clock = Passing::new();
        let client = builder(&service, &clock)
            .retry(policy)
            .build()
            .expect("it is valid");
        let error = client.list_books().send().await;
        let error = error.map(drop).expect_err("it is too long");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(seconds)));
        assert_eq!(
            (error.retries(), error.retry_stop()),
            (0, Some(RetryStop::Timeout))
        );
        // The rate limit of the client must not make the next call wait for longer than its time
        // limit.
        let next = client.list_books().send().await;
        next.expect("it is sent at once");
        assert!(clock.pauses().is_empty());
    }
}

#[tokio::test]
async fn after_the_last_request_that_a_rate_limit_allows_the_client_waits_before_the_next_request()
{
    let spent = [
        "ratelimit: \"default\";r=0;t=8",
        "ratelimit-policy: \"default\";q=4;w=8",
    ];
    let service = Service::responding([json("200 OK", &spent, "[]"), books()]).await;
    let clock = Passing::new();
    let client = builder(&service, &clock).build().expect("it is valid");
    client.list_books().send().await.expect("allowed");
    assert!(clock.pauses().is_empty());
    client.list_books().send().await.expect("allowed");
    // Two seconds and the greatest random time.
    assert_eq!(clock.pauses(), [2_200]);
}

#[tokio::test]
async fn a_success_ends_the_pause_that_a_rejection_requested() {
    let rejection = json("429 Too Many Requests", &["retry-after: 100"], "{}");
    let spent = [
        "ratelimit: \"default\";r=0;t=8",
        "ratelimit-policy: \"default\";q=4;w=8",
    ];
    let next_may_wait = json("200 OK", &spent, "[]");
    for (success, pauses) in [(books(), &[][..]), (next_may_wait, &[2_200])] {
        let service = Service::responding([rejection.clone(), success, books()]).await;
        let clock = Passing::new();
        let client = builder(&service, &clock).build().expect("it is valid");
        let rejected = client.list_books().send().await;
        rejected.expect_err("100 seconds are more than the call has");
        let next = client.list_books().send().await;
        next.expect("it is sent at once, and the service allows it");
        let patient = CallOptions::new().timeout(Duration::from_secs(200));
        let last = client.list_books().with(patient).send().await;
        last.expect("it is allowed, too");
        assert_eq!(clock.pauses(), pauses);
    }
}

#[tokio::test]
async fn calls_share_the_retry_budget() {
    let service = Service::responding((0..20).map(|_| bad_gateway())).await;
    let budget = RetryBudget::new(3, 5);
    let client = builder(&service, &Passing::new())
        .retry_budget(budget.clone())
        .build()
        .expect("it is valid");
    let mut retries = Vec::new();
    for _ in 0..4 {
        let error = client
            .clone()
            .list_books()
            .send()
            .await
            .expect_err("all fail");
        retries.push(error.retries());
    }
    assert_eq!(
        retries,
        [3, 0, 0, 0],
        "the budget is less than one call may use"
    );
    assert_eq!((service.requests().len(), budget.left()), (7, 0));
}

#[tokio::test]
async fn a_call_at_its_time_limit_is_not_retried() {
    let service = Service::responding((0..9).map(|_| bad_gateway())).await;
    let clock = Passing::new();
    let client = builder(&service, &clock)
        .timeout(Duration::from_secs(1))
        .build()
        .expect("it is valid");
    let error = client.list_books().send().await.expect_err("all fail");
    // The pauses are 200 and 400 milliseconds; a third one of 800 milliseconds would exceed the time
    // limit.
    assert_eq!((error.retries(), error.status()), (2, Some(502)));
    assert_eq!(clock.pauses(), [200, 400]);
}

#[tokio::test]
async fn a_try_that_takes_too_long_is_dropped_and_the_call_continues() {
    let service = Service::holding_the_first(books()).await;
    let client = builder(&service, &Passing::new())
        .try_timeout(Duration::from_millis(50))
        // However slow this machine is, one of these tries is fast enough.
        .retry(
            RetryPolicy::new()
                .max_tries(1_000)
                .longest_pause(Duration::ZERO),
        )
        .retry_budget(RetryBudget::new(1_000, 1))
        .build()
        .expect("it is valid");
    let response = client.list_books().send().await.expect("at last");
    assert!(response.retries() >= 1, "the first try gets no response");
}

#[tokio::test]
async fn an_error_reports_that_no_try_was_sent() {
    let service = Service::responding([]).await;
    let client = builder(&service, &Passing::new())
        .build()
        .expect("it is valid");
    service.is_gone().await;
    let error = client.create_book().body(rex()).send().await;
    let error = error.expect_err("nobody listens");
    assert_eq!(
        (error.kind(), error.was_sent()),
        (ErrorKind::Connect, false)
    );
    assert_eq!(error.retries(), 5);
    let error = client.list_books().limit(0).send().await;
    let error = error.expect_err("out of bounds");
    assert!(!error.was_sent() && !error.is_retryable());
}

#[tokio::test]
async fn an_error_reports_that_an_earlier_try_was_sent() {
    let service = Service::responding([String::new()]).await;
    let client = builder(&service, &Passing::new())
        .build()
        .expect("it is valid");
    let error = client.create_book().body(rex()).send().await;
    let error = error.expect_err("cut, then nobody listens");
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(error.was_sent(), "the first try was");
}
