//! Tests the declarations of the rules: each rule is reported for its example.

use crate::diff::{changes, day};
use crate::support::problems;
use openapi_dropshot_contract::diff::Policy;
use openapi_dropshot_contract::rules::{self, Part, Profile, Rule};
use std::collections::{BTreeMap, HashSet};

#[test]
fn rule_ids_are_unique_and_in_kebab_case() {
    let ids = rules::all().map(|rule| rule.id);
    let ids: Vec<&str> = ids
        .chain(rules::all_changes().map(|rule| rule.id))
        .collect();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len());
    for id in ids {
        let fits = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(id.chars().all(fits), "{id}");
    }
}

/// Returns the document that contains the example at its place.
fn document(part: Part, text: &str) -> String {
    let document = part.document(text);
    document.unwrap_or_else(|| panic!("`{text}` is not a part of a document"))
}

/// The documents for the rules whose examples are too large to write down.
fn large(rule: &Rule) -> (String, String) {
    let extension = |value: String| document(Part::Document, &format!("x-a: {value}"));
    let nested = |depth: usize| extension(format!("{}1{}", "[".repeat(depth), "]".repeat(depth)));
    let named = |length: usize| extension(format!("{{{}: 1}}", "n".repeat(length)));
    let referring = |count: usize| {
        let operation = "get: {parameters: [{$ref: '#/components/parameters/P'}], responses: {'204': {description: Done.}}}";
        let paths: Vec<String> = (0..count)
            .map(|index| format!("/a{index}: {{{operation}}}"))
            .collect();
        let example = vec!["1"; 10_000].join(", ");
        let parameter = format!("{{name: q, in: query, schema: {{}}, example: [{example}]}}");
        document(Part::Paths, &paths.join(", "))
            + &format!("components: {{parameters: {{P: {parameter}}}}}\n")
    };
    match rule.id {
        "nesting-too-deep" => (nested(129), nested(100)),
        "name-too-long" => (named(3000), named(30)),
        "too-many-references" => (referring(300), referring(30)),
        id => panic!("there is no document for `{id}`"),
    }
}

#[test]
fn each_rule_is_reported_for_the_wrong_example_and_not_for_the_correct_example() {
    for rule in rules::all() {
        let (breaks, keeps) = match rule.part {
            Part::Words => large(rule),
            part => (document(part, rule.breaks), document(part, rule.keeps)),
        };
        let problem = problems(&breaks, rule.profile)
            .into_iter()
            .find(|problem| problem.rule == rule.id);
        let Some(problem) = problem else {
            let found = problems(&breaks, rule.profile);
            panic!(
                "`{}` is not reported, but {found:?}, for:\n{breaks}",
                rule.id
            )
        };
        if rule.profile == Profile::General {
            assert_eq!(problem.severity, rule.severity, "{}", rule.id);
            assert_eq!(
                problems(&keeps, Profile::General),
                [],
                "`{}`, for:\n{keeps}",
                rule.id
            );
        }
        let is_reported = problems(&keeps, rule.profile)
            .iter()
            .any(|problem| problem.rule == rule.id);
        assert!(!is_reported, "`{}` is reported for:\n{keeps}", rule.id);
    }
}

#[test]
fn each_rule_for_changes_is_reported_for_its_example() {
    let policy = |days| Policy {
        deprecation_days_stable: days,
        ..Policy::on(day("2026-11-21"))
    };
    let mut reported: BTreeMap<_, HashSet<(&str, String)>> = BTreeMap::new();
    let mut missing = Vec::new();
    for rule in rules::all_changes() {
        let is_reported = rule.examples.iter().any(|(part, base, revision)| {
            let found = reported
                .entry((part.name(), base, revision))
                .or_insert_with(|| {
                    let show = |text| part.document_of_change(text).expect("a document");
                    let (base, revision) = (show(base), show(revision));
                    let found = |other: &str| {
                        [policy(0), policy(30)].map(|policy| changes(&base, other, &policy))
                    };
                    assert_eq!(found(&base), [[], []], "nothing changed:\n{base}");
                    let all = found(&revision).into_iter().flatten();
                    all.map(|change| (change.id, change.level.to_string()))
                        .collect()
                });
            found.contains(&(rule.id, rule.level.to_string()))
        });
        if !is_reported {
            missing.push(format!("{} {}: {:?}", rule.level, rule.id, rule.examples));
        }
    }
    assert!(
        missing.is_empty(),
        "{} are not reported:\n{}",
        missing.len(),
        missing.join("\n")
    );
}
