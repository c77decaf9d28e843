//! Tests the helper functions of the model that the generator and other tools use.

use crate::support::{readable, with_schemas};
use openapi_dropshot_contract::model::{Method, StatusCode, Type};
use openapi_dropshot_contract::{Document, Parts};

#[test]
fn operation_parameters_override_path_parameters() {
    let document = readable(
        "openapi: 3.0.3
info: {title: T, version: 1.0.0}
paths:
  /a:
    parameters:
      - {name: one, in: query, schema: {type: string}}
      - {name: two, in: query, schema: {type: string}}
    get:
      parameters:
        - {name: two, in: query, schema: {type: integer}}
      responses: {'200': {description: Fine.}}
",
    );
    let parameters: Vec<_> = document.operations[0]
        .parameters
        .iter()
        .map(|parameter| {
            let kind = parameter
                .schema
                .as_ref()
                .and_then(|schema| schema.types.as_ref());
            (parameter.name.value.as_str(), kind.map(|kind| kind.value))
        })
        .collect();
    assert_eq!(
        parameters,
        [("two", Some(Type::Integer)), ("one", Some(Type::String))]
    );
}

#[test]
fn operation_security_overrides_document_security() {
    let document = readable(
        "openapi: 3.0.3
info: {title: T, version: 1.0.0}
security: [key: []]
paths:
  /a:
    get: {responses: {'200': {description: Fine.}}}
    put: {security: [], responses: {'200': {description: Fine.}}}
components: {securitySchemes: {key: {type: http, scheme: bearer}}}
",
    );
    assert_eq!(document.operations[0].security.len(), 1);
    assert!(document.operations[1].security.is_empty());
    assert_eq!(document.operations[1].method, Method::Put);
}

#[test]
fn a_status_key_matches_one_code_a_range_or_every_code() {
    let code = |key: &str| StatusCode::from_key(key).expect("a status code");
    assert!(code("4XX").contains(404) && !code("4XX").contains(500));
    assert!(code("default").contains(404) && !code("404").contains(405));
    assert!(code("404").is_error() && code("5XX").is_error() && !code("default").is_error());
    assert!(code("2XX").is_success() && !code("304").is_success());
    assert_eq!(code("5XX").to_string(), "5XX");
}

#[test]
fn the_response_for_a_status_is_the_exact_code_else_the_range_else_the_default() {
    let document = readable(&crate::support::with_paths(
        "  /a:
    get:
      responses:
        default: {description: Default.}
        4XX: {description: Range.}
        '404': {description: Exact.}
",
    ));
    let operation = &document.operations[0];
    for (code, description) in [(404, "Exact."), (400, "Range."), (500, "Default.")] {
        assert_eq!(
            operation
                .response_for(code)
                .map(|response| response.description.as_str()),
            Some(description)
        );
    }
}

#[test]
fn nodes_are_found_by_pointer_and_converted_to_json() {
    let document = readable(&with_schemas(
        "    A: {enum: [1, null, true], x-more: {a/b: 2}}\n",
    ));
    let node = document
        .root
        .pointer("/components/schemas/A")
        .expect("the node exists");
    assert_eq!(
        node.to_json(),
        serde_json::json!({"enum": [1, null, true], "x-more": {"a/b": 2}})
    );
    assert_eq!(
        node.pointer("/x-more/a~1b").and_then(|node| node.as_u64()),
        Some(2)
    );
    assert_eq!(node.pointer("/enum/7"), None);
    assert_eq!(node.pointer("enum"), None);
    assert_eq!(node.size(), 7);
}

#[test]
fn removing_a_part_also_removes_all_parts_that_need_the_part_and_components_that_become_unused() {
    let text = "openapi: 3.0.3
info: {title: T, version: 1.0.0}
paths:
  /a:
    get: {operationId: a, responses: {'200': {$ref: '#/components/responses/A'}}}
    put: {operationId: b, responses: {'200': {description: Done.}}}
  /c:
    get: {operationId: c, responses: {'200': {description: C., content: {application/json: {schema: {$ref: '#/components/schemas/C'}}}}}}
components:
  responses:
    A: {description: A., content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}
  schemas:
    A: {type: object, properties: {bad: {$ref: '#/components/schemas/Bad'}, own: {$ref: '#/components/schemas/Own'}, c: {$ref: '#/components/schemas/C'}}}
    Bad: {type: string}
    C: {type: string}
    Own: {type: string}
    Unused: {type: string}
";
    let document = readable(text);
    let ids = |document: &Document| -> Vec<String> {
        let ids = document.operations.iter().filter_map(|own| own.id.as_ref());
        ids.map(|id| id.value.clone()).collect()
    };
    let schemas = |document: &Document| document.schemas.keys().cloned().collect::<Vec<_>>();
    let without = |part: &str| {
        let parts = [part.to_owned()].into();
        document.without(parts).expect("the rest is a document")
    };
    let rest = without("/components/schemas/Bad");
    assert_eq!(ids(&rest), ["b", "c"]);
    assert_eq!(schemas(&rest), ["C", "Unused"]);
    assert_eq!(rest.responses.len(), 0);
    assert!(!rest.one_text().contains("Bad"), "{}", rest.one_text());
    let rest = without("/paths/~1c/get");
    assert_eq!(ids(&rest), ["a", "b"]);
    assert_eq!(schemas(&rest), ["A", "Bad", "C", "Own", "Unused"]);
    assert_eq!(
        Parts::of(&document.root).at("/paths/~1a/parameters/0"),
        ["/paths/~1a/get", "/paths/~1a/put"]
            .map(str::to_owned)
            .into()
    );
}
