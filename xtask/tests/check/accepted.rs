//! Tests accepted breaking changes: each has an entry with a reason and a date, and an entry that
//! matches no change is an error.

use crate::check::tree::{ACCEPTED, CHANGELOG, DOCUMENT, Tree};

/// A tree in which the maximum page size was reduced.
fn broken() -> Tree {
    let tree = Tree::new();
    tree.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    tree.generate();
    tree
}

/// Returns the entry that the gate prints, with this reason.
fn entry(tree: &Tree, reason: &str) -> String {
    let findings = tree.findings();
    let help = findings.of("breaking")[0]["help"]
        .as_str()
        .unwrap_or_default();
    let (_, entry) = help.split_once(":\n").expect("an entry follows");
    entry.replace("reason = ''", &format!("reason = '{reason}'"))
}

/// Checks that the entry is rejected after replacing one text.
#[track_caller]
fn assert_rejected(old: &str, new: &str, message: &str, line: &str) {
    let tree = broken();
    let text = entry(&tree, "larger pages never arrived whole");
    assert!(text.contains(old), "`{old}` is not in:\n{text}");
    tree.write(
        ACCEPTED,
        &format!("# Meant.\n\n{}\n", text.replace(old, new)),
    );
    let findings = tree.findings();
    assert_eq!(findings.failed(), ["breaking"], "{}", findings.shown());
    let file = tree.read(ACCEPTED);
    let seen = findings.of("breaking").into_iter().any(|found| {
        let number = found["line"].as_u64().unwrap_or_default() as usize;
        found["file"] == ACCEPTED
            && found["message"]
                .as_str()
                .is_some_and(|text| text.contains(message))
            && file
                .lines()
                .nth(number - 1)
                .unwrap_or_default()
                .contains(line)
    });
    assert!(
        seen,
        "`{message}` is not reported at `{line}`: {}",
        findings.shown()
    );
}

#[test]
fn the_printed_entry_accepts_a_breaking_change_after_a_reason_is_added() {
    let tree = broken();
    assert_eq!(tree.findings().failed(), ["breaking"]);
    tree.write(ACCEPTED, &entry(&tree, "larger pages never arrived whole"));
    let findings = tree.findings();
    assert!(findings.failed().is_empty(), "{}", findings.shown());
    assert!(
        findings
            .0
            .to_string()
            .contains("1 accepted change breaks a client of "),
        "{}",
        findings.shown()
    );
}

#[test]
fn an_entry_accepts_no_other_break_of_the_same_rule() {
    let tree = broken();
    tree.write(ACCEPTED, &entry(&tree, "larger pages never arrived whole"));
    tree.replace(
        DOCUMENT,
        "        - $ref: '#/components/parameters/Cursor'\n",
        "        - $ref: '#/components/parameters/Cursor'\n        - name: colour\n          in: query\n          \
         required: true\n          description: Of which colour.\n          schema:\n            type: string\n          \
         example: red\n",
    );
    tree.replace(CHANGELOG, "- `GET /pets`\n", "- `GET /pets`: `colour`\n");
    tree.generate();
    let findings = tree.findings();
    assert_eq!(findings.failed(), ["breaking"], "{}", findings.shown());
    let rules: Vec<_> = findings
        .of("breaking")
        .iter()
        .map(|found| &found["rule"])
        .collect();
    assert_eq!(rules, ["new-required-request-parameter"]);
}

#[test]
fn an_entry_without_a_reason_is_rejected() {
    assert_rejected(
        "larger pages never arrived whole",
        " ",
        "without a reason",
        "reason = ' '",
    );
}

#[test]
fn an_entry_of_an_unknown_rule_is_rejected() {
    assert_rejected(
        "max-decreased",
        "max-lowered",
        "no breaking change has the rule id",
        "rule = ",
    );
}

#[test]
fn an_entry_for_another_place_accepts_nothing_and_is_rejected() {
    assert_rejected("/maximum", "/minimum", "no change breaks", "[[accepted]]");
}

#[test]
fn an_entry_with_a_future_date_is_rejected() {
    assert_rejected(
        "date = 2027-01-01",
        "date = 2027-01-02",
        "is in the future",
        "date = ",
    );
}

#[test]
fn an_entry_with_an_unknown_key_is_rejected() {
    assert_rejected("reason =", "why =", "unknown field `why`", "why = ");
}
