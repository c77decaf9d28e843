//! Tests the test cases of oasdiff: every id of a case is reported with its level, and no breaking
//! change is reported for cases without an id.

use super::catalogue::catalogue;
use super::{before, changes};
use openapi_dropshot_contract::diff::{Level, Policy};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;
use test_support::documents_folder;

/// The cases whose result differs from the data, with the reason. The data was collected from the
/// ids that the tests of oasdiff mention.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    (
        "TestRequestPropertyAllOfAdded_AnnotationOnly_AtProperty_EmitsInfo",
        "request-property-all-of-added",
        "the test names the id to say that it is absent: a title restricts nothing",
    ),
    (
        "TestRequestPropertyAllOfAdded_AnnotationOnly_EmitsInfo",
        "request-body-all-of-added",
        "the test names the id to say that it is absent: a title restricts nothing",
    ),
    (
        "TestResponsePropertyAllOfAdded_AnnotationOnly_EmitsInfoWithDistinctId",
        "response-body-all-of-added",
        "the test names the id to say that it is absent: a title restricts nothing",
    ),
    (
        "TestBreaking_RequestParameterMaxItemsWithoutFlatten",
        "",
        "shows what oasdiff misses unless told to merge parameters of a path into its \
         operations; they are merged here, and the smaller `maxItems` does break clients",
    ),
    (
        "TestBreaking_NoChangeToSunsetDeprecatedEndpoint",
        "",
        "the test is about the sunset alone: that `200` became `201` does break clients",
    ),
    (
        "TestResponseBodyTypeNarrowingMultiTypeNotBreaking",
        "*",
        "one document: the test edits it in Go, to lists of types, which OpenAPI 3.0 lacks",
    ),
    (
        "TestResponseBodyTypeSpecializedIsInfo",
        "*",
        "one document: the test edits it in Go; `directions` makes the same edit",
    ),
    (
        "TestResponseBodyTypeAddedFromUntypedNotBreaking",
        "*",
        "one document: the test edits it in Go; `directions` makes the same edit",
    ),
    (
        "TestResponseBodyTypeWideningStillBreaking",
        "*",
        "one document: the test edits it in Go; `directions` makes the same edit",
    ),
    (
        "TestResponseBodyTypeRemovedStillBreaking",
        "*",
        "one document: the test edits it in Go; `directions` makes the same edit",
    ),
];

/// The ids whose level was changed after the data was collected, in the version that
/// `data/oasdiff.txt` names. For these ids, the tests expect the newer level.
const NEWER_LEVEL: &[&str] = &[
    "api-security-removed",
    "api-security-scope-added",
    "request-body-all-of-removed",
    "request-body-max-length-set",
    "request-body-max-set",
    "request-parameter-default-value-changed",
    "request-parameter-max-length-set",
    "request-property-all-of-removed",
    "request-property-max-set",
    "response-body-all-of-removed",
    "response-optional-property-removed",
    "response-property-all-of-removed",
];

/// The number of cases, and how many of their ids have the same result.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    cases: usize,
    /// Cases that expect no breaking change.
    without_ids: usize,
    /// Ids that are reported with their level.
    agree: usize,
    /// The ids among them whose level is the newer one.
    of_newer_level: usize,
    /// Ids, and cases without ids, that [`LEFT_OUT`] lists.
    left_out: usize,
}

/// The figures on the page about changes in the book.
const AGREEING: Tally = Tally {
    cases: 113,
    without_ids: 9,
    agree: 126,
    of_newer_level: 17,
    left_out: 11,
};

fn cases(folder: &Path) -> Vec<Value> {
    let lines = std::fs::read_to_string(folder.join("cases.jsonl")).expect("the cases are there");
    lines
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a case a line"))
        .collect()
}

fn reason(case: &str, id: &str) -> Option<&'static str> {
    (LEFT_OUT.iter())
        .find(|(name, left, _)| *name == case && (*left == id || *left == "*"))
        .map(|(_, _, reason)| *reason)
}

fn text<'a>(case: &'a Value, name: &str) -> &'a str {
    case[name].as_str().expect("a text")
}

#[test]
fn every_test_case_of_oasdiff_has_the_same_result_as_in_oasdiff() {
    let Some(folder) = documents_folder("oasdiff") else {
        return;
    };
    let mut wrong = Vec::new();
    let mut used = HashSet::new();
    let mut tally = Tally::default();
    for case in cases(&folder) {
        let name = text(&case, "case");
        let read = |which| {
            let path = folder.join("documents").join(text(&case, which));
            std::fs::read_to_string(path).expect("a document")
        };
        let days = |level: &str| {
            let days = case["deprecation_days"][level].as_u64();
            u32::try_from(days.expect("days")).expect("few days")
        };
        let policy = Policy {
            today: before(),
            deprecation_days_beta: days("beta"),
            deprecation_days_stable: days("stable"),
        };
        let found = changes(&read("base"), &read("revision"), &policy);
        let levels: HashSet<(&str, String)> = found
            .iter()
            .map(|change| (change.id, change.level.to_string()))
            .collect();
        let expected = case["ids"].as_object().expect("ids");
        for (id, level) in expected {
            let is_newer = NEWER_LEVEL.contains(&id.as_str());
            let level = match is_newer {
                true => catalogue()[id.as_str()],
                false => level.as_str().expect("a level"),
            };
            let is_found = levels.contains(&(id.as_str(), level.to_owned()));
            match (is_found, reason(name, id)) {
                (false, Some(reason)) => {
                    used.insert(name.to_owned());
                    tally.left_out += 1;
                    println!("left out: {name}, {id}: {reason}");
                }
                (false, None) => wrong.push(format!("{name}: no {level} {id} in {levels:?}")),
                (true, None) => {
                    tally.agree += 1;
                    tally.of_newer_level += usize::from(is_newer);
                }
                (true, Some(_)) => wrong.push(format!("{name}: {id} is left out for nothing")),
            }
        }
        tally.cases += 1;
        tally.without_ids += usize::from(expected.is_empty());
        let is_broken = found.iter().any(|change| change.level == Level::Err);
        if expected.is_empty() && is_broken {
            match reason(name, "") {
                Some(reason) => {
                    used.insert(name.to_owned());
                    tally.left_out += 1;
                    println!("left out: {name}: {reason}");
                }
                None => wrong.push(format!("{name}: invented {found:#?}")),
            }
        }
        let breaks = expected
            .iter()
            .any(|(id, level)| level == "ERR" && reason(name, id).is_none());
        if !expected.is_empty() && !breaks && is_broken {
            println!("more than the test names: {name}: {levels:?}");
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{tally:?}");
    // If there is a copy of the cases, checks the figures in the book.
    assert!(
        [Tally::default(), AGREEING].contains(&tally),
        "the figures of the book are {AGREEING:?}, not {tally:?}"
    );
    let unused = LEFT_OUT.iter().filter(|(name, ..)| !used.contains(*name));
    let unused: Vec<_> = unused.map(|(name, ..)| name).collect();
    assert!(
        used.is_empty() || unused.is_empty(),
        "left out for nothing: {unused:?}"
    );
}
