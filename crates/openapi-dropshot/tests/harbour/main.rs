//! Tests the compiled golden files of `harbour.yaml`: alternatives, pages, forms, bytes,
//! websockets, and responses that the handler builds itself.

#[rustfmt::skip]
#[path = "../golden/harbour/api/mod.rs"]
pub mod harbour_api;
#[rustfmt::skip]
#[path = "../golden/harbour/models/mod.rs"]
pub mod harbour_models;

use harbour_api::{OPERATIONS, OperationId, harbour_api_mod};
use harbour_models::{BerthOrName, Cargo, Flag, FromText, Pilot, Registration, Ship, ShipState};
use openapi_dropshot_types::{RequiredScheme, SchemeKind, SecurityScheme};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// The document that dropshot emits.
fn emitted() -> Value {
    let api = harbour_api_mod::stub_api_description().expect("the routes are told apart");
    api.openapi("Harbour", semver::Version::new(0, 1, 0))
        .json()
        .expect("the document can be written")
}

/// Returns the JSON of a value after reading and writing it.
fn kept<T: DeserializeOwned + Serialize>(value: &Value) -> Option<Value> {
    let read: T = serde_json::from_value(value.clone()).ok()?;
    serde_json::to_value(read).ok()
}

#[test]
fn one_of_keeps_a_value_that_matches_an_alternative_and_rejects_others() {
    for value in [
        json!({ "kind": "anchored" }),
        json!({ "kind": "under_way", "knots": 12.5 }),
        json!({ "kind": "towed", "by": { "kind": "anchored" } }),
    ] {
        assert_eq!(kept::<ShipState>(&value), Some(value));
    }
    for value in [
        json!({}),
        json!({ "kind": "sunk" }),
        json!({ "kind": "under_way" }),
        json!({ "kind": "towed", "by": {} }),
        json!("anchored"),
        json!(null),
    ] {
        assert_eq!(kept::<ShipState>(&value), None, "{value}");
    }
    let error = serde_json::from_value::<ShipState>(json!({ "kind": "sunk" }))
        .expect_err("no ship does that");
    assert!(
        error
            .to_string()
            .contains("does not match any of the alternatives; `Anchored`:"),
        "{error}"
    );
}

#[test]
fn any_of_keeps_the_members_of_all_alternatives_that_match_a_value() {
    for value in [
        json!({ "crates": 3 }),
        json!({ "litres": 5 }),
        json!({ "crates": 3, "litres": 5 }),
    ] {
        assert_eq!(kept::<Cargo>(&value), Some(value));
    }
    assert_eq!(kept::<Cargo>(&json!({ "bales": 1 })), None);
    // The unknown member `bales` is not kept, but `litres` must not be lost.
    assert_eq!(
        kept::<Cargo>(&json!({ "crates": 3, "litres": 5, "bales": 1 })),
        Some(json!({ "crates": 3, "litres": 5 }))
    );
}

#[test]
fn the_discriminator_selects_the_alternative() {
    let robot = serde_json::from_value(json!({ "type": "robot", "model": "m" }));
    assert!(matches!(robot, Ok(Pilot::Machine(_))), "{robot:?}");
    let person = serde_json::from_value(json!({ "type": "Person", "name": "n" }));
    assert!(matches!(person, Ok(Pilot::Person(_))), "{person:?}");
    for wrong in [json!({ "type": "gull" }), json!({ "name": "n" })] {
        assert!(serde_json::from_value::<Pilot>(wrong).is_err());
    }
}

#[test]
fn a_one_of_with_described_string_values_becomes_an_enumeration() {
    assert_eq!(Flag::ALL.len(), 3);
    assert_eq!("quebec".parse(), Ok(Flag::Quebec));
    let schema = emitted()["components"]["schemas"]["Flag"].clone();
    assert_eq!(
        schema["oneOf"],
        json!([
            { "description": "A diver is below.", "type": "string", "enum": ["alfa"] },
            { "type": "string", "enum": ["bravo", "quebec"] },
        ])
    );
}

#[test]
fn parameters_may_have_alternatives_that_are_strings() {
    assert!(matches!(
        BerthOrName::from_text("12"),
        Ok(BerthOrName::Berth(12))
    ));
    assert!(matches!(
        BerthOrName::from_text("north-quay"),
        Ok(BerthOrName::Name(_))
    ));
    assert!(BerthOrName::from_text("North").is_err());
}

#[test]
fn defaults_may_be_objects_and_values_with_a_format() {
    let ship: Ship =
        serde_json::from_value(json!({ "name": "a", "state": { "kind": "anchored" } }))
            .expect("the rest has defaults");
    assert!(matches!(ship.route, ShipState::Anchored(_)));
    assert_eq!(ship.mark.to_string(), "");
}

#[test]
fn the_emitted_document_has_the_same_pages_bodies_and_responses() {
    let emitted = emitted();
    let paths = &emitted["paths"];
    assert_eq!(
        paths["/ships"]["get"]["x-dropshot-pagination"],
        json!({ "required": ["since"] })
    );
    let limit = paths["/ships"]["get"]["parameters"]
        .as_array()
        .and_then(|all| all.iter().find(|one| one["name"] == "limit"))
        .cloned();
    assert_eq!(
        limit.map(|limit| limit["schema"].clone()),
        Some(json!({ "type": "integer", "format": "uint32", "minimum": 1, "nullable": true }))
    );
    let body = |path: &str, method: &str| paths[path][method]["requestBody"]["content"].clone();
    let bytes = json!({ "schema": { "type": "string", "format": "binary" } });
    let manifest = "/ships/{name}/manifest";
    assert_eq!(
        body(manifest, "put"),
        json!({ "application/octet-stream": bytes })
    );
    assert_eq!(
        body(manifest, "post"),
        json!({ "multipart/form-data": bytes })
    );
    assert_eq!(
        body("/ships", "post"),
        json!({ "application/x-www-form-urlencoded":
            { "schema": { "$ref": "#/components/schemas/Registration" } } })
    );
    assert_eq!(
        paths["/ships/{name}/radio"]["get"]["x-dropshot-websocket"],
        json!({})
    );
    let any = json!({ "description": "", "content": { "*/*": { "schema": {} } } });
    assert_eq!(
        paths["/photograph"]["get"]["responses"],
        json!({ "default": any })
    );
    assert_eq!(
        paths["/ships"]["post"]["responses"]["303"]["headers"]["location"]["required"],
        json!(true)
    );
    assert_eq!(
        emitted["components"]["responses"]
            .as_object()
            .map(|all| all.contains_key("Error")),
        Some(true)
    );
    assert_eq!(
        emitted["components"]["schemas"]["Error"]["required"],
        json!(["message", "request_id"])
    );
}

#[test]
fn a_form_is_read_as_the_type_of_the_schema() {
    let good: Registration = serde_json::from_value(json!({ "name": "ab", "masts": 2 }))
        .expect("the registration is right");
    assert_eq!(good.masts, 2);
    let operation = OperationId::RegisterShip.operation();
    assert_eq!(
        operation.request_body,
        Some("application/x-www-form-urlencoded")
    );
    let free = OPERATIONS.iter().filter(|operation| operation.success == 0);
    assert_eq!(
        free.map(|operation| operation.name).collect::<Vec<_>>(),
        ["photograph"]
    );
}

#[test]
fn generated_code_keeps_read_only_write_only_and_all_alternative_security_schemes() {
    let members = emitted()["components"]["schemas"]["Anchorage"]["properties"].clone();
    assert_eq!(members["since"]["readOnly"], json!(true));
    assert_eq!(members["flag"]["readOnly"], json!(true));
    assert_eq!(members["password"]["writeOnly"], json!(true));
    assert_eq!(members["fathoms"].get("readOnly"), None);
    let security = OperationId::DropAnchor.operation().security;
    let schemes = |all: &&[RequiredScheme]| all.iter().map(|one| *one.scheme).collect();
    let alternatives: Vec<Vec<_>> = security.alternatives.iter().map(schemes).collect();
    let scheme = |name, kind| SecurityScheme { name, kind };
    assert_eq!(
        alternatives,
        [
            vec![scheme("captain", SchemeKind::Bearer)],
            vec![
                scheme("mate", SchemeKind::Header("X-Mate")),
                scheme("bell", SchemeKind::Header("X-Bell")),
            ],
        ]
    );
    assert!(!security.is_open);
}
