//! Tests the behaviour that applications rely on, without a server: traces of blocking calls, cursors, keys that cannot be loaded,
//! recovery, rate limits, hooks, and requests that are built step by step. `examples/bookmarks` has the same tests for the other
//! client.

use futures::future::BoxFuture;
use petstore_client::{
    ApiKeyFile, BoxError, CallOptions, Client, ClientBuilder, ErrorCode, FailedLoad, Interceptor,
    NewPet, Pet, PetStatus, RetryPolicy, RetryStop, TryOutcome, TryRequest,
    mock::{MockResponse, MockTransport},
    recovery::{OtherCredential, SameCredential},
    reqwest::Method,
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;
#[cfg(feature = "blocking")]
use {
    tracing::Instrument as _,
    tracing_subscriber::{Registry, registry::LookupSpan as _},
};

fn builder(service: &MockTransport) -> ClientBuilder {
    let builder = Client::builder("http://petstore.example/v1").api_key("the-key");
    builder.transport(service.clone())
}

fn client(service: &MockTransport) -> Client {
    builder(service).build().expect("it is valid")
}

fn page() -> MockResponse {
    let pets = serde_json::json!([{ "id": 1, "name": "Rex", "categoryId": 7, "status": "sold" }]);
    MockResponse::json(200, &pets)
}

fn overloaded() -> MockResponse {
    MockResponse::error(503, "overloaded", "later")
}

/// The events that the hooks of a test have recorded.
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

/// Shares a counter between the tries of a call, and records how each try and each call ended.
struct Hooks(Seen);

impl Interceptor for Hooks {
    fn before_try_async<'a>(
        &'a self,
        request: &'a mut TryRequest<'_>,
    ) -> Option<BoxFuture<'a, Result<(), BoxError>>> {
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

#[cfg(feature = "blocking")]
#[tokio::test]
async fn a_blocking_call_runs_in_the_tracing_span_of_its_caller() {
    let service = MockTransport::new();
    service.respond_to(Method::GET, "/v1/pets", page());
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
            let scope = span.iter().flat_map(|span| span.scope());
            let names: Vec<_> = scope.map(|span| span.name()).collect();
            recorder.add(names.join(" in "));
        });
        Ok(())
    });
    let client = client.build().expect("it is valid");
    // Another test may create this span first, at the same time and without a subscriber. `tracing` would then skip the span until
    // its cache is rebuilt.
    client.list_pets().send().await.expect("a success");
    tracing::callsite::rebuild_interest_cache();
    seen.0.lock().expect("no test panics with it").clear();
    let caller = tracing::info_span!("shop");
    let listed = client.list_pets().send().instrument(caller.clone());
    listed.await.expect("a success");
    let listed = caller.in_scope(|| client.list_pets().send_blocking());
    listed.expect("a success");
    assert_eq!(seen.lines(), ["petstore_client in shop"; 2]);
}

#[tokio::test]
async fn a_list_whose_first_request_fails_keeps_its_cursor() {
    let mut pets = client(&MockTransport::new())
        .list_pets()
        .cursor("SAVED")
        .stream();
    let first = pets.next().await.expect("an error is an item");
    first.expect_err("the mock has no response");
    assert_eq!(pets.cursor(), Some("SAVED"));
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
    let path = std::env::temp_dir().join(format!("petstore-key-{}", std::process::id()));
    std::fs::write(&path, "key-1").expect("it can be written");
    let (service, seen) = (MockTransport::new(), Seen::default());
    service.respond_to(Method::GET, "/v1/pets", page());
    let file = ApiKeyFile::new(&path).interval(Duration::ZERO);
    let client = builder(&service)
        .credentials(file)
        .interceptor(Hooks(seen.clone()));
    let client = client.build().expect("it is valid");
    client.list_pets().send().await.expect("there is a key");
    std::fs::remove_file(&path).expect("it is there");
    client
        .list_pets()
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
        let request = client
            .create_pet_with(NewPet::new(7, "Rex"))
            .idempotency_key("k-1");
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
    let cause = rejected.cause().expect("the reason");
    assert!(cause.is::<OtherCredential>(), "{cause}");
    let again = call("key-1").send().await.expect_err("a page is not a pet");
    assert_eq!((again.status(), service.requests().len()), (Some(200), 2));
    assert_eq!(again.idempotency_key(), Some("k-1"));
}

#[tokio::test]
async fn after_a_successful_response_the_client_no_longer_pauses_for_an_earlier_rate_limit() {
    let service = MockTransport::new();
    let limited = MockResponse::error(429, "rate_limited", "later");
    service.respond(limited.header("retry-after", "100"));
    service.respond_to(Method::GET, "/v1/pets", page());
    let client = client(&service);
    let within = |seconds| {
        let list = client.list_pets().retry(RetryPolicy::never());
        list.timeout(Duration::from_secs(seconds)).send()
    };
    within(10).await.expect_err("it is limited");
    within(10).await.expect("the service no longer limits it");
    // This call has enough time for the pause, but the pause is already over.
    let third = tokio::time::timeout(Duration::from_secs(20), within(300)).await;
    third.expect("it does not wait").expect("a success");
}

#[tokio::test(start_paused = true)]
async fn a_changed_copy_of_a_client_pauses_with_it_unless_its_key_differs() {
    let service = MockTransport::new();
    let limited = MockResponse::error(429, "rate_limited", "later");
    service.respond(limited.header("retry-after", "100"));
    service.respond_to(Method::GET, "/v1/pets", page());
    let client = client(&service);
    let limit = client.list_pets().retry(RetryPolicy::never());
    limit.send().await.expect_err("it is limited");
    let paused = async |copy: ClientBuilder| {
        let (copy, begun) = (copy.build().expect("it is valid"), Instant::now());
        let list = copy.list_pets().timeout(Duration::from_secs(300));
        list.send().await.expect("a success");
        begun.elapsed().as_secs()
    };
    assert_eq!(paused(client.to_builder().api_key("other-key")).await, 0);
    assert_eq!(paused(client.to_builder().app_name("shop/1")).await, 100);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_lets_the_service_wait_has_that_much_more_time() {
    let service = MockTransport::new();
    let next = r#"</v1/events?cursor=c1&wait=30>; rel="next""#;
    let events = MockResponse::json(200, &serde_json::json!([])).header("link", next);
    service.respond(events.delay(Duration::from_secs(25)));
    let page = client(&service).list_events().cursor("now").wait(30);
    let page = page.retry(RetryPolicy::never()).send().await;
    let page = page.expect("it has 10 seconds more than the service waits");
    assert_eq!(page.next_cursor().expect("a link").as_deref(), Some("c1"));
}

#[tokio::test(start_paused = true)]
async fn a_feed_does_not_flood_a_service_that_does_not_wait() {
    let service = MockTransport::new();
    let next = r#"</v1/events?cursor=c1&wait=30>; rel="next""#;
    let events = MockResponse::json(200, &serde_json::json!([])).header("link", next);
    service.respond_to(Method::GET, "/v1/events", events);
    let mut feed = client(&service).events(Some("now"));
    let next = tokio::time::timeout(Duration::from_millis(10_500), feed.next()).await;
    next.expect_err("there are no events");
    assert_eq!(feed.cursor(), Some("c1"));
    // The first request reaches the end; then there is one a second.
    assert_eq!(service.requests().len(), 12);
}

#[tokio::test]
async fn requests_and_values_are_built_as_documented() {
    let service = MockTransport::new();
    service.respond_to(Method::GET, "/v1/pets", page());
    service.respond_with(Method::POST, "/v1/pets", |request| {
        let new: NewPet = serde_json::from_slice(&request.body).expect("it is a pet");
        let pet = Pet::builder()
            .id(2)
            .name(new.name)
            .category_id(7)
            .status("sold");
        MockResponse::json(201, &pet.build().expect("it is valid"))
    });
    service.respond_to(Method::GET, "/v1/never", page());
    let client = client(&service);
    let created = client.create_pet_with(NewPet::new(7, "Rex")).send().await;
    assert_eq!(created.expect("a success").status, Some(PetStatus::Sold));
    let list = client.list_pets().limit(1).header("x-job", "nightly");
    let list = list
        .timeout(Duration::from_secs(9))
        .retry(RetryPolicy::never());
    let pets = tokio::spawn(list.send()).await.expect("it ends");
    let mut names = Vec::new();
    for pet in pets.expect("a success") {
        names.push(pet.name);
    }
    assert_eq!(names, ["Rex"]);
    let sent = service.requests().pop().expect("it was sent");
    assert_eq!(sent.headers["x-job"], "nightly");
    assert_eq!(service.unused(), ["GET /v1/never"]);
}

#[tokio::test]
async fn hooks_see_the_calls_of_cloned_clients_and_raw_requests() {
    let (service, seen) = (MockTransport::new(), Seen::default());
    for response in [overloaded(), page(), overloaded()] {
        service.respond(response.delay(Duration::from_millis(1)));
    }
    let inner = service.clone();
    let client = Client::builder("http://petstore.example/v1")
        .api_key("the-key")
        .wrap_transport(move |_| inner.clone())
        .build()
        .expect("it is valid");
    let copy = client.to_builder().interceptor(Hooks(seen.clone()));
    let copy = copy.api_key("another-key").build().expect("it is valid");
    copy.list_pets().send().await.expect("the second try");
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
        "listPets Some(2) Some(200)",
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
    let create = client(&MockTransport::new()).create_pet_with(NewPet::new(7, "Rex"));
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
