//! Provides documents for the tests, and assertions about their problems.

use openapi_dropshot_contract::{Document, Problem, Problems, Profile, Severity, lint, read};

/// The contract of a whole service, which follows the project rules.
pub(crate) const CONTRACT: &str = include_str!("data/books.yaml");

/// Reads a document that must be readable.
#[track_caller]
pub(crate) fn readable(text: &str) -> Document {
    match read("api.yaml", text) {
        Ok(document) => document,
        Err(problems) => panic!("the document should be readable:\n{problems}\nin:\n{text}"),
    }
}

/// Returns all problems that reading and linting find.
pub(crate) fn problems(text: &str, profile: Profile) -> Vec<Problem> {
    match read("api.yaml", text) {
        Ok(document) => lint(&document, profile),
        Err(problems) => problems.into_problems(),
    }
}

/// Checks the problem of a document with one error. A `«` in the text marks the place where the
/// problem must be reported. It is removed before the text is read.
#[track_caller]
pub(crate) fn assert_fault(marked: &str, rule: &str, message: &str, help: &str) {
    assert_found(
        marked,
        Profile::General,
        Severity::Error,
        rule,
        message,
        help,
    );
}

/// Does the same for a warning.
#[track_caller]
pub(crate) fn assert_warning(marked: &str, rule: &str, message: &str, help: &str) {
    assert_found(
        marked,
        Profile::General,
        Severity::Warning,
        rule,
        message,
        help,
    );
}

/// Does the same for a violation of the project rules.
#[track_caller]
pub(crate) fn assert_strict_fault(marked: &str, rule: &str, message: &str, help: &str) {
    assert_found(
        marked,
        Profile::Strict,
        Severity::Error,
        rule,
        message,
        help,
    );
}

#[track_caller]
fn assert_found(
    marked: &str,
    profile: Profile,
    severity: Severity,
    rule: &str,
    message: &str,
    help: &str,
) {
    let before = marked
        .split_once('«')
        .map(|(before, _)| before)
        .expect("a `«` marks the fault");
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |line| line.chars().count())
        + 1;
    let text = marked.replacen('«', "", 1);
    let mut found = problems(&text, profile);
    // The small documents of most tests have no error responses.
    found.retain(|problem| problem.rule == rule || problem.rule != "missing-response");
    let rendered = Problems::new(text.as_str(), found.clone());
    let [problem] = found.as_slice() else {
        panic!(
            "expected one problem, `{rule}`, found {}:\n{rendered}",
            found.len()
        );
    };
    assert_eq!(problem.rule, rule, "\n{rendered}");
    assert_eq!(problem.severity, severity, "\n{rendered}");
    assert_eq!(
        (problem.at.line, problem.at.column),
        (line, column),
        "\n{rendered}"
    );
    assert!(
        problem.message.contains(message),
        "message should contain {message:?}\n{rendered}"
    );
    assert!(
        problem.help.contains(help),
        "help should contain {help:?}\n{rendered}"
    );
}

/// Checks that a document has no problem with the general rules.
#[track_caller]
pub(crate) fn assert_clean(text: &str) {
    let found = problems(text, Profile::General);
    assert!(
        found.is_empty(),
        "expected no problem, found:\n{}",
        Problems::new(text, found)
    );
}

/// A document with this text as `paths`, indented by two spaces.
pub(crate) fn with_paths(paths: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\npaths:\n{paths}")
}

/// A document with these component schemas, indented by four spaces.
pub(crate) fn with_schemas(schemas: &str) -> String {
    with_components(&format!("  schemas:\n{schemas}"))
}

/// A document without operations and with this text as `components`, indented by two spaces.
pub(crate) fn with_components(components: &str) -> String {
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\npaths: {{}}\ncomponents:\n{components}"
    )
}

/// A document with one operation, `GET /a`, that has these members and `responses`. The members are
/// indented by six spaces.
pub(crate) fn with_operation(members: &str) -> String {
    with_paths(&format!(
        "  /a:\n    get:\n      responses: {{'200': {{description: Fine.}}}}\n{members}"
    ))
}

/// Compares a text with a file of this crate; `UPDATE_GOLDEN=1` writes it instead.
#[track_caller]
pub(crate) fn assert_golden(text: &str, expected: &str, file: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, text).expect("the folder is writable");
        return;
    }
    assert_eq!(
        text, expected,
        "{file}: set UPDATE_GOLDEN=1 to accept the new text"
    );
}
