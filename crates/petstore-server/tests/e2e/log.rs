//! What the log says of a request, and what it must never say.

use crate::{process::Service, raw::Request};

#[test]
fn a_request_leaves_one_line_that_tells_who_asked_for_what() {
    let service = Service::start();
    let answer = service.get("/v1/pets/4711");
    let line = service
        .log
        .wait_for(answer.header("x-request-id").expect("an id"));
    for part in [
        "INFO petstore_server::access",
        "method=\"GET\"",
        "route=\"/pets/{petId}\"",
        "operation=\"getPet\"",
        "status=404",
        "duration_us=",
        "key=\"k_",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(!line.contains("4711"), "{line}");
}

#[test]
fn neither_keys_nor_bodies_nor_addresses_are_logged() {
    let folder = std::sync::Arc::new(tempfile::TempDir::new().expect("a folder can be made"));
    // Where the key is not shown, everything on stderr is the log.
    let service = Service::start_in(folder, &["--log", "trace"], &[("JOURNAL_STREAM", "8:1")]);
    let key = crate::process::run_ok(service.folder.path(), &["key", "create", "a"]);
    let key = key.trim_end();
    service.send(
        &Request::post(
            "/v1/pets?secretquery=1",
            r#"{"name":"secretname","categoryId":7}"#,
        )
        .key(key),
    );
    service.send(&Request::post("/v1/pets", r#"{"name":"secretname"}"#).key(key));
    service.send(&Request::get("/v1/secretpath").key(key));
    let mistyped = format!("{}x", &key[..key.len() - 1]);
    let last = service.send(&Request::get("/v1/pets").key(&mistyped));
    service
        .log
        .wait_for(last.header("x-request-id").expect("an id"));
    let log = service.log.text();
    for secret in [key, &mistyped, "secretname", "secretquery", "secretpath"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
    assert!(
        log.contains(" dropshot: "),
        "dropshot's own log is in the same stream: {log}"
    );
}

#[test]
fn dropshot_says_nothing_of_ordinary_requests_unless_it_is_asked() {
    let service = Service::start();
    let answer = service.get("/v1/pets");
    service
        .log
        .wait_for(answer.header("x-request-id").expect("an id"));
    assert!(
        !service.log.text().contains("dropshot"),
        "{}",
        service.log.text()
    );

    let service = Service::start_with(&["--log", "info,dropshot=info,petstore_server::access=off"]);
    let answer = service.get("/v1/pets");
    let line = service
        .log
        .wait_for(answer.header("x-request-id").expect("an id"));
    assert!(
        line.contains("dropshot: request completed") && line.contains("response_code=200"),
        "{line}"
    );
    assert!(line.contains("remote_addr=127.0.0.1"), "{line}");
}

#[test]
fn a_client_that_goes_away_leaves_a_line_too() {
    let service = Service::start();
    let request = Request::post("/v1/pets", "{}")
        .key(&service.key)
        .header("Expect", "100-continue")
        .bytes();
    let mut connection = service.connect();
    connection.write(&request[..request.len() - 2]);
    assert_eq!(connection.head().0, 100);
    drop(connection);
    let line = service.log.wait_for("operation=\"createPet\"");
    assert!(
        line.contains("status=400") || line.contains("the client went away"),
        "{line}"
    );
    assert!(service.pets().is_empty());
}
