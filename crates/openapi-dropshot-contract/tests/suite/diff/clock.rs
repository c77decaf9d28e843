//! Tests removal, deprecation and sunset with a date before, on and after the sunset.

use super::{changes, day, found};
use openapi_dropshot_contract::diff::{Level, Policy};

/// A document whose `GET /old` has these members. With `None`, the operation is removed.
fn document(members: Option<&str>) -> String {
    let old = members.map_or(String::new(), |members| {
        format!("  /old:\n    get:\n{members}      responses:\n        '204':\n          description: Done.\n")
    });
    format!(
        "openapi: 3.0.3\ninfo:\n  title: T\n  version: 1.0.0\npaths:\n{old}  /new:\n    get:\n      responses:\n        '204':\n          description: Done.\n"
    )
}

fn ids(base: Option<&str>, revision: Option<&str>, policy: &Policy) -> Vec<(Level, String)> {
    let changes = changes(&document(base), &document(revision), policy);
    (found(&changes).into_iter())
        .filter(|(_, id)| !id.starts_with("api-version") && *id != "api-major-version-not-bumped")
        .map(|(level, id)| (level, id.to_owned()))
        .collect()
}

fn assert_only(changes: &[(Level, String)], level: Level, id: &str) {
    assert_eq!(changes, [(level, id.to_owned())]);
}

const SUNSET: &str = "      deprecated: true\n      x-sunset: 2030-12-05\n";

#[test]
fn an_operation_may_be_removed_on_the_day_of_the_sunset_or_later() {
    for (today, level, id) in [
        ("2030-12-04", Level::Err, "api-path-removed-before-sunset"),
        ("2030-12-05", Level::Info, "api-path-removed-after-sunset"),
        ("2030-12-06", Level::Info, "api-path-removed-after-sunset"),
    ] {
        let policy = Policy::on(day(today));
        assert_only(&ids(Some(SUNSET), None, &policy), level, id);
    }
}

#[test]
fn a_beta_operation_cannot_be_removed_before_its_sunset() {
    let beta = format!("{SUNSET}      x-stability-level: beta\n");
    let policy = Policy::on(day("2030-12-04"));
    let found = ids(Some(&beta), None, &policy);
    assert_only(&found, Level::Err, "api-path-removed-before-sunset");
    let found = ids(Some("      x-stability-level: beta\n"), None, &policy);
    assert_only(&found, Level::Warn, "api-path-removed-without-deprecation");
    assert_only(
        &ids(Some(""), None, &policy),
        Level::Err,
        "api-path-removed-without-deprecation",
    );
}

#[test]
fn a_sunset_that_moves_closer_is_an_error_on_any_day_with_any_policy() {
    let closer = "      deprecated: true\n      x-sunset: 2030-12-04\n";
    let later = "      deprecated: true\n      x-sunset: 2031-12-05\n";
    for today in ["2026-11-21", "2030-12-04", "2030-12-05", "2030-12-06"] {
        let policy = Policy::on(day(today));
        let found = ids(Some(SUNSET), Some(closer), &policy);
        assert!(
            found.contains(&(Level::Err, "api-sunset-moved-closer".to_owned())),
            "{found:?}"
        );
        let found = ids(Some(SUNSET), Some(later), &policy);
        assert_only(&found, Level::Info, "api-sunset-date-changed");
    }
    let policy = Policy {
        deprecation_days_stable: 100,
        ..Policy::on(day("2030-11-20"))
    };
    let found = ids(Some(SUNSET), Some(closer), &policy);
    let too_small = (Level::Err, "api-sunset-date-changed-too-small".to_owned());
    assert!(found.contains(&too_small), "{found:?}");
}

#[test]
fn a_removed_sunset_is_an_error() {
    let policy = Policy::on(day("2026-11-21"));
    let found = ids(Some(SUNSET), Some("      deprecated: true\n"), &policy);
    assert_only(&found, Level::Err, "sunset-deleted");
}

#[test]
fn a_deprecation_with_fewer_days_to_the_sunset_than_the_policy_requires_is_an_error() {
    let policy = |days| Policy {
        deprecation_days_stable: days,
        ..Policy::on(day("2030-11-05"))
    };
    let plain = "      deprecated: true\n";
    assert_only(
        &ids(Some(""), Some(plain), &policy(0)),
        Level::Info,
        "endpoint-deprecated",
    );
    assert_only(
        &ids(Some(""), Some(plain), &policy(1)),
        Level::Err,
        "api-deprecated-sunset-missing",
    );
    assert_only(
        &ids(Some(""), Some(SUNSET), &policy(30)),
        Level::Info,
        "endpoint-deprecated-with-sunset",
    );
    assert_only(
        &ids(Some(""), Some(SUNSET), &policy(31)),
        Level::Err,
        "api-sunset-date-too-small",
    );
}

#[test]
fn a_sunset_added_after_the_deprecation_with_fewer_days_than_required_is_an_error() {
    let policy = |days| Policy {
        deprecation_days_stable: days,
        ..Policy::on(day("2030-11-05"))
    };
    let plain = "      deprecated: true\n";
    assert_eq!(ids(Some(plain), Some(SUNSET), &policy(30)), []);
    assert_only(
        &ids(Some(plain), Some(SUNSET), &policy(31)),
        Level::Err,
        "api-sunset-date-too-small",
    );
    let past = Policy::on(day("2030-12-06"));
    assert_only(
        &ids(Some(plain), Some(SUNSET), &past),
        Level::Err,
        "api-sunset-date-too-small",
    );
}

#[test]
fn a_lower_stability_level_is_an_error() {
    let policy = Policy::on(day("2026-11-21"));
    let beta = "      x-stability-level: beta\n";
    let experimental = "      x-stability-level: experimental\n";
    assert_only(
        &ids(Some(""), Some(beta), &policy),
        Level::Err,
        "api-stability-decreased",
    );
    assert_only(
        &ids(Some(beta), Some(experimental), &policy),
        Level::Err,
        "api-stability-decreased",
    );
    assert_only(
        &ids(Some(beta), Some(""), &policy),
        Level::Info,
        "api-stability-increased",
    );
}
