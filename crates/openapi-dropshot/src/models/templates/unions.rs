//! How generated code reads and describes a value that is one of several.

use schemars::schema::{Schema, SchemaObject};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The alternatives of a type, tried on one value.
pub(super) struct Alternatives<'v, T> {
    value: &'v Value,
    taken: Vec<(&'static str, T, usize)>,
    refused: String,
}

impl<'v, T> Alternatives<'v, T> {
    /// None is tried yet.
    pub(super) fn of(value: &'v Value) -> Self {
        Alternatives {
            value,
            taken: Vec::new(),
            refused: String::new(),
        }
    }

    /// Tries one.
    pub(super) fn or<U>(mut self, name: &'static str, make: fn(U) -> T) -> Self
    where
        U: DeserializeOwned + Serialize,
    {
        match serde_json::from_value::<U>(self.value.clone()) {
            Ok(taken) => {
                let kept = serde_json::to_value(&taken).unwrap_or_default();
                let lost = lost(self.value, &kept);
                self.taken.push((name, make(taken), lost));
            }
            Err(error) => self.refused.push_str(&format!("; {name}: {error}")),
        }
        self
    }

    /// The only one that takes the value (`oneOf`).
    pub(super) fn one(mut self) -> Result<T, String> {
        match (self.taken.pop(), self.taken.pop()) {
            (Some((_, taken, _)), None) => Ok(taken),
            (Some((second, ..)), Some((first, ..))) => Err(format!(
                "must be one alternative only, but is both {first} and {second}"
            )),
            (None, _) => Err(format!("is none of the alternatives{}", self.refused)),
        }
    }

    /// The one that keeps the most of the value, the first of several (`anyOf`).
    pub(super) fn any(self) -> Result<T, String> {
        match self.taken.into_iter().min_by_key(|(.., lost)| *lost) {
            Some((_, taken, _)) => Ok(taken),
            None => Err(format!("is none of the alternatives{}", self.refused)),
        }
    }
}

/// How many parts of a value were not kept.
fn lost(value: &Value, kept: &Value) -> usize {
    match (value, kept) {
        (Value::Object(members), Value::Object(others)) => members
            .iter()
            .map(|(name, member)| others.get(name).map_or(1, |other| lost(member, other)))
            .sum(),
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => items
            .iter()
            .zip(others)
            .map(|(item, other)| lost(item, other))
            .sum(),
        _ => usize::from(value != kept),
    }
}

/// The value of the property that names the alternative (`discriminator`).
pub(super) fn tag<'v>(value: &'v Value, property: &str) -> Result<&'v str, String> {
    value
        .get(property)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("must have a string `{property}`, which names the alternative"))
}

/// The alternative with the words that the document has for it.
pub(super) fn described(
    schema: Schema,
    title: Option<&str>,
    description: Option<&str>,
) -> Schema {
    if title.is_none() && description.is_none() {
        return schema;
    }
    let mut object = SchemaObject::default();
    if schema.is_ref() {
        object.subschemas().all_of = Some(vec![schema]);
    } else {
        object = schema.into_object();
    }
    object.metadata().title = title.map(str::to_owned);
    object.metadata().description = description.map(str::to_owned);
    object.into()
}
