//! Compares the generated types with the schemas: a type must accept every value that is valid for
//! the document, write it back unchanged, and reject every other value.

use super::{Trials, program::Program, schemas::Schemas, written::Written};
use anyhow::{Context, Result};
use openapi_dropshot_contract::{
    Document,
    rules::{DifferenceRule, differences},
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The maximum number of differences of the same kind that are reported for one schema.
const OF_A_KIND: usize = 3;

/// Tests the values of all schemas that have their own type.
pub(super) fn try_all(
    document: &Document,
    schemas: &Schemas,
    pairs: &BTreeMap<String, String>,
    program: &mut Program,
) -> Result<Trials> {
    let mut trials = Trials::default();
    let as_written = Written::of(document);
    for (pointer, name) in pairs {
        let node = document.root.pointer(pointer);
        let at = &node
            .with_context(|| format!("there is nothing at {pointer}"))?
            .at;
        let schema = schemas.at(pointer)?;
        let root = &schema.root;
        let judge = Judge { schemas, root };
        let mut reported = BTreeMap::<&DifferenceRule, usize>::new();
        let written = as_written.as_ref().and_then(|written| written.at(pointer));
        let others = written.as_ref().map(|written| written.instances());
        let others = others.into_iter().flatten();
        for value in schema.instances().into_iter().chain(others) {
            let is_valid = written.as_ref().unwrap_or(&schema).is_valid(&value);
            trials.count(is_valid);
            let Some(result) = program.value(name, &value)? else {
                trials.differ(&differences::TYPE_LOST, at, name, "there is no type for it");
                break;
            };
            let (rule, what) = match result {
                Ok(_) if !is_valid => (
                    &differences::VALUE_ACCEPTED,
                    "is accepted, but not valid".to_owned(),
                ),
                Ok(written) => match judge.change(&[root], &value, &written) {
                    Some(rule) => (rule, format!("was written back as {}", shown(&written))),
                    None => continue,
                },
                Err(_) if !is_valid => continue,
                // `null` may be allowed where the schema is used; it is tested there.
                Err(_) if value.is_null() => {
                    let what = "is rejected if the type is used alone".to_owned();
                    (&differences::COMPONENT_NULL_AT_USE, what)
                }
                Err(why) => (
                    &differences::VALUE_REFUSED,
                    format!("is valid, but rejected: {why}"),
                ),
            };
            let count = reported.entry(rule).or_default();
            *count += 1;
            if *count <= OF_A_KIND {
                trials.differ(rule, at, name, format!("{} {what}", shown(&value)));
            }
        }
    }
    Ok(trials)
}

/// Compares a value with what a type wrote back. Members that the document does not name may be
/// missing, and members with a default may be added.
struct Judge<'s> {
    schemas: &'s Schemas,
    /// The document of the schema, in which references are looked up.
    root: &'s Value,
}

impl<'s> Judge<'s> {
    /// Returns the rule of the most serious difference between a value and the value that was
    /// written back, if they differ. This is the last rule in alphabetical order, such as
    /// `value-changed`. All of the schemas apply to the value.
    fn change(
        &self,
        schemas: &[&'s Value],
        value: &Value,
        written: &Value,
    ) -> Option<&'static DifferenceRule> {
        match (value, written) {
            _ if value == written => None,
            (Value::Object(members), Value::Object(others)) => {
                let parts = self.parts(schemas, value);
                let lost = members.iter().filter_map(|(name, member)| {
                    let known = known(&parts, name);
                    match (others.get(name), known) {
                        (Some(other), known) => {
                            self.change(&known.unwrap_or_default(), member, other)
                        }
                        (None, Some(_)) => Some(&differences::VALUE_CHANGED),
                        (None, None) => Some(&differences::UNKNOWN_MEMBER_LEFT_OUT),
                    }
                });
                let added = others.keys().filter(|name| !members.contains_key(*name));
                let added = added.map(|name| {
                    let schemas = known(&parts, name).unwrap_or_default();
                    match schemas.into_iter().any(|schema| self.has_default(schema)) {
                        true => &differences::DEFAULT_WRITTEN,
                        false => &differences::VALUE_CHANGED,
                    }
                });
                lost.chain(added).max()
            }
            (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
                let parts = self.parts(schemas, value);
                let schemas: Vec<&Value> =
                    parts.iter().filter_map(|part| part.get("items")).collect();
                let pairs = items.iter().zip(others);
                pairs
                    .filter_map(|(item, other)| self.change(&schemas, item, other))
                    .max()
            }
            (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
            _ => Some(&differences::VALUE_CHANGED),
        }
    }

    /// Returns the schemas that describe a valid value: references and `allOf` are followed, and
    /// the alternatives for which the value is valid are chosen.
    fn parts(&self, schemas: &[&'s Value], value: &Value) -> Vec<&'s Map<String, Value>> {
        const MOST: usize = 200;
        let mut parts = Vec::new();
        let mut left = schemas.to_vec();
        while let Some(schema) = left.pop() {
            let Some(members) = schema.as_object().filter(|_| parts.len() < MOST) else {
                continue;
            };
            parts.push(members);
            left.extend(self.target(members));
            let of = |keyword: &str| members.get(keyword).and_then(Value::as_array);
            left.extend(of("allOf").into_iter().flatten());
            let alternatives = [of("oneOf"), of("anyOf")].into_iter().flatten().flatten();
            left.extend(alternatives.filter(|part| {
                let part = self.schemas.build(part);
                part.is_ok_and(|part| part.is_valid(value))
            }));
        }
        parts
    }

    fn has_default(&self, schema: &'s Value) -> bool {
        let schema = self.schemas.build(schema);
        schema.is_ok_and(|schema| schema.default().is_some())
    }

    /// Returns the schema to which a reference leads.
    fn target(&self, schema: &Map<String, Value>) -> Option<&'s Value> {
        let place = schema.get("$ref")?.as_str()?;
        self.root.pointer(place.strip_prefix('#')?)
    }
}

/// Returns the schemas that describe a member; `None` if no schema describes the member.
fn known<'s>(parts: &[&'s Map<String, Value>], name: &str) -> Option<Vec<&'s Value>> {
    let of_name = |part: &&'s Map<String, Value>| part.get("properties")?.get(name);
    let own: Vec<&Value> = parts.iter().filter_map(of_name).collect();
    if !own.is_empty() {
        return Some(own);
    }
    let others = parts
        .iter()
        .filter_map(|part| part.get("additionalProperties"));
    let others: Vec<&Value> = others.filter(|others| **others != false).collect();
    // An object without properties is a map.
    let is_map = parts.iter().all(|part| part.get("properties").is_none());
    (is_map || !others.is_empty()).then_some(others)
}

/// Formats a value on one line.
pub(super) fn shown(value: &Value) -> String {
    const LONGEST: usize = 160;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
