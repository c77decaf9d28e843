//! Tests the expiry, rate limit, scope and replacement of API keys on SQLite.

use crate::{
    limits::{self, Shop},
    process::Service,
};

/// Runs a test on a service with a small burst and no rate limit.
fn with_shop(test: fn(&Shop<'_>)) {
    let service = Service::start_with(&["--rate-limit-burst", "3"]);
    test(&Shop {
        service: &service,
        database: &[],
    });
}

#[test]
fn key_list_shows_the_limits_of_keys() {
    with_shop(limits::key_list_shows_the_limits_of_keys);
}

#[test]
fn an_expired_key_is_rejected() {
    with_shop(limits::an_expired_key_is_rejected);
}

#[test]
fn a_key_with_the_scope_read_cannot_write() {
    with_shop(limits::a_key_with_the_scope_read_cannot_write);
}

#[test]
fn a_key_has_its_own_rate_limit() {
    with_shop(limits::a_key_has_its_own_rate_limit);
}

#[test]
fn a_key_can_be_replaced_by_another_key_with_the_same_name() {
    with_shop(limits::a_key_can_be_replaced_by_another_key_with_the_same_name);
}

#[test]
fn invalid_limits_of_keys_are_rejected() {
    with_shop(limits::invalid_limits_of_keys_are_rejected);
}
