//! What a call has beside its parameters: pages, a key against doing things
//! twice, and the cargo feature of an operation that is not stable.

use super::{PETS, SCHEMA, document, file, with_parameter};

/// An operation that answers an array of things, with these headers.
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
            file(PETS, "builder.rs"),
            "crate::Pages<types::Pets>",
            "crate::Items<types::Pet>",
        ),
        (
            file(&listing(LINK, THINGS), "builder.rs"),
            "crate::Pages<::std::vec::Vec<types::Thing>>",
            "crate::Items<types::Thing>",
        ),
        (
            file(
                &listing(LINK, "{type: array, items: {type: string}}"),
                "builder.rs",
            ),
            "crate::Pages<::std::vec::Vec<::std::string::String>>",
            "crate::Items<::std::string::String>",
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
fn what_has_no_further_pages_has_no_stream() {
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
fn an_operation_that_takes_an_idempotency_key_says_so() {
    let key = "{name: idempotency-key, in: header, schema: {type: string}}";
    let taken = |text: &str| text.contains("takes_idempotency_key: true");
    assert!(taken(&file(&with_parameter(key), "builder.rs")));
    let query = key.replace("in: header", "in: query");
    assert!(!taken(&file(&with_parameter(&query), "builder.rs")));
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
        // The builder, its methods, and the function that reads the answer.
        assert_eq!(builder.matches(&hidden).count(), 3, "{builder}");
        let said = format!("Only with the cargo feature `{level}` of this crate.");
        assert!(
            client.contains(&said) && builder.contains(&said),
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
fn an_open_list_of_values_is_an_enumeration_that_keeps_what_it_does_not_know() {
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
    for name in ["with", "pages", "send_blocking", "sendBlocking", "prepared"] {
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
