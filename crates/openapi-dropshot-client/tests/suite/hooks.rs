//! Tests the context that the hooks of a call share, changed copies of a client, wrapped transports, requests that the document
//! does not describe, and the rules of the mock.

use crate::clock::Passing;
use crate::generated::{
    BoxError, CallOptions, Client, Interceptor, RetryPolicy, RetryStop, TryOutcome, TryRequest,
    mock::{MockResponse, MockTransport},
    reqwest::Method,
    types::{Book, BookStatus, NewBook},
};
use crate::service::{KEY, REX, Service, client, json};
use futures::future::BoxFuture;
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

fn mocked(service: &MockTransport) -> Client {
    Client::builder("http://books.example/v1")
        .api_key(KEY)
        .transport(service.clone())
        .build()
        .expect("it is valid")
}

fn overloaded() -> MockResponse {
    MockResponse::error(503, "overloaded", "later")
}

fn no_books() -> MockResponse {
    MockResponse::json::<[i64]>(200, &[])
}

/// How many tries a call has made.
#[derive(Clone, Default)]
struct Count(u32);

/// The name of the job for which a call is made.
#[derive(Clone)]
struct Job(&'static str);

/// Signs each try asynchronously, and records how each try and each call ended.
#[derive(Clone, Default)]
struct Observer(Arc<Mutex<Vec<String>>>);

impl Observer {
    fn record(&self, line: String) {
        self.0.lock().expect("no test panics with it").push(line);
    }
}

impl Interceptor for Observer {
    fn before_try_async<'a>(
        &'a self,
        request: &'a mut TryRequest<'_>,
    ) -> Option<BoxFuture<'a, Result<(), BoxError>>> {
        Some(Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let count = request.context().get_or_insert_default::<Count>();
            count.0 += 1;
            let number = count.0.into();
            request.headers_mut().insert("signature", number);
            Ok(())
        }))
    }

    fn after_try(&self, outcome: &TryOutcome<'_>) {
        let body = outcome.body().map(String::from_utf8_lossy);
        self.record(format!("try {} {body:?}", outcome.number()));
    }

    fn after_call(&self, outcome: &TryOutcome<'_>) {
        let count = outcome.context().get().map(|Count(count)| *count);
        let job = outcome.context().get().map(|Job(name)| *name);
        let stop = outcome.error().and_then(|error| error.retry_stop());
        let (number, status) = (outcome.number(), outcome.status_code());
        assert!(
            outcome.elapsed() >= Duration::from_millis(200),
            "with its pause"
        );
        self.record(format!(
            "call {number} {count:?} {job:?} {status:?} {stop:?}"
        ));
    }
}

#[tokio::test]
async fn hooks_can_be_async_share_the_context_of_a_call_and_are_notified_when_the_call_ends() {
    let (service, observer) = (MockTransport::new(), Observer::default());
    let client = mocked(&service).to_builder().interceptor(observer.clone());
    let client = client
        .clock(Passing::new())
        .retry(RetryPolicy::new().max_tries(2));
    let client = client.build().expect("it is valid");
    for response in [overloaded(), no_books(), overloaded(), overloaded()] {
        service.respond(response);
    }
    let options = CallOptions::new().context(Job("nightly"));
    client
        .list_books()
        .with(options)
        .send()
        .await
        .expect("the second try");
    client
        .list_books()
        .send()
        .await
        .expect_err("two tries fail");
    let seen = observer
        .0
        .lock()
        .expect("no test panics with it")
        .join("\n");
    let failed = r#"Some("{\"code\":\"overloaded\",\"message\":\"later\",\"status\":503}")"#;
    assert_eq!(
        seen,
        format!(
            "try 1 {failed}\ntry 2 Some(\"[]\")\ncall 2 Some(2) Some(\"nightly\") Some(200) None\n\
             try 1 {failed}\ntry 2 {failed}\ncall 2 Some(2) None Some(503) Some(Tries)"
        )
    );
    let requests = service.requests();
    let signatures: Vec<_> = requests
        .iter()
        .map(|request| &request.headers["signature"])
        .collect();
    assert_eq!(signatures, ["1", "2", "1", "2"]);
}

#[tokio::test]
async fn a_hook_cannot_run_longer_than_the_time_limit_of_its_call() {
    struct Hanging;
    impl Interceptor for Hanging {
        fn before_try_async<'a>(
            &'a self,
            _: &'a mut TryRequest<'_>,
        ) -> Option<BoxFuture<'a, Result<(), BoxError>>> {
            Some(Box::pin(std::future::pending()))
        }
    }
    let service = MockTransport::new();
    let (begun, limit) = (Instant::now(), Duration::from_millis(50));
    let options = CallOptions::new().interceptor(Hanging).timeout(limit);
    let error = mocked(&service).list_books().with(options).send().await;
    let error = error.expect_err("the hook never ends");
    assert!(
        error
            .message()
            .contains("it took longer than the remaining time of the call"),
        "{error}"
    );
    assert!(begun.elapsed() >= limit);
}

#[tokio::test]
async fn a_client_that_is_rebuilt_with_one_changed_setting_keeps_the_other_settings() {
    let service = MockTransport::new();
    service.respond_to(Method::GET, "/v1/books", no_books());
    let client = mocked(&service)
        .to_builder()
        .header("x-tenant", "north")
        .build();
    let client = client.expect("it is valid");
    let other = client
        .to_builder()
        .api_key("another-key")
        .build()
        .expect("it is valid");
    for client in [&client, &other] {
        client.list_books().send().await.expect("a success");
    }
    let requests = service.requests();
    let headers = |name: &str| -> Vec<_> {
        requests
            .iter()
            .map(|request| request.headers[name].clone())
            .collect()
    };
    assert_eq!(
        headers("authorization"),
        [&*format!("Bearer {KEY}"), "Bearer another-key"]
    );
    assert_eq!(headers("x-tenant"), ["north", "north"]);
}

#[tokio::test]
async fn an_application_can_wrap_the_default_transport() {
    let service = Service::responding([json("200 OK", &[], "[]")]).await;
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let recorder = Arc::clone(&seen);
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .retry(RetryPolicy::never())
        .wrap_transport(move |default| {
            let seen = Arc::clone(&recorder);
            let record = move |request: http::Request<_>| {
                let mut seen = seen.lock().expect("no test panics with it");
                seen.push(request.uri().path().to_owned());
                request
            };
            tower::ServiceBuilder::new()
                .map_request(record)
                .service(default)
        })
        .build()
        .expect("it is valid");
    client.list_books().send().await.expect("a success");
    assert_eq!(*seen.lock().expect("no test panics with it"), ["/v1/books"]);
    service.is_gone().await;
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("the service is gone");
    assert!(!error.was_sent(), "the kind of an error stays: {error:?}");
}

#[tokio::test]
async fn a_raw_request_uses_the_settings_of_its_client() {
    let service = Service::responding([
        json(
            "503 Service Unavailable",
            &["retry-after: 0"],
            r#"{"code":"overloaded"}"#,
        ),
        json("200 OK", &[], r#"{"stars":5}"#),
        json(
            "404 Not Found",
            &[],
            r#"{"code":"not_found","message":"no"}"#,
        ),
    ])
    .await;
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .build()
        .expect("it is valid");
    let request = client.request(Method::PUT, "/books/7/reviews?language=en");
    let request = request
        .json(&serde_json::json!({"stars": 5}))
        .header("x-reader", "me");
    let review = request
        .send::<serde_json::Value>()
        .await
        .expect("the second try");
    assert_eq!((review.retries(), &review["stars"]), (1, &5.into()));
    let sent = &service.requests()[1];
    for part in [
        "PUT /v1/books/7/reviews?language=en HTTP/1.1",
        "x-reader: me\r\n",
        &format!("authorization: Bearer {KEY}\r\n"),
        "content-type: application/json\r\n",
        "\r\n\r\n{\"stars\":5}",
    ] {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    let missing = client
        .request(Method::GET, "/nothing")
        .send_for_bytes()
        .await;
    let missing = missing.map(drop).expect_err("it is not there");
    assert_eq!(missing.code().map(String::as_str), Some("not_found"));
    for path in ["/../admin", "books", "/%2e%2e/admin"] {
        let error = client.request(Method::GET, path).send_for_bytes().await;
        let error = error
            .map(drop)
            .expect_err("the credential stays with the service");
        assert!(
            error.message().contains("below the base URL"),
            "{path}: {error}"
        );
    }
    assert_eq!(service.requests().len(), 3);
}

#[tokio::test]
async fn a_mock_transport_can_delay_and_compute_responses_and_lists_unused_rules() {
    let service = MockTransport::new();
    let delay = Duration::from_millis(30);
    service.respond(no_books().delay(delay));
    service.respond_with(Method::POST, "/v1/books", |request| {
        let book: NewBook = serde_json::from_slice(&request.body).expect("it is a book");
        let book = serde_json::json!({"id": 1, "name": book.name, "categoryId": book.category_id});
        MockResponse::json(201, &book)
    });
    service.respond_to(Method::GET, "/v1/never", no_books());
    let client = mocked(&service);
    let begun = Instant::now();
    client.list_books().send().await.expect("it comes late");
    assert!(begun.elapsed() >= delay);
    let emma = client
        .create_book_with(NewBook::new(7, "Emma"))
        .send()
        .await;
    assert_eq!(emma.expect("it is computed").name, "Emma");
    assert_eq!(service.unused(), ["GET /v1/never"]);
    service.respond(no_books());
    assert_eq!(service.unused().len(), 2);
}

#[tokio::test]
async fn the_builder_sets_an_optional_member_from_a_value_or_from_an_option() {
    let book = |book: crate::generated::types::builder::Book| {
        let book = book.id(1).name("Emma").category_id(7).build();
        book.expect("it is valid").status
    };
    assert_eq!(book(Book::builder().status("lent")), Some(BookStatus::Lent));
    assert_eq!(
        book(Book::builder().status(BookStatus::Lent)),
        Some(BookStatus::Lent)
    );
    assert_eq!(
        book(Book::builder().status(Some(BookStatus::Lent))),
        Some(BookStatus::Lent)
    );
    assert_eq!(book(Book::builder().status(None::<BookStatus>)), None);
}

#[tokio::test]
async fn a_request_can_run_in_a_spawned_task_and_a_list_response_can_be_iterated() {
    let page = format!("[{REX}]");
    let service = Service::responding((0..3).map(|_| json("200 OK", &[], &page))).await;
    let spawned = tokio::spawn(client(&service).list_books().limit(1).send());
    let books = spawned.await.expect("it ends").expect("a success");
    for book in &books {
        assert_eq!(book.name, "Rex");
    }
    let mut names = Vec::new();
    for book in books {
        names.push(book.name);
    }
    assert_eq!(names, ["Rex"]);
}

#[tokio::test]
async fn headers_retry_policy_and_timeout_can_be_set_on_a_request() {
    let service = MockTransport::new();
    service.respond(overloaded());
    let client = mocked(&service);
    let call = client
        .list_books()
        .header("x-job", "1")
        .retry(RetryPolicy::never());
    let error = call.timeout(Duration::from_secs(9)).send().await;
    assert_eq!(
        error.expect_err("one try").retry_stop(),
        Some(RetryStop::Tries)
    );
    assert_eq!(service.requests()[0].headers["x-job"], "1");
}

#[test]
fn every_reason_for_not_retrying_has_a_descriptive_display_text() {
    for (stop, words) in [
        (RetryStop::NotRepeatable, "not safe to repeat"),
        (RetryStop::Tries, "allows no further try"),
        (RetryStop::Budget, "retry budget"),
        (RetryStop::Timeout, "time limit"),
        (RetryStop::Classifier, "classifier"),
        (RetryStop::ApiKeyRejected, "another API key"),
    ] {
        assert!(stop.to_string().contains(words), "{stop}");
    }
}
