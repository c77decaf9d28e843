//! How problems look: a document with several faults, and what is printed of
//! it, compared as a whole.

use openapi_dropshot_contract::{Problems, Profile, Severity, lint, read};

#[test]
fn problems_are_shown_as_rustc_shows_them() {
    let text = include_str!("golden/faulty.yaml");
    let problems = read("faulty.yaml", text).expect_err("it has faults");
    assert_golden(&problems, include_str!("golden/faulty.txt"), "faulty.txt");
}

#[test]
fn lints_are_shown_with_the_other_places_they_are_about() {
    let text = include_str!("golden/questionable.yaml");
    let document = read("questionable.yaml", text).unwrap_or_else(|problems| panic!("{problems}"));
    let problems = Problems::new(&document.text, lint(&document, Profile::House));
    assert!(problems.has_errors());
    assert_golden(
        &problems,
        include_str!("golden/questionable.txt"),
        "questionable.txt",
    );
}

/// Compares with a file; `UPDATE_GOLDEN=1` writes it instead.
#[track_caller]
fn assert_golden(problems: &Problems, expected: &str, name: &str) {
    let shown = format!("{problems}\n");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = format!("{}/tests/suite/golden/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, shown).expect("the folder is writable");
        return;
    }
    assert_eq!(
        shown, expected,
        "set UPDATE_GOLDEN=1 to accept what is printed now"
    );
}

#[test]
fn a_problem_alone_is_one_line() {
    let problems = read("a.yaml", "openapi: 3.1.0\n").expect_err("another version");
    let line = problems.problems()[0].to_string();
    assert!(
        line.starts_with("a.yaml:1:10: error[openapi-version]: OpenAPI version"),
        "{line}"
    );
    assert!(!line.contains('\n'));
    assert_eq!(problems.problems()[0].severity, Severity::Error);
}

#[test]
fn a_line_that_nobody_could_read_is_not_shown() {
    let filler = format!("\"x-filler\": [{}]", vec!["1"; 100_000].join(","));
    let text = format!(
        "{{{filler}, \"openapi\": \"3.0.3\", \"info\": {{}}, \"paths\": {{}}, {}}}",
        filler.replace("filler", "more")
    );
    let problems = read("a.json", &text).expect_err("`info` is empty");
    let shown = problems.to_string();
    let head = "error[missing-member]: `info` lacks `title`\n--> a.json:1:200045\n";
    assert!(
        shown.starts_with(head),
        "{}",
        &shown[..shown.len().min(500)]
    );
    assert!(shown.len() < 3000, "{} bytes are shown", shown.len());
}
