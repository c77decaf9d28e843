//! Tests the days around a removal date: 4, 5 and 6 December 2030.

use crate::{
    raw::{RawResponse, Request},
    running::{At, Running, With},
};
use chrono::{DateTime, Utc};
use openapi_dropshot_server::{clock::Clock, config::SunsetPolicy};
use std::sync::{Arc, Mutex};

const BEFORE: [&str; 2] = ["2030-12-04T12:00:00Z", "2030-12-04T23:59:59.999Z"];
const AFTER: [&str; 3] = [
    "2030-12-05T00:00:00Z",
    "2030-12-05T12:00:00Z",
    "2030-12-06T12:00:00Z",
];

async fn running(time: &str, sunset: SunsetPolicy) -> Running {
    Running::start(With {
        clock: At::new(time),
        sunset,
        ..With::default()
    })
    .await
}

#[track_caller]
fn assert_announced(response: &RawResponse) {
    assert_eq!(
        response.header("deprecation"),
        Some("@1795132800"),
        "{response:?}"
    );
    assert_eq!(
        response.header("sunset"),
        Some("Thu, 05 Dec 2030 00:00:00 GMT"),
        "{response:?}"
    );
    assert_eq!(
        response.header("link"),
        Some("<../pets>; rel=\"successor-version\""),
        "{response:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn before_its_removal_date_the_operation_is_served() {
    for time in BEFORE {
        let response = running(time, SunsetPolicy::Enforce).await.get_pet(1);
        response.assert_error(404, "not_found");
        assert_announced(&response);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_its_removal_date_on_the_operation_gets_410_if_the_removal_is_enforced() {
    for time in AFTER {
        let running = running(time, SunsetPolicy::Enforce).await;
        // The operation is removed for all clients, so the key is not checked.
        for response in [
            running.get_pet(1),
            running.send(&Request::get("/v1/pets/1")),
        ] {
            let message = response.assert_error(410, "operation_removed");
            assert_eq!(
                message,
                "`GET /pets/{petId}` was removed on 5 December 2030; use `GET /pets` with a `status` filter"
            );
            assert_announced(&response);
        }
        running.still_responds();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_its_removal_date_the_operation_is_served_if_the_removal_is_not_enforced() {
    for time in AFTER {
        let response = running(time, SunsetPolicy::Announce).await.get_pet(1);
        response.assert_error(404, "not_found");
        assert_announced(&response);
    }
}

/// A clock that the test sets.
struct Set(Mutex<DateTime<Utc>>);

impl Clock for Set {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().expect("nobody panics")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_server_rejects_the_operation_from_midnight_of_the_removal_date_on() {
    for (sunset, after) in [
        (SunsetPolicy::Enforce, (410, "operation_removed")),
        (SunsetPolicy::Announce, (404, "not_found")),
    ] {
        let clock = Arc::new(Set(Mutex::default()));
        let running = Running::start(With {
            clock: clock.clone(),
            sunset,
            ..With::default()
        })
        .await;
        for (times, (status, code)) in [(&BEFORE[..], (404, "not_found")), (&AFTER[..], after)] {
            for time in times {
                *clock.0.lock().expect("nobody panics") = time.parse().expect("a time");
                let response = running.get_pet(1);
                response.assert_error(status, code);
                assert_announced(&response);
                running.still_responds();
            }
        }
    }
}
