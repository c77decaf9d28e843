//! Tests of the schemas that references reach.

use super::*;
use serde_json::json;

#[test]
fn referenced_schemas_include_schemas_that_are_referenced_indirectly() {
    let Value::Object(schemas) = json!({
        "Pet": { "properties": { "owner": { "$ref": "#/components/schemas/Owner/properties/me" } } },
        "Owner": { "items": [{ "$ref": "#/components/schemas/Pet" }] },
        "a/b": { "type": "string" },
        "Other": { "$ref": "#/components/schemas/Pet" }
    }) else {
        panic!("an object");
    };
    let names = |part: Value| -> Vec<String> {
        let found = referenced_schemas([&part], &schemas);
        found.keys().cloned().collect()
    };
    let pet =
        json!([{ "$ref": "#/components/schemas/Pet" }, { "$ref": "#/components/schemas/None" }]);
    assert_eq!(names(pet), ["Owner", "Pet"]);
    assert_eq!(
        names(json!({ "$ref": "#/components/schemas/a~1b" })),
        ["a/b"]
    );
    assert_eq!(
        names(json!({ "text": "#/components/schemas/Pet" })),
        [""; 0]
    );
}
