//! Tests the comparison of the meaning of a document with that of the document that its service
//! emits.

use crate::support::readable;
use openapi_dropshot_contract::meaning::compare;

/// Returns the rules of the differences between two documents with these operations and the
/// component `Thing`.
fn differences(source: &str, emitted: &str) -> Vec<&'static str> {
    let [source, emitted] = [source, emitted].map(|operation| {
        readable(&format!(
            "openapi: 3.1.0
info: {{title: T, version: 1.0.0}}
paths:
  /a:
    get: {operation}
components:
  schemas:
    Thing: {{type: object, properties: {{a: {{type: string}}}}}}
"
        ))
    });
    let differences = compare(&source, &emitted).differences;
    differences
        .iter()
        .map(|difference| difference.rule.id)
        .collect()
}

#[test]
fn allowing_null_in_a_parameter_or_header_is_not_a_difference() {
    for place in ["header", "query"] {
        let operation = |schema: &str| {
            format!(
                "{{parameters: [{{name: x, in: {place}, schema: {schema}}}], responses: {{'204': {{description: D., headers: {{y: {{schema: {schema}}}}}}}}}}}"
            )
        };
        let nullable = operation("{type: [string, 'null']}");
        assert!(differences(&nullable, &operation("{type: string}")).is_empty());
        let other = differences(&nullable, &operation("{type: integer}"));
        assert_eq!(other, ["schema-type", "schema-type"]);
    }
}

#[test]
fn a_description_beside_a_reference_is_a_difference_from_the_plain_reference() {
    let operation = |schema: &str| {
        format!(
            "{{responses: {{'200': {{description: D., content: {{application/json: {{schema: {schema}}}}}}}}}}}"
        )
    };
    let reference = "{$ref: '#/components/schemas/Thing'}";
    for described in [
        "{description: The first one., allOf: [{$ref: '#/components/schemas/Thing'}]}",
        "{description: The first one., $ref: '#/components/schemas/Thing'}",
    ] {
        let differences = differences(&operation(described), &operation(reference));
        assert_eq!(differences, ["element-text"], "{described}");
    }
}
