//! Tests of the rule descriptions: they are complete, the examples show the rules, and the page consists of them.

use super::{all, find, page};
use openapi_dropshot_contract::{
    Profile, Severity, read,
    rules::{self, Part},
};
use std::collections::BTreeSet;

#[test]
fn the_page_of_all_rules_has_a_complete_description_of_each_rule() {
    let page = page::markdown();
    let rules = all();
    let unique: BTreeSet<&str> = rules.iter().map(|(_, id, _)| *id).collect();
    assert_eq!(unique.len(), rules.len(), "an id is declared twice");
    for (_, id, _) in rules {
        let rule = find(id).unwrap_or_else(|| panic!("`{id}` is not explained"));
        let ends = |text: &str| text.trim_end().ends_with(['.', '`', ':']);
        assert!(ends(&rule.meaning) && ends(&rule.remedy), "{id}: {rule:#?}");
        assert!(!rule.configuration.is_empty(), "{id}");
        assert_ne!(rule.breaks, rule.keeps, "{id}");
        assert!(page.contains(&page::body(&rule)), "{id}");
        let text = page::text(&rule);
        assert!(
            text.contains("How to fix it: ") && text.contains("How to configure it: "),
            "{text}"
        );
    }
}

/// The rules that no document can show, each with the reason.
const WITHOUT_DOCUMENT: &[(&str, &str)] = &[
    ("client-path", "the linter reports it first"),
    (
        "client-unsupported",
        "no document is known for which progenitor reports an error",
    ),
    (
        "client-shape",
        "only another version of progenitor shows it",
    ),
    ("generator-fault", "only a bug in the generator shows it"),
];

/// Returns the documents that violate and follow a rule whose examples are in words. Panics for an unknown rule,
/// so that each new rule needs its documents.
fn in_words(id: &str) -> (String, String) {
    let extension = |value: String| {
        Part::Document
            .document(&format!("x-a: {value}"))
            .expect("a document")
    };
    let nested = |depth: usize| extension(format!("{}1{}", "[".repeat(depth), "]".repeat(depth)));
    let named = |length: usize| extension(format!("{{{}: 1}}", "n".repeat(length)));
    let arrays = |depth: usize| {
        let items = "{type: array, items: ".repeat(depth);
        let schema = format!("{items}{{type: string}}{}", "}".repeat(depth));
        Part::Schema.document(&schema).expect("a document")
    };
    let plain = "{type: object, required: [b, c], properties: {a: {type: array, items: {type: string}}, b: {}, c: {}}}";
    match id {
        "nesting-too-deep" => (nested(129), nested(100)),
        "name-too-long" => (named(3000), named(30)),
        "too-many-references" => (referring(300, 10_000, plain), referring(30, 10_000, plain)),
        "too-deep" => (arrays(70), arrays(10)),
        // The normal form adds one value to each copy, which exceeds the limit, so the document is not rewritten.
        "required-without-property" | "meaningless-default" => {
            let schema = "{type: object, required: [b, c], properties: {a: {type: array, items: {type: string, default: d}}}}";
            (largest(schema), largest(plain))
        }
        id => panic!("there is no document for `{id}`"),
    }
}

/// A document in which this number of operations refer to a response with this schema and with an extension of
/// this number of elements.
fn referring(operations: usize, elements: usize, schema: &str) -> String {
    let paths: Vec<String> = (0..operations)
        .map(|index| {
            format!("/a{index}: {{get: {{operationId: a{index}, responses: {{'200': {{$ref: '#/components/responses/R'}}}}}}}}")
        })
        .collect();
    let extension = vec!["1"; elements].join(", ");
    let content = format!("content: {{application/json: {{schema: {schema}}}}}");
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\npaths: {{{}}}\ncomponents: {{responses: {{R: {{description: A., {content}, x-a: [{extension}]}}}}}}\n",
        paths.join(", ")
    )
}

/// A document with the maximum number of values behind references: 2,000,000.
fn largest(schema: &str) -> String {
    const OPERATIONS: usize = 200;
    let small = read("api.yaml", &referring(1, 1, schema)).expect("a document");
    let response = small.root.pointer("/components/responses/R");
    let size = response.expect("the response").size();
    referring(OPERATIONS, 2_000_000 / OPERATIONS - size + 1, schema)
}

/// The errors of the reader, the linter and the generator for a text.
fn errors(text: &str, with_client: bool) -> Vec<String> {
    let options = openapi_dropshot::Options {
        command: "test".to_owned(),
        source: "api.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    };
    let problems = match read("api.yaml", text) {
        Err(problems) => problems.into_problems(),
        Ok(document) => match with_client {
            true => openapi_dropshot::generate(&document, &options),
            false => openapi_dropshot::generate_service(&document, &options),
        }
        .err()
        .unwrap_or_default(),
    };
    let errors = problems.iter().filter(|problem| problem.is_error());
    errors.map(|problem| problem.rule.to_owned()).collect()
}

#[test]
fn a_document_that_follows_the_remedy_of_an_error_is_accepted() {
    let of_reader = rules::all()
        .filter(|rule| rule.severity == Severity::Error && rule.profile == Profile::General);
    let of_reader = of_reader.map(|rule| (rule, false));
    let of_generator = openapi_dropshot::rules::ALL.iter().copied();
    let of_generator = of_generator
        .filter(|rule| rule.severity == Severity::Error)
        .map(|rule| (rule, true));
    let mut wrong = Vec::new();
    let mut count = 0;
    for (rule, with_client) in of_reader.chain(of_generator) {
        if WITHOUT_DOCUMENT.iter().any(|(id, _)| *id == rule.id) {
            continue;
        }
        let both = [rule.breaks, rule.keeps].map(|text| rule.part.document(text));
        let (breaks, keeps) = match both {
            [Some(breaks), Some(keeps)] => (breaks, keeps),
            _ => in_words(rule.id),
        };
        count += 1;
        let (first, other) = (errors(&breaks, with_client), errors(&keeps, with_client));
        if !first.iter().any(|id| id == rule.id) || !other.is_empty() {
            wrong.push(format!("{}: {first:?}, then {other:?}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 95, "only {count} rules");
}
