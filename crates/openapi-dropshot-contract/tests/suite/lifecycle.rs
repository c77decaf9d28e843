//! Tests deprecation, removal, replacement and stability.

use crate::support::{
    assert_fault, assert_strict_fault, assert_warning, readable, with_operation, with_paths,
};
use openapi_dropshot_contract::model::Stability;

#[test]
fn the_lifecycle_extensions_of_an_operation_are_read() {
    let document = readable(&with_operation(
        "      deprecated: true
      x-deprecated-since: 2026-11-20
      x-deprecated-since-version: 1.0.0
      x-sunset: '2030-12-05'
      x-replacement: {operation: other, note: use other}
      x-stability-level: beta
",
    ));
    let operation = &document.operations[0];
    let lifecycle = &operation.lifecycle;
    assert_eq!(
        lifecycle
            .since
            .as_ref()
            .map(|date| date.value.to_string())
            .as_deref(),
        Some("2026-11-20")
    );
    assert_eq!(
        lifecycle
            .sunset
            .as_ref()
            .map(|date| date.value.to_string())
            .as_deref(),
        Some("2030-12-05")
    );
    assert_eq!(
        lifecycle
            .since_version
            .as_ref()
            .map(|version| version.value.as_str()),
        Some("1.0.0")
    );
    assert_eq!(
        lifecycle
            .replacement
            .as_ref()
            .map(|other| other.note.as_str()),
        Some("use other")
    );
    assert_eq!(
        operation.stability.as_ref().map(|level| level.value),
        Some(Stability::Beta)
    );
    assert!(Stability::Experimental < Stability::Stable);
}

#[test]
fn dates_that_do_not_exist_are_reported() {
    for date in [
        "2030-02-30",
        "2030-1-05",
        "'5 December 2030'",
        "'2030-12-05T00:00:00Z'",
    ] {
        let text = with_operation(&format!(
            "      deprecated: true\n      x-sunset: «{date}\n"
        ));
        assert_fault(&text, "date", "`x-sunset` must be a date", "YYYY-MM-DD");
    }
    let text = with_operation("      deprecated: true\n      x-deprecated-since: «2030\n");
    assert_fault(
        &text,
        "wrong-type",
        "`x-deprecated-since` must be a string, found `2030`",
        "quotes",
    );
}

#[test]
fn an_unknown_stability_level_is_reported() {
    let text = with_operation("      x-stability-level: «alpha\n");
    assert_fault(
        &text,
        "stability-level",
        "`alpha` is not a stability level",
        "`experimental`, `beta` or `stable`",
    );
}

#[test]
fn an_incomplete_replacement_is_reported() {
    let text = with_operation("      deprecated: true\n      x-replacement: «{operation: a}\n");
    assert_fault(
        &text,
        "missing-member",
        "`x-replacement` lacks `note`",
        "add `note`",
    );
    let text = with_operation("      deprecated: true\n      x-replacement: «listBooks\n");
    assert_fault(
        &text,
        "wrong-type",
        "`x-replacement` must be an object",
        "write `x-replacement: {operation: ID, note: TEXT}`",
    );
}

#[test]
fn a_missing_or_deprecated_replacement_is_reported() {
    let replaced_by = |name: &str, other: &str| {
        with_paths(&format!(
            "  /a:\n    get:\n      operationId: getBook\n      deprecated: true\n      x-replacement: {{operation: {name}, note: use it}}\n      responses: {{'200': {{description: Fine.}}}}\n  /b:\n    get:\n      operationId: listBooks\n{other}      responses: {{'200': {{description: Fine.}}}}\n"
        ))
    };
    assert_fault(
        &replaced_by("«listBook", ""),
        "unknown-replacement",
        "the operation `listBook` does not exist",
        "did you mean `listBooks`?",
    );
    assert_fault(
        &replaced_by("«getBook", ""),
        "unknown-replacement",
        "cannot replace itself",
        "another",
    );
    assert_warning(
        &replaced_by("«listBooks", "      deprecated: true\n"),
        "lifecycle",
        "is itself deprecated",
        "not deprecated",
    );
}

#[test]
fn a_sunset_before_the_deprecation_is_reported() {
    let text = with_operation(
        "      deprecated: true\n      x-deprecated-since: 2030-12-05\n      x-sunset: «2026-11-20\n",
    );
    assert_fault(
        &text,
        "lifecycle",
        "removed on 2026-11-20, before it is deprecated on 2030-12-05",
        "later",
    );
}

#[test]
fn deprecation_extensions_without_deprecated_are_rejected() {
    let text = with_operation("      x-sunset: «2030-12-05\n");
    assert_fault(
        &text,
        "not-deprecated",
        "`GET /a` has `x-sunset` but is not deprecated",
        "deprecated: true",
    );
}

#[test]
fn the_project_rules_require_complete_deprecations() {
    let all = [
        "x-deprecated-since: 2026-11-20",
        "x-sunset: 2030-12-05",
        "x-replacement: {operation: other, note: use it}",
    ];
    for missing in all {
        let name = missing.split(':').next().expect("a name");
        let rest: String = all
            .iter()
            .filter(|line| **line != missing)
            .map(|line| format!("      {line}\n"))
            .collect();
        let text =
            super::project_rules::with_other_operation(&format!("      deprecated: «true\n{rest}"));
        assert_strict_fault(
            &text,
            "incomplete-deprecation",
            &format!("deprecated without `{name}`"),
            "add",
        );
    }
}
