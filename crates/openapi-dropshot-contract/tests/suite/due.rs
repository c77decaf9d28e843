//! Tests the report of near sunsets, and the next version for a list of changes.

use crate::diff::{changes, day};
use crate::support::CONTRACT;
use openapi_dropshot_contract::diff::Policy;
use openapi_dropshot_contract::lifecycle::{WARNING_DAYS, due};
use openapi_dropshot_contract::release::{Bump, Version, needed};

#[test]
fn a_sunset_is_a_warning_from_180_days_before_and_an_error_from_the_day_of_the_sunset() {
    let text = CONTRACT;
    let document = openapi_dropshot_contract::read("openapi.yaml", text).expect("a document");
    assert_eq!(WARNING_DAYS, 180);
    for (today, expected) in [
        ("2026-11-21", None),
        ("2030-06-07", None),
        ("2030-06-08", Some(false)),
        ("2030-06-20", Some(false)),
        ("2030-12-04", Some(false)),
        ("2030-12-05", Some(true)),
        ("2030-12-06", Some(true)),
    ] {
        let found = due(&document, day(today));
        let overdue = found.first().map(|due| due.is_overdue());
        assert_eq!(overdue, expected, "{today}");
        for due in found {
            assert_eq!(due.operation, "GET /books/{bookId}");
            assert_eq!(due.id.as_deref(), Some("getBook"));
            assert!(
                due.at.pointer.ends_with("/get/x-sunset"),
                "{}",
                due.at.pointer
            );
            let says_what_to_remove = due.text.contains("remove `GET /books/{bookId}`");
            assert_eq!(says_what_to_remove, due.is_overdue(), "{}", due.text);
        }
    }
}

#[test]
fn a_breaking_change_needs_a_major_version_and_an_addition_needs_a_minor_version() {
    let contract = CONTRACT;
    let asked = |old: &str, new: &str| {
        assert!(contract.contains(old), "nothing to edit: {old}");
        let revision = contract.replacen(old, new, 1);
        needed(&changes(
            contract,
            &revision,
            &Policy::on(day("2026-11-21")),
        ))
    };
    assert_eq!(asked("summary: List books", "summary: Books"), Bump::Patch);
    // The text around the bound selects the bound of the books: the bound of a `beta` operation may change without a major version.
    let bound = "\n        maximum: 100\n        default: 20\n      example";
    let moved = |to: &str| asked(bound, &bound.replace("100", to));
    assert_eq!(moved("200"), Bump::Minor);
    assert_eq!(moved("50"), Bump::Major);
}

#[test]
fn the_step_between_two_versions_is_recognised_as_major_minor_or_patch() {
    let version = |text: &str| Version::parse(text).expect("a version");
    for (from, to, bump) in [
        ("1.0.0", "2.0.0", Some(Bump::Major)),
        ("1.0.0", "1.1.0", Some(Bump::Minor)),
        ("1.9.0", "1.10.0", Some(Bump::Minor)),
        ("1.0.0", "1.0.1", Some(Bump::Patch)),
        ("0.1.0", "0.2.0", Some(Bump::Major)),
        ("0.1.0", "0.1.1", Some(Bump::Patch)),
        ("1.0.0", "1.0.0", None),
        ("1.1.0", "1.0.9", None),
    ] {
        assert_eq!(version(from).bump_to(version(to)), bump, "{from} to {to}");
    }
    for text in [
        "",
        "1.",
        "v1.0.0",
        "1.0.0.0",
        "1.0.x",
        "-1.0.0",
        "1.0.0-beta",
    ] {
        assert_eq!(Version::parse(text), None, "{text}");
    }
    assert_eq!(version("2.0").to_string(), "2.0.0");
}
