//! Tests that the normal form of a document, which the generator uses, has the same meaning as the
//! document.

use crate::support::readable;
use openapi_dropshot_contract::{lint, normalized};
use serde_json::{Value, json};

/// Returns the normal form of a document with these component schemas (one per line). Each of them
/// is sent in both directions.
fn normal(version: &str, schemas: &str) -> Value {
    let names = schemas.lines().filter_map(|line| line.split_once(": "));
    let content = names.map(|(name, _)| {
        let name = name.trim();
        let content = format!(
            "{{content: {{application/json: {{schema: {{$ref: '#/components/schemas/{name}'}}}}}}}}"
        );
        format!(
            "  /{name}: {{post: {{requestBody: {content}, responses: {{'200': {}}}}}}}\n",
            content.replacen('{', "{description: D., ", 1)
        )
    });
    let paths: String = content.collect();
    let indented = schemas.lines().map(|line| format!("    {}\n", line.trim()));
    let document = readable(&format!(
        "openapi: {version}\ninfo: {{title: T, version: 1.0.0}}\npaths:\n{paths}components:\n  schemas:\n{}",
        indented.collect::<String>()
    ));
    let root = normalized(&document).map_or(document.root, |normal| normal.root);
    root.to_json()["components"]["schemas"].clone()
}

/// The normal form of the schema `Thing`.
fn thing(version: &str, schemas: &str) -> Value {
    normal(version, schemas)["Thing"].clone()
}

#[test]
fn a_property_that_rejects_unknown_members_in_one_part_of_all_of_still_rejects_unknown_members() {
    let thing = thing(
        "3.0.3",
        "Address: {type: object, additionalProperties: false, properties: {street: {type: string}}}
        Base: {type: object, properties: {address: {$ref: '#/components/schemas/Address'}}}
        Thing: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, properties: {address: {type: object, required: [street], properties: {street: {type: string}}}}}]}",
    );
    assert_eq!(
        thing["properties"]["address"]["allOf"],
        json!([
            {"$ref": "#/components/schemas/Address"},
            {"type": "object", "required": ["street"], "properties": {"street": {"type": "string"}}}
        ])
    );
}

const VEHICLES: &str = "Vehicle: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind, mapping: {truck: Truck}}}
    Car: {allOf: [{$ref: '#/components/schemas/Vehicle'}, {type: object, properties: {name: {type: string}}}]}
    Truck: {allOf: [{$ref: '#/components/schemas/Vehicle'}, {type: object, properties: {load: {type: string}}}]}";

#[test]
fn a_discriminator_mapping_that_omits_a_subtype_does_not_exclude_the_subtype() {
    let references = json!([
        {"$ref": "#/components/schemas/Truck"},
        {"$ref": "#/components/schemas/Car"}
    ]);
    let schemas = normal("3.0.3", VEHICLES);
    assert_eq!(schemas["Vehicle"]["oneOf"], references);
    let nullable = VEHICLES.replace("required: [kind]", "nullable: true, required: [kind]");
    let schemas = normal("3.0.3", &nullable);
    assert_eq!(schemas["Vehicle"]["anyOf"][0]["oneOf"], references);
    assert_eq!(schemas["Vehicle"]["anyOf"][1], json!({"enum": [null]}));
}

#[test]
fn a_member_may_have_the_name_of_a_keyword() {
    for name in ["example", "examples", "default", "enum", "mapping", "other"] {
        let base = VEHICLES.replace(", mapping: {truck: Truck}", "");
        let owner = format!(
            "{base}\nOwner: {{type: object, properties: {{{name}: {{$ref: '#/components/schemas/Vehicle'}}}}}}"
        );
        // Only `Owner` is used in a body.
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\npaths:\n  /a: {{post: {{requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/Owner'}}}}}}}}, responses: {{'204': {{description: D.}}}}}}}}\ncomponents:\n  schemas:\n{}",
            owner
                .lines()
                .map(|line| format!("    {}\n", line.trim()))
                .collect::<String>()
        );
        let document = readable(&text);
        let root = normalized(&document).map(|normal| normal.root.to_json());
        let alternatives = root.as_ref().and_then(|root| {
            root.pointer("/components/schemas/Vehicle/oneOf")?
                .as_array()
        });
        assert_eq!(alternatives.map(Vec::len), Some(2), "{name}: {root:?}");
        let directions = format!(
            "Item: {{type: object, required: [id], properties: {{id: {{type: integer, readOnly: true}}}}}}
            Thing: {{type: object, properties: {{{name}: {{$ref: '#/components/schemas/Item'}}}}}}"
        );
        let schemas = normal("3.0.3", &directions);
        assert_eq!(
            schemas["ThingInput"]["properties"][name],
            json!({"$ref": "#/components/schemas/ItemInput"}),
            "{name}: {schemas}"
        );
    }
}

#[test]
fn the_narrower_of_two_bounds_applies() {
    for (parts, joined) in [
        (
            "{type: integer, minimum: 10}, {type: integer, minimum: 5, exclusiveMinimum: true}",
            json!({"type": "integer", "minimum": 10}),
        ),
        (
            "{type: integer, minimum: 5, exclusiveMinimum: true}, {type: integer, minimum: 10}",
            json!({"type": "integer", "minimum": 10}),
        ),
        (
            "{type: integer, maximum: 5, exclusiveMaximum: true}, {type: integer, maximum: 10}",
            json!({"type": "integer", "exclusiveMaximum": 5}),
        ),
        (
            "{type: integer, maximum: 5}, {type: integer, maximum: 5, exclusiveMaximum: true}",
            json!({"type": "integer", "exclusiveMaximum": 5}),
        ),
        (
            "{type: integer, minimum: 1}, {type: integer, maximum: 9, exclusiveMaximum: true}",
            json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 9}),
        ),
    ] {
        let found = thing("3.0.3", &format!("Thing: {{allOf: [{parts}]}}"));
        assert_eq!(found, joined, "{parts}");
    }
}

#[test]
fn forbidden_further_elements_become_a_maximum_number_of_elements() {
    let first = json!([{"type": "string"}, {"type": "integer"}]);
    for (rest, most) in [
        ("unevaluatedItems: false", 2),
        ("items: false", 2),
        ("unevaluatedItems: false, maxItems: 5", 2),
        ("unevaluatedItems: false, maxItems: 1", 1),
    ] {
        let thing = thing(
            "3.1.1",
            &format!(
                "Thing: {{type: array, prefixItems: [{{type: string}}, {{type: integer}}], {rest}}}"
            ),
        );
        assert_eq!(
            thing,
            json!({"type": "array", "prefixItems": first, "items": {}, "maxItems": most}),
            "{rest}"
        );
    }
}

#[test]
fn prefix_items_of_one_part_of_all_of_are_not_merged_with_the_items_of_another_part() {
    let base = "Base: {type: array, prefixItems: [{type: string}, {type: integer}], unevaluatedItems: false}";
    let joined = |part: &str| {
        thing(
            "3.1.1",
            &format!("{base}\nThing: {{allOf: [{{$ref: '#/components/schemas/Base'}}, {part}]}}"),
        )
    };
    let thing = joined("{type: array, minItems: 1}");
    assert_eq!(thing["allOf"], Value::Null);
    assert_eq!(
        (&thing["minItems"], &thing["maxItems"]),
        (&json!(1), &json!(2))
    );
    for part in [
        "{type: array, items: {type: string}}",
        "{type: array, prefixItems: [{minLength: 1}]}",
    ] {
        assert_eq!(joined(part)["allOf"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn null_is_allowed_only_if_all_parts_of_all_of_allow_null() {
    let text = |nullable: bool| match nullable {
        true => json!({"type": ["string", "null"], "maxLength": 5, "minLength": 1}),
        false => json!({"type": "string", "maxLength": 5, "minLength": 1}),
    };
    for (version, parts, nullable) in [
        (
            "3.1.1",
            "{type: [string, 'null'], maxLength: 5}, {type: string, minLength: 1}",
            false,
        ),
        (
            "3.1.1",
            "{type: [string, 'null'], maxLength: 5}, {type: [string, 'null'], minLength: 1}",
            true,
        ),
        (
            "3.0.3",
            "{type: string, maxLength: 5}, {type: string, nullable: true, minLength: 1}",
            false,
        ),
        (
            "3.0.3",
            "{type: string, nullable: true, maxLength: 5}, {minLength: 1}",
            true,
        ),
    ] {
        let found = thing(version, &format!("Thing: {{allOf: [{parts}]}}"));
        assert_eq!(found, text(nullable), "{parts}");
    }
    let object =
        |nullable: &str| format!("{{type: object{nullable}, properties: {{a: {{type: string}}}}}}");
    for (first, second, expected) in [
        (
            ", nullable: true",
            ", nullable: true",
            json!({"enum": [null]}),
        ),
        (", nullable: true", "", json!(null)),
    ] {
        let schemas = format!("Thing: {{allOf: [{}, {}]}}", object(first), object(second));
        assert_eq!(thing("3.0.3", &schemas)["anyOf"][1], expected);
    }
}

#[test]
fn a_query_object_is_split_into_parameters_only_if_the_meaning_stays_the_same() {
    let names = |parameter: &str| -> Vec<String> {
        let document = readable(&format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\npaths:\n  /a: {{get: {{operationId: a, parameters: [{{in: query, name: q, {parameter}}}], responses: {{'204': {{description: D.}}}}}}}}\n"
        ));
        assert!(lint(&document, openapi_dropshot_contract::Profile::General).is_empty());
        let root = normalized(&document).map_or(document.root, |normal| normal.root);
        let root = root.to_json();
        let list = root.pointer("/paths/~1a/get/parameters");
        let list = list.and_then(Value::as_array).into_iter().flatten();
        list.map(|own| own["name"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let object = "type: object, properties: {a: {type: string}, b: {type: string}}";
    for (parameter, expected) in [
        (format!("schema: {{{object}}}"), &["a", "b"][..]),
        (
            format!("style: deepObject, schema: {{{object}}}"),
            &["q[a]", "q[b]"],
        ),
        (
            format!("required: true, schema: {{{object}, required: [a]}}"),
            &["a", "b"],
        ),
        (
            format!("schema: {{{object}, additionalProperties: false}}"),
            &["a", "b"],
        ),
        (format!("schema: {{{object}, minProperties: 1}}"), &["q"]),
        (format!("schema: {{{object}, maxProperties: 1}}"), &["q"]),
        (format!("schema: {{{object}, required: [a]}}"), &["q"]),
        (
            format!("style: deepObject, schema: {{{object}, additionalProperties: false}}"),
            &["q"],
        ),
    ] {
        assert_eq!(names(&parameter), expected, "{parameter}");
    }
}
