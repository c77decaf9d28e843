//! Checks `x-waiters`: clients can wait for each state, and each waiter has a name of its own.

use crate::model::{Document, Method, Operation, Spanned, Waiter};
use crate::problem::Problem;
use crate::rules::document as rules;
use std::collections::{HashMap, HashSet};

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    let mut names = HashMap::new();
    for operation in &document.operations {
        for waiter in &operation.waiters {
            problems.extend(unusable(operation, waiter));
            let states = [&waiter.success, &waiter.failure, &waiter.retry];
            problems.extend(listed_twice(states.into_iter().flatten()));
            // Each becomes a method of the client.
            let first = names.entry(waiter.name.as_str()).or_insert(&waiter.at);
            if !std::ptr::eq(*first, &waiter.at) {
                let message = format!("the waiter `{}` exists twice", waiter.name);
                let problem = rules::WAITER.problem(&waiter.at, message, "choose another name");
                problems.push(problem.with_related(first, "first used here"));
            }
        }
    }
}

fn unusable(operation: &Operation, waiter: &Waiter) -> Option<Problem> {
    let name = &waiter.name;
    let (at, message, help) = if operation.method != Method::Get {
        let message = format!("the operation of the waiter `{name}` is no `GET`");
        (
            &waiter.at,
            message,
            "move it to the operation that returns the state",
        )
    } else if !waiter.path.value.starts_with('/') {
        let message = format!(
            "the path `{}` of the waiter `{name}` is no JSON pointer",
            waiter.path
        );
        (
            &waiter.path.at,
            message,
            "begin it with a slash, like `/status`",
        )
    } else if waiter.success.is_empty() {
        let message = format!("no state ends the waiter `{name}`");
        (
            &waiter.at,
            message,
            "list the states that end it in `success`",
        )
    } else {
        return None;
    };
    Some(rules::WAITER.problem(at, message, help))
}

fn listed_twice<'a>(
    states: impl Iterator<Item = &'a Spanned<String>>,
) -> impl Iterator<Item = Problem> {
    let mut seen = HashSet::new();
    states
        .filter(move |state| !seen.insert(state.value.as_str()))
        .map(|state| {
            let message = format!("the state `{state}` is listed twice");
            rules::WAITER.problem(&state.at, message, "list it in one place")
        })
}
