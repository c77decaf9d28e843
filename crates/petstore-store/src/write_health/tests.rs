//! Tests when failing and waiting writes make a store unusable.

use super::*;

/// A store whose last successful write was `ago` in the past.
fn well(ago: Duration) -> WriteHealth {
    let health = WriteHealth::default();
    let mut state = health.state.lock();
    state.well_at = Instant::now().checked_sub(ago).expect("a time");
    state.ended_at = state.well_at;
    drop(state);
    health
}

fn full() -> StoreError {
    StoreError::not_applied(std::io::Error::other("the disk is full"))
}

#[test]
fn a_store_without_writes_is_healthy() {
    let health = well(2 * THRESHOLD);
    assert!(health.check().is_ok() && !health.wants_probe());
    health.begin();
    assert!(health.check().is_ok(), "it began just now");
    health.end();
    health.not_committed(Some(&StoreError::KeyExists));
    assert!(health.check().is_ok() && !health.wants_probe());
}

#[test]
fn writes_that_wait_too_long_make_the_store_unhealthy_until_a_write_is_committed() {
    let health = well(Duration::ZERO);
    health.begin();
    health.state.lock().well_at -= 2 * THRESHOLD;
    health.begin();
    let error = health.check().expect_err("it waits").to_string();
    assert!(error.contains("have not succeeded for 10 s"), "{error}");
    assert!(!health.wants_probe());
    health.committed();
    health.end();
    assert!(health.check().is_ok());
}

#[test]
fn failures_make_the_store_unhealthy_until_a_probe_succeeds() {
    let health = well(Duration::ZERO);
    health.not_committed(Some(&full()));
    assert!(health.check().is_ok(), "it may be over at once");
    assert!(!health.wants_probe());
    health.state.lock().well_at -= 2 * THRESHOLD;
    health.begin();
    health.not_committed(Some(&full()));
    health.end();
    let error = health.check().expect_err("it fails").to_string();
    assert!(error.contains("the disk is full"), "{error}");
    health.not_committed(None);
    assert!(health.check().is_err(), "a write that was not tried");
    health.state.lock().ended_at -= QUIET;
    health.changed_nothing();
    assert!(health.check().is_err(), "a write that needed no disk");
    assert!(health.wants_probe());
    health.committed();
    assert!(health.check().is_ok() && !health.wants_probe());
}
