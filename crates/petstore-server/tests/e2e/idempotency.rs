//! Tests `Idempotency-Key` with the real program: which requests are repeated or rejected, and how
//! long a key is kept. `tests/in_process` tests the cases that need a slow store or another clock.

use crate::{
    process::{Service, run_ok},
    raw::{Connection, RawResponse, Request},
};
use rustix::process::Signal;
use std::{sync::Arc, thread};

const PET: &str = r#"{"name":"Rex","categoryId":7,"status":"sold"}"#;

fn request(key: &str, body: &str) -> Request {
    Request::post("/v1/pets", body).header("Idempotency-Key", key)
}

fn send(service: &Service, key: &str, body: &str) -> RawResponse {
    service.send(&request(key, body).key(&service.key))
}

#[track_caller]
fn assert_created(response: &RawResponse) {
    assert_eq!(response.status, 201, "{response:?}");
}

#[test]
fn the_same_key_and_body_get_the_first_response_again() {
    let service = Service::start();
    let first = send(&service, "a-1", PET);
    assert_created(&first);
    // The same value in other notations, and with both forms of the key.
    let same = [
        PET,
        r#" { "status": "sold", "categoryId" : 7, "name": "\u0052ex" } "#,
        r#"{"colour":"red","name":"Rex","categoryId":7,"id":99,"status":"sold"}"#,
    ];
    for body in same {
        for key in ["a-1", "\"a-1\""] {
            let again = send(&service, key, body);
            assert_created(&again);
            assert_eq!(again.body, first.body);
            assert_ne!(again.header("x-request-id"), first.header("x-request-id"));
        }
    }
    assert_eq!(service.pets(), [first.json()]);
    // Without the key, or with another key, the request creates another pet.
    assert_created(&service.post(PET));
    assert_created(&send(&service, "A-1", PET));
    assert_eq!(service.pets().len(), 3);
}

#[test]
fn another_body_with_the_same_key_is_rejected_with_422() {
    let service = Service::start();
    let first = send(&service, "a", PET);
    assert_created(&first);
    for body in [
        r#"{"name":"Rex","categoryId":7}"#,
        r#"{"name":"Rex","categoryId":7,"status":"pending"}"#,
        r#"{"name":"rex","categoryId":7,"status":"sold"}"#,
        r#"{"name":"Rex","categoryId":8,"status":"sold"}"#,
    ] {
        let response = send(&service, "a", body);
        let message = response.assert_error(422, "idempotency_key_reused");
        assert!(message.contains("`Idempotency-Key`"), "{message}");
    }
    // An invalid body gets 400, whatever the state of the key.
    send(&service, "a", r#"{"name":"Rex"}"#).assert_error(400, "invalid_request");
    assert_eq!(send(&service, "a", PET).body, first.body);
    assert_eq!(service.pets(), [first.json()]);
}

#[test]
fn an_invalid_idempotency_key_is_rejected_with_400_and_nothing_is_created() {
    let service = Service::start();
    let longest = "x".repeat(255);
    for key in [
        "",
        "a b",
        "\"",
        "\"\"",
        "\"a",
        "\"a\"b",
        "\"a\", \"b\"",
        "\"a\";p=1",
        "a\tb",
        "ü",
        "\"\\a\"",
        &format!("{longest}x"),
        &format!("\"{longest}x\""),
    ] {
        let message = send(&service, key, PET).assert_error(400, "invalid_request");
        assert!(message.contains("`Idempotency-Key`"), "{key:?}: {message}");
    }
    // Two header lines form one value (RFC 9110, section 5.3), which contains a space.
    let twice = request("a", PET).header("idempotency-key", "b");
    let message = service.send(&twice.key(&service.key));
    let message = message.assert_error(400, "invalid_request");
    assert!(message.contains("`Idempotency-Key`"), "{message}");
    // A request without an API key reveals nothing about the key.
    service
        .send(&request("a b", PET))
        .assert_error(401, "unauthorized");
    assert!(service.pets().is_empty());
    for key in [&longest, &format!("\"{longest}\""), "\"a b\"", "a,b\"'~"] {
        assert_created(&send(&service, key, PET));
    }
    assert_eq!(service.pets().len(), 3);
}

#[test]
fn each_api_key_has_its_own_idempotency_keys() {
    let service = Service::start();
    let folder = service.folder.path();
    let other = run_ok(folder, &["key", "create", "other"]);
    let with_other = request("a", PET).key(other.trim());
    let first = send(&service, "a", PET);
    let second = service.send(&with_other);
    assert_created(&second);
    assert_ne!(first.body, second.body);
    assert_eq!(service.send(&with_other).body, second.body);

    // An idempotency key has no effect without the API key that it belongs to.
    let listed = run_ok(folder, &["key", "list"]);
    let line = listed.lines().find(|line| line.contains("\tother\t"));
    let id = line.and_then(|line| line.split('\t').next());
    run_ok(folder, &["key", "revoke", id.expect("its line")]);
    service.send(&with_other).assert_error(401, "unauthorized");
    assert_eq!(send(&service, "a", PET).body, first.body);
    assert_eq!(service.pets().len(), 2);
}

#[test]
fn a_creation_is_repeated_after_a_restart() {
    let mut service = Service::start();
    let first = send(&service, "a", PET);
    let key = service.key.clone();
    for signal in [Signal::TERM, Signal::KILL] {
        service.signal(signal);
        service.ended();
        service = Service::start_in(Arc::clone(&service.folder), &[], &[]);
        service.key.clone_from(&key);
        assert_eq!(send(&service, "a", PET).body, first.body);
        let other = send(&service, "a", r#"{"name":"Tom","categoryId":7}"#);
        other.assert_error(422, "idempotency_key_reused");
        assert_eq!(service.pets().len(), 1);
    }
}

#[test]
fn concurrent_creations_with_one_key_create_one_pet() {
    let service = Service::start();
    for round in 0..5 {
        let request = request(&round.to_string(), PET).key(&service.key).bytes();
        let open = |_| -> Connection { service.connect() };
        let mut connections: Vec<_> = (0..16).map(open).collect();
        let bodies: Vec<_> = thread::scope(|scope| {
            let asked: Vec<_> = connections
                .iter_mut()
                .map(|connection| {
                    scope.spawn(|| {
                        connection.write(&request);
                        connection.response()
                    })
                })
                .collect();
            let responses = asked.into_iter().map(|one| one.join().expect("a response"));
            responses
                .inspect(assert_created)
                .map(|response| response.body)
                .collect()
        });
        assert!(bodies.iter().all(|body| *body == bodies[0]));
        assert_eq!(service.pets().len(), round + 1);
    }
}

#[test]
fn two_servers_on_one_file_create_one_pet_for_one_key() {
    let one = Service::start();
    let mut two = Service::start_in(Arc::clone(&one.folder), &[], &[]);
    two.key.clone_from(&one.key);
    for round in 0..20 {
        let key = round.to_string();
        let (first, second) = thread::scope(|scope| {
            let first = scope.spawn(|| send(&one, &key, PET));
            let second = send(&two, &key, PET);
            (first.join().expect("a response"), second)
        });
        assert_created(&first);
        assert_created(&second);
        assert_eq!(first.body, second.body);
    }
    assert_eq!(one.pets().len(), 20);
}
