//! Tests the three operations of the specification, section by section.

use crate::{process::Service, raw::Request};
use serde_json::{Value, json};

#[test]
fn a_pet_is_added_listed_and_fetched() {
    let service = Service::start();
    let sent = json!({"name": "Rex", "categoryId": 7, "status": "available"});
    let created = service.post(sent.to_string());
    assert_eq!(created.status, 201);
    assert_eq!(created.header("content-type"), Some("application/json"));
    assert!(created.header("x-request-id").is_some());
    let pet = json!({"id": 1, "name": "Rex", "categoryId": 7, "status": "available", "version": 1});
    assert_eq!(created.json(), pet);
    assert_eq!(service.get("/v1/pets").json(), json!([pet]));
    let fetched = service.get("/v1/pets/1");
    assert_eq!((fetched.status, fetched.json()), (200, pet));
}

#[test]
fn omitted_members_stay_absent_and_unknown_members_are_ignored() {
    let service = Service::start();
    let created =
        service.post(r#"{"categoryId":-9223372036854775808,"name":"","colour":{"name":[1]}}"#);
    let pet = json!({"id": 1, "name": "", "categoryId": i64::MIN, "version": 1});
    assert_eq!((created.status, created.json()), (201, pet.clone()));
    assert_eq!(
        service.get("/v1/pets?colour=red&colour=blue").json(),
        json!([pet])
    );
    assert_eq!(service.get("/v1/pets?status=available").json(), json!([]));
}

#[test]
fn a_pet_name_is_returned_byte_for_byte() {
    let service = Service::start();
    for name in ["a\0b", "🐕‍🦺", "\u{feff}", "\"\\\u{1}\u{7f}", "ẞ", " "] {
        let id = service.add(name, None);
        assert_eq!(service.get(&format!("/v1/pets/{id}")).json()["name"], name);
    }
}

#[test]
fn the_default_limit_is_twenty_and_limit_changes_it() {
    let service = Service::start();
    for number in 0..21 {
        service.add(&number.to_string(), None);
    }
    let listed = |query: &str| {
        service
            .get(&format!("/v1/pets{query}"))
            .json()
            .as_array()
            .map(Vec::len)
    };
    assert_eq!(listed(""), Some(20));
    assert_eq!(listed("?limit=1"), Some(1));
    assert_eq!(listed("?limit=100"), Some(21));
}

#[test]
fn following_links_returns_each_earlier_pet_once_while_others_are_added() {
    let service = Service::start();
    let statuses = [Some("available"), None, Some("sold")];
    let there: Vec<i64> = (0..30)
        .map(|number| service.add("x", statuses[number % 3]))
        .collect();
    for (filter, every) in [("", 1), ("&status=available", 3)] {
        let mut met = Vec::new();
        let mut target = format!("/v1/pets?limit=4{filter}");
        loop {
            let response = service.get(&target);
            assert_eq!(response.status, 200, "{response:?}");
            let page: Vec<Value> = response.json().as_array().expect("an array").clone();
            assert!(page.len() <= 4);
            met.extend(page.iter().filter_map(|pet| pet["id"].as_i64()));
            if met.len() < 40 {
                service.add("later", Some("pending"));
            }
            let Some(link) = response.header("link") else {
                break;
            };
            let next = link
                .strip_prefix('<')
                .and_then(|rest| rest.strip_suffix(">; rel=\"next\""));
            let next = next.unwrap_or_else(|| panic!("{link}"));
            assert!(
                next.starts_with(&format!("?limit=4{filter}&cursor=")),
                "{next}"
            );
            target = format!("/v1/pets{next}");
        }
        assert!(met.is_sorted_by(|one, other| one < other), "{met:?}");
        let expected: Vec<i64> = there.iter().copied().step_by(every).collect();
        let before: Vec<i64> = met.into_iter().filter(|id| there.contains(id)).collect();
        assert_eq!(before, expected);
    }
}

#[test]
fn the_last_page_has_no_link_even_if_it_is_full() {
    let service = Service::start();
    service.add("a", None);
    service.add("b", None);
    assert_eq!(service.get("/v1/pets?limit=2").header("link"), None);
    assert!(service.get("/v1/pets?limit=1").header("link").is_some());
}

#[test]
fn the_document_is_served_without_a_key() {
    let service = Service::start();
    let response = service.send(&Request::get("/v1/openapi.yaml"));
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some("application/yaml"));
    assert_eq!(
        response.body,
        include_bytes!("../../../../spec/openapi.yaml")
    );
    let response = service.send(&Request::new("POST", "/v1/openapi.yaml"));
    response.assert_error(405, "method_not_allowed");
    assert_eq!(response.header("allow"), Some("GET, HEAD"));
}

#[test]
fn the_document_is_served_as_json_with_the_same_operations() {
    let service = Service::start();
    let response = service.send(&Request::get("/v1/openapi.json"));
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some("application/json"));
    let document = response.json();
    assert_eq!(document["openapi"], "3.0.3");
    let operations = ["/pets:get", "/pets:post", "/pets/{petId}:get"];
    let ids = operations.map(|place| {
        let (path, method) = place.split_once(':').expect("two parts");
        document["paths"][path][method]["operationId"].clone()
    });
    assert_eq!(ids, ["listPets", "createPet", "getPet"]);
    let since = &document["paths"]["/pets/{petId}"]["get"]["x-sunset"];
    assert_eq!(since, "2030-12-05", "a date is a text");
    let response = service.send(&Request::new("POST", "/v1/openapi.json"));
    response.assert_error(405, "method_not_allowed");
}
