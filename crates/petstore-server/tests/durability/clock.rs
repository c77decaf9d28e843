//! Tests a clock that is set back, so that for the service all data in the store is from the
//! future.

use crate::{
    process::{Service, run_ok},
    raw::{RawResponse, Request},
};
use rusqlite::Connection;
use rustix::process::Signal;
use std::sync::Arc;

const YEAR: i64 = 365 * 24 * 3600 * 1_000_000;

fn get_with(service: &Service, key: &str) -> RawResponse {
    service.send(&Request::get("/v1/pets").key(key))
}

#[test]
fn if_the_clock_is_set_back_newer_keys_are_valid_and_revoked_keys_stay_revoked() {
    let mut service = Service::start();
    service.add("Rex", None);
    let folder = Arc::clone(&service.folder);
    let revoked = run_ok(folder.path(), &["key", "create", "old"]);
    let listed = run_ok(folder.path(), &["key", "list"]);
    let id_of = |name: &str| {
        let line = listed.lines().find(|line| line.contains(name));
        let id = line.and_then(|line| line.split('\t').next());
        id.expect("its line").to_owned()
    };
    run_ok(folder.path(), &["key", "revoke", &id_of("\told\t")]);
    service.signal(Signal::TERM);
    service.ended();
    // The service runs ten years in the future, so that the real clock is ten years behind.
    Connection::open(folder.path().join("petstore.db"))
        .and_then(|db| {
            db.execute(
                "UPDATE api_keys SET created_at = created_at + ?1, revoked_at = revoked_at + ?1",
                [10 * YEAR],
            )
        })
        .expect("other times");

    let mut again = Service::start_in(Arc::clone(&folder), &[], &[]);
    again.key = service.key.clone();
    assert!(!again.showed_a_key(), "the store has its keys");
    assert_eq!(again.pets().len(), 1);
    assert_eq!(again.add("Tom", None), 2);
    let response = get_with(&again, revoked.trim());
    response.assert_error(401, "unauthorized");

    let new = run_ok(folder.path(), &["key", "create", "new"]);
    assert_eq!(get_with(&again, new.trim()).status, 200);
    let listed = run_ok(folder.path(), &["key", "list"]);
    assert_eq!(listed.lines().skip(1).count(), 3, "{listed}");
    // According to the clock, the key was revoked before it was created; the revocation is still
    // valid.
    run_ok(folder.path(), &["key", "revoke", &id_of("\tfirst\t")]);
    get_with(&again, &service.key).assert_error(401, "unauthorized");
}
