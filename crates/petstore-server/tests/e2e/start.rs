//! Tests the start of the service: its only line on stdout, and the first key.

use crate::{
    process::{Log, Service, program, run_failing, run_ok},
    raw::{self, Request},
};
use rustix::process::Signal;
use std::{net::TcpListener, process::Stdio, sync::Arc};
use tempfile::TempDir;

#[test]
fn a_new_store_gets_an_api_key_that_is_printed_once_together_with_a_curl_command() {
    let mut service = Service::start();
    // The request to paste is the last line that the service prints.
    service.log.wait_for("curl");
    let shown = service.log.text();
    assert_eq!(
        shown.matches(&format!("    {}\n", service.key)).count(),
        1,
        "{shown}"
    );
    let curl = format!(
        "curl -H 'Authorization: Bearer {}' http://{}/v1/pets",
        service.key, service.address
    );
    assert!(shown.contains(&curl), "{shown}");
    assert!(service.pets().is_empty());

    service.signal(Signal::TERM);
    let (status, rest) = service.ended();
    assert_eq!(
        (status.code(), rest.as_str()),
        (Some(0), ""),
        "one line on stdout, no more"
    );

    let again = Service::start_in(service.folder.clone(), &[], &[]);
    assert!(!again.showed_a_key(), "{}", again.log.text());
    let listed = run_ok(service.folder.path(), &["key", "list"]);
    assert_eq!(listed.lines().skip(1).count(), 1, "{listed}");
    assert!(listed.contains("\tfirst\t"), "{listed}");
}

#[test]
fn under_a_supervisor_no_key_is_created_and_the_log_says_how_to_create_one() {
    for variable in [
        ("JOURNAL_STREAM", "8:1"),
        ("KUBERNETES_SERVICE_HOST", "192.0.2.1"),
    ] {
        let folder = Arc::new(TempDir::new().expect("a folder can be made"));
        let service = Service::start_in(folder.clone(), &[], &[variable]);
        assert!(!service.showed_a_key(), "{}", service.log.text());
        let line = service.log.wait_for("no API key yet");
        assert!(line.contains("petstore-server key create NAME"), "{line}");
        let listed = run_ok(folder.path(), &["key", "list"]);
        assert_eq!(listed.lines().count(), 1, "{listed}");
    }
}

#[test]
fn a_store_in_memory_serves_and_leaves_no_file() {
    let service = Service::start_with(&["--database", "sqlite::memory:"]);
    service.add("Rex", None);
    assert_eq!(service.pets().len(), 1);
    let left = std::fs::read_dir(service.folder.path())
        .expect("the folder is there")
        .count();
    assert_eq!(left, 0);
}

#[test]
fn a_port_in_use_is_reported_and_creates_no_key() {
    let folder = TempDir::new().expect("a folder can be made");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has an address").to_string();
    let error = run_failing(folder.path(), &["serve", "--listen", &address], 1);
    let expected = format!(
        "error: cannot listen on {address}; choose another address or port with `--listen`"
    );
    assert!(
        error.starts_with(&expected) && error.contains("in use"),
        "{error}"
    );
    assert!(!folder.path().join("petstore.db").exists(), "no store");
}

#[test]
fn a_store_that_cannot_be_opened_is_reported_with_a_remedy() {
    let folder = TempDir::new().expect("a folder can be made");
    let error = run_failing(
        folder.path(),
        &["serve", "--database", "sqlite:no/such/pets.db"],
        1,
    );
    assert!(
        error.starts_with("error: ") && error.contains("no/such"),
        "{error}"
    );
    let error = run_failing(
        folder.path(),
        &["serve", "--database", "mysql://root:hunter2@db/pets"],
        2,
    );
    assert!(
        error.contains("`database`") && error.contains("`sqlite:PATH`"),
        "{error}"
    );
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn a_closed_stdout_does_not_stop_the_service() {
    let folder = TempDir::new().expect("a folder can be made");
    let mut child = program(folder.path())
        .args(["serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be run");
    drop(child.stdout.take());
    let log = Log::follow(child.stderr.take().expect("piped"));
    let line = log.wait_for("cannot write to stdout");
    let address = line
        .split("http://")
        .nth(1)
        .and_then(|rest| rest.strip_suffix("/v1"));
    let address = address
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| panic!("{line}"));
    assert_eq!(raw::send(address, &Request::get("/v1/pets")).status, 401);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}
