//! Tests of `explain` and `schema`.

use crate::repository::{Repository, assert_printed};

#[test]
fn explain_describes_a_rule_of_each_kind() {
    let repository = Repository::code_first();
    for (id, texts) in [
        (
            "missing-example",
            [
                "missing-example (error)",
                "[document.rules]\nmissing-example = {",
                "Breaks it (members of an operation): ",
            ],
        ),
        (
            "request-parameter-max-decreased",
            ["(ERR)", "accepted-breaks.toml", "became"],
        ),
        (
            "unsupported-parameter",
            ["(error)", "--skip-unsupported", "How to fix it: "],
        ),
        (
            "stale-code",
            ["(error)", "Run `generate`", "[document.generate]"],
        ),
        (
            "value-accepted",
            ["(error)", "a bug in the generator", "is accepted"],
        ),
        (
            "[configuration]",
            ["configuration (error)", "`releses", "schema`"],
        ),
    ] {
        assert_printed(repository.run(&["explain", id]), 0, &texts);
    }
}

#[test]
fn explain_lists_all_rules_and_suggests_the_rule_with_the_most_similar_id() {
    let repository = Repository::code_first();
    assert_printed(
        repository.run(&["explain"]),
        0,
        &[
            "Rules for one document:",
            "  error    syntax",
            "  ERR      request-body-removed",
        ],
    );
    assert_printed(
        repository.run(&["explain", "stale-cod"]),
        1,
        &["there is no rule `stale-cod`: did you mean `stale-code`?"],
    );
}

#[test]
fn explain_all_prints_the_page_of_all_rules() {
    let repository = Repository::code_first();
    assert_printed(
        repository.run(&["explain", "--all"]),
        0,
        &[
            "# Rules\n",
            "\n### `stale-code` (error)\n",
            "\n## Differences of the round trip\n",
        ],
    );
    let (code, _) = repository.run(&["explain", "--all", "stale-code"]);
    assert_eq!(code, 2);
}

#[test]
fn schema_prints_the_committed_schema() {
    let printed = Repository::code_first().run(&["schema"]);
    assert_eq!(
        printed,
        (
            0,
            include_str!("../../openapi-dropshot.schema.json").to_owned()
        )
    );
}
