//! Tests path variables, and paths that match the same requests.

use crate::support::{assert_clean, assert_fault, assert_warning, with_paths};

const RESPONSES: &str = "responses: {'200': {description: Fine.}}";

fn parameter(name: &str) -> String {
    format!("{{name: {name}, in: path, required: true, schema: {{}}}}")
}

#[test]
fn path_variables_without_a_parameter_are_reported() {
    let text = with_paths(&format!(
        "  «/books/{{bookId}}:\n    get: {{operationId: getBook, {RESPONSES}}}\n"
    ));
    assert_fault(
        &text,
        "path-variable",
        "`{bookId}` in the path has no parameter in `getBook`",
        "`in: path`",
    );
    let text = with_paths(&format!(
        "  «/{{a}}/{{a}}:\n    get: {{parameters: [{}], {RESPONSES}}}\n",
        parameter("a")
    ));
    assert_fault(&text, "path-variable", "has `{a}` twice", "its own name");
}

#[test]
fn path_parameters_without_a_variable_are_reported() {
    let text = with_paths(&format!(
        "  /books/{{bookId}}:\n    get:\n      parameters:\n        - {}\n        - {}\n      {RESPONSES}\n",
        parameter("bookId"),
        parameter("«bookID")
    ));
    assert_fault(
        &text,
        "path-parameter",
        "the path `/books/{bookId}` has no `{bookID}`",
        "did you mean `bookId`?",
    );
}

#[test]
fn a_parameter_of_a_path_item_applies_to_all_operations_of_the_path_item() {
    assert_clean(&with_paths(&format!(
        "  /books/{{bookId}}:\n    parameters: [{}]\n    get: {{{RESPONSES}}}\n    delete: {{{RESPONSES}}}\n",
        parameter("bookId")
    )));
}

#[test]
fn two_paths_that_match_the_same_requests_are_reported() {
    let path = |name: &str| {
        format!(
            "/books/{{{name}}}:\n    get: {{parameters: [{}], {RESPONSES}}}\n",
            parameter(name)
        )
    };
    let text = with_paths(&format!("  {}  «{}", path("id"), path("name")));
    assert_fault(
        &text,
        "ambiguous-paths",
        "the same requests as `/books/{id}` of line 4",
        "literal segment",
    );
    let text = with_paths(&format!(
        "  {}  «{}",
        path("id"),
        path("name").replace("get:", "post:")
    ));
    assert_warning(
        &text,
        "ambiguous-paths",
        "differs from `/books/{id}` of line 4 in its methods only",
        "literal segment",
    );
    assert_clean(&with_paths(&format!(
        "  {}  /books/mine:\n    get: {{{RESPONSES}}}\n",
        path("id")
    )));
}
