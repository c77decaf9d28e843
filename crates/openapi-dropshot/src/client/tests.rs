//! Tests the code that the client generator writes for small documents. The tests of
//! `openapi-dropshot-client` and of the client crates compile such code.

mod calls;
mod examples;
mod rejections;

use super::generate;
use crate::{File, Options};
use openapi_dropshot_contract::Problem;

fn options() -> Options {
    Options {
        command: "cargo xtask generate".to_owned(),
        source: "spec/openapi.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    }
}

fn generated(text: &str) -> Result<Vec<File>, Vec<Problem>> {
    let document = openapi_dropshot_contract::read("openapi.yaml", text)
        .unwrap_or_else(|problems| panic!("the test's document is not valid:\n{problems}"));
    generate(&document, &options()).map(|generated| generated.files)
}

/// Returns the text of one generated file.
fn file(text: &str, name: &str) -> String {
    let files = generated(text).unwrap_or_else(|problems| panic!("rejected: {problems:#?}"));
    let path = format!("client/{name}");
    files
        .into_iter()
        .find(|file| file.path == path)
        .map(|file| file.text)
        .expect("there is such a file")
}

/// A document with one operation and one schema, each written on one line.
fn document(operation: &str, schema: &str) -> String {
    format!(
        "openapi: 3.0.3\n\
         info: {{title: Test, version: 1.0.0}}\n\
         paths:\n  \
           /things:\n    \
             put: {operation}\n\
         components:\n  \
           schemas:\n    \
             Thing: {schema}\n"
    )
}

const OPERATION: &str = "{operationId: putThing, responses: {'204': {description: Done.}}}";
const SCHEMA: &str = "{type: object, properties: {size: {type: integer}}}";

/// An operation with this parameter.
fn with_parameter(parameter: &str) -> String {
    document(
        &format!(
            "{{operationId: putThing, parameters: [{parameter}], responses: {{'204': {{description: Done.}}}}}}"
        ),
        SCHEMA,
    )
}

/// An operation with these responses.
fn with_responses(responses: &str) -> String {
    document(
        &format!("{{operationId: putThing, responses: {{{responses}}}}}"),
        SCHEMA,
    )
}

/// An operation with this body.
fn with_body(body: &str) -> String {
    document(
        &format!(
            "{{operationId: putThing, requestBody: {body}, responses: {{'204': {{description: Done.}}}}}}"
        ),
        SCHEMA,
    )
}

#[test]
fn a_builder_of_an_unnamed_type_uses_the_member_names_of_the_document() {
    // Typify makes a type without a name in the document for each alternative.
    let thing = "{anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], \
                  required: [report-type], properties: {report-type: {type: string}}}\n    \
                  A: {type: object, required: [a-name], properties: {a-name: {type: string}}}\n    \
                  B: {type: object, required: [a-name], properties: {a-name: {type: string}}}";
    let text = document(OPERATION, thing);
    let read = openapi_dropshot_contract::read("openapi.yaml", &text);
    let document = read.expect("the document is valid");
    let client = crate::generate_client(&document, &options()).expect("it has a client");
    let mut files = client.files.into_iter();
    let builders = files.find(|file| file.path == "client/types/builder.rs");
    let text = builders.expect("there are builders").text;
    for named in [
        "toolkit::missing(\"report-type\", \"report_type\")",
        "value.into_member(\"report-type\")",
    ] {
        assert!(text.contains(named), "{text}");
    }
    assert!(!text.contains("into_member(\"report_type\")"), "{text}");
}

const BOOKS: &str = include_str!("../../tests/book_shop.yaml");
const NOTE: &str = "removed on 5 December 2030; use `GET /books` with a `status` filter";

#[test]
fn a_deprecated_operation_is_marked_deprecated_at_its_method_and_builder_and_in_their_docs() {
    for (name, item) in [
        ("client.rs", "pub fn get_book(&self)"),
        ("builder.rs", "pub struct GetBook<'a>"),
    ] {
        let text = file(BOOKS, name);
        let before = text.split(item).next().expect("the item is there");
        let own = &before[before.rfind("}\n\n").expect("an item ends before it")..];
        assert!(own.contains("#[deprecated("), "{name}: {own}");
        assert!(own.contains("since = \"1.0.0\""), "{name}: {own}");
        assert!(own.contains(&format!("note = \"{NOTE}\"")), "{name}: {own}");
        let docs: Vec<&str> = own
            .lines()
            .filter(|line| line.trim().starts_with("///"))
            .collect();
        // The documentation of the method contains the description, which names the date of the
        // removal.
        let docs = docs.concat();
        let removal = docs.matches("on 5 December 2030").count();
        assert_eq!(removal, 1, "{name}: {docs}");
        assert_eq!(docs.contains(NOTE), name == "builder.rs", "{name}: {docs}");
        // The client has a second method that takes the required arguments.
        let expected = 1 + usize::from(name == "client.rs");
        assert_eq!(
            text.matches("#[deprecated").count(),
            expected,
            "{name} deprecates nothing else"
        );
    }
}

#[test]
fn the_first_line_of_every_generated_file_names_the_command_and_the_document() {
    for file in generated(BOOKS).expect("the document is supported") {
        let first = file.text.lines().next();
        let line = "//! Generated by `cargo xtask generate` from spec/openapi.yaml; do not edit.";
        assert_eq!(first, Some(line), "{}", file.path);
    }
}

#[test]
fn generating_twice_from_the_same_document_gives_identical_files() {
    assert_eq!(generated(BOOKS), generated(BOOKS));
}

#[test]
fn the_client_sends_no_header_that_the_document_does_not_list() {
    let text = file(&document(OPERATION, SCHEMA), "builder.rs");
    assert!(
        !text.contains("api-version") && !text.contains("header_map"),
        "{text}"
    );
}

#[test]
fn the_client_sends_a_header_parameter_of_the_document() {
    let text = file(
        &with_parameter("{name: X-Trace, in: header, schema: {type: string}}"),
        "builder.rs",
    );
    let parameter = "Parameter::new(toolkit::Place::Header, \"X-Trace\", \"x_trace\", false)";
    assert!(text.contains(parameter), "{text}");
    assert!(!text.contains("api-version"), "{text}");
}

#[test]
fn the_client_checks_bounds_before_a_request_is_sent() {
    for (schema, condition, words) in [
        (
            "{type: integer, minimum: 1, maximum: 100}",
            "value >= 1 && value <= 100",
            "from 1 to 100",
        ),
        ("{type: integer, minimum: 0}", "", "at least 0"),
        (
            "{type: integer, minimum: -5, exclusiveMinimum: true}",
            "value > -5",
            "more than -5",
        ),
        ("{type: integer, maximum: 9.5}", "value <= 9", "at most 9.5"),
        (
            "{type: integer, multipleOf: 5}",
            "value % 5 == 0",
            "a multiple of 5",
        ),
        (
            "{type: number, minimum: 0.5, maximum: 2}",
            "value >= 0.5 && value <= 2.0",
            "from 0.5 to 2",
        ),
    ] {
        let text = file(
            &with_parameter(&format!("{{name: size, in: query, schema: {schema}}}")),
            "builder.rs",
        );
        assert!(text.contains(condition), "{schema}: {text}");
        assert!(text.contains(&format!("\"{words}\"")), "{schema}: {text}");
        assert!(!text.contains("NonZero"), "{schema}: {text}");
    }
}

#[test]
fn an_enumeration_keeps_unknown_values() {
    let text = file(
        &document(OPERATION, "{type: string, enum: [small, Unknown]}"),
        "types.rs",
    );
    let compact = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        compact.contains("#[serde(untagged)] UnknownValue(::std::string::String)"),
        "{text}"
    );
    let known = "(\"small\", Self::Small), (\"Unknown\", Self::Unknown)";
    assert!(compact.contains(known), "{text}");
    assert!(!compact.contains("Copy"), "{text}");
}

#[test]
fn enum_values_without_a_rust_name_become_strings_in_the_client() {
    let schema = "{type: object, properties: {mark: {type: string, enum: [., X, O]}}}";
    let text = file(&document(OPERATION, schema), "types.rs");
    assert!(text.contains("pub mark: "), "{text}");
    assert!(!text.contains("OpenEnum for"), "{text}");
}

#[test]
fn control_and_bidi_characters_stay_out_of_the_generated_files() {
    let schema = r#"{type: object, properties: {
      kind: {type: string, enum: ["a\rb", "c\u202ed"]},
      old: {type: string, deprecated: true, x-replacement: {note: "use\r`new`\u2066"}}}}"#;
    let files = generated(&document(OPERATION, schema)).unwrap_or_default();
    let types = file(&document(OPERATION, schema), "types.rs");
    assert!(types.contains(r#""c\u{202e}d""#), "{types}");
    assert!(types.contains("use `new`"), "{types}");
    for file in files {
        let hidden = ['\r', '\u{202e}', '\u{2066}'];
        assert!(!file.text.contains(hidden), "{}", file.path);
    }
}

#[test]
fn deprecated_properties_and_parameters_have_a_deprecated_attribute() {
    let schema = "{type: object, properties: {old: {type: string, deprecated: true, x-replacement: use `new`}}}";
    let types = file(&document(OPERATION, schema), "types.rs");
    let builder = file(&document(OPERATION, schema), "types/builder.rs");
    let setter = "{name: old, in: query, deprecated: true, schema: {type: string}}";
    let request = file(&with_parameter(setter), "builder.rs");
    for (text, note) in [
        (types, "use `new`"),
        (builder, "use `new`"),
        (request, "names no replacement"),
    ] {
        assert!(
            text.contains("#[deprecated(note = ") && text.contains(note),
            "{text}"
        );
    }
}

#[test]
fn the_type_of_a_deprecated_schema_is_deprecated() {
    let types = file(
        &document(
            OPERATION,
            "{type: object, deprecated: true, properties: {a: {type: string}}}",
        ),
        "types.rs",
    );
    assert!(
        types.contains("#[deprecated(note = \"the document names no replacement\")]"),
        "{types}"
    );
}

#[test]
fn the_documentation_of_an_unstable_operation_has_its_stability() {
    let operation = "{operationId: putThing, x-stability-level: beta, responses: {'204': {description: Done.}}}";
    for name in ["client.rs", "builder.rs"] {
        let text = file(&document(operation, SCHEMA), name);
        assert!(
            text.contains("/// Beta: may change, with a warning.") || text.contains("///Beta"),
            "{text}"
        );
    }
}

#[test]
fn error_bodies_of_different_types_become_variants_by_status() {
    let json = |schema: &str| {
        format!("{{description: No., content: {{application/json: {{schema: {schema}}}}}}}")
    };
    let text = with_responses(&format!(
        "'204': {{description: Done.}}, '404': {}, default: {}",
        json("{$ref: '#/components/schemas/Thing'}"),
        json("{type: string}")
    ));
    let builder = file(&text, "builder.rs");
    assert!(builder.contains("success: &[204]"), "{builder}");
    assert!(
        builder.contains("Ok(self.call.request().empty().await?)"),
        "{builder}"
    );
    let errors = file(&text, "responses.rs");
    for part in [
        "NotFound(types::Thing)",
        "Other(types::PutThingErrorDefault)",
        "_ =>",
    ] {
        assert!(errors.contains(part), "{errors}");
    }
}

#[test]
fn a_required_member_whose_name_contains_default_stays_required() {
    let body = "{required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}";
    let schema =
        "{type: object, required: [default-name], properties: {default-name: {type: integer}}}";
    let text = with_body(body).replace(SCHEMA, schema);
    let types = file(&text, "types.rs");
    assert!(
        types.contains("pub fn new(default_name: i64) -> Self"),
        "{types}"
    );
}

#[test]
fn no_error_types_by_status_are_generated_if_all_errors_have_the_same_type() {
    let json = "content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}";
    let text = with_responses(&format!(
        "'204': {{description: Done.}}, '404': {{description: No., {json}}}, default: {{description: No., {json}}}"
    ));
    let files = generated(&text).expect("it is supported");
    assert!(
        files
            .iter()
            .all(|file| !file.path.ends_with("responses.rs"))
    );
}

#[test]
fn the_error_codes_have_the_name_error_code_in_every_client() {
    let module = |member: &str| {
        let schema = format!(
            "{{type: object, properties: {{{member}: {{type: string, x-extensible-enum: [late]}}}}}}"
        );
        let responses = "'204': {description: Done.}, default: {description: No., \
             content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}";
        let operation = format!("{{operationId: putThing, responses: {{{responses}}}}}");
        file(&document(&operation, &schema), "mod.rs")
    };
    for member in ["code", "error_code"] {
        let text = module(member);
        assert!(text.contains(" as ErrorCode;"), "{text}");
    }
    assert!(!module("other").contains("ErrorCode"));
    assert!(!file(BOOKS, "mod.rs").contains(" as ErrorCode;"));
}

#[test]
fn names_of_components_and_properties_that_rust_cannot_have_are_replaced() {
    let text = document(
        OPERATION,
        "{type: object, required: [a_b], properties: {a-b: {type: string}, a_b: {type: string}}}\n    \
         Option: {type: object, properties: {String: {$ref: '#/components/schemas/Option'}}}",
    );
    let types = file(&text, "types.rs");
    assert!(types.contains("pub struct Option2 {"), "{types}");
    for name in ["a-b", "a_b"] {
        let count = types.matches(&format!("rename = \"{name}\"")).count();
        assert_eq!(count, 1, "{name} in {types}");
    }
    assert!(
        types.contains("pub a_b_2: ::std::string::String"),
        "{types}"
    );
}
