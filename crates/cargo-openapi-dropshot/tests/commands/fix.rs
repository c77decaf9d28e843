//! Tests of `generate --fix`: the responses that every service sends are added to the text of the
//! document.

use crate::repository::{DOCUMENT, Repository, THINGS, assert_printed};

/// An operation that lacks all responses of the pipeline, with comments around its responses.
const REMOVE: &str = r"  # Things that nobody needs.
  /things/{id}:
    delete:
      operationId: removeThing
      summary: Remove a thing
      parameters:
        - {name: id, in: path, required: true, description: Which., schema: {type: integer, format: int64}}
      responses: # What a client gets.
        '204':
          description: >
            It is gone.

            All of it.
        # There is no other success.

  # The end of the paths.
";

fn with_operation() -> Repository {
    let repository = Repository::with_crates();
    repository.replace(DOCUMENT, "components:\n", &format!("{REMOVE}components:\n"));
    repository
}

#[test]
fn missing_responses_are_copied_from_other_operations_without_other_changes() {
    let repository = with_operation();
    let before = repository.read(DOCUMENT);
    assert_printed(
        repository.run(&["generate"]),
        1,
        &[
            "error[missing-response]: `removeThing`",
            "`generate --fix` adds the missing responses",
        ],
    );
    assert_printed(
        repository.run(&["generate", "--fix"]),
        0,
        &[
            "added   `4XX` and `5XX` of `removeThing`\n",
            "wrote   spec/things.yaml\n",
            "wrote   api/src/generated/",
        ],
    );
    let comment = "        # There is no other success.\n";
    let added = "        4XX:\n          $ref: '#/components/responses/Rejected'\n        5XX:\n          $ref: '#/components/responses/Broken'\n";
    let expected = before.replace(comment, &format!("{comment}{added}"));
    assert_eq!(repository.read(DOCUMENT), expected);
    assert_printed(
        repository.run(&["check", "--gate", "document", "--gate", "generated"]),
        0,
        &[],
    );
    // There is nothing more to add.
    assert_printed(
        repository.run(&["generate", "--fix"]),
        0,
        &["spec/things.yaml already has the responses", "fresh: "],
    );
    assert_eq!(repository.read(DOCUMENT), expected);
}

#[test]
fn missing_responses_are_created_if_no_operation_has_them() {
    let repository = Repository::with_crates();
    let lines = THINGS.lines();
    let mut text = String::new();
    let mut is_left_out = false;
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        if indent <= 4 {
            is_left_out = ["    Rejected:", "    Broken:"].contains(&line);
        }
        if !is_left_out
            && !["4XX:", "5XX:"]
                .iter()
                .any(|key| line.trim().starts_with(key))
        {
            text.push_str(line);
            text.push('\n');
        }
    }
    repository.write(DOCUMENT, &text);
    assert_printed(
        repository.run(&["generate", "--fix"]),
        0,
        &[
            "added   the response `Rejected`\n",
            "added   the response `Failed`\n",
            "added   `4XX` and `5XX` of `listThings`\n",
        ],
    );
    let fixed = repository.read(DOCUMENT);
    let failed = "    Failed:
      description: The service could not process the request.
      x-error-codes: [internal, overloaded, unavailable]
      content:
        application/json:
          schema:
            $ref: '#/components/schemas/Error'
          example:
            code: internal
            message: The service could not process the request.
  schemas:
";
    assert!(fixed.contains(failed), "{fixed}");
    // The codes of the catalogue that have such a status. `404` has a separate response.
    let codes = "x-error-codes: [bad_request, unauthorized, request_timeout, operation_removed, payload_too_large, unsupported_media_type, rate_limited]\n";
    assert!(fixed.contains(codes), "{fixed}");
    assert_printed(repository.run(&["check", "--gate", "document"]), 0, &[]);
}

#[test]
fn missing_responses_are_added_to_a_document_without_generated_code() {
    let repository = Repository::code_first();
    repository.replace(DOCUMENT, "components:\n", &format!("{REMOVE}components:\n"));
    assert_printed(
        repository.run(&["generate", "--fix"]),
        0,
        &[
            "added   `4XX` and `5XX` of `removeThing`",
            "wrote   spec/things.yaml",
        ],
    );
    assert_printed(repository.run(&["check", "--gate", "document"]), 0, &[]);
}

#[test]
fn fix_writes_nothing_if_the_text_of_the_document_cannot_be_edited_automatically() {
    let repository = with_operation();
    // Two operations share one object, but only one of them lacks the responses.
    repository.replace(DOCUMENT, "responses: # What", "responses: &own # What");
    let other = REMOVE
        .replace("/things/{id}", "/others/{id}")
        .replace("removeThing", "removeOther")
        .replace("delete:", "delete:\n      security: [{key: []}]");
    let start = other.find("      responses:").expect("responses");
    let other = format!("{}      responses: *own\n", &other[..start]);
    repository.replace(DOCUMENT, "components:\n", &format!("{other}components:\n"));
    assert_printed(
        repository.run(&["generate", "--fix"]),
        0,
        &["`removeOther`"],
    );
    let fixed = repository.read(DOCUMENT);
    assert_eq!(fixed.matches("responses/Rejected'").count(), 2, "{fixed}");

    let repository = with_operation();
    // The lines after a block scalar that keeps all line breaks belong to the scalar.
    repository.replace(DOCUMENT, "description: >\n", "description: |+\n");
    repository.replace(DOCUMENT, "        # There is no other success.\n\n", "\n\n");
    let before = repository.snapshot();
    assert_printed(
        repository.run(&["generate", "--fix"]),
        1,
        &["the responses cannot be added to this text automatically; add them by hand"],
    );
    assert!(before == repository.snapshot(), "a file changed");
}
