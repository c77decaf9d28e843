//! Tests that equivalent documents of OpenAPI 3.0 and 3.1 have the same schemas after they are read, with the places in the text.

use crate::support::{assert_fault, assert_warning, readable};
use openapi_dropshot_contract::{
    diff,
    model::{Callback, Operation, ParameterIn, Type},
};

fn document(version: &str, schema: &str) -> String {
    format!(
        "openapi: {version}\ninfo: {{title: T, version: 1.0.0}}\npaths: {{}}\ncomponents:\n  schemas:\n    A: {{type: object}}\n    Thing: {schema}\n"
    )
}

#[test]
fn a_schema_of_openapi_3_1_has_the_same_meaning_as_the_equivalent_in_openapi_3_0() {
    for (newer, older) in [
        ("{type: [string, 'null']}", "{type: string, nullable: true}"),
        ("{type: [string]}", "{type: string}"),
        ("{type: 'null'}", "{enum: [null]}"),
        ("{type: [integer, number]}", "{type: number}"),
        (
            "{type: [string, integer], minLength: 1, minimum: 2, description: D.}",
            "{oneOf: [{type: string, minLength: 1}, {type: integer, minimum: 2}], description: D.}",
        ),
        (
            "{type: [string, 'null'], enum: [a]}",
            "{type: string, enum: [a]}",
        ),
        (
            "{type: [string, 'null'], enum: [a, null]}",
            "{type: string, enum: [a, null], nullable: true}",
        ),
        ("{const: a}", "{enum: [a]}"),
        (
            "{type: integer, exclusiveMinimum: 0}",
            "{type: integer, exclusiveMinimum: true, minimum: 0}",
        ),
        (
            "{type: integer, exclusiveMaximum: 5, maximum: 9}",
            "{type: integer, exclusiveMaximum: true, maximum: 5}",
        ),
        (
            "{type: integer, exclusiveMaximum: 9, maximum: 5}",
            "{type: integer, maximum: 5}",
        ),
        (
            "{type: string, contentEncoding: base64}",
            "{type: string, format: byte}",
        ),
        (
            "{type: string, contentMediaType: application/octet-stream}",
            "{type: string, format: binary}",
        ),
        (
            "{$ref: '#/components/schemas/A', description: D.}",
            "{allOf: [{$ref: '#/components/schemas/A'}], description: D.}",
        ),
        (
            "{anyOf: [{$ref: '#/components/schemas/A'}, {type: 'null'}]}",
            "{allOf: [{$ref: '#/components/schemas/A'}], nullable: true}",
        ),
        (
            "{anyOf: [{type: string}, {type: 'null'}], title: T}",
            "{type: string, nullable: true, title: T}",
        ),
        (
            "{oneOf: [{type: string}, {type: boolean}, {type: 'null'}]}",
            "{oneOf: [{type: string}, {type: boolean}], nullable: true}",
        ),
        (
            "{type: array, prefixItems: [{type: string}, {type: string}], minItems: 2, items: false}",
            "{type: array, items: {type: string}, minItems: 2, maxItems: 2}",
        ),
        (
            "{type: array, prefixItems: [{type: string}, {type: string}], unevaluatedItems: false}",
            "{type: array, items: {type: string}, maxItems: 2}",
        ),
        (
            "{type: array, prefixItems: [{type: string}, {type: string}], maxItems: 1}",
            "{type: array, items: {type: string}, maxItems: 1}",
        ),
        (
            "{type: array, unevaluatedItems: {type: string}}",
            "{type: array, items: {type: string}}",
        ),
        (
            "{type: object, unevaluatedProperties: false}",
            "{type: object, additionalProperties: false}",
        ),
        (
            "{type: object, propertyNames: {type: string}, $comment: C.}",
            "{type: object}",
        ),
        ("{properties: {a: true}}", "{properties: {a: {}}}"),
        // No members or elements remain that would be unevaluated.
        (
            "{type: array, items: {type: string}, unevaluatedItems: false}",
            "{type: array, items: {type: string}}",
        ),
        (
            "{type: object, additionalProperties: {type: string}, unevaluatedProperties: false}",
            "{type: object, additionalProperties: {type: string}}",
        ),
        // The list of types is removed if the alternatives have the same types; otherwise both are kept.
        (
            "{type: [string, integer], oneOf: [{type: string, minLength: 3}, {type: integer}]}",
            "{oneOf: [{type: string, minLength: 3}, {type: integer}]}",
        ),
        (
            "{type: [string, integer], oneOf: [{minLength: 3}, {minimum: 3}]}",
            "{allOf: [{oneOf: [{minLength: 3}, {minimum: 3}]}], oneOf: [{type: string}, {type: integer}]}",
        ),
        (
            "{type: [string, integer], minLength: 2, oneOf: [{type: string}, {type: integer}]}",
            "{allOf: [{oneOf: [{type: string}, {type: integer}]}], oneOf: [{type: string, minLength: 2}, {type: integer}]}",
        ),
        // Keywords beside an alternative or a type exclude `null`.
        (
            "{type: object, anyOf: [{$ref: '#/components/schemas/A'}, {type: 'null'}]}",
            "{type: object, allOf: [{$ref: '#/components/schemas/A'}]}",
        ),
        (
            "{enum: [a, b], anyOf: [{type: string}, {type: 'null'}]}",
            "{enum: [a, b], allOf: [{type: string}]}",
        ),
        (
            "{type: [object, 'null'], allOf: [{$ref: '#/components/schemas/A'}]}",
            "{type: object, allOf: [{$ref: '#/components/schemas/A'}]}",
        ),
        (
            "{type: [object, 'null'], anyOf: [{$ref: '#/components/schemas/A'}, {type: 'null'}]}",
            "{type: object, allOf: [{$ref: '#/components/schemas/A'}], nullable: true}",
        ),
        ("{enum: [a, b], const: a}", "{enum: [a]}"),
        (
            "{enum: [a, b], const: c}",
            "{enum: [a, b], allOf: [{enum: [c]}]}",
        ),
    ] {
        let (newer, older) = (
            readable(&document("3.1.1", newer)),
            readable(&document("3.0.4", older)),
        );
        let [found, expected] = [&newer, &older].map(|document| {
            let schema = document.root.pointer("/components/schemas/Thing");
            schema.map(|schema| schema.to_json()).unwrap_or_default()
        });
        assert_eq!(found, expected);
        let today = chrono::NaiveDate::default();
        let changes = diff::compare(&older.root, &newer.root, &diff::Policy::on(today));
        assert!(changes.is_empty(), "{changes:?}");
    }
}

#[test]
fn a_document_converted_from_openapi_3_1_keeps_the_original_places_and_text() {
    let text = document("3.1.1", "{type: [string, 'null'], minLength: 3}");
    let document = readable(&text);
    let length = document.schemas["Thing"].min_length.as_ref();
    let at = &length.expect("a bound").at;
    assert_eq!((at.line, at.column), (7, 48));
    assert_eq!(
        document
            .root
            .pointer(&at.pointer)
            .and_then(|node| node.as_u64()),
        Some(3)
    );
    let written = document.as_written().to_json();
    assert_eq!(written["openapi"], "3.1.1");
    assert_eq!(
        written["components"]["schemas"]["Thing"]["type"],
        serde_json::json!(["string", "null"])
    );
}

#[test]
fn problems_of_openapi_3_1_and_3_2_documents_are_reported_where_they_are_written() {
    assert_fault(
        &document("3.1.1", "{type: [string, 'null'], default: «5}"),
        "invalid-default",
        "expected a string",
        "",
    );
    assert_fault(
        &document("3.1.1", "{type: string, «minLenght: 5}"),
        "unknown-member",
        "minLenght",
        "minLength",
    );
    assert_warning(
        &document("3.2.0", "{type: string, «itemSchema: {}}"),
        "unknown-member",
        "itemSchema",
        "",
    );
    assert_fault(
        &document("3.1.1", "{type: «[]}"),
        "wrong-type",
        "must be a string",
        "write one type",
    );
    assert_warning(
        &document("3.1.1", "{type: string, nullable: «true}"),
        "keyword-of-older-version",
        "no meaning in OpenAPI 3.1",
        "add `null`",
    );
}

#[test]
fn members_of_openapi_3_2_are_read() {
    let document = readable(include_str!("../../fuzz/seeds/newest.yaml"));
    assert!(document.warnings.is_empty(), "{:?}", document.warnings);
    let label = |own: &Operation| format!("{} {}", own.method, own.path);
    let operations: Vec<String> = document.operations.iter().map(label).collect();
    assert_eq!(
        operations,
        [
            "GET /events",
            "QUERY /things",
            "GET /things",
            "COPY /things",
            "GET /texts"
        ]
    );
    // The items are the data of an event, an item of a shared media type, and text.
    let items = document.operations.iter().filter_map(|own| {
        let items = own.responses[0].content.first()?.items()?;
        document
            .resolve(items)?
            .types
            .as_ref()
            .map(|kind| kind.value)
    });
    assert_eq!(
        items.collect::<Vec<_>>(),
        [Type::Object, Type::Object, Type::String]
    );
    // A form that is the whole query is described as an object.
    let query = &document.operations[2].parameters[0];
    assert_eq!(query.location, ParameterIn::Query);
    assert!(query.schema.is_some());
    // The discriminator has an alternative for values without the property, so the property alone does not choose the
    // alternative.
    assert!(document.schemas["Shape"].discriminator.is_none());
    assert_eq!(
        document.operations[0].responses[0].description,
        "All events."
    );
    let served = document.as_written().to_json();
    for pointer in [
        "/tags/0/kind",
        "/components/mediaTypes/Things",
        "/$self",
        "/servers/0/name",
    ] {
        assert!(served.pointer(pointer).is_some(), "{pointer}");
    }
    let normal = openapi_dropshot_contract::normalized(&document);
    assert!(normal.is_some_and(|normal| normal.operations.len() == 5));
}

#[test]
fn members_of_openapi_3_2_are_reported_in_documents_of_older_versions() {
    let whole = |members: &str, paths: &str| {
        format!("openapi: 3.1.0\ninfo: {{title: T, version: 1.0.0}}\n{members}paths: {paths}\n")
    };
    let responses = "responses: {'204': {description: A.}}";
    let stream = "{get: {responses: {'200': {description: A., content: {application/jsonl: {«itemSchema: {}}}}}}}";
    for (text, name) in [
        (
            whole("", &format!("{{/a: {{«query: {{{responses}}}}}}}")),
            "query",
        ),
        (
            whole(
                "",
                &format!("{{/a: {{«additionalOperations: {{COPY: {{{responses}}}}}}}}}"),
            ),
            "additionalOperations",
        ),
        (whole("", &format!("{{/a: {stream}}}")), "itemSchema"),
    ] {
        assert_fault(&text, "unknown-member", name, "");
    }
    assert_fault(
        &whole("", &format!("{{/a: {stream}}}")),
        "unknown-member",
        "itemSchema",
        "`x-item-schema`",
    );
    assert_warning(
        &whole("tags: [{name: a, «kind: nav}]\n", "{}"),
        "unknown-member",
        "kind",
        "",
    );
    assert_warning(
        &whole("", "{/a: {get: {responses: {'200': «{}}}}}"),
        "missing-member",
        "description",
        "",
    );
}

#[test]
fn problems_of_members_of_openapi_3_2_are_reported_at_their_place() {
    for (text, id, message) in [
        (
            "paths: {/a: {get: {responses: {'200': {content: {application/json: {$ref: «'#/components/mediaTypes/B'}}}}}}}",
            "dangling-reference",
            "does not exist",
        ),
        (
            "paths: {/a: {additionalOperations: {post: «{responses: {'204': {}}}}}}",
            "unknown-member",
            "cannot be a method",
        ),
        (
            "paths: {/a: {additionalOperations: {'TWO WORDS': «{responses: {'204': {}}}}}}",
            "unknown-member",
            "cannot be a method",
        ),
        (
            "paths: {}\ntags: [{name: a, parent: «b}]",
            "tag-parent",
            "is not declared",
        ),
        (
            "paths: {}\ntags: [{name: a, parent: «a}]",
            "tag-parent",
            "its own parent",
        ),
        (
            "paths: {}\ncomponents: {securitySchemes: {A: {type: oauth2, flows: {deviceAuthorization: «{tokenUrl: 'https://a.example', scopes: {}}}}}}",
            "missing-member",
            "deviceAuthorizationUrl",
        ),
    ] {
        let text = format!("openapi: 3.2.0\ninfo: {{title: T, version: 1.0.0}}\n{text}\n");
        assert_fault(&text, id, message, "");
    }
}

#[test]
fn definitions_inside_of_a_schema_can_be_referred_to() {
    let document = readable(&document(
        "3.1.1",
        "{type: object, properties: {size: {$ref: '#/components/schemas/Thing/$defs/Size'}}, $defs: {Size: {type: integer}}}",
    ));
    let size = &document.schemas["Thing"].properties["size"];
    let size = document.resolve(size).expect("it is a component");
    assert_eq!((size.at.line, size.at.column), (7, 110));
}

#[test]
fn callbacks_and_webhooks_are_read() {
    let document = readable(
        "openapi: 3.1.0
info: {title: T, version: 1.0.0}
paths:
  /a:
    post:
      operationId: start
      callbacks:
        done: {'{$request.body#/url}': {post: {requestBody: {content: {application/json: {schema: {type: string}}}}}}}
        lost: {$ref: '#/components/callbacks/Lost'}
webhooks:
  sold: {put: {responses: {'204': {description: Noted.}}}}
components:
  callbacks:
    Lost: {'{$request.body#/url}/lost': {delete: {responses: {'204': {description: Noted.}}}}}
",
    );
    let requests = |callbacks: &[Callback]| -> Vec<String> {
        let each = callbacks.iter().flat_map(|callback| {
            let requests = callback.requests.iter();
            requests.map(|request| format!("{} {} {}", callback.name, request.method, request.path))
        });
        each.collect()
    };
    assert_eq!(
        requests(&document.operations[0].callbacks),
        [
            "done POST {$request.body#/url}",
            "lost DELETE {$request.body#/url}/lost"
        ]
    );
    assert_eq!(requests(&document.webhooks), ["sold PUT sold"]);
    let done = &document.operations[0].callbacks[0].requests[0];
    let body = done.request_body.as_ref().expect("it has one");
    assert!(body.content[0].schema.is_some());
}

#[test]
fn a_path_item_in_components_and_an_operation_without_responses_are_read() {
    let document = readable(
        "openapi: 3.1.0
info: {title: T, version: 1.0.0, summary: S., license: {name: L, identifier: MIT}}
paths:
  /a: {$ref: '#/components/pathItems/A'}
components:
  pathItems:
    A: {get: {operationId: readA}}
webhooks: {}
",
    );
    assert_eq!(document.operations.len(), 1);
    assert_eq!(document.operations[0].path.value, "/a");
}

#[test]
fn a_closing_bracket_may_have_the_indentation_of_its_member_name() {
    let text = "openapi: 3.0.3\ninfo: {title: T, version: 1.0.0}\nx-a:\n  b: {\n    \"c\": [\n      1\n    ]\n  }\npaths: {}\n";
    assert_eq!(
        readable(text)
            .root
            .pointer("/x-a/b/c/0")
            .and_then(|node| node.as_u64()),
        Some(1)
    );
}

/// Returns the problems of a schema `A` of OpenAPI 3.1: the pointer, line and message of each.
fn problems_of_newer(schema: &str) -> Vec<(String, usize, String)> {
    let text = format!(
        "openapi: 3.1.0\ninfo: {{title: T, version: 1.0.0}}\npaths: {{}}\ncomponents:\n  schemas:\n    A:\n{schema}"
    );
    crate::support::problems(&text, openapi_dropshot_contract::Profile::Strict)
        .into_iter()
        .map(|problem| (problem.at.pointer, problem.at.line, problem.message))
        .collect()
}

#[test]
fn problems_name_the_place_and_the_keyword_as_written_in_the_document() {
    let table = [
        (
            "      type: integer\n      exclusiveMinimum: 9\n      maximum: 3\n",
            "/components/schemas/A/exclusiveMinimum",
            8,
            "`exclusiveMinimum`",
        ),
        (
            "      type: string\n      const: 5\n",
            "/components/schemas/A/const",
            8,
            "`const`",
        ),
        (
            "      type: string\n      examples: [5]\n",
            "/components/schemas/A/examples/0",
            8,
            "example",
        ),
    ];
    for (schema, pointer, line, keyword) in table {
        let problems = problems_of_newer(schema);
        let found = problems
            .iter()
            .any(|(at, on, message)| at == pointer && *on == line && message.contains(keyword));
        assert!(found, "{schema}: {problems:#?}");
    }
}
