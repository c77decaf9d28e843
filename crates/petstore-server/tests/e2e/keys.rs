//! Tests the key commands, including while the service runs with the same store.

use crate::{
    process::{Service, run, run_failing, run_ok},
    raw::Request,
    scrape::Watched,
};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    time::{Duration, Instant},
};
use tempfile::TempDir;

const HEADER: &str = "id\tname\tmade\tlast used\trevoked\texpires\trate\tscope\n";

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
fn a_key_that_is_created_while_the_service_runs_is_valid_at_once() {
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
fn a_revoked_key_becomes_invalid_and_the_others_stay_valid() {
    let service = Service::start();
    let key = run_ok(service.folder.path(), &["key", "create", "second"]);
    let key = key.trim_end();
    assert_eq!(status_with(&service, key), 200);

    let id = &listed(&service, "second")[0];
    assert_eq!(
        run_ok(service.folder.path(), &["key", "revoke", id]),
        format!("revoked {id}, named `second`\n")
    );
    let revoked = Instant::now();
    while status_with(&service, key) != 401 {
        assert!(revoked.elapsed() < Duration::from_secs(20), "still works");
    }
    assert_eq!(status_with(&service, &service.key), 200);
    assert!(listed(&service, "second")[4].starts_with("revoked 20"));

    let again = run_ok(service.folder.path(), &["key", "revoke", id]);
    let start = format!("{id}, named `second`, was already revoked, 20");
    assert!(again.starts_with(&start), "{again}");
}

#[test]
fn a_request_whose_key_is_revoked_before_its_body_has_arrived_is_rejected() {
    let watched = Watched::start();
    let service = &watched.service;
    let key = run_ok(service.folder.path(), &["key", "create", "second"]);
    let key = key.trim_end();
    let body = r#"{"name": "Rex", "categoryId": 7}"#;
    let (first, rest) = body.split_at(9);
    let mut stream = TcpStream::connect(service.address).expect("the service listens");
    let head = format!(
        "POST /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    write!(stream, "{head}{first}").expect("the service reads");
    // When the service counts the request as one that waits for its body, it has already checked
    // the key.
    let begun = Instant::now();
    let waiting = || watched.scrape().find("petstore_request_bytes_in_use", &[]);
    while waiting().is_none_or(|bytes| bytes == 0.0) {
        assert!(begun.elapsed() < Duration::from_secs(20), "does not wait");
    }
    run_ok(service.folder.path(), &["key", "revoke", "second"]);
    while status_with(service, key) != 401 {
        assert!(begun.elapsed() < Duration::from_secs(20), "still works");
    }
    stream
        .write_all(rest.as_bytes())
        .expect("the service reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    assert!(response.starts_with("HTTP/1.1 401 "), "{response}");
    let pets = service.send(&Request::get("/v1/pets").key(&service.key));
    assert_eq!(pets.json(), json!([]));
}

#[test]
fn a_store_whose_only_key_was_revoked_gets_no_new_key_at_the_start() {
    let service = Service::start();
    let id = &listed(&service, "first")[0];
    run_ok(service.folder.path(), &["key", "revoke", id]);
    let again = Service::start_in(service.folder.clone(), &[], &[]);
    assert!(!again.showed_a_key(), "{}", again.log.text());
}

#[test]
fn revoking_an_unknown_key_is_an_error_that_names_it() {
    let folder = TempDir::new().expect("a folder can be made");
    run_ok(folder.path(), &["migrate", "--create"]);
    let error = run_failing(folder.path(), &["key", "revoke", "k_000000000000"], 1);
    assert!(
        error.starts_with("error: there is no key with the id or the name `k_000000000000`"),
        "{error}"
    );
    assert!(error.contains("key list"), "{error}");
    let error = run_failing(folder.path(), &["key", "revoke", "first"], 1);
    assert!(
        error.starts_with("error: there is no key with the id or the name `first`"),
        "{error}"
    );
}

/// Creates a key, and returns it with the lines on stderr.
fn create(folder: &Path, arguments: &[&str]) -> (String, Vec<String>) {
    let output = run(folder, &[&["key", "create"], arguments].concat());
    assert!(output.status.success(), "{output:?}");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let (key, said) = (text(output.stdout), text(output.stderr));
    (key, said.lines().map(str::to_owned).collect())
}

/// The id in a line such as "created k_…, named `shop`".
fn created_id<'l>(line: &'l str, name: &str) -> &'l str {
    let id = line.strip_prefix("created ");
    let id = id.and_then(|rest| rest.strip_suffix(&format!(", named `{name}`")));
    id.unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn a_new_key_is_alone_on_stdout_and_its_id_and_name_are_on_stderr_and_in_the_log() {
    let folder = TempDir::new().expect("a folder can be made");
    run_ok(folder.path(), &["migrate", "--create"]);
    let (printed, said) = create(folder.path(), &["the shop", "--log-format", "json"]);
    let key = printed.strip_suffix('\n').expect("a line");
    assert!(key.starts_with("petstore_") && !key.contains('\n'), "{key}");
    assert!(!said.concat().contains(key), "{said:?}");
    // Another thread writes the log.
    let (lines, log): (Vec<_>, Vec<_>) = said.iter().partition(|line| line.starts_with("created"));
    let ([line], [log]) = (&lines[..], &log[..]) else {
        panic!("{said:?}")
    };
    let id = created_id(line, "the shop");
    let logged = |line: &str, message: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["message"], message, "{line}");
        assert_eq!(line["key_id"], id, "{line}");
        assert_eq!(line["key_name"], "the shop", "{line}");
    };
    logged(log, "an API key was created");

    let output = run(
        folder.path(),
        &["key", "revoke", id, "--log-format", "json"],
    );
    let said = String::from_utf8(output.stderr).expect("text");
    logged(said.trim_end(), "an API key was revoked");
}

#[test]
fn a_key_is_revoked_by_its_name_if_no_other_valid_key_has_the_same_name() {
    let folder = TempDir::new().expect("a folder can be made");
    run_ok(folder.path(), &["migrate", "--create"]);
    let ids: Vec<String> = (0..2)
        .map(|_| {
            let (_, said) = create(folder.path(), &["shop", "--log", "off"]);
            created_id(&said[0], "shop").to_owned()
        })
        .collect();
    let revoke = ["key", "revoke", "shop"];
    let error = run_failing(folder.path(), &revoke, 1);
    assert!(
        error.starts_with("error: 2 valid keys have the name `shop`: ")
            && ids.iter().all(|id| error.contains(id)),
        "{error}"
    );
    assert!(!run_ok(folder.path(), &["key", "list"]).contains("revoked 20"));

    run_ok(folder.path(), &["key", "revoke", &ids[0]]);
    let expected = format!("revoked {}, named `shop`\n", ids[1]);
    assert_eq!(run_ok(folder.path(), &revoke), expected);
    let error = run_failing(folder.path(), &revoke, 1);
    assert!(
        error.starts_with("error: all keys with the name `shop` have already been revoked"),
        "{error}"
    );
}

#[test]
fn key_list_prints_a_header_and_can_also_print_json() {
    let folder = TempDir::new().expect("a folder can be made");
    run_ok(folder.path(), &["migrate", "--create"]);
    let json = || -> Value {
        let list = run_ok(folder.path(), &["key", "list", "--format", "json"]);
        serde_json::from_str(&list).expect("JSON")
    };
    assert_eq!(run_ok(folder.path(), &["key", "list"]), HEADER);
    assert_eq!(json(), json!({"format": 1, "keys": []}));

    create(folder.path(), &["plain"]);
    let limits = ["--expires", "2999-01-31", "--rate", "20", "--scope", "read"];
    create(folder.path(), &[&["limited"], &limits[..]].concat());
    run_ok(folder.path(), &["key", "revoke", "plain"]);
    let list = run_ok(folder.path(), &["key", "list"]);
    let rows = list.strip_prefix(HEADER).expect("a header");
    for row in rows.lines() {
        assert_eq!(row.split('\t').count(), HEADER.split('\t').count());
    }
    let mut keys = json()["keys"].take();
    let is_time = |time: &Value| time.as_str().is_some_and(|time| time.ends_with('Z'));
    for (key, row) in keys
        .as_array_mut()
        .expect("keys")
        .iter_mut()
        .zip(rows.lines())
    {
        assert_eq!(row.split('\t').next(), key["id"].as_str());
        assert!(is_time(&key["created_at"].take()));
        key["id"].take();
    }
    assert!(is_time(&keys[0]["revoked_at"].take()));
    let expected = json!([
        {"id": null, "name": "plain", "created_at": null, "last_used_at": null, "revoked_at": null,
            "expires_at": null, "rate": null, "scope": "read,write"},
        {"id": null, "name": "limited", "created_at": null, "last_used_at": null, "revoked_at": null,
            "expires_at": "2999-01-31T00:00:00Z", "rate": "20", "scope": "read"},
    ]);
    assert_eq!(keys, expected);
}

#[test]
fn a_running_service_logs_the_keys_that_commands_create_and_revoke() {
    let service = Service::start();
    let folder = service.folder.path();
    let first = listed(&service, "first")[0].clone();
    let (key, said) = create(folder, &["shop", "--log", "off"]);
    let id = created_id(&said[0], "shop");
    run_ok(folder, &["key", "revoke", id]);
    for (message, id, name) in [
        ("an API key was created", first.as_str(), "first"),
        ("an API key was created", id, "shop"),
        ("an API key was revoked", id, "shop"),
    ] {
        let line = format!("{message} key_id=\"{id}\" key_name=\"{name}\"");
        service.log.wait_for(&line);
    }
    assert!(!service.log.text().contains(key.trim_end()));

    // Another start does not log them again.
    service.signal(Signal::TERM);
    let again = Service::start_in(service.folder.clone(), &[], &[]);
    create(folder, &["last"]);
    again.log.wait_for("key_name=\"last\"");
    assert!(!again.log.text().contains(id), "{}", again.log.text());
}

#[test]
fn key_names_with_control_characters_are_rejected() {
    let folder = TempDir::new().expect("a folder can be made");
    run_ok(folder.path(), &["migrate", "--create"]);
    for name in ["", " ", "two\nlines", &"x".repeat(101)] {
        let error = run_failing(folder.path(), &["key", "create", name], 2);
        assert!(error.contains("1 to 100 visible characters"), "{error}");
    }
    assert_eq!(run_ok(folder.path(), &["key", "list"]), HEADER);
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
