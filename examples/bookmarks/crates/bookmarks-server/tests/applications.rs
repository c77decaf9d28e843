//! Tests the features of the client that applications use, without a running service: traces of blocking calls, cursors, keys that
//! cannot be loaded, recovery, rate limits, hooks, and requests that are built step by step.

use bookmarks_client::{
    ApiKeyFile, BoxError, CallOptions, Client, ClientBuilder, ErrorCode, FailedLoad, Interceptor,
    RetryPolicy, RetryStop, TryOutcome, TryRequest,
    mock::{MockResponse, MockTransport},
    recovery::SameCredential,
    reqwest::Method,
    types::{Bookmark, NewBookmark},
};
use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};
use tracing::Instrument as _;
use tracing_subscriber::{Registry, registry::LookupSpan as _};

fn builder(service: &MockTransport) -> ClientBuilder {
    let builder = Client::builder("http://bookmarks.example/api/v2").api_key("the-key");
    builder.transport(service.clone())
}

fn client(service: &MockTransport) -> Client {
    builder(service).build().expect("it is valid")
}

fn page() -> MockResponse {
    let bookmarks = serde_json::json!([{ "id": 1, "url": "https://example.org" }]);
    MockResponse::json(200, &bookmarks)
}

fn error(status: u16, code: &str) -> MockResponse {
    let body = serde_json::json!({ "error_code": code, "message": "later", "request_id": "r" });
    MockResponse::json(status, &body)
}

fn new() -> NewBookmark {
    let new = NewBookmark::builder()
        .url("https://example.org")
        .tags(vec![]);
    new.build().expect("it is valid")
}

fn overloaded() -> MockResponse {
    error(503, "busy")
}

/// The lines that the hooks of a test have recorded.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn add(&self, line: impl Into<String>) {
        let mut lines = self.0.lock().expect("no test panics with it");
        lines.push(line.into());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no test panics with it").clone()
    }
}

/// Counts the tries of each call, and records how each try and each call ended.
struct Hooks(Seen);

impl Interceptor for Hooks {
    fn before_try_async<'a>(
        &'a self,
        request: &'a mut TryRequest<'_>,
    ) -> Option<Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + 'a>>> {
        Some(Box::pin(async move {
            *request.context().get_or_insert_default::<u32>() += 1;
            Ok(())
        }))
    }

    fn after_try(&self, outcome: &TryOutcome<'_>) {
        let length = outcome.body().map_or(0, <[u8]>::len);
        let has_body = length > 0;
        self.0.add(format!("try {} {has_body}", outcome.number()));
    }

    fn after_call(&self, outcome: &TryOutcome<'_>) {
        let (count, name) = (outcome.context().get::<u32>(), outcome.operation());
        self.0
            .add(format!("{name} {count:?} {:?}", outcome.status_code()));
    }

    fn after_failed_load(&self, failure: &FailedLoad<'_>) {
        let goes_on = failure.has_earlier_key();
        self.0.add(format!("{goes_on} {}", failure.error()));
    }
}

#[tokio::test]
async fn a_blocking_call_runs_in_the_tracing_span_of_its_caller() {
    let service = MockTransport::new();
    service.respond_to(Method::GET, "/api/v2/bookmarks", page());
    let subscriber = tracing_subscriber::fmt()
        .with_writer(std::io::sink)
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let seen = Seen::default();
    let recorder = seen.clone();
    let client = builder(&service).interceptor(move |_: &mut TryRequest<'_>| {
        tracing::dispatcher::get_default(|dispatch| {
            let registry: &Registry = dispatch.downcast_ref().expect("it is the test's own");
            let current = dispatch.current_span();
            let span = current.id().and_then(|id| registry.span(id));
            let scope = span.expect("the call has a span").scope();
            let names: Vec<_> = scope.map(|span| span.name()).collect();
            recorder.add(names.join(" in "));
        });
        Ok(())
    });
    let client = client.build().expect("it is valid");
    // Another test that runs at the same time without a subscriber may be the first to use this span. Then `tracing` disables
    // the span until its cache is rebuilt.
    client.list_bookmarks().send().await.expect("a success");
    tracing::callsite::rebuild_interest_cache();
    seen.0.lock().expect("no test panics with it").clear();
    let caller = tracing::info_span!("shop");
    let listed = client.list_bookmarks().send().instrument(caller.clone());
    listed.await.expect("a success");
    let listed = caller.in_scope(|| client.list_bookmarks().send_blocking());
    listed.expect("a success");
    assert_eq!(seen.lines(), ["bookmarks_client in shop"; 2]);
}

#[tokio::test]
async fn a_list_whose_first_request_fails_keeps_its_cursor() {
    let mut bookmarks = client(&MockTransport::new())
        .list_bookmarks()
        .cursor("3")
        .stream();
    let first = bookmarks.next().await.expect("an error is an item");
    first.expect_err("the mock has no response");
    assert_eq!(bookmarks.cursor(), Some("3"));
}

#[test]
fn an_unknown_enum_value_is_preserved_when_it_is_parsed_from_text_or_from_json() {
    let parsed: ErrorCode = "asleep".parse().expect("the service decides");
    let read: ErrorCode = serde_json::from_str("\"asleep\"").expect("it is kept");
    assert_eq!((parsed.as_str(), &parsed), ("asleep", &read));
    assert_eq!(ErrorCode::try_from("asleep").ok(), Some(read));
}

#[tokio::test]
async fn if_the_key_file_disappears_calls_use_the_earlier_key_and_hooks_are_notified() {
    let path = std::env::temp_dir().join(format!("bookmarks-key-{}", std::process::id()));
    std::fs::write(&path, "key-1").expect("it can be written");
    let (service, seen) = (MockTransport::new(), Seen::default());
    service.respond_to(Method::GET, "/api/v2/bookmarks", page());
    let file = ApiKeyFile::new(&path).interval(Duration::ZERO);
    let client = builder(&service)
        .credentials(file)
        .interceptor(Hooks(seen.clone()));
    let client = client.build().expect("it is valid");
    client
        .list_bookmarks()
        .send()
        .await
        .expect("there is a key");
    std::fs::remove_file(&path).expect("it is there");
    client
        .list_bookmarks()
        .send()
        .await
        .expect("there is an earlier key");
    let failed = seen
        .lines()
        .into_iter()
        .find(|line| line.starts_with("true"));
    let failed = failed.expect("the hook was called");
    assert!(failed.contains(&*path.to_string_lossy()), "{failed}");
}

#[tokio::test]
async fn after_a_crash_a_creation_is_repeated_only_with_the_credential_of_the_first_try() {
    let (service, stored) = (MockTransport::new(), Seen::default());
    service.respond(MockResponse::broken());
    service.respond(page());
    let call = |key: &str| {
        let stored_before = stored.lines().pop();
        let storing = stored.clone();
        let same = SameCredential::new(stored_before, move |fingerprint| {
            storing.add(fingerprint);
            Ok(())
        });
        let client = builder(&service).api_key(key).build().expect("it is valid");
        let request = client.add_bookmark_with(new()).idempotency_key("k-1");
        request.with(
            CallOptions::new()
                .retry(RetryPolicy::never())
                .interceptor(same),
        )
    };
    let broken = call("key-1")
        .send()
        .await
        .expect_err("the connection broke");
    assert_eq!(stored.lines().pop(), broken.credential_fingerprint());
    let rejected = call("key-2")
        .send()
        .await
        .expect_err("the key was replaced");
    assert!(broken.was_sent() && !rejected.was_sent());
    let again = call("key-1")
        .send()
        .await
        .expect_err("a page is not a bookmark");
    assert_eq!((again.status(), service.requests().len()), (Some(200), 2));
    assert_eq!(again.idempotency_key(), Some("k-1"));
}

#[tokio::test]
async fn after_a_successful_response_the_client_no_longer_pauses_for_an_earlier_rate_limit() {
    let service = MockTransport::new();
    let limited = error(429, "too_many_requests");
    service.respond(limited.header("retry-after", "100"));
    service.respond_to(Method::GET, "/api/v2/bookmarks", page());
    let client = client(&service);
    let within = |seconds| {
        let list = client.list_bookmarks().retry(RetryPolicy::never());
        list.timeout(Duration::from_secs(seconds)).send()
    };
    within(10).await.expect_err("it is limited");
    within(10).await.expect("the service no longer limits it");
    // This call has enough time for the pause, but the pause is over.
    let third = tokio::time::timeout(Duration::from_secs(20), within(300)).await;
    third.expect("it does not wait").expect("a success");
}

#[tokio::test]
async fn requests_and_values_are_built_as_documented() {
    let service = MockTransport::new();
    service.respond_to(Method::GET, "/api/v2/bookmarks", page());
    service.respond_with(Method::POST, "/api/v2/bookmarks", |request| {
        let new: NewBookmark = serde_json::from_slice(&request.body).expect("it is a bookmark");
        let bookmark = Bookmark::builder().id(2).url(new.url).tags(new.tags);
        MockResponse::json(201, &bookmark.build().expect("it is valid"))
    });
    service.respond_to(Method::GET, "/api/v2/never", page());
    let client = client(&service);
    let created = client.add_bookmark_with(new()).send().await;
    assert_eq!(created.expect("a success").id, 2);
    let list = client.list_bookmarks().limit(1).header("x-job", "nightly");
    let list = list
        .timeout(Duration::from_secs(9))
        .retry(RetryPolicy::never());
    let bookmarks = tokio::spawn(list.send()).await.expect("it ends");
    let mut ids = Vec::new();
    for bookmark in bookmarks.expect("a success") {
        ids.push(bookmark.id);
    }
    assert_eq!(ids, [1]);
    let sent = service.requests().pop().expect("it was sent");
    assert_eq!(sent.headers["x-job"], "nightly");
    assert_eq!(service.unused(), ["GET /api/v2/never"]);
}

#[tokio::test]
async fn hooks_see_the_calls_of_cloned_clients_and_raw_requests() {
    let (service, seen) = (MockTransport::new(), Seen::default());
    for response in [overloaded(), page(), overloaded()] {
        service.respond(response.delay(Duration::from_millis(1)));
    }
    let inner = service.clone();
    let client = Client::builder("http://bookmarks.example/api/v2")
        .api_key("the-key")
        .wrap_transport(move |_| inner.clone())
        .build()
        .expect("it is valid");
    let copy = client.to_builder().interceptor(Hooks(seen.clone()));
    let copy = copy.api_key("another-key").build().expect("it is valid");
    copy.list_bookmarks().send().await.expect("the second try");
    let raw = copy.request(Method::GET, "/new/things?size=2");
    let raw = raw.with(CallOptions::new().retry(RetryPolicy::never()));
    let error = raw.send::<serde_json::Value>().await.expect_err("one try");
    assert_eq!(error.retry_stop(), Some(RetryStop::Tries));
    assert!(
        error.to_string().contains("allows no further try"),
        "{error}"
    );
    let expected = [
        "try 1 true",
        "try 2 true",
        "listBookmarks Some(2) Some(200)",
        "try 1 true",
        "request Some(1) Some(503)",
    ];
    assert_eq!(seen.lines(), expected);
    let sent = service.requests().pop().expect("it was sent");
    assert_eq!(sent.query.as_deref(), Some("size=2"));
    assert_eq!(sent.headers["authorization"], "Bearer another-key");
}

#[tokio::test]
async fn an_idempotency_key_that_is_not_valid_is_described() {
    let create = client(&MockTransport::new()).add_bookmark_with(new());
    let error = create
        .idempotency_key("")
        .send()
        .await
        .expect_err("it is empty");
    assert!(
        error
            .message()
            .starts_with("`Idempotency-Key` is not valid: "),
        "{error}"
    );
    assert!(!error.message().contains("pattern"), "{error}");
}
