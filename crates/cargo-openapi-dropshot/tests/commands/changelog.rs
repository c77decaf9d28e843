//! Tests which entries the gate `changelog` requires, and what `check` prints about accepted changes.

use crate::repository::{CHANGELOG, DOCUMENT, Repository, THINGS, assert_printed};

const CHECK: [&str; 3] = ["check", "--gate", "changelog"];

/// Writes the entries of the section Unreleased.
fn write_entries(repository: &Repository, entries: &str) {
    let text = format!("## Unreleased\n\n### Changed\n\n{entries}");
    repository.write("CHANGELOG.md", &CHANGELOG.replace("## Unreleased\n", &text));
}

#[test]
fn an_added_or_removed_property_or_parameter_must_be_in_the_changelog() {
    let parameter = "      parameters:\n        - {name: limit,";
    let property = "        id: {type: integer, format: int64}\n";
    for (old, new, name) in [
        (
            parameter,
            "      parameters:\n        - {name: colour, in: query, description: Which., schema: {type: string}}\n        - {name: limit,",
            "colour",
        ),
        (
            property,
            &format!("{property}        size: {{type: string}}\n"),
            "size",
        ),
    ] {
        let repository = Repository::code_first();
        repository.replace(DOCUMENT, old, new);
        write_entries(&repository, "- Something about `GET /things`.\n");
        let message = "error[changelog-entry]: this change of GET /things has no changelog entry";
        let help = format!("add an entry that names `GET /things` and `{name}`");
        assert_printed(repository.run(&CHECK), 1, &[message, &help]);
        for entry in [
            format!("- `GET /things` has `{name}`.\n"),
            format!("- listThings: thing.{name} is new.\n"),
        ] {
            write_entries(&repository, &entry);
            assert_printed(
                repository.run(&CHECK),
                0,
                &["names what changed for clients"],
            );
        }
    }
}

#[test]
fn a_removed_operation_needs_a_changelog_entry_with_the_operation_id() {
    let repository = Repository::code_first();
    let gone = "  /gone:\n    get:\n      operationId: getGone\n      responses: {'204': {description: None.}}\ncomponents:\n";
    repository.release(&THINGS.replacen("components:\n", gone, 1));
    write_entries(&repository, "- Something.\n");
    assert_printed(
        repository.run(&CHECK),
        1,
        &["this change of GET /gone has no changelog entry"],
    );
    write_entries(&repository, "- `getGone` is gone.\n");
    assert_eq!(repository.run(&CHECK).0, 0);
}

#[test]
fn a_changed_description_needs_no_changelog_entry() {
    let repository = Repository::code_first();
    repository.replace(
        DOCUMENT,
        "summary: List all things",
        "summary: List the things",
    );
    repository.replace(
        DOCUMENT,
        "description: How many.",
        "description: How many at most.",
    );
    assert_eq!(repository.run(&CHECK).0, 0);
    repository.replace(DOCUMENT, "paths:\n", "x-own: 1\npaths:\n");
    assert_printed(
        repository.run(&CHECK),
        1,
        &["but the changelog has no entry for the change"],
    );
}

#[test]
fn a_release_passes_if_the_rules_about_changelog_entries_are_switched_off() {
    let repository = Repository::code_first();
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 200");
    write_entries(&repository, "- Faster.\n");
    repository.replace("CHANGELOG.md", "### Changed\n", "### Improved\n");
    assert_printed(
        repository.run(&["release", "1.1.0"]),
        1,
        &[
            "error[changelog-entry]",
            "error[changelog-form]",
            "gates failed: changelog",
        ],
    );
    let toml = repository.read("openapi-dropshot.toml");
    let rules = "[document.rules]\n\
                 changelog-entry = { level = \"off\", reason = \"The notes are on our pages.\" }\n\
                 changelog-form = { level = \"warn\", reason = \"We have our own groups.\" }\n";
    repository.write("openapi-dropshot.toml", &format!("{toml}\n{rules}"));
    assert_printed(
        repository.run(&["release", "1.1.0"]),
        0,
        &["warning[changelog-form]", "released 1.1.0"],
    );
}

/// A document with a second operation that creates things, so that two operations have the same schema.
fn with_two_operations() -> Repository {
    let repository = Repository::code_first();
    let post = "    post:\n      operationId: addThing\n      summary: Add a thing\n      responses:\n        '201': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}\ncomponents:\n";
    let text = THINGS.replacen("components:\n", post, 1);
    repository.write(DOCUMENT, &text);
    repository.release(&text);
    repository
}

#[test]
fn check_prints_an_accepted_entry_once_even_if_the_entry_accepts_several_changes() {
    let repository = with_two_operations();
    repository.replace(
        DOCUMENT,
        "format: int64}\n",
        "format: int64}\n        size: {type: string}\n",
    );
    repository.release(&repository.read(DOCUMENT).replacen(
        "required: [id]",
        "required: [id, size]",
        1,
    ));
    let (code, printed) = repository.run(&["check", "--gate", "breaking"]);
    assert_eq!(code, 1, "{printed}");
    let rule = "error[response-property-became-optional]";
    assert_eq!(printed.matches(rule).count(), 2, "{printed}");
    assert_eq!(printed.matches("[[accepted]]").count(), 1, "{printed}");
    assert!(
        printed.contains(
            "the entry shown above for spec/accepted-breaks.toml also accepts this change"
        ),
        "{printed}"
    );
    let lines = printed.lines().map(str::trim);
    let entry: Vec<&str> = lines
        .skip_while(|line| *line != "[[accepted]]")
        .take(5)
        .collect();
    let entry = entry
        .join("\n")
        .replace("reason = ''", "reason = 'It was never sent.'");
    repository.write("spec/accepted-breaks.toml", &entry);
    assert_printed(
        repository.run(&["check", "--gate", "breaking"]),
        0,
        &["2 accepted changes break a client of 1.0.0"],
    );
}

#[test]
fn the_last_line_of_check_counts_the_gates_that_warned() {
    let repository = Repository::code_first();
    let sums = repository.path("spec/released/SHA256SUMS");
    std::fs::remove_file(sums).expect("the record is removed");
    assert_printed(
        repository.run(&["check"]),
        0,
        &["\nno gate failed; 1 of 4 warned: breaking\n"],
    );
    let run = repository.run(&["check", "--gate", "breaking"]);
    assert_printed(run, 0, &["\nthe gate passed with a warning\n"]);
}
