//! Tests the compiler messages for common mistakes with builders.

use crate::compiler::compile;

/// Returns the error of a fixture that does not compile, as a terminal shows it.
fn error_of(fixture: &str) -> String {
    let output = compile(fixture, &[]);
    assert!(!output.status.success(), "{fixture} compiles");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let rendered = errors.lines().filter_map(|line| {
        let diagnostic: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(diagnostic["rendered"].as_str()?.to_owned())
    });
    rendered.collect()
}

#[test]
fn the_compiler_error_for_a_missing_build_call_names_the_builder() {
    let error = error_of("forgets_build.rs");
    assert!(
        error.contains("expected `NewPet`, found `NewPetBuilder`"),
        "{error}"
    );
}

#[test]
fn a_missing_question_mark_after_build_is_a_type_error() {
    let error = error_of("forgets_the_error.rs");
    assert!(
        error.contains("expected `NewPet`, found `Result<NewPet, "),
        "{error}"
    );
}

#[test]
fn a_missing_argument_is_a_compile_error() {
    let error = error_of("forgets_the_body.rs");
    assert!(
        error.contains("this method takes 1 argument but 0 arguments were supplied"),
        "{error}"
    );
}

#[test]
fn the_compiler_error_for_a_body_of_the_wrong_type_names_the_methods_to_call() {
    let error = error_of("sends_another_body.rs");
    for part in [
        "`Pet` cannot be the body of this request",
        "expected `NewPet` or its builder",
        "pass a value or a builder: `NewPet::new(…)` takes the required members, and `NewPet::builder()` sets one after the \
         other",
    ] {
        assert!(error.contains(part), "{part} is missing in:\n{error}");
    }
}
