//! Tests edits of a whole contract, each with the id and the level of the
//! change. An edit that breaks no client must not be reported as breaking.

use super::{before, changes};
use crate::support::CONTRACT;
use openapi_dropshot_contract::diff::{Level, Policy};

struct Edit {
    /// The text to replace, at its first occurrence after `after`.
    old: &'static str,
    new: &'static str,
    /// A line before the edit.
    after: &'static str,
    id: &'static str,
    level: Level,
}

const fn edit(
    after: &'static str,
    old: &'static str,
    new: &'static str,
    level: Level,
    id: &'static str,
) -> Edit {
    Edit {
        old,
        new,
        after,
        id,
        level,
    }
}

const LIST: &str = "operationId: listBooks\n";
const CREATE: &str = "operationId: createBook\n";
const GET: &str = "operationId: getBook\n";
const LIMIT: &str = "    Limit:\n";
const CURSOR: &str = "    Cursor:\n";
const STATUS: &str = "    BookStatus:\n";
const NEW_BOOK: &str = "    NewBook:\n";
const BOOK: &str = "    Book:\n";
const BOOKS: &str = "    Books:\n";
const ERROR: &str = "    Error:\n";
const NAME: &str = "          description: The book's name.\n";

use Level::{Err, Info, Warn};

// One edit per line.
#[rustfmt::skip]
const EDITS: &[Edit] = &[
    // Operations and their lifecycle.
    edit("", "operationId: listBooks", "operationId: allBooks", Info, "api-operation-id-removed"),
    edit(LIST, "tags: [books]", "tags: [novels]", Info, "api-tag-added"),
    edit(LIST, "tags: [books]", "tags: []", Info, "api-tag-removed"),
    edit(LIST, "      summary:", "      deprecated: true\n      summary:", Info, "endpoint-deprecated"),
    edit(LIST, "      summary:", "      x-stability-level: beta\n      summary:", Err, "api-stability-decreased"),
    edit(GET, "      deprecated: true\n", "", Info, "endpoint-reactivated"),
    edit(GET, "2030-12-05", "2030-12-04", Err, "api-sunset-moved-closer"),
    edit(GET, "2030-12-05", "2031-12-05", Info, "api-sunset-date-changed"),
    edit(GET, "      x-sunset: 2030-12-05\n", "", Err, "sunset-deleted"),
    edit(GET, "2030-12-05", "soon", Err, "api-path-sunset-parse"),
    edit("", "  /books/{bookId}:\n", "  /novels/{bookId}:\n", Err, "api-path-removed-before-sunset"),
    edit("", "  /books/{bookId}:\n", "  /novels/{bookId}:\n", Info, "endpoint-added"),
    edit("", "  /books:\n", "  /novels:\n", Err, "api-path-removed-without-deprecation"),
    edit("", "  /books/{bookId}:\n    get:", "  /books/{bookId}:\n    head:", Err, "api-removed-before-sunset"),
    // Parameters.
    edit(LIST, "        - $ref: '#/components/parameters/Limit'\n", "", Warn, "request-parameter-removed"),
    edit(LIST, "      parameters:\n", "      parameters:\n        - {name: owner, in: query, required: true, schema: {type: string}}\n", Err, "new-required-request-parameter"),
    edit(LIST, "      parameters:\n", "      parameters:\n        - {name: owner, in: query, schema: {type: string}}\n", Info, "new-optional-request-parameter"),
    edit("", "  /books:\n", "  /books:\n    parameters:\n      - {name: owner, in: query, required: true, schema: {type: string}}\n", Err, "new-required-request-default-parameter-to-existing-path"),
    edit(LIMIT, "      schema:", "      required: true\n      schema:", Err, "request-parameter-became-required"),
    edit(LIMIT, "maximum: 100", "maximum: 50", Err, "request-parameter-max-decreased"),
    edit(LIMIT, "maximum: 100", "maximum: 200", Info, "request-parameter-max-increased"),
    edit(LIMIT, "minimum: 1", "minimum: 2", Err, "request-parameter-min-increased"),
    edit(LIMIT, "minimum: 1", "minimum: 0", Info, "request-parameter-min-decreased"),
    edit(LIMIT, "default: 20", "default: 10", Info, "request-parameter-default-value-changed"),
    edit(LIMIT, "        default: 20\n", "", Info, "request-parameter-default-value-removed"),
    edit(LIMIT, "type: integer", "type: boolean", Err, "request-parameter-type-changed"),
    edit(LIMIT, "type: integer", "type: number", Info, "request-parameter-type-generalized"),
    edit(LIMIT, "        default: 20", "        multipleOf: 5\n        default: 20", Err, "request-parameter-multiple-of-set"),
    edit(LIMIT, "in: query", "in: header", Warn, "request-parameter-removed"),
    edit(CURSOR, "maxLength: 200", "maxLength: 100", Warn, "request-parameter-max-length-decreased"),
    edit(CURSOR, "        maxLength: 200", "        maxLength: 200\n        pattern: ^[a-z]+$", Warn, "request-parameter-pattern-added"),
    edit(STATUS, "        - sold\n", "", Err, "request-parameter-enum-value-removed"),
    edit(STATUS, "        - sold\n", "        - sold\n        - lent\n", Err, "response-property-enum-value-added"),
    // Request bodies, and the effect of the same schema in responses.
    edit(CREATE, "        required: true\n", "", Info, "request-body-became-optional"),
    edit(CREATE, "          application/json:", "          application/xml:", Err, "request-body-media-type-removed"),
    edit(NEW_BOOK, "        - categoryId\n", "        - categoryId\n        - status\n", Err, "request-property-became-required"),
    edit(NEW_BOOK, "        - categoryId\n", "", Err, "response-property-became-optional"),
    edit(NEW_BOOK, "        - categoryId\n", "", Info, "request-property-became-optional"),
    edit(NAME, "type: string", "type: string\n          maxLength: 40", Err, "request-property-max-length-set"),
    edit(NAME, "type: string", "type: string\n          minLength: 1", Err, "request-property-min-length-set"),
    edit(NAME, "type: string", "type: string\n          pattern: ^[A-Z]", Err, "request-property-pattern-added"),
    edit(NAME, "type: string", "type: string\n          nullable: true", Err, "response-property-became-nullable"),
    edit(NAME, "type: string", "type: integer", Err, "request-property-type-changed"),
    edit(NAME, "type: string", "type: string\n          readOnly: true", Info, "request-required-property-became-read-only"),
    edit(NAME, "type: string", "type: string\n          deprecated: true", Info, "request-property-deprecated"),
    edit(NEW_BOOK, "        name:\n", "        breed: {type: string}\n        name:\n", Info, "new-optional-request-property"),
    edit(NEW_BOOK, "        - name\n", "        - name\n        - breed\n", Err, "request-property-became-required"),
    edit(NEW_BOOK, "      type: object\n", "      type: object\n      additionalProperties: false\n", Err, "request-body-additional-properties-closed"),
    // Responses.
    edit(BOOK, "            - id\n", "            - name\n", Err, "response-property-became-optional"),
    edit(BOOK, "format: int64", "format: int32", Info, "response-property-type-specialized"),
    edit(BOOK, "type: integer", "type: string", Err, "response-property-type-changed"),
    edit(BOOKS, "      type: array\n", "      type: array\n      nullable: true\n", Err, "response-body-became-nullable"),
    edit(ERROR, "        - message\n", "", Err, "response-property-became-optional"),
    edit(LIST, "            Link:", "            Next:", Info, "optional-response-header-removed"),
    edit(LIST, "            Link:", "            Next:", Info, "response-header-added"),
    edit(CREATE, "        '201':", "        '202':", Err, "response-success-status-removed"),
    edit(GET, "        '404':", "        '410':", Info, "response-non-success-status-removed"),
    edit(LIST, "            application/json:", "            text/plain:", Err, "response-media-type-removed"),
    // Security.
    edit("", "security:\n  - apiKey: []\n", "", Err, "api-global-security-removed"),
    edit("securitySchemes:\n", "type: http", "type: apiKey", Info, "api-security-component-type-changed"),
];

/// Changes of descriptions and of the order, which clients cannot notice.
const HARMLESS: &[(&str, &str)] = &[
    ("summary: List books", "summary: All books"),
    (
        "description: The maximum number of books returned.",
        "description: How many.",
    ),
    ("\n      example: 20\n", "\n"),
    (
        "        - available\n        - pending\n",
        "        - pending\n        - available\n",
    ),
    (
        "        - name\n        - categoryId\n",
        "        - categoryId\n        - name\n",
    ),
    (
        "/books/{bookId}:",
        "/books/{bookId}:\n    summary: One book",
    ),
];

fn edited(text: &str, edit: &Edit) -> String {
    let from = text.find(edit.after).expect(edit.after) + edit.after.len();
    let (before, below) = text.split_at(from);
    assert!(below.contains(edit.old), "nothing to edit: {}", edit.old);
    format!("{before}{}", below.replacen(edit.old, edit.new, 1))
}

#[test]
fn every_edit_of_the_contract_is_reported_by_the_expected_rule() {
    let contract = CONTRACT;
    let mut wrong = Vec::new();
    for edit in EDITS {
        let changes = changes(contract, &edited(contract, edit), &Policy::on(before()));
        let is_found = |change: &&_| {
            let change: &openapi_dropshot_contract::diff::Change = change;
            change.id == edit.id && change.level == edit.level
        };
        let breaks: Vec<_> = (changes.iter())
            .filter(|change| change.level == Level::Err)
            .map(|change| change.id)
            .collect();
        if !changes.iter().any(|change| is_found(&change)) {
            wrong.push(format!(
                "{} -> {}: no {} {} but {breaks:?}",
                edit.old, edit.new, edit.level, edit.id
            ));
        }
    }
    assert!(EDITS.len() >= 40);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn an_edit_that_only_widens_requests_breaks_nothing() {
    let contract = CONTRACT;
    let ids = [
        "api-tag-added",
        "endpoint-deprecated",
        "request-parameter-max-increased",
        "request-parameter-min-decreased",
        "request-parameter-type-generalized",
        "new-optional-request-parameter",
        "request-body-became-optional",
        "api-sunset-date-changed",
        "new-optional-request-property",
    ];
    for edit in EDITS.iter().filter(|edit| ids.contains(&edit.id)) {
        let changes = changes(contract, &edited(contract, edit), &Policy::on(before()));
        let broken: Vec<_> = changes
            .iter()
            .filter(|change| change.level == Level::Err)
            .collect();
        assert!(broken.is_empty(), "{}: {broken:#?}", edit.new);
    }
}

#[test]
fn changed_descriptions_and_changed_order_are_not_reported() {
    let contract = CONTRACT;
    assert_eq!(changes(contract, contract, &Policy::on(before())), []);
    for (old, new) in HARMLESS {
        assert!(contract.contains(old), "nothing to edit: {old}");
        let revision = contract.replacen(old, new, 1);
        let changes = changes(contract, &revision, &Policy::on(before()));
        assert_eq!(changes, [], "{old} -> {new}");
    }
}
