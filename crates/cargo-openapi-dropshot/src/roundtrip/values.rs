//! Compares the generated types with the schemas: a type accepts every value that is
//! valid by the document and writes it back equal, and rejects any other.

mod alternatives;

use super::{
    instances::{Instances, UNKNOWN},
    program::{Outcome, Program},
    tally::Tally,
    validators::Validators,
};
use alternatives::Alternatives;
use anyhow::{Context, Result};
use openapi_dropshot_contract::{
    Document,
    meaning::{Comparison, Difference},
    model::Schema,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// How many differences of one kind are reported of one schema.
const OF_A_KIND: usize = 3;

/// Tries the values of all schemas that have a type of their own.
pub(super) fn try_all(
    document: &Document,
    validators: &Validators,
    comparison: &Comparison,
    program: &mut Program,
) -> Result<(Tally, Vec<Difference>)> {
    let known = Known {
        defaults: defaults(validators.root()),
        alternatives: alternatives::of(validators)?,
    };
    let instances = Instances::new(validators.root());
    let (mut tally, mut differences) = (Tally::default(), Vec::new());
    for (pointer, name) in &comparison.pairs {
        let node = document.root.pointer(pointer);
        let node = node.with_context(|| format!("there is nothing at {}", pointer))?;
        let (schema, plain) = (
            Schema::anything(node.at.clone()),
            validators.root().pointer(pointer),
        );
        let validator = validators.of(&schema)?;
        let mut reported = std::collections::BTreeMap::<&str, usize>::new();
        for value in plain.map(|plain| instances.of(plain)).unwrap_or_default() {
            let is_valid = validator.is_valid(&value);
            tally.count(is_valid);
            let found = match (program.value(name, &value.to_string())?, is_valid) {
                (Outcome::Unknown, _) => {
                    differences.push(difference(
                        "type-lost",
                        &schema,
                        name,
                        "there is no type for it".to_owned(),
                    ));
                    break;
                }
                (Outcome::Accepted(_), false) => Some((
                    "value-accepted",
                    format!("{} is accepted, but not valid", shown(&value)),
                )),
                // What may be `null` says so where it is used, which is tried there.
                (Outcome::Rejected(_), true) if value.is_null() => Some((
                    "component-null-at-use",
                    "`null` is rejected where the type stands alone".to_owned(),
                )),
                (Outcome::Rejected(why), true) => Some((
                    "value-refused",
                    format!("{} is valid, but rejected: {why}", shown(&value)),
                )),
                (Outcome::Accepted(written), true) => {
                    changed(&value, &written, &known).map(|rule| {
                        (
                            rule,
                            format!("{} was written back as {}", shown(&value), shown(&written)),
                        )
                    })
                }
                (Outcome::Rejected(_), false) => None,
            };
            if let Some((rule, message)) = found {
                let count = reported.entry(rule).or_default();
                *count += 1;
                if *count <= OF_A_KIND {
                    differences.push(difference(rule, &schema, name, message));
                }
            }
        }
    }
    Ok((tally, differences))
}

fn difference(rule: &'static str, schema: &Schema, part: &str, message: String) -> Difference {
    Difference {
        rule,
        at: schema.at.clone(),
        part: part.to_owned(),
        message,
    }
}

/// Members that may differ.
struct Known {
    /// The names of members that have a default.
    defaults: BTreeSet<String>,
    /// The members of the alternatives of `anyOf`.
    alternatives: Alternatives,
}

/// How a value differs from what was written back, where it does.
fn changed(value: &Value, written: &Value, known: &Known) -> Option<&'static str> {
    match (value, written) {
        (Value::Object(members), Value::Object(others)) => {
            let mut found = None;
            for (name, member) in members {
                match others.get(name) {
                    Some(other) => found = changed(member, other, known).or(found),
                    None if name == UNKNOWN => found = Some("unknown-member-left-out"),
                    None if known.alternatives.do_not_name(name, member) => {
                        found = found.or(Some("alternative-member-left-out"));
                    }
                    None => return Some("value-changed"),
                }
            }
            let mut added = others
                .keys()
                .filter(|name| !members.contains_key(*name))
                .peekable();
            if added.peek().is_none() {
                return found;
            }
            if added.all(|name| known.defaults.contains(name)) {
                found.or(Some("default-written"))
            } else {
                Some("value-changed")
            }
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => items
            .iter()
            .zip(others)
            .filter_map(|(item, other)| changed(item, other, known))
            .max(),
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        _ if value == written => None,
        _ => Some("value-changed"),
    }
}

/// The names of all members that have a default.
fn defaults(root: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut left = vec![root];
    while let Some(value) = left.pop() {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            // The default may stand behind references; whether it is the right
            // one is seen where the schemas are compared.
            let with = properties
                .iter()
                .filter(|(_, schema)| has_default(root, schema, 10));
            names.extend(with.map(|(name, _)| name.clone()));
        }
        match value {
            Value::Object(members) => left.extend(members.values()),
            Value::Array(items) => left.extend(items),
            _ => {}
        }
    }
    names
}

fn has_default(root: &Value, schema: &Value, left: usize) -> bool {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| root.pointer(reference.strip_prefix('#')?));
    let only = schema
        .get("allOf")
        .and_then(Value::as_array)
        .filter(|parts| parts.len() == 1)
        .and_then(|parts| parts.first());
    schema.get("default").is_some()
        || (left > 0
            && [target, only]
                .into_iter()
                .flatten()
                .any(|schema| has_default(root, schema, left - 1)))
}

/// A value in one line.
pub(super) fn shown(value: &Value) -> String {
    const LONGEST: usize = 160;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
