//! Checks `x-waiters`: clients can wait for each state, the response can contain it, and each waiter has a unique name.

use crate::model::{Document, Method, NodeKind, Operation, Schema, Waiter, unescape_pointer_token};
use crate::problem::Problem;
use crate::rules::document as rules;
use std::collections::{HashMap, HashSet};

/// How many levels of `allOf` are followed.
const DEPTH: usize = 16;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    let mut names = HashMap::new();
    for operation in &document.operations {
        for waiter in &operation.waiters {
            problems.extend(unusable(operation, waiter));
            let mut seen = HashSet::new();
            for state in waiter.states().filter(|state| !seen.insert(&state.value)) {
                let message = format!("the state `{state}` is listed twice");
                problems.push(rules::WAITER.problem(&state.at, message, "list it in one place"));
            }
            problems.extend(impossible(document, operation, waiter));
            // Each waiter becomes a method of the client.
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
    let (name, path) = (&waiter.name, &waiter.path);
    let (at, message, help) = if operation.method != Method::Get {
        let message = format!("the operation of the waiter `{name}` is not a `GET`");
        let help = "move it to the operation that returns the state";
        (&waiter.at, message, help)
    } else if !path.value.starts_with('/') {
        let message = format!("the path `{path}` of the waiter `{name}` is not a JSON pointer");
        let help = "begin it with a slash, such as `/status`";
        (&path.at, message, help)
    } else if waiter.success.is_empty() {
        let message = format!("no state ends the waiter `{name}`");
        let help = "list the states that end it in `success`";
        (&waiter.at, message, help)
    } else {
        return None;
    };
    Some(rules::WAITER.problem(at, message, help))
}

/// Reports a state that no response can have, and a path that does not lead to a member. If the schema at the path
/// allows any value, nothing is reported.
fn impossible(document: &Document, operation: &Operation, waiter: &Waiter) -> Vec<Problem> {
    let name = &waiter.name;
    let responses = operation.responses.iter();
    let bodies = responses.filter(|response| response.status.value.is_success());
    let mut schemas = bodies.flat_map(|response| &response.content);
    let Some(body) = schemas.find_map(|content| content.schema.as_ref()) else {
        return Vec::new();
    };
    let mut places = vec![body];
    for step in waiter.path.value.split('/').skip(1) {
        let member = unescape_pointer_token(step);
        let (mut next, mut closed) = (Vec::new(), true);
        for place in places {
            closed &= members(document, place, &member, 0, &mut next);
        }
        if next.is_empty() {
            let message = format!(
                "the path `{}` of the waiter `{name}` leads to no member of the response: there is no `{member}`",
                waiter.path
            );
            let help = "use the names of the members in the schema of the response";
            let problem = rules::WAITER.problem(&waiter.path.at, message, help);
            return if closed { vec![problem] } else { Vec::new() };
        }
        places = next;
    }
    let mut allowed = Vec::new();
    for place in places {
        match values(document, place, 0) {
            Some(values) => allowed.extend(values),
            None => return Vec::new(),
        }
    }
    let list = allowed.iter().map(|value| format!("`{value}`"));
    let help = format!("the schema allows {}", list.collect::<Vec<_>>().join(", "));
    (waiter.states())
        .filter(|state| !allowed.contains(&state.value))
        .map(|state| {
            let message = format!(
                "`{}` can never be `{state}`, although the waiter `{name}` lists this state",
                waiter.path.value.trim_start_matches('/').replace('/', ".")
            );
            rules::WAITER.problem(&state.at, message, help.as_str())
        })
        .collect()
}

/// Collects the schemas of a member, and returns whether the schema describes all members. A schema with alternatives or
/// a map does not.
fn members<'d>(
    document: &'d Document,
    schema: &'d Schema,
    name: &str,
    depth: usize,
    found: &mut Vec<&'d Schema>,
) -> bool {
    let resolved = document.resolve(schema);
    let Some(schema) = resolved.filter(|_| depth < DEPTH) else {
        return false;
    };
    found.extend(schema.properties.get(name));
    let mut closed = !(schema.properties.is_empty() && schema.all_of.is_empty())
        && schema.additional_properties.is_none()
        && schema.one_of.is_empty()
        && schema.any_of.is_empty();
    for part in &schema.all_of {
        closed &= members(document, part, name, depth + 1, found);
    }
    closed
}

/// Returns the values of an enumeration in the form in which clients compare them; `None` if other values are possible.
fn values(document: &Document, schema: &Schema, depth: usize) -> Option<Vec<String>> {
    let resolved = document.resolve(schema);
    let schema = resolved.filter(|_| depth < DEPTH)?;
    match &schema.enumeration {
        Some(nodes) => {
            let values = nodes.iter().filter_map(|node| match &node.kind {
                NodeKind::String(text) => Some(text.clone()),
                NodeKind::Bool(value) => Some(value.to_string()),
                NodeKind::Number(number) => Some(number.to_string()),
                _ => None,
            });
            Some(values.collect())
        }
        None => {
            let mut parts = schema.all_of.iter();
            parts.find_map(|part| values(document, part, depth + 1))
        }
    }
}
