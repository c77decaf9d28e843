//! Tests streams of server-sent events: how they reconnect, after which event they continue, and when
//! they end.

use crate::clock::Passing;
use crate::generated::{
    ApiKey, BoxError, CallOptions, Clock, Credentials, Interceptor, RetryBudget, RetryPolicy,
    RetryStop, TryOutcome,
    mock::{MockResponse, MockTransport},
};
use crate::service::{Service, response};
use openapi_dropshot_client::{
    Client, ClientBuilder, Error, Response,
    generated::{Call, Method, Operation, Parameter, Place, json_data, text_data},
    stream::EventStream,
};
use std::{
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

const PARAMETERS: &[Parameter] = &[Parameter::new(
    Place::Header,
    "Last-Event-ID",
    "last_event_id",
    false,
)];

static WATCH: Operation = Operation {
    id: "watchLoans",
    method: Method::GET,
    path: "/loans/events",
    parameters: PARAMETERS,
    success: &[200],
};

static ASK: Operation = Operation {
    id: "askLibrarian",
    method: Method::POST,
    path: "/questions",
    parameters: PARAMETERS,
    success: &[200],
};

type Sent = Result<Response<EventStream<i64>>, Error>;

struct Watch<'a> {
    operation: &'static Operation,
    client: ClientBuilder,
    options: CallOptions,
    last_event_id: Option<&'a str>,
}

fn mocked(service: &MockTransport, clock: &Passing) -> ClientBuilder {
    Client::builder("http://books.example/v1")
        .transport(service.clone())
        .clock(clock.clone())
}

fn watch<'a>(client: ClientBuilder) -> Watch<'a> {
    Watch {
        operation: &WATCH,
        client,
        options: CallOptions::new(),
        last_event_id: None,
    }
}

impl Watch<'_> {
    async fn send(self) -> Sent {
        let client: Client = self.client.build().expect("it is valid");
        let mut call = Call::new(&client, self.operation);
        call.set_options(self.options);
        if let Some(id) = self.last_event_id {
            call.set_text("Last-Event-ID", Ok(id));
        }
        call.request().events(json_data).await
    }

    async fn opened(self) -> EventStream<i64> {
        self.send().await.expect("it is a stream").into_inner()
    }
}

fn events(text: &str) -> MockResponse {
    MockResponse::text(200, "text/event-stream", text)
}

fn end() -> MockResponse {
    MockResponse::empty(204)
}

/// Returns the events in one line, followed by the last error.
async fn listed(events: &mut EventStream<i64>) -> (String, Option<Error>) {
    let (mut line, mut last) = (Vec::new(), None);
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => line.push(event.data.to_string()),
            Err(error) => {
                line.push(format!("{:?}", error.kind()));
                last = Some(error);
            }
        }
    }
    assert!(events.next().await.is_none(), "the end is the end");
    (line.join(" "), last)
}

/// Returns the `Last-Event-ID` of each request.
fn ids(service: &MockTransport) -> Vec<String> {
    let requests = service.requests();
    let id = |request: &crate::generated::mock::MockRequest| {
        let id = request.headers.get("last-event-id");
        id.map_or("-".to_owned(), |id| {
            String::from_utf8_lossy(id.as_bytes()).into_owned()
        })
    };
    requests.iter().map(id).collect()
}

#[tokio::test]
async fn a_stream_reconnects_and_resumes_after_the_last_event_until_the_service_ends_the_stream() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    service.respond(events(
        "id: a\nevent: lent\ndata: 1\n\ndata: 2\n\nid: b\ndata: 3\n",
    ));
    service.respond(events("id: ä\ndata: 3\n\nid: c\n\n").then_breaks());
    service.respond(events("id\ndata: 4\n\n"));
    service.respond(end());
    let mut loans = watch(mocked(&service, &clock)).opened().await;
    assert_eq!((loans.last_event_id(), loans.reconnects()), (None, 0));
    let first = loans.next().await.expect("an event").expect("it is read");
    assert_eq!(
        (first.id.as_deref(), first.event.as_str(), first.data),
        (Some("a"), "lent", 1)
    );
    let second = loans.next().await.expect("an event").expect("it is read");
    assert_eq!(
        (second.id.as_deref(), second.event.as_str(), second.data),
        (Some("a"), "message", 2)
    );
    assert_eq!((loans.last_event_id(), loans.reconnects()), (Some("a"), 0));
    let third = loans.next().await.expect("an event").expect("it is read");
    assert_eq!((third.id.as_deref(), loans.reconnects()), (Some("ä"), 1));
    assert_eq!(listed(&mut loans).await.0, "4");
    assert_eq!((loans.last_event_id(), loans.reconnects()), (None, 3));
    assert_eq!(ids(&service), ["-", "a", "c", "-"]);
    for request in service.requests() {
        assert_eq!(request.headers["accept"], "text/event-stream");
    }
    assert_eq!(clock.pauses(), [200, 200, 200]);
}

#[tokio::test]
async fn a_stream_continues_after_the_event_that_the_request_names() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    service.respond(events(": nothing new\n\n"));
    service.respond(end());
    let mut loans = Watch {
        last_event_id: Some("stored"),
        ..watch(mocked(&service, &clock))
    }
    .opened()
    .await;
    assert_eq!(loans.last_event_id(), Some("stored"));
    assert_eq!(listed(&mut loans).await.0, "");
    assert_eq!(ids(&service), ["stored", "stored"]);
}

#[tokio::test]
async fn a_204_response_ends_the_event_stream_at_once() {
    let service = MockTransport::new();
    service.respond(end());
    let sent = watch(mocked(&service, &Passing::new()))
        .send()
        .await
        .expect("it is a success");
    assert_eq!(sent.status(), 204);
    assert_eq!(listed(&mut sent.into_inner()).await.0, "");
}

#[tokio::test]
async fn the_service_says_how_long_to_wait_before_the_next_connection() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    service.respond(events("retry: 3000\ndata: 1\n\n"));
    service.respond(MockResponse::error(503, "overloaded", "later").header("retry-after", "7"));
    service.respond(events("data: 2\n\n"));
    service.respond(end());
    let mut loans = watch(mocked(&service, &clock)).opened().await;
    assert_eq!(listed(&mut loans).await.0, "1 2");
    assert_eq!(clock.pauses(), [3_200, 7_400, 3_200]);
}

#[tokio::test]
async fn pauses_between_reconnects_grow_until_the_limit_of_consecutive_attempts_is_reached() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    service.respond(events("data: 1\n\n"));
    service.respond_with(Method::GET, "/v1/loans/events", |_| {
        MockResponse::no_connection()
    });
    let mut loans = watch(mocked(&service, &clock)).opened().await;
    let (line, last) = listed(&mut loans).await;
    assert_eq!(line, "1 Connect");
    assert_eq!(
        clock.pauses(),
        [
            200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000, 10_000
        ]
    );
    let last = last.expect("an error");
    assert_eq!(
        (last.retry_stop(), last.retries()),
        (Some(RetryStop::Tries), 10)
    );
    assert_eq!((service.requests().len(), loans.reconnects()), (11, 10));
}

#[tokio::test]
async fn a_connection_with_an_event_resets_the_count_of_failures() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    for text in [
        "data: 1\n\n",
        ": heartbeat\n\n",
        "data: 2\n\n",
        ":\n",
        ":\n",
    ] {
        service.respond(events(text));
    }
    let options = CallOptions::new().max_reconnects(2);
    let mut loans = Watch {
        options,
        ..watch(mocked(&service, &clock))
    }
    .opened()
    .await;
    let (line, last) = listed(&mut loans).await;
    assert_eq!(line, "1 2 Interrupted");
    assert_eq!(
        last.expect("an error").to_string(),
        "the service ended the stream of events, tried 3 times, not sent again because the retry policy allows no further try"
    );
    assert_eq!(clock.pauses(), [200, 400, 200, 400]);
}

/// A clock that advances at each call of `now`, and whose pauses take no time.
struct Aging {
    begin: Instant,
    step: Duration,
    looks: AtomicU32,
}

impl Clock for Aging {
    fn now(&self) -> Instant {
        self.begin + self.step * self.looks.fetch_add(1, Ordering::Relaxed)
    }

    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::ready(()))
    }

    fn jitter(&self, most: Duration) -> Duration {
        most
    }
}

#[tokio::test]
async fn a_connection_that_lasts_longer_than_the_longest_pause_resets_the_count_of_failures() {
    for (seconds, expected) in [(9, "1 Interrupted"), (11, "1")] {
        let service = MockTransport::new();
        for response in [events("data: 1\n\n"), events(":\n"), end()] {
            service.respond(response);
        }
        let client = Client::builder("http://books.example/v1").transport(service.clone());
        let client = client.timeout(Duration::from_secs(3_600)).clock(Aging {
            begin: Instant::now(),
            step: Duration::from_secs(seconds),
            looks: AtomicU32::new(0),
        });
        let options = CallOptions::new().max_reconnects(1);
        let mut loans = Watch {
            options,
            ..watch(client)
        }
        .opened()
        .await;
        assert_eq!(listed(&mut loans).await.0, expected);
    }
}

#[tokio::test]
async fn a_silent_stream_reconnects() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    service.respond(events("id: 1\ndata: 1\n\n").stays_open());
    service.respond(events("data: 2\n\n"));
    service.respond(end());
    let options = CallOptions::new().idle_timeout(Duration::from_millis(20));
    let mut loans = Watch {
        options,
        ..watch(mocked(&service, &clock))
    }
    .opened()
    .await;
    assert_eq!(listed(&mut loans).await.0, "1 2");
    assert_eq!(ids(&service), ["-", "1", "1"]);
}

#[tokio::test]
async fn an_event_that_is_too_large_is_reported_as_one_error_in_order_and_is_not_requested_again() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    let long = "x".repeat(100);
    service.respond(events(&format!(
        "id: 1\ndata: 1\n\nid: 2\ndata: two\n\nid: 3\ndata: {long}\n\n"
    )));
    service.respond(events("id: 4\ndata: 4\n\n"));
    service.respond(end());
    let options = CallOptions::new().max_item_bytes(10);
    let mut loans = Watch {
        options,
        ..watch(mocked(&service, &clock))
    }
    .opened()
    .await;
    assert_eq!(listed(&mut loans).await.0, "1 Unreadable TooLarge 4");
    assert_eq!(ids(&service), ["-", "3", "4"]);
}

/// Provides a key that the test can replace.
#[derive(Clone)]
struct Rotated(Arc<Mutex<&'static str>>);

impl Credentials for Rotated {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>> {
        let key = *self.0.lock().expect("no test panics with it");
        Box::pin(async move { Ok(ApiKey::new(key)) })
    }
}

#[tokio::test]
async fn a_stream_reconnects_with_the_new_key_after_its_key_was_replaced() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    let key = Rotated(Arc::new(Mutex::new("old")));
    let valid = Arc::clone(&key.0);
    let number = AtomicU32::new(0);
    service.respond_with(Method::GET, "/v1/loans/events", move |request| {
        let valid = *valid.lock().expect("no test panics with it");
        if request.headers["authorization"] != format!("Bearer {valid}") {
            return MockResponse::error(401, "unauthorized", "the key is not valid");
        }
        match number.fetch_add(1, Ordering::Relaxed) {
            number @ 0..=1 => events(&format!("id: {number}\ndata: {number}\n\n")),
            _ => end(),
        }
    });
    let client = mocked(&service, &clock).credentials(key.clone());
    let mut loans = watch(client).opened().await;
    loans.next().await.expect("an event").expect("it is read");
    *key.0.lock().expect("no test panics with it") = "new";
    assert_eq!(listed(&mut loans).await.0, "1");
    assert_eq!(ids(&service), ["-", "0", "0", "1"]);
    // If nobody replaces the key, the stream ends.
    service.respond(events("data: 1\n\n"));
    service.respond(MockResponse::error(
        401,
        "unauthorized",
        "the key is not valid",
    ));
    let mut loans = watch(mocked(&service, &clock).credentials(key))
        .opened()
        .await;
    let (line, last) = listed(&mut loans).await;
    assert_eq!(
        (line.as_str(), last.and_then(|last| last.status())),
        ("1 Answer", Some(401))
    );
}

#[tokio::test]
async fn a_permanent_error_ends_the_stream() {
    for (response, kind, is_last) in [
        (
            MockResponse::error(404, "not_found", "no such loan"),
            "Answer",
            true,
        ),
        (
            MockResponse::text(200, "text/html", "<h1>Log in</h1>"),
            "Unreadable",
            true,
        ),
        (MockResponse::error(502, "bad_gateway", "later"), "", false),
        (MockResponse::broken(), "", false),
    ] {
        let (service, clock) = (MockTransport::new(), Passing::new());
        service.respond(events("data: 1\n\n"));
        service.respond(response);
        service.respond(end());
        let mut loans = watch(mocked(&service, &clock)).opened().await;
        let (line, last) = listed(&mut loans).await;
        assert_eq!(line, format!("1 {kind}").trim_end());
        assert_eq!(last.is_some(), is_last);
        assert_eq!(service.requests().len(), if is_last { 2 } else { 3 });
    }
}

#[tokio::test]
async fn the_error_of_a_failed_first_request_is_returned_by_the_call() {
    let service = MockTransport::new();
    service.respond(MockResponse::error(403, "forbidden", "not yours"));
    let error = watch(mocked(&service, &Passing::new())).send().await;
    assert_eq!(
        error
            .expect_err("it is an error")
            .code()
            .map(String::as_str),
        Some("forbidden")
    );
}

#[tokio::test]
async fn repeated_reconnects_count_towards_the_retry_budget() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    let budget = RetryBudget::new(1, 100);
    let client = mocked(&service, &clock).retry_budget(budget.clone());
    for response in [events("data: 1\n\n"), events("data: 2\n\n")] {
        service.respond(response);
    }
    service.respond_with(Method::GET, "/v1/loans/events", |_| {
        MockResponse::no_connection()
    });
    let (line, last) = listed(&mut watch(client).opened().await).await;
    assert_eq!(line, "1 2 Connect");
    assert_eq!(
        last.and_then(|last| last.retry_stop()),
        Some(RetryStop::Budget)
    );
    assert_eq!((service.requests().len(), budget.left()), (4, 0));
}

#[tokio::test]
async fn a_request_that_is_not_safe_to_repeat_is_sent_once() {
    for (response, line) in [
        (events("data: 1\n\n"), "1"),
        (events("data: 1\n\n").then_breaks(), "1 Interrupted"),
    ] {
        let (service, clock) = (MockTransport::new(), Passing::new());
        service.respond(response);
        let mut answers = Watch {
            operation: &ASK,
            ..watch(mocked(&service, &clock))
        }
        .opened()
        .await;
        assert_eq!(listed(&mut answers).await.0, line);
        assert_eq!(service.requests().len(), 1);
    }
}

#[tokio::test]
async fn without_reconnects_a_stream_ends_with_its_connection() {
    let (service, clock) = (MockTransport::new(), Passing::new());
    service.respond(events("data: 1\n\ndata: 2\n"));
    let options = CallOptions::new().max_reconnects(0);
    let mut loans = Watch {
        options,
        ..watch(mocked(&service, &clock))
    }
    .opened()
    .await;
    assert_eq!(listed(&mut loans).await.0, "1");
    assert_eq!(service.requests().len(), 1);
}

/// Counts the calls that have ended.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<Vec<String>>>);

impl Interceptor for Calls {
    fn after_call(&self, outcome: &TryOutcome<'_>) {
        let line = format!(
            "{} {:?}",
            outcome.operation(),
            outcome.status_code().map(|status| status.as_u16())
        );
        self.0.lock().expect("no test panics with it").push(line);
    }
}

#[tokio::test]
async fn interceptors_see_each_connection_as_a_call() {
    let (service, clock, calls) = (MockTransport::new(), Passing::new(), Calls::default());
    for response in [events("data: 1\n\n"), MockResponse::no_connection(), end()] {
        service.respond(response);
    }
    let mut loans = watch(mocked(&service, &clock).interceptor(calls.clone()))
        .opened()
        .await;
    assert_eq!(listed(&mut loans).await.0, "1");
    let calls = calls.0.lock().expect("no test panics with it").join(", ");
    assert_eq!(
        calls,
        "watchLoans Some(200), watchLoans None, watchLoans Some(204)"
    );
}

#[tokio::test]
async fn the_retry_policy_of_a_call_also_decides_whether_a_stream_reconnects() {
    use crate::generated::RetryDecision;

    let (service, clock) = (MockTransport::new(), Passing::new());
    for response in [
        events("data: 1\n\n"),
        MockResponse::error(500, "failed", "a restart"),
        events("data: 2\n\n"),
    ] {
        service.respond(response);
    }
    service.respond(MockResponse::no_connection());
    let policy = RetryPolicy::new().classify(|outcome| match outcome.status_code() {
        Some(_) => RetryDecision::Retry,
        None => RetryDecision::Stop,
    });
    let client = mocked(&service, &clock).retry(policy);
    let (line, last) = listed(&mut watch(client).opened().await).await;
    assert_eq!(line, "1 2 Connect");
    assert_eq!(
        last.and_then(|last| last.retry_stop()),
        Some(RetryStop::Classifier)
    );
}

#[tokio::test]
async fn event_data_with_a_text_schema_is_not_parsed_as_json() {
    let service = MockTransport::new();
    service.respond(events("data: a\ndata: \"b\"\n\n"));
    let client: Client = mocked(&service, &Passing::new())
        .build()
        .expect("it is valid");
    let sent = Call::new(&client, &ASK)
        .request()
        .events::<String, String>(text_data)
        .await;
    let mut words = sent.expect("it is a stream").into_inner();
    let word = words.next().await.expect("an event").expect("it is read");
    assert_eq!(word.data, "a\n\"b\"");
}

#[tokio::test]
async fn events_are_received_over_sockets_and_after_broken_connections() {
    let head = ["content-type: text/event-stream;charset=utf-8"];
    let cut = response(
        "200 OK",
        &head,
        "id: 1\ndata: 1\n\nid: 2\ndata: 2\n\nid: 3\nda",
    );
    let cut = cut.replacen("content-length: 38", "content-length: 1000", 1);
    let whole = response("200 OK", &head, "id: 3\r\ndata: 3\r\n\r\n");
    let service = Service::responding([cut, whole, response("204 No Content", &[], "")]).await;
    let client = Client::builder(service.base_url()).clock(Passing::new());
    let mut loans = watch(client).opened().await;
    assert_eq!(listed(&mut loans).await.0, "1 2 3");
    let requests = service.requests();
    assert!(
        requests[1].contains("last-event-id: 2\r\n"),
        "{}",
        requests[1]
    );
    assert!(
        requests[2].contains("last-event-id: 3\r\n"),
        "{}",
        requests[2]
    );
}

#[cfg(feature = "blocking")]
#[test]
fn events_can_be_read_by_blocking_code() {
    use openapi_dropshot_client::blocking::wait;

    let (service, clock) = (MockTransport::new(), Passing::new());
    service.respond(events("id: 1\ndata: 1\n\nid: 2\ndata: 2\n\n"));
    service.respond(events("id: 3\ndata: 3\n\n"));
    service.respond(end());
    let sent = wait(watch(mocked(&service, &clock)).send());
    let mut loans = sent.expect("it is a stream").into_inner().blocking();
    let data: Result<Vec<i64>, Error> = loans
        .by_ref()
        .map(|event| event.map(|event| event.data))
        .collect();
    assert_eq!(data.expect("they are read"), [1, 2, 3]);
    assert_eq!(
        loans.stream().and_then(EventStream::last_event_id),
        Some("3")
    );
}
