//! Tests orders over sockets: each status of each operation, the pages, and the effect of an order
//! on its pet.

use crate::{
    process::Service,
    raw::{RawResponse, Request},
};
use serde_json::{Value, json};

const ORDERS: &str = "/v1/store/orders";

fn order(service: &Service, pet_id: i64) -> RawResponse {
    let body = json!({"petId": pet_id}).to_string();
    service.send(&Request::post(ORDERS, body).key(&service.key))
}

fn order_with(service: &Service, key: &str, body: &str) -> RawResponse {
    let request = Request::post(ORDERS, body).header("Idempotency-Key", key);
    service.send(&request.key(&service.key))
}

fn patch(target: &str, body: &str) -> Request {
    Request::new("PATCH", target)
        .header("Content-Type", "application/json")
        .body(body)
}

fn update(service: &Service, order: &Value, status: &str) -> RawResponse {
    let target = format!("{ORDERS}/{}", order["id"]);
    let body = json!({"status": status}).to_string();
    service.send(&patch(&target, &body).key(&service.key))
}

#[track_caller]
fn placed(service: &Service, pet_id: i64) -> Value {
    let response = order(service, pet_id);
    assert_eq!(response.status, 201, "{response:?}");
    response.json()
}

#[track_caller]
fn updated(service: &Service, order: &Value, status: &str) -> Value {
    let response = update(service, order, status);
    assert_eq!(response.status, 200, "{response:?}");
    response.json()
}

#[track_caller]
fn assert_pet(service: &Service, id: i64, status: &str) {
    let pets = service.pets();
    let pet = pets.iter().find(|pet| pet["id"] == id);
    assert_eq!(pet.expect("the pet")["status"], status);
}

#[test]
fn an_order_passes_all_transitions_and_changes_the_status_of_its_pet() {
    let service = Service::start();
    let pet = service.add("Rex", Some("available"));
    let first = placed(&service, pet);
    assert_eq!(
        first,
        json!({"id": 1, "petId": pet, "status": "placed", "placedAt": first["placedAt"], "updatedAt": first["placedAt"], "version": 1})
    );
    let time = first["placedAt"].as_str().expect("a time");
    assert!(time.ends_with('Z') && time.len() <= 27, "{time}");
    assert_pet(&service, pet, "pending");

    let cancelled = updated(&service, &first, "cancelled");
    assert_eq!(cancelled["placedAt"], first["placedAt"]);
    assert_ne!(cancelled["updatedAt"], first["updatedAt"]);
    assert_pet(&service, pet, "available");

    let second = placed(&service, pet);
    updated(&service, &second, "approved");
    assert_pet(&service, pet, "pending");
    let delivered = updated(&service, &second, "delivered");
    assert_pet(&service, pet, "sold");
    let found = service.get(&format!("{ORDERS}/{}", second["id"]));
    assert_eq!((found.status, found.json()), (200, delivered));
}

#[test]
fn an_order_of_an_unavailable_pet_is_rejected_with_the_reason_and_changes_nothing() {
    let service = Service::start();
    let message = order(&service, 5).assert_error(404, "not_found");
    assert_eq!(message, "there is no pet with the id 5");
    for status in [None, Some("pending"), Some("sold")] {
        let pet = service.add("Rex", status);
        let message = order(&service, pet).assert_error(409, "pet_not_available");
        let found = status.map_or("it has no status".to_owned(), |status| {
            format!("but `{status}`")
        });
        assert!(message.contains(&found), "{message}");
    }
    let pet = service.add("Rex", Some("available"));
    placed(&service, pet);
    order(&service, pet).assert_error(409, "pet_not_available");
    let all = service.get(ORDERS).json();
    assert_eq!(all.as_array().map(Vec::len), Some(1));
}

#[test]
fn a_transition_that_is_not_in_the_table_is_rejected_with_both_statuses() {
    let service = Service::start();
    let pet = service.add("Rex", Some("available"));
    let order = placed(&service, pet);
    let rejected = |from: &str, all: &[&str]| {
        for to in all {
            let response = update(&service, &order, to);
            let message = response.assert_error(409, "invalid_transition");
            let step = format!("from `{from}` to `{to}`");
            assert!(message.contains(&step), "{message}");
        }
    };
    rejected("placed", &["placed", "delivered"]);
    updated(&service, &order, "approved");
    rejected("approved", &["placed", "approved"]);
    assert_pet(&service, pet, "pending");
    let end = updated(&service, &order, "delivered");
    rejected(
        "delivered",
        &["placed", "approved", "delivered", "cancelled"],
    );
    assert_pet(&service, pet, "sold");
    assert_eq!(service.get(&format!("{ORDERS}/1")).json(), end);
}

#[test]
fn invalid_order_requests_get_a_message_with_the_remedy() {
    let service = Service::start();
    let pet = service.add("Rex", Some("available"));
    placed(&service, pet);
    let one = format!("{ORDERS}/1");
    for (query, named) in [
        ("limit=0", "`limit`"),
        ("limit=101", "`limit`"),
        ("status=sold", "`status`"),
        ("petId=x", "`petId`"),
        ("petId=007", "`petId`"),
        ("cursor=abc", "`cursor`"),
    ] {
        let response = service.get(&format!("{ORDERS}?{query}"));
        let message = response.assert_error(400, "invalid_request");
        assert!(message.contains(named), "{message}");
    }
    for (body, named) in [
        ("", "body"),
        ("[]", "object"),
        ("{}", "petId"),
        (r#"{"petId":"1"}"#, "petId"),
        (r#"{"petId":1.5}"#, "petId"),
        (r#"{"petId":null}"#, "petId"),
    ] {
        let message = service.send(&Request::post(ORDERS, body).key(&service.key));
        let message = message.assert_error(400, "invalid_request");
        assert!(message.contains(named), "{body}: {message}");
    }
    for (body, named) in [
        ("{}", "status"),
        (r#"{"status":"sold"}"#, "`placed`"),
        (r#"{"status":null}"#, "status"),
    ] {
        let message = service.send(&patch(&one, body).key(&service.key));
        let message = message.assert_error(400, "invalid_request");
        assert!(message.contains(named), "{body}: {message}");
    }
    for request in [
        Request::get("/v1/store/orders/x"),
        patch("/v1/store/orders/x", r#"{"status":"approved"}"#),
    ] {
        let message = service.send(&request.key(&service.key));
        let message = message.assert_error(400, "invalid_request");
        assert!(message.contains("`orderId`"), "{message}");
    }
    assert_eq!(service.get(&one).json()["status"], "placed");
}

#[test]
fn every_order_operation_is_401_without_a_key_and_404_for_an_unknown_id() {
    let service = Service::start();
    let approved = r#"{"status":"approved"}"#;
    for request in [
        Request::get(ORDERS),
        Request::post(ORDERS, r#"{"petId":1}"#),
        Request::get("/v1/store/orders/1"),
        patch("/v1/store/orders/1", approved),
    ] {
        service.send(&request).assert_error(401, "unauthorized");
    }
    for request in [
        Request::get("/v1/store/orders/7"),
        patch("/v1/store/orders/7", approved),
    ] {
        let message = service.send(&request.key(&service.key));
        let message = message.assert_error(404, "not_found");
        assert_eq!(message, "there is no order with the id 7");
    }
    for (target, allow) in [
        (ORDERS, "GET, HEAD, POST"),
        ("/v1/store/orders/1", "GET, HEAD, PATCH"),
    ] {
        let response = service.send(&Request::new("DELETE", target).key(&service.key));
        response.assert_error(405, "method_not_allowed");
        assert_eq!(response.header("allow"), Some(allow));
    }
    service.get("/v1/store").assert_error(404, "not_found");
}

#[test]
fn a_body_that_is_too_large_or_not_json_is_rejected() {
    let service = Service::start_with(&["--body-max-bytes", "20"]);
    let large = r#"{"petId":1,"status":"approved"}"#;
    let text = |method, target| {
        Request::new(method, target)
            .header("Content-Type", "text/plain")
            .body("{}")
    };
    for (large, text) in [
        (Request::post(ORDERS, large), text("POST", ORDERS)),
        (
            patch("/v1/store/orders/1", large),
            text("PATCH", "/v1/store/orders/1"),
        ),
    ] {
        let response = service.send(&large.key(&service.key));
        response.assert_error(413, "payload_too_large");
        let response = service.send(&text.key(&service.key));
        response.assert_error(415, "unsupported_media_type");
    }
}

#[test]
fn a_repeated_order_is_placed_once_and_its_idempotency_key_is_rejected_for_other_requests() {
    let service = Service::start();
    let pet = service.add("Rex", Some("available"));
    let body = json!({"petId": pet}).to_string();
    let first = order_with(&service, "a", &body);
    assert_eq!(first.status, 201, "{first:?}");
    updated(&service, &first.json(), "cancelled");
    for (key, body) in [
        ("a", body.clone()),
        ("\"a\"", format!(r#"{{"colour":1, "petId" : {pet} }}"#)),
    ] {
        let again = order_with(&service, key, &body);
        assert_eq!((again.status, again.body), (201, first.body.clone()));
    }
    assert_pet(&service, pet, "available");

    let other = json!({"petId": pet + 1}).to_string();
    order_with(&service, "a", &other).assert_error(422, "idempotency_key_reused");
    let pet_with = |key: &str| {
        let request = Request::post("/v1/pets", r#"{"name":"Tom","categoryId":7}"#);
        service.send(&request.header("Idempotency-Key", key).key(&service.key))
    };
    let message = pet_with("a").assert_error(422, "idempotency_key_reused");
    assert!(message.contains("another operation"), "{message}");
    assert_eq!(pet_with("b").status, 201);
    order_with(&service, "b", &body).assert_error(422, "idempotency_key_reused");
    order_with(&service, "a b", &body).assert_error(400, "invalid_request");

    // A rejected order does not use up its key.
    order_with(&service, "c", &other).assert_error(409, "pet_not_available");
    assert_eq!(order_with(&service, "c", &body).status, 201);
    assert_eq!(service.get(ORDERS).json().as_array().map(Vec::len), Some(2));
}

/// Returns the targets of the pages from this one on, and their content.
fn walk(service: &Service, first: &str) -> (Vec<String>, Vec<Value>) {
    let (mut targets, mut met) = (vec![first.to_owned()], Vec::new());
    loop {
        let response = service.get(&targets[targets.len() - 1]);
        assert_eq!(response.status, 200, "{response:?}");
        met.extend(response.json().as_array().expect("a page").clone());
        let Some(link) = response.header("link") else {
            return (targets, met);
        };
        assert!(link.ends_with(">; rel=\"next\""), "{link}");
        let next = link.strip_prefix('<').and_then(|link| link.split_once('>'));
        targets.push(format!("{ORDERS}{}", next.expect("a target").0));
    }
}

#[test]
fn pages_list_orders_from_newest_to_oldest_and_keep_their_filters() {
    let service = Service::start();
    let pets = [
        service.add("Rex", Some("available")),
        service.add("Tom", Some("available")),
    ];
    for round in 0..7 {
        let order = placed(&service, pets[round % 2]);
        updated(&service, &order, "cancelled");
    }
    placed(&service, pets[0]);
    let ids = |orders: &[Value]| -> Vec<i64> {
        orders
            .iter()
            .filter_map(|order| order["id"].as_i64())
            .collect()
    };
    let (targets, all) = walk(&service, &format!("{ORDERS}?limit=3"));
    assert_eq!(
        (targets.len(), ids(&all)),
        (3, vec![8, 7, 6, 5, 4, 3, 2, 1])
    );
    let first = pets[0];
    for (filter, expected) in [
        ("&status=cancelled".to_owned(), vec![7, 6, 5, 4, 3, 2, 1]),
        ("&status=placed".to_owned(), vec![8]),
        (format!("&petId={first}"), vec![8, 7, 5, 3, 1]),
        (format!("&status=cancelled&petId={first}"), vec![7, 5, 3, 1]),
        (format!("&status=delivered&petId={first}"), vec![]),
        ("&petId=99".to_owned(), vec![]),
    ] {
        let (targets, met) = walk(&service, &format!("{ORDERS}?limit=2{filter}"));
        assert_eq!(ids(&met), expected, "{filter}");
        for target in &targets {
            assert!(target.contains(&format!("limit=2{filter}")), "{target}");
        }
    }
    // A cursor belongs to its filters and to its list.
    let (targets, _) = walk(&service, &format!("{ORDERS}?limit=2&petId={first}"));
    let (_, cursor) = targets[1].split_once("&cursor=").expect("a cursor");
    for query in [
        format!("cursor={cursor}"),
        format!("petId={first}&status=placed&cursor={cursor}"),
    ] {
        let message = service.get(&format!("{ORDERS}?{query}"));
        let message = message.assert_error(400, "invalid_request");
        assert!(message.contains("`petId`"), "{message}");
    }
    let response = service.get(&format!("/v1/pets?cursor={cursor}"));
    response.assert_error(400, "invalid_request");
    // The default is twenty.
    assert_eq!(service.get(ORDERS).json().as_array().map(Vec::len), Some(8));
}
