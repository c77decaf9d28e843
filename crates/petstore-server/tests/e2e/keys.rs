//! Tests the key commands, also while the service runs on the same store.

use crate::{
    process::{Service, run_failing, run_ok},
    raw::Request,
};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn status_with(service: &Service, key: &str) -> u16 {
    service.send(&Request::get("/v1/pets").key(key)).status
}

/// The columns of the key's line in the list.
fn listed(service: &Service, name: &str) -> Vec<String> {
    let list = run_ok(service.folder.path(), &["key", "list"]);
    let line = list
        .lines()
        .find(|line| line.split('\t').nth(1) == Some(name));
    line.unwrap_or_else(|| panic!("{list}"))
        .split('\t')
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_key_that_is_made_while_the_service_runs_opens_it_at_once() {
    let service = Service::start();
    let printed = run_ok(
        service.folder.path(),
        &["key", "create", "the shop's tablet"],
    );
    let key = printed.trim_end();
    assert_eq!(printed, format!("{key}\n"), "the key, alone");
    assert_eq!(status_with(&service, key), 200);

    let columns = listed(&service, "the shop's tablet");
    assert!(columns[0].starts_with("k_"), "{columns:?}");
    assert!(columns[2].starts_with("made 20"), "{columns:?}");
    assert!(columns[3].starts_with("last used "), "{columns:?}");
    assert_eq!(columns[4], "revoked -", "{columns:?}");
    let list = run_ok(service.folder.path(), &["key", "list"]);
    assert!(!list.contains(key), "the key itself is nowhere: {list}");
}

#[test]
fn a_revoked_key_stops_working_within_a_second_and_the_others_go_on() {
    let service = Service::start();
    let key = run_ok(service.folder.path(), &["key", "create", "second"]);
    let key = key.trim_end();
    assert_eq!(status_with(&service, key), 200);

    let id = &listed(&service, "second")[0];
    assert_eq!(
        run_ok(service.folder.path(), &["key", "revoke", id]),
        format!("revoked {id}\n")
    );
    let revoked = Instant::now();
    while status_with(&service, key) != 401 {
        assert!(revoked.elapsed() < Duration::from_secs(1), "still works");
    }
    assert_eq!(status_with(&service, &service.key), 200);
    assert!(listed(&service, "second")[4].starts_with("revoked 20"));

    let again = run_ok(service.folder.path(), &["key", "revoke", id]);
    assert!(
        again.contains(id) && again.contains("revoked already"),
        "{again}"
    );
}

#[test]
fn a_store_whose_only_key_was_revoked_gets_no_new_one() {
    let service = Service::start();
    let id = &listed(&service, "first")[0];
    run_ok(service.folder.path(), &["key", "revoke", id]);
    let again = Service::start_in(service.folder.clone(), &[], &[]);
    assert!(!again.showed_a_key(), "{}", again.log.text());
}

#[test]
fn keys_that_are_not_there_are_a_clear_error() {
    let folder = TempDir::new().expect("a folder can be made");
    run_ok(folder.path(), &["migrate", "--create"]);
    let error = run_failing(folder.path(), &["key", "revoke", "k_000000000000"], 1);
    assert!(
        error.starts_with("error: there is no key `k_000000000000`"),
        "{error}"
    );
    assert!(error.contains("key list"), "{error}");
    let error = run_failing(folder.path(), &["key", "revoke", "first"], 1);
    assert!(
        error.starts_with("error: a key id is `k_` and 12 characters"),
        "{error}"
    );
}

#[test]
fn names_that_cannot_be_read_are_rejected() {
    let folder = TempDir::new().expect("a folder can be made");
    run_ok(folder.path(), &["migrate", "--create"]);
    for name in ["", " ", "two\nlines", &"x".repeat(101)] {
        let error = run_failing(folder.path(), &["key", "create", name], 2);
        assert!(error.contains("1 to 100 visible characters"), "{error}");
    }
    assert_eq!(run_ok(folder.path(), &["key", "list"]), "");
}

#[test]
fn a_store_in_memory_has_no_keys_to_manage() {
    let folder = TempDir::new().expect("a folder can be made");
    for arguments in [
        &["key", "create", "a"][..],
        &["key", "list"],
        &["key", "revoke", "k_000000000000"],
    ] {
        let arguments = [arguments, &["--database", "sqlite::memory:"]].concat();
        let error = run_failing(folder.path(), &arguments, 1);
        assert!(
            error.starts_with("error: `sqlite::memory:`") && error.contains("--database"),
            "{error}"
        );
    }
}
