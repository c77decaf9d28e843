//! Compares the generated types with the schemas: a type accepts every value that is
//! valid by the document and writes it back equal, and rejects any other.

use super::{
    Trials,
    instances::UNKNOWN,
    program::Program,
    schemas::{Schema, Schemas},
};
use anyhow::{Context, Result};
use openapi_dropshot_contract::Document;
use serde_json::Value;
use std::{collections::BTreeMap, rc::Rc};

/// How many differences of one kind are reported of one schema.
const OF_A_KIND: usize = 3;

/// Tries the values of all schemas that have a type of their own.
pub(super) fn try_all(
    document: &Document,
    schemas: &Schemas,
    pairs: &BTreeMap<String, String>,
    program: &mut Program,
) -> Result<Trials> {
    let properties = Properties::of(schemas);
    let mut trials = Trials::default();
    for (pointer, name) in pairs {
        let node = document.root.pointer(pointer);
        let at = &node
            .with_context(|| format!("there is nothing at {pointer}"))?
            .at;
        let schema = schemas.at(pointer)?;
        let mut reported = BTreeMap::<&str, usize>::new();
        for value in schema.instances() {
            let is_valid = schema.is_valid(&value);
            trials.count(is_valid);
            let Some(result) = program.value(name, &value)? else {
                trials.differ("type-lost", at, name, "there is no type for it");
                break;
            };
            let (rule, what) = match result {
                Ok(_) if !is_valid => ("value-accepted", "is accepted, but not valid".to_owned()),
                Ok(written) => match properties.change(&value, &written) {
                    Some(rule) => (rule, format!("was written back as {}", shown(&written))),
                    None => continue,
                },
                Err(_) if !is_valid => continue,
                // `null` may be allowed where the schema is used; that is checked there.
                Err(_) if value.is_null() => {
                    let what = "is rejected where the type stands alone".to_owned();
                    ("component-null-at-use", what)
                }
                Err(why) => ("value-refused", format!("is valid, but rejected: {why}")),
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

/// The schemas of all properties of a document, by the name of the property.
struct Properties<'a> {
    schemas: &'a Schemas,
    by_name: BTreeMap<&'a str, Vec<&'a Value>>,
}

impl<'a> Properties<'a> {
    fn of(schemas: &'a Schemas) -> Self {
        let mut by_name = BTreeMap::<&str, Vec<&Value>>::new();
        let mut left = vec![&schemas.document];
        while let Some(value) = left.pop() {
            let properties = value.get("properties").and_then(Value::as_object);
            for (name, schema) in properties.into_iter().flatten() {
                by_name.entry(name).or_default().push(schema);
            }
            match value {
                Value::Object(members) => left.extend(members.values()),
                Value::Array(items) => left.extend(items),
                _ => {}
            }
        }
        Properties { schemas, by_name }
    }

    /// Returns the schemas of the properties with this name.
    fn named(&self, name: &str) -> impl Iterator<Item = Rc<Schema>> {
        let schemas = self.by_name.get(name).into_iter().flatten();
        // A member `properties` of an example contains no schemas, so it may fail to build.
        schemas.filter_map(|schema| self.schemas.build(schema).ok())
    }

    /// Returns whether no property describes a member. In `anyOf`, a member that is invalid for the
    /// alternative that declares it is an unknown member of the other one.
    fn is_unknown(&self, name: &str, value: &Value) -> bool {
        let mut named = self.named(name).peekable();
        let is_declared = named.peek().is_some();
        // The values of enumerations are tried as members, whose value is `null`.
        name == UNKNOWN
            || (!is_declared && value.is_null())
            || (is_declared && named.all(|schema| !schema.is_valid(value)))
    }

    /// Returns the rule of the most serious difference between a value and the value that was
    /// written back, if they differ: the last rule in alphabetical order, as `value-changed`.
    fn change(&self, value: &Value, written: &Value) -> Option<&'static str> {
        match (value, written) {
            (Value::Object(members), Value::Object(others)) => {
                let lost = members
                    .iter()
                    .filter_map(|(name, member)| match others.get(name) {
                        Some(other) => self.change(member, other),
                        None if self.is_unknown(name, member) => Some("unknown-member-left-out"),
                        None => Some("value-changed"),
                    });
                let added = others.keys().filter(|name| !members.contains_key(*name));
                let added = added.map(|name| {
                    let has_default = |schema: Rc<Schema>| schema.default().is_some();
                    if self.named(name).any(has_default) {
                        "default-written"
                    } else {
                        "value-changed"
                    }
                });
                lost.chain(added).max()
            }
            (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
                let pairs = items.iter().zip(others);
                pairs
                    .filter_map(|(item, other)| self.change(item, other))
                    .max()
            }
            (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
            _ => (value != written).then_some("value-changed"),
        }
    }
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
