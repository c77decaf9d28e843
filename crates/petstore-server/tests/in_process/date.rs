//! Tests the header `Date` while the clock is set forward and back.

use crate::running::{Running, Settable, With};
use chrono::TimeDelta;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_date_of_a_response_follows_a_clock_that_is_set_back() {
    let clock = Settable::at("2036-02-06T06:28:15Z");
    let running = Running::start(With {
        clock: clock.clone(),
        ..With::default()
    })
    .await;
    let assert_date = |expected: &str| {
        for target in ["/v1/pets", "/v1/pets/1", "/v1/nothing", "/docs"] {
            let response = running.get(target);
            assert_eq!(response.header("date"), Some(expected), "{target}");
        }
    };
    assert_date("Wed, 06 Feb 2036 06:28:15 GMT");
    clock.advance(TimeDelta::days(-3652));
    assert_date("Fri, 06 Feb 2026 06:28:15 GMT");
    clock.advance(TimeDelta::seconds(1));
    assert_date("Fri, 06 Feb 2026 06:28:16 GMT");
}
