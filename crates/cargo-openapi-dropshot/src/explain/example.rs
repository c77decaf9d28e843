//! Finds an example of a rule for changes that really shows the rule.

use openapi_dropshot_contract::{
    diff::{Policy, compare},
    read_draft,
    rules::{ChangeRule, Part},
};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// Returns the ids of the changes that an example shows. Many rules have the same examples, so the
/// results are cached.
fn changes(part: Part, base: &str, revision: &str) -> Vec<&'static str> {
    type Results = BTreeMap<(&'static str, String, String), Vec<&'static str>>;
    static RESULTS: Mutex<Results> = Mutex::new(BTreeMap::new());
    let key = (part.name(), base.to_owned(), revision.to_owned());
    let mut results = RESULTS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = results
        .entry(key)
        .or_insert_with(|| compared(part, base, revision));
    found.clone()
}

fn compared(part: Part, base: &str, revision: &str) -> Vec<&'static str> {
    let read =
        |name: &str, text: &str| Some(read_draft(name, &part.document_of_change(text)?).ok()?.root);
    let both = read("base.yaml", base).zip(read("revision.yaml", revision));
    let Some((base, revision)) = both else {
        return Vec::new();
    };
    let today = chrono::NaiveDate::from_ymd_opt(2026, 11, 21).unwrap_or_default();
    let policies = [0, 30].map(|deprecation_days_stable| Policy {
        deprecation_days_stable,
        ..Policy::on(today)
    });
    let changes = policies
        .iter()
        .flat_map(|policy| compare(&base, &revision, policy));
    changes.map(|change| change.id).collect()
}

/// Returns the first example that shows the rule: the part, the base and the revision.
pub(super) fn of_change(rule: &ChangeRule) -> (&'static str, &'static str, &'static str) {
    let shows = |(part, base, revision): &&(Part, &str, &str)| {
        changes(*part, base, revision).contains(&rule.id)
    };
    let example = rule.examples.iter().find(shows).or(rule.examples.first());
    example.map_or(("in words", "", ""), |(part, base, revision)| {
        (part.name(), *base, *revision)
    })
}
