//! Tests pages, idempotency keys, and the cargo features for operations that are not stable.

use super::{BOOKS, SCHEMA, document, file, generated, with_body, with_parameter, with_responses};

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
fn a_list_operation_with_a_link_to_the_next_page_has_streams_of_pages_and_items() {
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
fn a_list_operation_without_a_link_to_the_next_page_has_no_stream() {
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
fn an_unstable_operation_requires_a_cargo_feature() {
    for level in ["beta", "experimental"] {
        let operation = format!(
            "{{operationId: putThing, x-stability-level: {level}, responses: {{'204': {{description: Done.}}}}}}"
        );
        let text = document(&operation, SCHEMA);
        let hidden = format!("#[cfg(feature = \"{level}\")]");
        let client = file(&text, "client.rs");
        assert_eq!(client.matches(&hidden).count(), 1, "{client}");
        let builder = file(&text, "builder.rs");
        // The feature is on the builder, its methods, and the description of the operation.
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
fn an_unstable_parameter_needs_no_feature() {
    let beta = "{name: size, in: query, x-stability-level: beta, schema: {type: integer}}";
    let text = file(&with_parameter(beta), "builder.rs");
    assert!(
        text.contains("pub fn size") && !text.contains("feature = \"beta\""),
        "{text}"
    );
}

#[test]
fn an_extensible_enum_becomes_an_enumeration_that_keeps_unknown_values() {
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

#[test]
fn a_parameter_may_be_named_feed_if_the_operation_is_not_a_feed() {
    let text = |name: &str| format!("{{name: {name}, in: query, schema: {{type: string}}}}");
    let feed = text("feed");
    assert!(super::generated(&with_parameter(&feed)).is_ok());
    let of_feed = [&text("cursor"), &text("wait"), &feed]
        .map(String::as_str)
        .join(", ");
    assert!(super::generated(&with_parameter(&of_feed)).is_err());
}

#[test]
fn the_errors_of_an_operation_are_documented_with_the_descriptions_of_the_document() {
    let row = "| 409 | `book_not_available` | The book that was ordered is not `available`; somebody else has ordered it, or it is \
               not for sale. | Order another book; list those that are `available`. |";
    let client = file(BOOKS, "client.rs");
    let of = |method: &str| {
        let item = format!("pub fn {method}(&self)");
        let before = client.split(&item).next().expect("the method is there");
        before[before.rfind("}\n\n").expect("an item ends before it")..].to_owned()
    };
    assert!(of("create_order").contains(row), "{}", of("create_order"));
    assert!(!of("list_books").contains("book_not_available"));
    let errors = file(BOOKS, "errors.rs");
    let own = errors.split("pub enum CreateOrderError {").nth(1);
    let own = own
        .and_then(|rest| rest.split('}').next())
        .expect("it is there");
    assert!(own.contains("BookNotAvailable,"), "{own}");
    assert!(own.contains("/// What to do: Order another book; list those that are `available`."));
    let types = file(BOOKS, "types.rs");
    let code = "/// `book_not_available` (409): The book that was ordered is not `available`;";
    assert!(types.contains(code), "{types}");
}

#[test]
fn the_docs_of_an_operation_list_error_statuses_if_the_document_has_no_error_codes() {
    let responses = "'204': {description: Done.}, '404': {description: There is no such thing.}";
    let client = file(&with_responses(responses), "client.rs");
    assert!(
        client.contains("/// - 404: There is no such thing."),
        "{client}"
    );
    let files = generated(&with_responses(responses)).expect("it is supported");
    assert!(files.iter().all(|file| file.path != "client/errors.rs"));
}

#[test]
fn a_parameter_with_the_name_of_a_call_setting_takes_precedence() {
    let text = file(
        &with_parameter("{name: timeout, in: query, schema: {type: integer}}"),
        "builder.rs",
    );
    assert_eq!(text.matches("pub fn timeout").count(), 1, "{text}");
    let others = "toolkit::settings!(with, retry, header);";
    assert!(text.contains(others), "{text}");
}

#[test]
fn the_error_for_a_pattern_contains_the_description_or_the_example_of_the_document() {
    let pattern = "pattern: '^[0-9]{3}$'";
    for (more, message) in [
        (
            r#", description: "A code.\n\nThe value has three digits.""#,
            "a valid value has three digits.",
        ),
        (", example: '123'", "a valid value has the form of `123`"),
        (
            "",
            "the documentation of `PutThingCode` describes the form of a valid value",
        ),
    ] {
        let parameter =
            format!("{{name: code, in: query, schema: {{type: string, {pattern}}}{more}}}");
        let text = file(&with_parameter(&parameter), "types.rs");
        assert!(text.contains(message), "{message}: {text}");
        assert!(!text.contains("doesn't match pattern"), "{text}");
    }
}

#[test]
fn the_client_reads_a_stream_as_items_of_the_item_schema() {
    let stream = |media_type: &str, schema: &str| {
        let content = format!("{{{media_type}: {{x-item-schema: {schema}}}}}");
        let responses = format!("{{'200': {{description: Some., content: {content}}}}}");
        document(
            &format!("{{operationId: putThing, responses: {responses}}}"),
            SCHEMA,
        )
    };
    let thing = "{$ref: '#/components/schemas/Thing'}";
    for (media_type, schema, response, read) in [
        (
            "text/event-stream",
            thing,
            "EventStream<types::Thing>",
            "events(toolkit::json_data)",
        ),
        (
            "text/event-stream",
            "{type: string}",
            "EventStream<::std::string::String>",
            "events(toolkit::text_data)",
        ),
        (
            "application/jsonl",
            thing,
            "Streamed<types::Thing>",
            "streamed(\"application/jsonl\")",
        ),
        (
            "application/json-seq",
            "{type: integer}",
            "Streamed<i64>",
            "streamed(\"application/json-seq\")",
        ),
        (
            "application/geo+json-seq",
            thing,
            "Streamed<types::Thing>",
            "streamed(\"application/geo+json-seq\")",
        ),
    ] {
        let text = file(&stream(media_type, schema), "builder.rs");
        let flat = text.split_whitespace().collect::<String>();
        for wanted in [
            format!("super::Response<super::{response}>"),
            format!(".{read}"),
        ] {
            assert!(flat.contains(&wanted), "{wanted}: {text}");
        }
    }
}

#[test]
fn the_client_sends_json_lines_with_x_streamed_as_a_stream_of_items() {
    let body = |streamed: &str| {
        let content = "{application/jsonl: {x-item-schema: {$ref: '#/components/schemas/Thing'}}}";
        let body = format!("{{required: true, {streamed}content: {content}}}");
        let responses = "{'204': {description: Done.}}";
        document(
            &format!("{{operationId: putThing, requestBody: {body}, responses: {responses}}}"),
            SCHEMA,
        )
    };
    for (streamed, wanted) in [
        (
            "x-streamed: true, ",
            "request_with_lines(\"application/jsonl\",self.body)",
        ),
        ("", "request_with_raw(\"application/jsonl\",self.body)"),
    ] {
        let text = file(&body(streamed), "builder.rs");
        let flat = text.split_whitespace().collect::<String>();
        assert!(flat.contains(wanted), "{wanted}: {text}");
        let takes_lines = flat.contains("super::Lines<types::Thing>");
        assert_eq!(takes_lines, !streamed.is_empty(), "{text}");
    }
}

#[test]
fn a_multipart_form_has_a_method_for_each_part_that_the_document_lists() {
    let form = |schema: &str| {
        with_body(&format!(
            "{{required: true, content: {{multipart/form-data: {{schema: {schema}, encoding: {{words: {{contentType: application/json}}}}}}}}}}"
        ))
    };
    let text = form(
        "{type: object, required: [photo, new], properties: {photo: {type: array, items: {type: string, format: binary}}, \
         new: {$ref: '#/components/schemas/Thing'}, words: {type: string, description: In JSON., deprecated: true}, count: {type: integer}, place: {type: object}}}",
    );
    let forms = file(&text, "forms.rs");
    let compact = forms.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "pub struct PutThingForm(Multipart);",
        "pub fn new( photo: impl IntoIterator<Item = FilePart>, new_2: impl toolkit::IntoBody<types::Thing>, ) -> Self",
        "pub fn photo(self, photo: impl IntoIterator<Item = FilePart>) -> Self",
        "/// In JSON. #[deprecated(note = \"the document names no replacement\")] pub fn words(self, words: impl AsRef<str>) -> Self",
        "form.json(\"words\", words.as_ref())",
        "pub fn count(self, count: i64) -> Self",
        "pub fn place(self, place: impl ::serde::Serialize) -> Self",
    ] {
        assert!(compact.contains(expected), "{expected}: {forms}");
    }
    // Otherwise, the function would exist twice.
    assert!(!compact.contains("pub fn new_2"), "{forms}");
    let builder = file(&text, "builder.rs");
    assert!(builder.contains("super::forms::PutThingForm"), "{builder}");
    let types = file(&text, "types.rs");
    assert!(types.contains("pub fn new("), "{types}");
    for schema in [
        "{type: object}",
        "{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}",
    ] {
        let files = generated(&form(schema)).expect("it is supported");
        assert!(files.iter().all(|file| !file.path.ends_with("forms.rs")));
    }
}

#[test]
fn a_single_key_is_sent_as_the_scheme_that_most_operations_require_alone() {
    let operation = |id: &str, security: &str| {
        format!(
            "  /{id}: {{get: {{operationId: {id}, security: {security}, responses: {{'204': {{description: Done.}}}}}}}}\n"
        )
    };
    let text = |operations: &[String]| {
        format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\npaths:\n{}components:\n  securitySchemes:\n    hook: {{type: apiKey, in: header, name: Webhook-Id}}\n    sign: {{type: apiKey, in: header, name: Sign}}\n    user: {{type: http, scheme: bearer}}\n",
            operations.concat()
        )
    };
    let (user, hook) = ("[{user: []}]", "[{hook: []}]");
    let pair = operation("d", "[{hook: [], sign: []}]");
    for (operations, expected) in [
        (
            vec![
                operation("a", user),
                operation("b", hook),
                operation("c", user),
                pair.clone(),
            ],
            "Credential::Bearer",
        ),
        (
            vec![
                operation("a", hook),
                operation("b", hook),
                operation("c", user),
            ],
            "Credential::Header(\"Webhook-Id\")",
        ),
        // The first scheme is chosen.
        (vec![pair], "Credential::Header(\"Webhook-Id\")"),
    ] {
        let client = file(&text(&operations), "client.rs");
        let start = client.find("service!(").expect("it is there");
        let end = client[start..].find(';').expect("it ends");
        let service = &client[start..start + end];
        assert!(service.contains(expected), "{service}");
    }
}
