//! Tests webhooks and callbacks, where the service sends the requests: removing something from the
//! payload breaks the receiver, and so does a new requirement for the response.

use super::{before, changes, found};
use openapi_dropshot_contract::diff::{Change, Level, Policy};

fn document(webhook: &str, callback: &str) -> String {
    format!(
        "openapi: 3.1.0
info: {{title: T, version: 1.0.0}}
paths:
  /things:
    post:
      responses: {{'204': {{description: Done.}}}}
      callbacks: {{told: {{'{{$request.query.url}}': {{post: {{{callback}}}}}}}}}
webhooks:
  sold: {{post: {{{webhook}}}}}
"
    )
}

const PLAIN: &str = "responses: {'204': {description: Fine.}}";

/// Returns the changes from one operation to the other, first as an operation of a webhook, then of
/// a callback.
fn of_both(base: &str, revision: &str) -> [Vec<Change>; 2] {
    let policy = Policy::on(before());
    let compare = |old: String, new: String| {
        let mut changes = changes(&old, &new, &policy);
        changes.retain(|change| change.id != "api-version-not-bumped");
        changes
    };
    [
        compare(document(base, PLAIN), document(revision, PLAIN)),
        compare(document(PLAIN, base), document(PLAIN, revision)),
    ]
}

fn body(schema: &str) -> String {
    format!("requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}, {PLAIN}")
}

fn response(schema: &str) -> String {
    format!(
        "responses: {{'200': {{description: Fine., content: {{application/json: {{schema: {schema}}}}}}}}}"
    )
}

#[test]
fn removed_payload_properties_break_receivers_and_added_ones_do_not() {
    let small = body("{type: object, required: [a], properties: {a: {type: string}}}");
    let large = body(
        "{type: object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}",
    );
    for changes in of_both(&large, &small) {
        let expected = [(Level::Err, "response-required-property-removed")];
        assert_eq!(found(&changes), expected);
    }
    for changes in of_both(&small, &large) {
        let expected = [(Level::Info, "response-required-property-added")];
        assert_eq!(found(&changes), expected);
    }
}

#[test]
fn narrowing_the_response_of_a_receiver_breaks_receivers_and_widening_the_response_does_not() {
    let wide = response("{type: string, maxLength: 9}");
    let narrow = response("{type: string, maxLength: 5}");
    for changes in of_both(&wide, &narrow) {
        assert_eq!(
            found(&changes),
            [(Level::Err, "request-body-max-length-decreased")]
        );
    }
    for changes in of_both(&narrow, &wide) {
        assert_eq!(
            found(&changes),
            [(Level::Info, "request-body-max-length-increased")]
        );
    }
}

#[test]
fn a_change_names_the_webhook_or_callback_that_changed() {
    let [webhook, callback] = of_both(&body("{type: string}"), PLAIN);
    assert_eq!(found(&webhook), [(Level::Err, "webhook-body-removed")]);
    assert_eq!(webhook[0].operation.as_deref(), Some("webhook POST sold"));
    assert_eq!(found(&callback), [(Level::Err, "callback-body-removed")]);
    assert_eq!(
        callback[0].operation.as_deref(),
        Some("POST /things, callback POST told to {$request.query.url}")
    );
    let at = callback[0].at.base.as_ref().expect("a place");
    assert_eq!(at.line, 7);
}

#[test]
fn a_path_item_in_components_is_compared_as_part_of_the_webhook_that_refers_to_the_path_item() {
    let document = |schema: &str| {
        format!(
            "openapi: 3.1.0\ninfo: {{title: T, version: 1.0.0}}\nwebhooks: {{sold: {{$ref: '#/components/pathItems/P'}}}}\n\
             components: {{pathItems: {{P: {{post: {{{}}}}}}}}}\n",
            body(schema)
        )
    };
    let changes = changes(
        &document("{type: string}"),
        &document("{type: integer}"),
        &Policy::on(before()),
    );
    let found = found(&changes);
    assert!(
        found.contains(&(Level::Err, "response-body-type-changed")),
        "{found:?}"
    );
}

#[test]
fn an_upgrade_to_openapi_3_1_is_not_a_change() {
    let text = |version: &str, schema: &str| {
        format!(
            "openapi: {version}\ninfo: {{title: T, version: 1.0.0}}\npaths:\n  /a:\n    post:\n      {}\n",
            body(schema).replace(", responses:", "\n      responses:")
        )
    };
    let old = "{type: object, properties: {n: {type: integer, nullable: true, minimum: 1, exclusiveMinimum: true}, e: {type: string, enum: [a]}}}";
    let new = "{type: object, properties: {n: {type: [integer, 'null'], exclusiveMinimum: 1}, e: {type: string, enum: [a]}}}";
    let policy = Policy::on(before());
    assert_eq!(
        changes(&text("3.0.3", old), &text("3.1.0", new), &policy),
        []
    );
}
