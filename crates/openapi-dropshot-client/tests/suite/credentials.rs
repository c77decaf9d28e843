//! Tests API keys that change while the client runs.

use crate::clock::Passing;
use crate::deprecations::LOG;
use crate::generated::{
    ApiKey, ApiKeyFile, BoxError, CallOptions, Client, ErrorKind, FailedLoad, Interceptor,
    RetryPolicy, RetryStop, recovery::SameCredential, types::NewBook,
};
use crate::service::{REX, Service, json, response};
use std::sync::{
    Arc, LazyLock, Mutex,
    atomic::{AtomicU32, Ordering},
};
use std::time::Duration;

const REJECTED: &str = r#"{"code":"unauthorized","message":"no","status":401}"#;

fn books() -> String {
    json("200 OK", &[], "[]")
}

fn unauthorized() -> String {
    json("401 Unauthorized", &[], REJECTED)
}

/// The keys of the requests that a service has received.
fn keys(service: &Service) -> Vec<String> {
    let key = |request: &String| {
        let key = request.split_once("authorization: Bearer ")?.1;
        Some(key.split_once('\r')?.0.to_owned())
    };
    let requests = service.requests();
    requests
        .iter()
        .map(|request| key(request).unwrap_or_default())
        .collect()
}

fn added() -> String {
    json("201 Created", &[], REX)
}

fn error(status: &str, code: &str) -> String {
    json(status, &[], &format!(r#"{{"code":"{code}"}}"#))
}

/// A successful response that is interrupted in the middle of its body.
fn cut() -> String {
    "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"
        .to_owned()
}

fn rex() -> crate::generated::types::builder::NewBook {
    NewBook::builder().name("Rex").category_id(7)
}

/// Creates a provider that returns the keys `key-1`, `key-2` and so on, and a counter of its calls.
fn numbered(lifetime: Option<Duration>) -> (Arc<AtomicU32>, impl Fn() -> Loading) {
    let loads = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&loads);
    let provider = move || {
        let number = counted.fetch_add(1, Ordering::Relaxed) + 1;
        let key = ApiKey::new(format!("key-{number}"));
        let key = lifetime.map_or(key.clone(), |lifetime| key.valid_for(lifetime));
        Box::pin(async move {
            tokio::task::yield_now().await;
            Ok(key)
        }) as Loading
    };
    (loads, provider)
}

/// What a provider does when a key is loaded.
#[derive(Clone, Copy)]
enum Load {
    /// Returns this key, which is valid for a minute.
    Key(&'static str),
    Fails,
    Hangs,
}

/// Creates a provider whose behaviour the test sets, and a counter of its calls.
fn scripted() -> (Arc<Mutex<Load>>, Arc<AtomicU32>, impl Fn() -> Loading) {
    let next = Arc::new(Mutex::new(Load::Key("key-1")));
    let loads = Arc::new(AtomicU32::new(0));
    let (set, counted) = (Arc::clone(&next), Arc::clone(&loads));
    let provider = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        let load = *set.lock().expect("no test panics with it");
        Box::pin(async move {
            tokio::task::yield_now().await;
            match load {
                Load::Key(key) => Ok(ApiKey::new(key).valid_for(Duration::from_secs(60))),
                Load::Fails => Err("the vault is closed".into()),
                Load::Hangs => std::future::pending().await,
            }
        }) as Loading
    };
    (next, loads, provider)
}

/// Lets time pass without waiting.
fn pass(clock: &Passing, time: Duration) {
    let _passed = crate::generated::Clock::sleep(clock, time);
}

type Loading = std::pin::Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send>>;

#[tokio::test]
async fn a_key_is_loaded_once_for_calls_at_the_same_time() {
    let service = Service::responding((0..3).map(|_| books())).await;
    let (loads, provider) = numbered(None);
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .build()
        .expect("it is valid");
    assert_eq!(loads.load(Ordering::Relaxed), 0, "not before it is needed");
    let call = || client.list_books().send();
    let (first, second, third) = tokio::join!(call(), call(), call());
    assert!(first.is_ok() && second.is_ok() && third.is_ok());
    assert_eq!(keys(&service), ["key-1", "key-1", "key-1"]);
    assert_eq!(loads.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_rejected_key_is_replaced_and_the_request_sent_again_once() {
    let service = Service::responding([
        books(),
        unauthorized(),
        books(),
        unauthorized(),
        unauthorized(),
    ])
    .await;
    let (loads, provider) = numbered(None);
    let clock = Passing::new();
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .clock(clock.clone())
        .build()
        .expect("it is valid");
    client
        .list_books()
        .send()
        .await
        .expect("the first key is valid");
    let renewed = client
        .list_books()
        .send()
        .await
        .expect("the second key is valid");
    assert_eq!(renewed.retries(), 1);
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("no key is valid");
    assert_eq!((error.status(), error.retries()), (Some(401), 1));
    assert_eq!(
        keys(&service),
        ["key-1", "key-1", "key-2", "key-2", "key-3"]
    );
    assert_eq!(loads.load(Ordering::Relaxed), 3);
    assert!(clock.pauses().is_empty(), "there is no pause before it");
}

#[tokio::test]
async fn a_rejected_request_is_not_sent_again_if_the_provider_returns_the_same_key() {
    let service = Service::responding([unauthorized()]).await;
    let client = Client::builder(service.base_url())
        .credentials(|| async { Ok(ApiKey::new("always-this")) })
        .build()
        .expect("it is valid");
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("it is not valid");
    assert_eq!((error.status(), error.retries()), (Some(401), 0));
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn a_key_is_loaded_again_after_its_lifetime() {
    let service = Service::responding((0..3).map(|_| books())).await;
    let (_, provider) = numbered(Some(Duration::from_secs(60)));
    let clock = Passing::new();
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .clock(clock.clone())
        .build()
        .expect("it is valid");
    for seconds in [59, 1, 0] {
        client.list_books().send().await.expect("a success");
        let _passed = crate::generated::Clock::sleep(&clock, Duration::from_secs(seconds));
    }
    assert_eq!(keys(&service), ["key-1", "key-1", "key-2"]);
}

#[tokio::test]
async fn a_creation_that_may_have_been_carried_out_is_not_sent_with_another_key() {
    let in_doubt = [
        String::new(),
        cut(),
        response("502 Bad Gateway", &["content-type: text/html"], "<html>"),
        error("503 Service Unavailable", "unavailable"),
        // A request with the same Idempotency-Key is still running.
        error("409 Conflict", "conflict"),
    ];
    for first in in_doubt {
        let service = Service::responding([first.clone(), unauthorized(), added()]).await;
        let (_, provider) = numbered(None);
        let client = Client::builder(service.base_url())
            .credentials(provider)
            .clock(Passing::new())
            .build()
            .expect("it is valid");
        let result = client.create_book().body(rex()).send().await;
        assert_eq!(keys(&service), ["key-1", "key-1"], "{first}");
        let error = result.expect_err("the key is rejected");
        assert_eq!(
            (error.status(), error.retries(), error.retry_stop()),
            (Some(401), 1, Some(RetryStop::ApiKeyRejected))
        );
        assert!(error.was_sent() && error.idempotency_key().is_some());
        assert!(
            error
                .to_string()
                .contains("an earlier try may have been carried out"),
            "{error}"
        );
        // Another creation begins with the new key.
        let added = client.create_book().body(rex()).send().await;
        assert_eq!(added.expect("the second key is valid").retries(), 0);
        assert_eq!(keys(&service), ["key-1", "key-1", "key-2"]);
    }
}

#[tokio::test]
async fn a_creation_that_took_too_long_is_not_sent_with_another_key() {
    // The first connection, whose request is not in the list, never gets a response.
    let service = Service::holding_the_first(unauthorized()).await;
    let (_, provider) = numbered(None);
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .clock(Passing::new())
        .try_timeout(Duration::from_secs(1))
        .build()
        .expect("it is valid");
    let error = client.create_book().body(rex()).send().await;
    let error = error.expect_err("the key is rejected");
    assert_eq!(keys(&service), ["key-1"]);
    assert_eq!(
        (error.status(), error.retry_stop()),
        (Some(401), Some(RetryStop::ApiKeyRejected))
    );
}

#[tokio::test]
async fn a_retry_of_a_creation_that_may_have_succeeded_uses_the_same_api_key_even_if_the_key_has_expired()
 {
    let service = Service::responding([String::new(), added(), added()]).await;
    let (_, provider) = numbered(Some(Duration::from_millis(1)));
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .clock(Passing::new())
        .build()
        .expect("it is valid");
    for retries in [1, 0] {
        let added = client.create_book().body(rex()).send().await;
        assert_eq!(added.expect("a success").retries(), retries);
    }
    assert_eq!(keys(&service), ["key-1", "key-1", "key-2"]);
}

#[tokio::test]
async fn a_request_that_was_not_carried_out_or_is_idempotent_is_sent_with_another_key() {
    let not_begun = [
        error("503 Service Unavailable", "overloaded"),
        error("429 Too Many Requests", "rate_limited"),
    ];
    for first in not_begun {
        let service = Service::responding([first.clone(), unauthorized(), added()]).await;
        let (_, provider) = numbered(None);
        let client = Client::builder(service.base_url())
            .credentials(provider)
            .clock(Passing::new())
            .build()
            .expect("it is valid");
        let added = client.create_book().body(rex()).send().await;
        assert_eq!(added.expect("the second key is valid").retries(), 2);
        assert_eq!(keys(&service), ["key-1", "key-1", "key-2"], "{first}");
    }
    let service = Service::responding([String::new(), unauthorized(), books()]).await;
    let (_, provider) = numbered(None);
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .clock(Passing::new())
        .build()
        .expect("it is valid");
    let books = client.list_books().send().await;
    assert_eq!(books.expect("the second key is valid").retries(), 2);
    assert_eq!(keys(&service), ["key-1", "key-1", "key-2"]);
}

#[tokio::test]
async fn if_the_provider_has_no_key_the_call_fails_unless_an_earlier_key_was_loaded() {
    let service = Service::responding((0..2).map(|_| books())).await;
    let state: Arc<Mutex<Option<&str>>> = Arc::new(Mutex::new(None));
    let provided = Arc::clone(&state);
    let clock = Passing::new();
    let client = Client::builder(service.base_url())
        .clock(clock.clone())
        .credentials(move || {
            let key = *provided.lock().expect("no test panics with it");
            async move {
                let key = key.ok_or("the vault is closed")?;
                Ok(ApiKey::new(key).valid_for(Duration::from_secs(1)))
            }
        })
        .build()
        .expect("it is valid");
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("there is no key");
    assert_eq!(error.kind(), ErrorKind::Credentials);
    assert!(!error.was_sent() && !error.is_retryable());
    assert_eq!(
        error.message(),
        "no API key could be loaded (the vault is closed)"
    );
    *state.lock().expect("no test panics with it") = Some("the-key");
    client.list_books().send().await.expect("there is a key");
    *state.lock().expect("no test panics with it") = None;
    let _passed = crate::generated::Clock::sleep(&clock, Duration::from_secs(2));
    client
        .list_books()
        .send()
        .await
        .expect("the earlier key is used");
    assert_eq!(keys(&service), ["the-key", "the-key"]);
}

#[tokio::test]
async fn a_changed_key_file_is_read_again() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().join("key");
    let service = Service::responding([books(), books(), unauthorized(), books()]).await;
    let clock = Passing::new();
    let client = Client::builder(service.base_url())
        .credentials(ApiKeyFile::new(&path))
        .clock(clock.clone())
        .build()
        .expect("it is valid");
    let write = |key: &str| std::fs::write(&path, format!("{key}\n")).expect("it is written");
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("there is no file");
    assert!(error.message().contains("cannot be read"), "{error}");
    write("key-1");
    client.list_books().send().await.expect("a success");
    write("key-2");
    let _passed = crate::generated::Clock::sleep(&clock, Duration::from_secs(10));
    client.list_books().send().await.expect("a success");
    // The service accepts the third key before the client knows it.
    write("key-3");
    client.list_books().send().await.expect("a success");
    assert_eq!(keys(&service), ["key-1", "key-2", "key-2", "key-3"]);
}

#[tokio::test]
async fn while_an_earlier_key_exists_a_failing_provider_is_called_at_most_once_per_second() {
    const CALLS: usize = 50;
    let responses = (0..CALLS + 4).map(|_| books());
    let responses = responses.chain([unauthorized(), books()]);
    let service = Service::responding(responses).await;
    let (next, loads, provider) = scripted();
    let set = |load| *next.lock().expect("no test panics with it") = load;
    let loads = || loads.load(Ordering::Relaxed);
    let clock = Passing::new();
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .clock(clock.clone())
        .build()
        .expect("it is valid");
    let call = async || client.list_books().send().await.map(drop);
    call().await.expect("the key is valid");
    set(Load::Fails);
    pass(&clock, Duration::from_secs(60));
    let calls = futures::future::join_all((0..CALLS).map(|_| call())).await;
    assert!(calls.iter().all(Result::is_ok), "there is a key");
    assert_eq!(loads(), 2, "{CALLS} calls at once load a key once");
    pass(&clock, Duration::from_millis(999));
    call().await.expect("there is a key");
    assert_eq!(loads(), 2, "not within a second");
    pass(&clock, Duration::from_millis(1));
    call().await.expect("there is a key");
    assert_eq!(loads(), 3, "after a second");
    pass(&clock, Duration::from_secs(1));
    set(Load::Key("key-2"));
    call().await.expect("there is another key");
    assert_eq!(loads(), 4);
    // A rejected key is replaced at once, even within that second.
    set(Load::Fails);
    pass(&clock, Duration::from_secs(60));
    let rejected = call().await.expect_err("it is rejected");
    assert_eq!((rejected.status(), loads()), (Some(401), 6));
    set(Load::Key("key-3"));
    call().await.expect("there is another key");
    let keys = keys(&service);
    let (first, last) = keys.split_at(CALLS + 3);
    assert!(first.iter().all(|key| key == "key-1"), "{first:?}");
    assert_eq!(last, ["key-2", "key-2", "key-3"]);
}

#[tokio::test]
async fn a_provider_that_hangs_does_not_block_calls_if_an_earlier_key_was_loaded() {
    const CALLS: usize = 10;
    let service = Service::responding((0..=CALLS).map(|_| books())).await;
    let (next, loads, provider) = scripted();
    let clock = Passing::new();
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .clock(clock.clone())
        .timeout(Duration::from_secs(4))
        .build()
        .expect("it is valid");
    let call = async || client.list_books().send().await.map(drop);
    call().await.expect("the key is valid");
    *next.lock().expect("no test panics with it") = Load::Hangs;
    pass(&clock, Duration::from_secs(60));
    let calls = futures::future::join_all((0..CALLS).map(|_| call())).await;
    let failed: Vec<_> = calls.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "there is a key: {failed:?}");
    assert_eq!(loads.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_rejected_key_is_not_sent_again_if_no_other_key_can_be_loaded() {
    let service = Service::responding([books(), unauthorized(), books(), books()]).await;
    let (next, _, provider) = scripted();
    let set = |load| *next.lock().expect("no test panics with it") = load;
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .clock(Passing::new())
        .build()
        .expect("it is valid");
    let call = async || client.list_books().send().await.map(drop);
    call().await.expect("the key is valid");
    set(Load::Fails);
    let error = call().await.expect_err("the key is rejected");
    assert_eq!(error.status(), Some(401));
    let error = call().await.expect_err("there is no other key");
    assert_eq!(error.kind(), ErrorKind::Credentials);
    assert!(!error.was_sent());
    assert_eq!(keys(&service), ["key-1", "key-1"]);
    // The provider may return the same key again, for example after a restart of the service.
    for key in ["key-1", "key-2"] {
        set(Load::Key(key));
        call().await.expect("there is a key");
    }
    assert_eq!(keys(&service), ["key-1", "key-1", "key-1", "key-1"]);
}

/// Records the failed loads that are reported to it.
#[derive(Clone, Default)]
struct Alarm(Arc<Mutex<Vec<(String, bool)>>>);

impl Interceptor for Alarm {
    fn after_failed_load(&self, failure: &FailedLoad<'_>) {
        let message = failure.error().message().to_owned();
        let mut heard = self.0.lock().expect("no test panics with it");
        heard.push((message, failure.has_earlier_key()));
    }
}

#[tokio::test]
async fn a_key_file_without_a_key_is_logged_and_reported_to_hooks_and_calls_continue() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().join("the-key-of-this-test");
    let service = Service::responding((0..4).map(|_| books())).await;
    let (clock, alarm) = (Passing::new(), Alarm::default());
    let client = Client::builder(service.base_url())
        .credentials(ApiKeyFile::new(&path))
        .clock(clock.clone())
        .interceptor(alarm.clone())
        .build()
        .expect("it is valid");
    LazyLock::force(&LOG);
    std::fs::write(&path, "key-1\n").expect("it is written");
    client.list_books().send().await.expect("there is a key");
    for text in ["\n", "with space"] {
        std::fs::write(&path, text).expect("it is written");
        pass(&clock, Duration::from_secs(10));
        let books = client.list_books().send().await;
        books.expect("calls continue with the earlier key");
    }
    std::fs::remove_file(&path).expect("it is there");
    pass(&clock, Duration::from_secs(100));
    let books = client.list_books().send().await;
    books.expect("calls continue with the earlier key");

    let heard = alarm.0.lock().expect("no test panics with it").clone();
    let file = format!("the file {}", path.display());
    assert_eq!(heard.len(), 3, "{heard:?}");
    assert!(heard.iter().all(|(_, goes_on)| *goes_on), "{heard:?}");
    let empty = format!("no API key could be loaded ({file} is empty; write the API key into it)");
    assert_eq!(heard[0].0, empty);
    let invalid = format!("({file}: the API key has a character at position 5 that cannot be sent");
    assert!(heard[1].0.contains(&invalid), "{heard:?}");
    let missing = format!("({file} cannot be read: ");
    assert!(heard[2].0.contains(&missing), "{heard:?}");
    let log = LOG.text();
    let lines = log
        .lines()
        .filter(|line| line.contains("the-key-of-this-test"));
    let lines: Vec<&str> = lines.filter(|line| line.contains("WARN")).collect();
    assert_eq!(lines.len(), 2, "once a minute at most: {lines:?}");
    assert!(
        lines[0].contains("calls continue with the earlier key"),
        "{lines:?}"
    );
    assert!(!log.contains("with space"), "{log}");
}

#[tokio::test]
async fn the_reason_of_a_failed_load_is_logged_once() {
    let service = Service::responding([]).await;
    let client = Client::builder(service.base_url())
        .credentials(ApiKeyFile::new("/nowhere/key"))
        .build()
        .expect("it is valid");
    let error = client
        .list_books()
        .send()
        .await
        .expect_err("there is no key");
    let mut report = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        report.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    assert_eq!(report.matches("/nowhere/key").count(), 1, "{report}");
    let cause = error.cause().expect("the provider has an error");
    assert!(
        cause
            .to_string()
            .starts_with("the file /nowhere/key cannot be read: ")
    );
}

#[tokio::test]
async fn responses_and_errors_have_the_fingerprint_of_the_credential_of_their_last_try() {
    let service = Service::responding([books(), unauthorized(), books(), String::new()]).await;
    let (_, provider) = numbered(None);
    let client = Client::builder(service.base_url())
        .credentials(provider)
        .clock(Passing::new())
        .retry(RetryPolicy::never())
        .build()
        .expect("it is valid");
    let call = async || client.list_books().send().await;
    let first = call().await.expect("a success").credential_fingerprint();
    let second = call().await.expect("a success").credential_fingerprint();
    let last = call()
        .await
        .expect_err("the connection broke")
        .credential_fingerprint();
    // The fingerprint of `Bearer key-1`, computed with another implementation. It must stay the same
    // in later versions.
    assert_eq!(
        first.as_deref(),
        Some("9d7ab93e-19aa-5724-812e-26d21dd5017e")
    );
    assert!(second.is_some() && first != second);
    assert_eq!(second, last);
    let open = Client::builder(service.base_url())
        .build()
        .expect("it is valid");
    let error = open
        .list_books()
        .send()
        .await
        .expect_err("the service is gone");
    assert_eq!(error.credential_fingerprint(), None);
}

#[tokio::test]
async fn a_creation_is_repeated_after_a_crash_only_with_the_same_credential() {
    let service = Service::responding([added(), added()]).await;
    let store: Arc<Mutex<Option<String>>> = Arc::default();
    let call = |key: &str| {
        let client = Client::builder(service.base_url()).api_key(key).build();
        let stored = store.lock().expect("no test panics with it").clone();
        let storing = Arc::clone(&store);
        let same = SameCredential::new(stored, move |fingerprint| {
            *storing.lock().expect("no test panics with it") = Some(fingerprint.to_owned());
            Ok(())
        });
        let options = CallOptions::new().interceptor(same);
        let client = client.expect("it is valid");
        client
            .create_book()
            .body(rex())
            .idempotency_key("k-1")
            .with(options)
            .send()
    };
    call("key-1").await.expect("the first process adds it");
    call("key-1")
        .await
        .expect("the second one has the same key");
    let error = call("key-2").await.expect_err("the key was replaced");
    assert!(!error.was_sent());
    assert!(
        error.message().contains("the credential differs"),
        "{error}"
    );
    assert_eq!(service.requests().len(), 2);
}
