//! Tests the usage report, as CSV and as a page.

use super::*;
use crate::test_contract::{OPERATIONS, RETIRED};
use chrono::{Days, TimeDelta};

/// Returns a report at a time after the deprecation, with one caller whose last call was this many
/// days before.
fn report(days_ago: Option<i64>, name: &str) -> UsageReport {
    let deprecation = RETIRED.deprecation.expect("it is deprecated");
    let since = DateTime::from_timestamp(deprecation.since, 0).expect("a time");
    let now = since + TimeDelta::days(100);
    let callers = days_ago.map(|days| {
        let last_seen = now - TimeDelta::days(days);
        CallerUsage {
            operation: RETIRED.name.to_owned(),
            key: "k_1".to_owned(),
            name: name.to_owned(),
            calls: 12,
            first_seen: last_seen,
            last_seen,
            last_user_agent: Some("=cmd|'/c calc'!A0 <b>".to_owned()),
            days: [
                (last_seen.date_naive(), 5),
                (last_seen.date_naive() - Days::new(1), 3),
            ]
            .into(),
        }
    });
    let stored = StoredUsage {
        since: [(RETIRED.name.to_owned(), since - TimeDelta::days(1))].into(),
        callers: callers.into_iter().collect(),
    };
    UsageReport::new(&OPERATIONS, stored, now)
}

fn retired(report: &UsageReport) -> &OperationUsage {
    let mut operations = report.operations().iter();
    operations
        .find(|usage| usage.operation == RETIRED.name)
        .expect("it is there")
}

#[test]
fn an_operation_is_unused_after_thirty_days_without_a_call() {
    for (days_ago, expected) in [
        (Some(0), (Some(0), false)),
        (Some(29), (Some(29), false)),
        (Some(30), (Some(30), true)),
        (None, (Some(100), true)),
    ] {
        let report = report(days_ago, "shop");
        let usage = retired(&report);
        assert_eq!((usage.days_without_calls, usage.is_unused), expected);
    }
}

#[test]
fn an_operation_without_a_call_is_unused_after_thirty_days_of_counting() {
    let deprecation = RETIRED.deprecation.expect("it is deprecated");
    let deprecated_at = DateTime::from_timestamp(deprecation.since, 0).expect("a time");
    let now = deprecated_at + TimeDelta::days(100);
    let days_without_calls = |operation: &str, counted_since| {
        let stored = StoredUsage {
            since: [(operation.to_owned(), counted_since)].into(),
            callers: Vec::new(),
        };
        let report = UsageReport::new(&OPERATIONS, stored, now);
        let usage = retired(&report);
        (usage.days_without_calls, usage.is_unused)
    };
    for (counted_for, expected) in [
        (0, (Some(0), false)),
        (29, (Some(29), false)),
        (30, (Some(30), true)),
        // The operation was deprecated, then not deprecated for a time, and then deprecated again.
        (200, (Some(100), true)),
    ] {
        let counted_since = now - TimeDelta::days(counted_for);
        assert_eq!(days_without_calls(RETIRED.name, counted_since), expected);
    }
    let of_another = days_without_calls("another", deprecated_at);
    assert_eq!(of_another, (None, false));
}

#[test]
fn after_the_restore_of_a_backup_days_without_calls_are_counted_from_the_restore_on() {
    let mut report = report(Some(41), "shop");
    let usage = report.operations.remove(0);
    let deprecation = RETIRED.deprecation.expect("it is deprecated");
    for (restored, expected, verdict) in [
        (
            0,
            (Some(0), false),
            "Nobody called it for 0 days since the counting began.",
        ),
        (
            29,
            (Some(29), false),
            "Nobody called it for 29 days since the counting began.",
        ),
        (
            30,
            (Some(30), true),
            "Nobody called it for 30 days since the counting began: safe",
        ),
        (50, (Some(41), true), "Nobody called it for 41 days: safe"),
    ] {
        let since = report.created_at - TimeDelta::days(restored);
        let callers = usage.callers.clone();
        let usage = usage_of(
            &RETIRED,
            deprecation,
            callers,
            Some(since),
            report.created_at,
        );
        assert_eq!((usage.days_without_calls, usage.is_unused), expected);
        report.operations = vec![usage];
        let page = report.to_html();
        assert!(page.contains(verdict), "{verdict}: {page}");
    }
}

#[test]
fn an_unused_operation_is_reported_as_safe_to_remove_from_its_sunset_date_on() {
    let mut report = report(Some(41), "shop");
    let mut verdict = |days_left| {
        let mut operations = report.operations.iter_mut();
        let usage = operations.find(|usage| usage.operation == RETIRED.name);
        usage.expect("it is there").days_left = days_left;
        report.to_html()
    };
    let unused = "Nobody called it for 41 days: safe to remove";
    assert!(verdict(Some(1)).contains(&format!("{unused} on its sunset.")));
    for days_left in [Some(0), Some(-1), None] {
        assert!(verdict(days_left).contains(&format!("{unused}.")));
    }
}

#[test]
fn the_csv_has_one_row_per_day_and_contains_no_spreadsheet_formulas() {
    let csv = report(Some(3), "a \"shop\", closed").to_csv();
    let rows: Vec<_> = csv.lines().skip(1).collect();
    assert_eq!(rows.len(), 3, "{csv}");
    assert!(rows[0].contains(",\"a \"\"shop\"\", closed\",,4,"), "{csv}");
    assert!(rows[2].contains(",5,"), "{csv}");
    assert!(csv.contains(",'=cmd|"), "{csv}");
}

#[test]
fn the_usage_report_page_escapes_texts_that_clients_sent() {
    let page = report(Some(3), "<script>alert(1)</script>").to_html();
    assert!(
        page.contains("&lt;script&gt;") && !page.contains("<script"),
        "{page}"
    );
    assert!(page.contains("A0 &lt;b&gt;"), "{page}");
}
