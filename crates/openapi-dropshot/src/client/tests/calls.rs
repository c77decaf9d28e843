//! Tests pages, idempotency keys, and the cargo features of operations that are not
//! stable.

use super::{BOOKS, SCHEMA, document, file, with_parameter};

/// An operation that returns an array of things, with these headers.
fn listing(headers: &str, schema: &str) -> String {
    document(
        &format!(
            "{{operationId: putThing, responses: {{'200': {{description: Some., headers: {headers}, \
             content: {{application/json: {{schema: {schema}}}}}}}}}}}"
        ),
        SCHEMA,
    )
}

const LINK: &str = "{Link: {description: The next page., schema: {type: string}}}";
const THINGS: &str = "{type: array, items: {$ref: '#/components/schemas/Thing'}}";

#[test]
fn a_list_with_a_link_can_be_walked_through() {
    for (text, answer, item) in [
        (
            file(BOOKS, "builder.rs"),
            "super::Pages<types::Books>",
            "super::Items<types::Book>",
        ),
        (
            file(&listing(LINK, THINGS), "builder.rs"),
            "super::Pages<::std::vec::Vec<types::Thing>>",
            "super::Items<types::Thing>",
        ),
        (
            file(
                &listing(LINK, "{type: array, items: {type: string}}"),
                "builder.rs",
            ),
            "super::Pages<::std::vec::Vec<::std::string::String>>",
            "super::Items<::std::string::String>",
        ),
    ] {
        assert!(
            text.contains(&format!("pub fn pages(self) -> {answer}")),
            "{text}"
        );
        assert!(
            text.contains(&format!("pub fn stream(self) -> {item}")),
            "{text}"
        );
    }
}

#[test]
fn a_list_without_links_has_no_stream() {
    for text in [
        listing("{}", THINGS),
        listing(LINK, "{$ref: '#/components/schemas/Thing'}"),
    ] {
        let text = file(&text, "builder.rs");
        assert!(!text.contains("fn pages"), "{text}");
        assert!(!text.contains("fn stream"), "{text}");
    }
}

#[test]
fn the_idempotency_key_is_a_header_of_the_operation() {
    let key = "{name: idempotency-key, in: header, schema: {type: string}}";
    let text = file(&with_parameter(key), "builder.rs");
    let compact = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let parameter = "Parameter::new( toolkit::Place::Header, \"idempotency-key\",";
    assert!(compact.contains(parameter), "{text}");
}

#[test]
fn an_operation_that_is_not_stable_stands_behind_a_feature() {
    for level in ["beta", "experimental"] {
        let operation = format!(
            "{{operationId: putThing, x-stability-level: {level}, responses: {{'204': {{description: Done.}}}}}}"
        );
        let text = document(&operation, SCHEMA);
        let hidden = format!("#[cfg(feature = \"{level}\")]");
        let client = file(&text, "client.rs");
        assert_eq!(client.matches(&hidden).count(), 1, "{client}");
        let builder = file(&text, "builder.rs");
        // The builder, its methods, and the description of the operation.
        assert_eq!(builder.matches(&hidden).count(), 3, "{builder}");
        let sentence = format!("Only with the cargo feature `{level}` of this crate.");
        assert!(
            client.contains(&sentence) && builder.contains(&sentence),
            "{client}"
        );
    }
    let stable = file(&document(super::OPERATION, SCHEMA), "builder.rs");
    assert!(!stable.contains("feature = \"beta\""), "{stable}");
}

#[test]
fn a_parameter_that_is_not_stable_is_always_there() {
    let beta = "{name: size, in: query, x-stability-level: beta, schema: {type: integer}}";
    let text = file(&with_parameter(beta), "builder.rs");
    assert!(
        text.contains("pub fn size") && !text.contains("feature = \"beta\""),
        "{text}"
    );
}

#[test]
fn an_open_list_of_values_is_an_enumeration_that_keeps_unknown_values() {
    let schema =
        "{type: object, properties: {size: {type: string, x-extensible-enum: [small, big]}}}";
    let text = file(&document(super::OPERATION, schema), "types.rs");
    let compact = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(compact.contains("pub enum ThingSize"), "{text}");
    assert!(
        compact.contains("#[serde(untagged)] Unknown(::std::string::String)"),
        "{text}"
    );
}

#[test]
fn a_parameter_cannot_have_the_name_of_a_method() {
    for name in ["with", "pages", "send_blocking", "sendBlocking"] {
        let parameter = format!("{{name: {name}, in: query, schema: {{type: string}}}}");
        let problems = super::generated(&with_parameter(&parameter)).expect_err("it is taken");
        assert!(
            problems
                .iter()
                .any(|problem| problem.rule == "client-name-reserved"),
            "{problems:#?}"
        );
    }
}
