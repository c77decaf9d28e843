//! Tests `x-waiters`.

use crate::support::{assert_fault, readable, with_operation};

#[test]
fn waiters_are_read() {
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
fn a_waiter_for_which_no_client_can_wait_is_rejected() {
    for (waiter, message, help) in [
        (
            "{path: «status, success: [a]}",
            "the path `status` of the waiter `done` is no JSON pointer",
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
