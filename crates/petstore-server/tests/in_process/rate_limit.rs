//! Tests the rate limit of a key, with a clock that only the test moves.

use crate::{
    faulty::Faulty,
    raw::{RawResponse, Request},
    running::{Running, With},
};
use chrono::{DateTime, Utc};
use openapi_dropshot_server::{clock::Clock, config::RateLimit};
use petstore_server::keys::{self, KeyName};
use petstore_store::Store as _;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

#[derive(Default)]
pub(crate) struct Manual(Mutex<Duration>);

impl Manual {
    pub(crate) fn go_on(&self, time: Duration) {
        *self.0.lock().expect("nobody panics") += time;
    }
}

impl Clock for Manual {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + self.elapsed()
    }

    fn elapsed(&self) -> Duration {
        *self.0.lock().expect("nobody panics")
    }
}

async fn limited(rate: &str, burst: &str) -> (Running, Arc<Manual>) {
    let clock = Arc::new(Manual::default());
    let with = With {
        clock: clock.clone(),
        rate_limit: RateLimit {
            rate_limit_per_second: rate.parse().expect("a rate"),
            rate_limit_burst: burst.parse().expect("a number"),
        },
        ..With::default()
    };
    (Running::start(with).await, clock)
}

#[track_caller]
fn fields(response: &RawResponse) -> (&str, &str) {
    let field = |name| response.header(name).unwrap_or_default();
    (field("ratelimit-policy"), field("ratelimit"))
}

async fn another_key(store: &Faulty) -> String {
    let (key, kept) = keys::make(KeyName::first(), Utc::now());
    store.create_key(kept).await.expect("a key");
    key.reveal().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_above_the_rate_gets_429_until_the_time_in_retry_after_has_passed() {
    let (running, clock) = limited("2", "3").await;
    let policy = "\"default\";q=3;w=2";
    for left in [
        "\"default\";r=2;t=1",
        "\"default\";r=1;t=1",
        "\"default\";r=0;t=2",
    ] {
        let response = running.get("/v1/pets");
        assert_eq!((response.status, fields(&response)), (200, (policy, left)));
    }
    let response = running.get("/v1/pets");
    let message = response.assert_error(429, "rate_limited");
    assert!(message.contains("1 second"), "{message}");
    assert_eq!(response.header("retry-after"), Some("1"));
    assert_eq!(fields(&response), (policy, "\"default\";r=0;t=1"));

    // The server still responds: to other keys at once, and to this key after that second.
    let other = another_key(&running.store).await;
    let request = Request::get("/v1/pets").key(&other);
    assert_eq!(running.send(&request).status, 200);
    clock.go_on(Duration::from_millis(499));
    assert_eq!(running.get("/v1/pets").status, 429);
    clock.go_on(Duration::from_millis(1));
    assert_eq!(running.get("/v1/pets").status, 200);
    assert_eq!(running.get("/v1/pets").status, 429);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_before_authentication_do_not_count_towards_the_rate_limit_but_later_errors_do() {
    let (running, _) = limited("1", "2").await;
    for request in [
        Request::get("/v1/pets"),
        Request::get("/v1/pets").key("petstore_x"),
        Request::get("/v1/none").key(&running.key),
    ] {
        let response = running.send(&request);
        assert!([401, 404].contains(&response.status), "{response:?}");
        assert_eq!(fields(&response), ("", ""), "{response:?}");
    }
    let response = running.get("/v1/pets?limit=x");
    response.assert_error(400, "invalid_request");
    assert_eq!(fields(&response).1, "\"default\";r=1;t=1");
    let response = running.get_pet(5);
    response.assert_error(404, "not_found");
    assert_eq!(fields(&response).1, "\"default\";r=0;t=2");
    // A rejection by a deprecated operation also has the headers of its deprecation.
    let response = running.get_pet(5);
    response.assert_error(429, "rate_limited");
    assert_eq!(response.header("deprecation"), Some("@1795132800"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_without_a_rate_limit_have_no_rate_limit_headers() {
    let running = Running::start(With::default()).await;
    for _ in 0..150 {
        let response = running.get("/v1/pets");
        assert_eq!((response.status, fields(&response)), (200, ("", "")));
    }
}
