//! Tests the exact expiry and rate limit of a key, with a clock that only the test moves.

use crate::{
    faulty::Faulty,
    rate_limit::Manual,
    raw::Request,
    running::{Running, With},
};
use chrono::{DateTime, TimeDelta};
use openapi_dropshot_server::config::RateLimit;
use petstore_server::keys::{self, KeyName};
use petstore_store::{KeyLimits, KeyRate, Store as _};
use std::{sync::Arc, time::Duration};

async fn running(rate: &str, burst: &str) -> (Running, Arc<Manual>) {
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

async fn key(store: &Faulty, limits: KeyLimits) -> String {
    let (key, new_key) = keys::make_limited(KeyName::first(), limits, DateTime::UNIX_EPOCH);
    store.create_key(new_key).await.expect("a key");
    key.reveal().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_valid_until_its_expiry_on_the_clock_of_the_server() {
    let (running, clock) = running("off", "1").await;
    let limits = KeyLimits {
        expires_at: Some(DateTime::UNIX_EPOCH + TimeDelta::seconds(10)),
        ..KeyLimits::default()
    };
    let key = key(&running.store, limits).await;
    let get = || running.send(&Request::get("/v1/pets").key(&key));
    assert_eq!(get().status, 200);
    clock.go_on(Duration::from_millis(9_999));
    assert_eq!(get().status, 200);
    clock.go_on(Duration::from_millis(1));
    let message = get().assert_error(401, "unauthorized");
    assert!(message.contains("1970-01-01T00:00:10Z"), "{message}");
    assert_eq!(running.get("/v1/pets").status, 200, "another key");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rate_limit_of_a_key_replaces_the_rate_limit_of_the_server() {
    let (running, clock) = running("1", "2").await;
    let rate = |text: &str| KeyLimits {
        rate: Some(text.parse().map_or(KeyRate::Off, KeyRate::PerSecond)),
        ..KeyLimits::default()
    };
    let faster = key(&running.store, rate("4")).await;
    let unlimited = key(&running.store, rate("off")).await;
    let passed = |key: &str| {
        let get = |_: &i32| running.send(&Request::get("/v1/pets").key(key)).status == 200;
        (0..20).filter(get).count()
    };
    for (key, expected) in [(&running.key, 2), (&faster, 2), (&unlimited, 20)] {
        assert_eq!(passed(key), expected, "the burst");
    }
    clock.go_on(Duration::from_millis(500));
    for (key, expected) in [(&running.key, 0), (&faster, 2), (&unlimited, 20)] {
        assert_eq!(passed(key), expected, "after half a second");
    }
}
