//! Tests how problems are displayed: documents with several problems, and the complete text that is
//! printed for them.

use crate::support::assert_golden;
use openapi_dropshot_contract::{Problems, Profile, Severity, lint, read};

#[test]
fn problems_are_printed_in_the_format_of_rustc() {
    let text = include_str!("golden/faulty.yaml");
    let problems = read("faulty.yaml", text).expect_err("it has faults");
    assert_golden(
        &format!("{problems}\n"),
        include_str!("golden/faulty.txt"),
        "tests/suite/golden/faulty.txt",
    );
}

#[test]
fn lints_are_shown_with_all_places_that_they_concern() {
    let text = include_str!("golden/questionable.yaml");
    let document = read("questionable.yaml", text).unwrap_or_else(|problems| panic!("{problems}"));
    let problems = Problems::new(&document.text, lint(&document, Profile::Strict));
    assert!(problems.has_errors());
    assert_golden(
        &format!("{problems}\n"),
        include_str!("golden/questionable.txt"),
        "tests/suite/golden/questionable.txt",
    );
}

#[test]
fn a_problem_without_a_text_is_printed_in_one_line() {
    let problems = read("a.yaml", "openapi: 2.9.0\n").expect_err("another version");
    let line = problems.problems()[0].to_string();
    assert!(
        line.starts_with("a.yaml:1:10: error[openapi-version]: OpenAPI version"),
        "{line}"
    );
    assert!(!line.contains('\n'));
    assert_eq!(problems.problems()[0].severity, Severity::Error);
}

#[test]
fn a_line_that_is_too_long_to_read_is_not_shown() {
    let filler = format!("\"x-filler\": [{}]", vec!["1"; 100_000].join(","));
    let text = format!(
        "{{{filler}, \"openapi\": \"3.0.3\", \"info\": {{\"version\": \"1\"}}, \"paths\": {{}}, {}}}",
        filler.replace("filler", "more")
    );
    let problems = read("a.json", &text).expect_err("`info` has no title");
    let rendered = problems.to_string();
    let head = "error[missing-member]: `info` lacks `title`\n--> a.json:1:200045\n";
    assert!(
        rendered.starts_with(head),
        "{}",
        &rendered[..rendered.len().min(500)]
    );
    assert!(rendered.len() < 3000, "{} bytes", rendered.len());
}
