//! Tests documents of other projects, if a copy of the corpus is beside the repository: documents
//! of real services, and documents with one error.

use openapi_dropshot_contract::{Problem, Problems, Profile, Severity, lint, read};
use test_support::documents;

fn errors(name: &str, text: &str) -> Vec<Problem> {
    let mut problems = match read(name, text) {
        Ok(document) => lint(&document, Profile::General),
        Err(problems) => problems.into_problems(),
    };
    problems.retain(|problem| problem.severity == Severity::Error);
    problems
}

#[test]
fn documents_of_real_services_are_accepted() {
    for (name, text) in documents("corpus/accept") {
        let errors = errors(&name, &text);
        assert!(
            errors.is_empty(),
            "{name}:\n{}",
            Problems::new(text.as_str(), errors)
        );
    }
}

#[test]
fn documents_of_other_teams_are_read() {
    for folder in ["v30-others", "v31"] {
        for (name, text) in documents(&format!("corpus/{folder}")) {
            if let Err(problems) = read(&name, &text) {
                panic!("{name}:\n{problems}");
            }
        }
    }
}

/// The rule and the line of the error, or the reason why the document is acceptable although
/// another generator rejects it.
type Expected = Result<(&'static str, usize), &'static str>;

/// The expected result for each file.
const REJECT: &[(&str, Expected)] = &[
    (
        "allOf--string_patterns.json",
        Err("a string can match both patterns; only that generator cannot merge them"),
    ),
    (
        "convenient_errors--different_response.json",
        Err("operations may return different errors; a setting of that generator forbids it"),
    ),
    (
        "convenient_errors--unsupported_ct.json",
        Err("XML is a media type like any other; the generator does not support it"),
    ),
    (
        "cyclic--allOf_property.yaml",
        Err("the cycles pass through `items`, and an empty array ends them"),
    ),
    ("cyclic--anyOf_double.json", Ok(("schema-cycle", 37))),
    ("cyclic--oneOf_double.json", Ok(("schema-cycle", 37))),
    (
        "field_naming--conflict_additional_props.yaml",
        Err("the name is reserved in that generator's output only"),
    ),
    (
        "field_naming--extension_additional_props.yaml",
        Err("the extension is that generator's own"),
    ),
    (
        "field_naming--overriden_by_extension.yaml",
        Ok(("unknown-member", 31)),
    ),
    (
        "oneOf--same_json_type_one_of.json",
        Err("no value is valid by both; only that generator tells variants apart by type"),
    ),
    (
        "wrong_default_type--array_value.json",
        Ok(("invalid-default", 20)),
    ),
    (
        "wrong_default_type--float_value.json",
        Ok(("invalid-default", 20)),
    ),
    (
        "wrong_default_type--object_value.json",
        Ok(("invalid-default", 20)),
    ),
    (
        "wrong_enum_type--string_value.json",
        Ok(("invalid-enum-value", 18)),
    ),
];

#[test]
fn invalid_documents_are_rejected_at_the_line_of_the_error() {
    let documents = documents("corpus/reject");
    if !documents.is_empty() {
        let there: Vec<&str> = documents.iter().map(|(name, _)| name.as_str()).collect();
        let told = REJECT.iter().map(|(file, _)| *file);
        assert!(told.eq(there), "a document of the table no longer exists");
    }
    for (name, text) in documents {
        let expected = REJECT
            .iter()
            .find(|(file, _)| *file == name)
            .map(|(_, expected)| expected);
        let errors = errors(&name, &text);
        let first = errors
            .first()
            .map(|problem| (problem.rule, problem.at.line));
        match expected {
            Some(Ok(fault)) => assert_eq!(first, Some(*fault), "{name}"),
            Some(Err(reason)) => assert_eq!(first, None, "{name} is acceptable: {reason}"),
            None => panic!("{name} is new: add the expected result to the table; found {first:?}"),
        }
    }
}
