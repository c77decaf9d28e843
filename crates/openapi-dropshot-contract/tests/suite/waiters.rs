//! Tests `x-waiters`.

use crate::support::{assert_fault, readable, with_operation, with_paths};

#[test]
fn the_declared_waiters_are_read_from_the_document() {
    let document = readable(&with_operation(
        "      x-waiters:
        delivered: {path: /order/status, success: [delivered], failure: [cancelled], retry: [placed]}
",
    ));
    let [waiter] = document.operations[0].waiters.as_slice() else {
        panic!("there is one: {document:?}");
    };
    assert_eq!(waiter.name, "delivered");
    assert_eq!(waiter.path.value, "/order/status");
    let states = [&waiter.success, &waiter.failure, &waiter.retry];
    let states = states.map(|states| states[0].value.as_str());
    assert_eq!(states, ["delivered", "cancelled", "placed"]);
}

#[test]
fn an_invalid_waiter_is_rejected_at_its_place() {
    for (waiter, message, help) in [
        (
            "{path: «status, success: [a]}",
            "the path `status` of the waiter `done` is not a JSON pointer",
            "`/status`",
        ),
        (
            "«{path: /status, failure: [a]}",
            "no state ends the waiter `done`",
            "`success`",
        ),
        (
            "{path: /status, success: [a], failure: [«a]}",
            "the state `a` is listed twice",
            "one place",
        ),
    ] {
        let text = with_operation(&format!("      x-waiters:\n        done: {waiter}\n"));
        assert_fault(&text, "waiter", message, help);
    }
}

/// A document whose operation returns an order, with this waiter.
fn with_order(waiter: &str) -> String {
    let order = "{type: object, properties: {status: {type: string, enum: [placed, delivered]}, \
                 note: {type: string}, any: {type: object}}}";
    with_paths(&format!(
        "  /a:
    get:
      responses:
        '200':
          description: Fine.
          content:
            application/json:
              schema: {{allOf: [{order}]}}
      x-waiters:
        done: {waiter}
"
    ))
}

#[test]
fn a_waiter_state_that_no_response_has_is_rejected_at_its_place() {
    for (waiter, message, help) in [
        (
            "{path: /status, success: [«deliverd]}",
            "`status` can never be `deliverd`, although the waiter `done` lists this state",
            "the schema allows `placed`, `delivered`",
        ),
        (
            "{path: /status, success: [delivered], failure: [«lost]}",
            "`status` can never be `lost`",
            "`placed`, `delivered`",
        ),
        (
            "{path: /status, success: [delivered], retry: [placed, «paid]}",
            "`status` can never be `paid`",
            "`placed`, `delivered`",
        ),
        (
            "{path: «/state, success: [delivered]}",
            "leads to no member of the response: there is no `state`",
            "schema of the response",
        ),
    ] {
        assert_fault(&with_order(waiter), "waiter", message, help);
    }
}

#[test]
fn a_waiter_may_have_any_state_if_the_schema_lists_no_values() {
    for waiter in [
        "{path: /status, success: [delivered], retry: [placed]}",
        "{path: /note, success: [delivered]}",
        "{path: /any/state, success: [delivered]}",
    ] {
        readable(&with_order(waiter));
    }
}
