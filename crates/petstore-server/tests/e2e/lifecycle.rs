//! The headers of a deprecated operation, byte for byte, on every answer that
//! it can give.

use crate::{
    process::Service,
    raw::{Answer, Request},
};

#[track_caller]
fn assert_announced(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(
        answer.header("deprecation"),
        Some("@1795132800"),
        "{answer:?}"
    );
    assert_eq!(
        answer.header("sunset"),
        Some("Thu, 05 Dec 2030 00:00:00 GMT"),
        "{answer:?}"
    );
    assert_eq!(
        answer.header("link"),
        Some("<../pets>; rel=\"successor-version\""),
        "{answer:?}"
    );
}

#[test]
fn a_deprecated_operation_says_so_on_success_and_on_error() {
    let service = Service::start_with(&["--body-max-bytes", "10"]);
    // The pet does not fit into the body that this service reads.
    assert_announced(&service.get("/v1/pets/1"), 404);
    assert_announced(&service.get("/v1/pets/x"), 400);
    assert_announced(&service.send(&Request::get("/v1/pets/1")), 401);
    let large = Request::get("/v1/pets/1")
        .key(&service.key)
        .body("12345678901");
    assert_announced(&service.send(&large), 413);

    let service = Service::start();
    service.add("Rex", None);
    assert_announced(&service.get("/v1/pets/1"), 200);
}

#[test]
fn other_answers_say_nothing_of_it() {
    let service = Service::start();
    service.add("a", None);
    service.add("b", None);
    let answers = [
        service.get("/v1/pets"),
        service.get("/v1/pets?limit=1"),
        service.get("/v1/nothing"),
        service.send(&Request::new("DELETE", "/v1/pets/1")),
        service.post("{}"),
    ];
    for answer in answers {
        assert_eq!(answer.header("deprecation"), None, "{answer:?}");
        assert_eq!(answer.header("sunset"), None, "{answer:?}");
        assert!(
            !answer.headers("link").concat().contains("successor"),
            "{answer:?}"
        );
    }
}

#[test]
fn what_is_stable_is_served_at_every_level() {
    for level in ["experimental", "beta", "stable"] {
        let service = Service::start_with(&["--min-stability", level]);
        let id = service.add("Rex", None);
        assert_eq!(service.get("/v1/pets").status, 200);
        assert_announced(&service.get(&format!("/v1/pets/{id}")), 200);
        let document = service.send(&Request::get("/v1/openapi.json")).json();
        let paths = document["paths"].as_object().expect("an object");
        for path in ["/pets", "/pets/{petId}"] {
            assert!(paths.contains_key(path), "{level}: {path}");
        }
    }
}
