//! Tests that the document that dropshot emits from the generated trait is equivalent to the
//! original.

use crate::workshop_api::workshop_api_mod;
use serde_json::{Value, json};

/// The document that dropshot emits.
fn emitted() -> Value {
    let api = workshop_api_mod::stub_api_description().expect("the routes are told apart");
    api.openapi("Workshop", semver::Version::new(0, 3, 0))
        .json()
        .expect("the document can be written")
}

fn at(pointer: &str) -> Value {
    emitted()
        .pointer(pointer)
        .unwrap_or_else(|| panic!("nothing at {pointer}"))
        .clone()
}

fn schema(name: &str) -> Value {
    let mut schema = at(&format!("/components/schemas/{name}"));
    if let Some(members) = schema.as_object_mut() {
        members.remove("description");
        members.remove("title");
    }
    schema
}

#[test]
fn the_emitted_schemas_of_scalars_keep_the_constraints_of_the_document() {
    assert_eq!(
        schema("PageSize"),
        json!({ "type": "integer", "format": "uint8", "minimum": 1, "maximum": 50, "default": 10 })
    );
    assert_eq!(
        schema("Even"),
        json!({ "type": "integer", "minimum": 3, "exclusiveMinimum": true, "maximum": 21, "multipleOf": 4 })
    );
    assert_eq!(
        schema("Ratio"),
        json!({ "type": "number", "format": "float", "minimum": 0.0, "maximum": 1.0, "exclusiveMaximum": true })
    );
    assert_eq!(
        schema("Code"),
        json!({ "type": "string", "minLength": 3, "maxLength": 5, "pattern": r"^\p{Lu}+$" })
    );
    assert_eq!(
        schema("Level"),
        json!({ "type": "integer", "format": "int32", "enum": [-1, 0, 10] })
    );
    assert_eq!(schema("Count"), json!({ "type": "integer" }));
    assert_eq!(
        schema("Mail"),
        json!({ "type": "string", "format": "email" })
    );
    assert_eq!(
        schema("OnlyOne"),
        json!({ "type": "string", "enum": ["one"] })
    );
    assert_eq!(
        at("/components/schemas/Code/description"),
        json!("A code with a [length] and a shape.")
    );
}

#[test]
fn the_emitted_schemas_of_collections_keep_the_constraints_of_the_document() {
    assert_eq!(
        schema("Tags"),
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 3, "uniqueItems": true })
    );
    let integers = json!({ "type": "integer", "format": "int64" });
    assert_eq!(
        schema("FewLabels"),
        json!({ "type": "object", "additionalProperties": integers, "minProperties": 1, "maxProperties": 2 })
    );
    assert_eq!(
        schema("Nothing"),
        json!({ "type": "object", "additionalProperties": false })
    );
    assert_eq!(
        schema("Settings")["additionalProperties"],
        json!({ "type": "integer" })
    );
}

#[test]
fn the_emitted_schemas_tell_which_members_may_be_absent_or_null() {
    let tool = schema("Tool");
    assert_eq!(tool["required"], json!(["kind", "name", "owner", "size"]));
    assert_eq!(
        tool["properties"]["name"],
        json!({ "$ref": "#/components/schemas/Name" })
    );
    assert_eq!(
        tool["properties"]["owner"],
        json!({ "type": "string", "nullable": true, "description": "May be `null`, but must be there." })
    );
    assert_eq!(tool["properties"]["nickname"]["nullable"], json!(true));
    assert_eq!(
        tool["properties"]["price"],
        json!({ "type": "integer", "minimum": 0, "description": "In cents." })
    );
    assert_eq!(
        tool["properties"]["count"],
        json!({ "type": "integer", "default": 1 })
    );
    assert_eq!(
        tool["properties"]["page"],
        json!({ "type": "string", "format": "uri" })
    );
    assert_eq!(
        tool["properties"]["used"],
        json!({ "type": "string", "format": "date-time" })
    );
    assert_eq!(
        tool["properties"]["retired"],
        json!({ "type": "boolean", "deprecated": true })
    );
    assert_eq!(
        tool["properties"]["tags"],
        json!({ "$ref": "#/components/schemas/Tags" })
    );
    assert_eq!(
        tool["properties"]["otherKind"],
        json!({ "nullable": true, "allOf": [{ "$ref": "#/components/schemas/Kind" }] })
    );
    assert_eq!(
        schema("Part")["required"],
        json!(["kind", "name", "nickname", "number", "owner", "size"])
    );
}

#[test]
fn the_emitted_operations_have_their_parameters_bodies_and_responses() {
    let list = at("/paths/~1tools/get");
    let parameter = |name: &str| {
        let all = list["parameters"].as_array().expect("parameters");
        all.iter()
            .find(|parameter| parameter["name"] == name)
            .expect(name)
            .clone()
    };
    assert_eq!(list["operationId"], "listTools");
    assert_eq!(parameter("X-Tenant")["required"], json!(true));
    assert_eq!(
        parameter("X-Tenant")["schema"],
        json!({ "type": "string", "pattern": "^[a-z]{2,8}$" })
    );
    assert_eq!(
        parameter("kind")["schema"],
        json!({ "$ref": "#/components/schemas/Kind" })
    );
    assert_eq!(
        parameter("minimum-weight")["schema"],
        json!({ "type": "number", "format": "double" })
    );
    assert_eq!(
        list["responses"]["200"]["headers"]["X-Total"]["required"],
        json!(true)
    );
    let body = &list["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(
        (&body["type"], &body["items"]),
        (
            &json!("array"),
            &json!({ "$ref": "#/components/schemas/Tool" })
        )
    );
    let part = at("/paths/~1tools~1{toolId}~1parts~1{partNumber}");
    assert_eq!(
        part["put"]["responses"]["201"],
        json!({ "description": "Replaced; no body." })
    );
    assert_eq!(
        part["patch"]["responses"]["203"]["description"],
        "Mended, says another one."
    );
    assert_eq!(part["delete"]["deprecated"], json!(true));
    assert_eq!(
        part["options"]["responses"]["307"]["headers"]["Location"]["required"],
        json!(true)
    );
    assert_eq!(part["head"]["operationId"], "hasPart");
}
