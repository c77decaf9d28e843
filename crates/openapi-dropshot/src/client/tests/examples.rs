//! Tests the examples in the documentation of generated code. The documentation tests of the client crate compile
//! them.

use super::{SCHEMA, document, file, with_body, with_parameter};

/// Returns the documentation above an item, without the comment markers.
fn docs(text: &str, item: &str) -> String {
    let before = text.split(item).next().expect("a text has a beginning");
    let own = before.rsplit("\n\n").next().unwrap_or_default();
    let lines = own.lines().map(|line| line.trim_start_matches([' ', '/']));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn an_example_has_the_values_of_the_document() {
    let parameter = "{name: size, in: query, example: 7, schema: {type: integer}}";
    let text = file(&with_parameter(parameter), "builder.rs");
    let said = docs(&text, "pub struct PutThing");
    assert!(said.contains("client.put_thing().size(7);"), "{said}");

    let schema =
        "{type: object, required: [kind], example: {kind: small, born: '2026-01-01'}, properties: {
      kind: {type: string, enum: [small, big]}, born: {type: string, format: date}}}";
    let text = file(&document(super::OPERATION, schema), "types.rs");
    let said = docs(&text, "pub struct Thing");
    for words in [
        ".kind(types::ThingKind::Small)",
        ".born(\"2026-01-01\".parse::<::chrono::naive::NaiveDate>()?)",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn an_example_value_missing_in_the_document_becomes_an_argument() {
    let parameter = "{name: size, in: query, required: true, schema: {type: integer}}";
    let text = file(&with_parameter(parameter), "client.rs");
    let said = docs(&text, "pub fn put_thing(");
    assert!(said.contains(", size: i64)"), "{said}");
    assert!(
        said.contains("client.put_thing().size(size).send()"),
        "{said}"
    );

    let body = "{required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}";
    let text = file(&with_body(body), "builder.rs");
    let said = docs(&text, "pub struct PutThing");
    assert!(said.contains(", body: types::Thing)"), "{said}");
    assert!(said.contains(".body(body)"), "{said}");

    // A type without an example value has no example, because the example could only print an argument.
    let text = file(&document(super::OPERATION, SCHEMA), "types.rs");
    let said = docs(&text, "pub struct Thing");
    assert!(!said.contains("```"), "{said}");
}

#[test]
fn an_example_uses_the_crate_name_of_the_options() {
    let text = file(&document(super::OPERATION, SCHEMA), "client.rs");
    assert!(
        text.contains("# async fn example(client: &client::Client)"),
        "{text}"
    );
}

#[test]
fn the_example_of_a_type_uses_no_deprecated_property() {
    let schema = "{type: object, example: {old: a, size: 1}, properties: {
      size: {type: integer}, old: {type: string, deprecated: true}}}";
    let text = file(&document(super::OPERATION, schema), "types.rs");
    let said = docs(&text, "pub struct Thing");
    assert!(
        said.contains(".size(1)") && !said.contains(".old("),
        "{said}"
    );
}
