//! Tests that the rules have the ids and levels of oasdiff's checks. Every check of the version that
//! `data/oasdiff.txt` names must be a rule, or be skipped with a reason.

use openapi_dropshot_contract::rules;
use std::collections::{BTreeMap, BTreeSet};

const CATALOGUE: &str = include_str!("../data/oasdiff.txt");

/// The checks that are not rules here, by the endings of their ids, with the reason.
const LEFT_OUT: &[(&[&str], &str)] = &[(
    &[
        "content-encoding-changed",
        "content-media-type-changed",
        "content-schema-added",
        "content-schema-removed",
    ],
    "`contentEncoding`, `contentMediaType` and `contentSchema` restrict no value (JSON Schema \
         2020-12, section 8). `base64` and binary contents are compared as `format`.",
)];

/// The checks of oasdiff by id, with their levels.
pub(super) fn catalogue() -> BTreeMap<&'static str, &'static str> {
    let lines = CATALOGUE.lines().filter(|line| !line.starts_with('#'));
    let checks = lines.map(|line| {
        let (level, id) = line.split_once(' ').expect("a level and an id");
        (id, level)
    });
    checks.collect()
}

fn reason(id: &str) -> Option<&'static str> {
    (LEFT_OUT.iter())
        .find(|(ends, _)| ends.iter().any(|end| id.ends_with(end)))
        .map(|(_, reason)| *reason)
}

#[test]
fn every_rule_of_oasdiff_is_supported_or_left_out_with_a_reason() {
    let catalogue = catalogue();
    assert_eq!(catalogue.len(), 755);
    let rules: BTreeSet<&str> = rules::all_changes().map(|rule| rule.id).collect();
    let missing: Vec<_> = (catalogue.keys())
        .filter(|id| !rules.contains(*id) && reason(id).is_none())
        .collect();
    assert!(
        missing.is_empty(),
        "neither rules nor left out: {missing:#?}"
    );
    let both: Vec<_> = (catalogue.keys())
        .filter(|id| rules.contains(*id) && reason(id).is_some())
        .collect();
    assert!(
        both.is_empty(),
        "left out, and rules all the same: {both:#?}"
    );
    let left_out = catalogue.keys().filter(|id| reason(id).is_some()).count();
    let known = (catalogue.keys()).filter(|id| rules.contains(*id)).count();
    assert_eq!((known, left_out), (739, 16));
    for end in LEFT_OUT.iter().flat_map(|(ends, _)| *ends) {
        let is_used = catalogue.keys().any(|id| id.ends_with(end));
        assert!(is_used, "oasdiff has no check that ends in `{end}`");
    }
}

/// The rules with a level other than in oasdiff, by the endings of their ids, with the level and the
/// reason.
const OTHER_LEVEL: &[(&str, &str, &str)] = &[
    (
        "max-length-increased",
        "INFO",
        "a client that reads a longer text continues as before",
    ),
    (
        "max-length-unset",
        "INFO",
        "a client that reads a longer text continues as before",
    ),
];

#[test]
fn rules_that_oasdiff_also_has_have_the_same_level_as_in_oasdiff() {
    let catalogue = catalogue();
    let wrong: Vec<_> = rules::all_changes()
        .filter_map(|rule| {
            let own = (OTHER_LEVEL.iter()).find(|(end, ..)| rule.id.ends_with(end));
            let level = own.map_or(*catalogue.get(rule.id)?, |(_, level, _)| level);
            (level != rule.level.to_string())
                .then(|| format!("{} is {}, not {level}", rule.id, rule.level))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
