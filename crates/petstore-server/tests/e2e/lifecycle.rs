//! Tests the exact headers of a deprecated operation on every response that it can have.

use crate::{
    process::Service,
    raw::{RawResponse, Request},
};

#[track_caller]
fn assert_announced(response: &RawResponse, status: u16) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(
        response.header("deprecation"),
        Some("@1795132800"),
        "{response:?}"
    );
    assert_eq!(
        response.header("sunset"),
        Some("Thu, 05 Dec 2030 00:00:00 GMT"),
        "{response:?}"
    );
    assert_eq!(
        response.header("link"),
        Some("<../pets>; rel=\"successor-version\""),
        "{response:?}"
    );
}

#[test]
fn a_deprecated_operation_has_its_headers_on_success_and_on_error() {
    let service = Service::start_with(&["--body-max-bytes", "10"]);
    // The pet does not fit into the largest body that this service accepts.
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
fn operations_that_are_not_deprecated_have_no_deprecation_headers() {
    let service = Service::start();
    service.add("a", None);
    service.add("b", None);
    let responses = [
        service.get("/v1/pets"),
        service.get("/v1/pets?limit=1"),
        service.get("/v1/nothing"),
        service.send(&Request::new("DELETE", "/v1/pets/1")),
        service.post("{}"),
    ];
    for response in responses {
        assert_eq!(response.header("deprecation"), None, "{response:?}");
        assert_eq!(response.header("sunset"), None, "{response:?}");
        assert!(
            !response.headers("link").concat().contains("successor"),
            "{response:?}"
        );
    }
}

#[test]
fn stable_operations_are_served_at_every_level() {
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

/// The operations of the specification (sections 4.1 to 4.3). The specification says of none of
/// them that it may change (section 9.3).
const SPECIFIED: [(&str, &str); 3] = [
    ("GET", "/pets"),
    ("POST", "/pets"),
    ("GET", "/pets/{petId}"),
];

#[test]
fn the_level_stable_serves_exactly_the_operations_of_the_specification() {
    let service = Service::start_with(&["--min-stability", "stable"]);
    let pet = service.add("Rex", Some("available"));
    for (form, response) in ["json", "yaml"].map(|form| {
        let target = format!("/v1/openapi.{form}");
        (form, service.send(&Request::get(&target)))
    }) {
        // If an operation is hidden, the YAML document is written as JSON.
        let document = response.json();
        let paths = document["paths"].as_object().expect("an object");
        let mut served = Vec::new();
        for (path, item) in paths {
            for method in item.as_object().expect("a path").keys() {
                served.push((method.to_uppercase(), path.clone()));
            }
        }
        served.sort();
        let mut specified = SPECIFIED.map(|(method, path)| (method.to_owned(), path.to_owned()));
        specified.sort();
        assert_eq!(served, specified, "{form}");
        // Hidden operations must not be mentioned anywhere else, either.
        let text = document.to_string().to_lowercase();
        for word in [
            "orders",
            "neworder",
            "pet_not_available",
            "invalid_transition",
        ] {
            assert!(!text.contains(word), "{form}: {word}");
        }
    }
    let order = format!(r#"{{"petId":{pet}}}"#);
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    for path in ["/v1/store/orders", "/v1/store/orders/1", "/v1/store"] {
        for method in methods {
            let request = Request::new(method, path)
                .header("Content-Type", "application/json")
                .key(&service.key);
            let mut connection = service.connect();
            connection.write(request.body(order.as_str()).bytes());
            let (status, headers) = connection.head();
            assert_eq!(status, 404, "{method} {path}: {headers:?}");
        }
    }
    for (method, path) in SPECIFIED {
        let path = path.replace("{petId}", &pet.to_string());
        let request = Request::new(method, &format!("/v1{path}"))
            .header("Content-Type", "application/json")
            .body(r#"{"name":"Tom","categoryId":7}"#);
        let response = service.send(&request.key(&service.key));
        assert!([200, 201].contains(&response.status), "{response:?}");
    }
}

#[test]
fn beta_operations_are_served_at_beta_and_experimental() {
    for level in ["beta", "experimental"] {
        let service = Service::start_with(&["--min-stability", level]);
        let pet = service.add("Rex", Some("available"));
        let body = format!(r#"{{"petId":{pet}}}"#);
        let order = Request::post("/v1/store/orders", body).key(&service.key);
        assert_eq!(service.send(&order).status, 201);
        let document = service.send(&Request::get("/v1/openapi.json")).json();
        let marked = &document["paths"]["/store/orders"]["get"]["x-stability-level"];
        assert_eq!(marked, "beta");
    }
}
