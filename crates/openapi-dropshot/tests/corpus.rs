//! Tests documents of real services, if a copy of the corpus is beside the repository: each
//! operation is generated, or the document is rejected for a known reason with a place. Documents
//! with errors that the reader finds are tested in `openapi-dropshot-contract`.

use openapi_dropshot::{Options, generate, generate_service};
use openapi_dropshot_contract::{Problem, Profile, Severity, lint};
use std::collections::BTreeMap;
use test_support::documents;

fn options(name: &str) -> Options {
    Options {
        command: "test".to_owned(),
        source: name.to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    }
}

/// Returns how often each rule is violated.
fn counted(problems: &[Problem]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for problem in problems {
        assert!(
            problem.at.line > 1 && !problem.help.is_empty(),
            "{problem:?}"
        );
        *counts.entry(problem.rule).or_default() += 1;
    }
    counts
}

#[test]
fn a_service_is_generated_for_each_document_of_a_real_service() {
    for (name, text) in documents("corpus/accept") {
        let document =
            openapi_dropshot_contract::read(&name, &text).expect("the document is valid");
        let found = generate_service(&document, &options(&name))
            .err()
            .unwrap_or_default();
        assert!(found.is_empty(), "{name}: {:?}", counted(&found));
        // The client supports less, and reports the place of what it does not support.
        let client = generate(&document, &options(&name))
            .err()
            .unwrap_or_default();
        println!("{name}: with a client {:?}", counted(&client));
    }
}

/// The result for documents that another generator rejects but that the reader accepts: no
/// problems, or the rules and their lines.
const OF_ANOTHER_GENERATOR: &[(&str, &[(&str, usize)])] = &[
    (
        "allOf--string_patterns.json",
        &[
            ("unsupported-all-of", 19),
            ("meaningless-keyword", 22),
            ("unsupported-all-of", 24),
            ("meaningless-keyword", 27),
        ],
    ),
    ("convenient_errors--different_response.json", &[]),
    ("convenient_errors--unsupported_ct.json", &[]),
    ("cyclic--allOf_property.yaml", &[]),
    ("field_naming--conflict_additional_props.yaml", &[]),
    ("field_naming--extension_additional_props.yaml", &[]),
    ("oneOf--same_json_type_one_of.json", &[]),
];

#[test]
fn documents_that_another_generator_rejects_are_supported_or_rejected_at_a_line() {
    let mut acceptable = Vec::new();
    for (name, text) in documents("corpus/reject") {
        let Ok(document) = openapi_dropshot_contract::read(&name, &text) else {
            continue;
        };
        let faults = lint(&document, Profile::General);
        if faults.iter().any(|fault| fault.severity == Severity::Error) {
            continue;
        }
        let problems = generate_service(&document, &options(&name));
        let problems = problems.err().unwrap_or_default();
        let found: Vec<_> = problems
            .iter()
            .map(|fault| (fault.rule, fault.at.line))
            .collect();
        let expected = OF_ANOTHER_GENERATOR.iter().find(|(file, _)| *file == name);
        let expected = expected.map(|(_, faults)| faults.to_vec());
        assert_eq!(Some(found), expected, "{name}");
        acceptable.push(name);
    }
    if !acceptable.is_empty() {
        let told = OF_ANOTHER_GENERATOR.iter().map(|(file, _)| *file);
        assert!(
            told.eq(acceptable),
            "a document of the table no longer exists"
        );
    }
}
