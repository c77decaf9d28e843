//! Parses a value that is one of several types (`oneOf`, `anyOf`, `discriminator`), and describes its
//! alternatives.

use crate::shapes::extensible;
use schemars::schema::Schema;
use serde::{Serialize, Serializer, de::DeserializeOwned, ser::Error as _};
use serde_json::Value;

/// The result of trying the alternatives of a type on one value.
#[derive(Debug)]
pub struct Alternatives<'v, T> {
    value: &'v Value,
    /// The alternatives that accept the value, each with the number of parts of the value that it loses.
    accepted: Vec<(&'static str, T, usize)>,
    /// Why the other alternatives reject it.
    rejections: String,
}

impl<'v, T> Alternatives<'v, T> {
    /// Creates the state before any alternative was tried.
    pub fn of(value: &'v Value) -> Self {
        Alternatives {
            value,
            accepted: Vec::new(),
            rejections: String::new(),
        }
    }

    /// Tries one alternative.
    pub fn or<U>(mut self, name: &'static str, make: fn(U) -> T) -> Self
    where
        U: DeserializeOwned + Serialize,
    {
        match serde_json::from_value::<U>(self.value.clone()) {
            Ok(accepted) => {
                let written = serde_json::to_value(&accepted).unwrap_or_default();
                let lost = lost_parts(self.value, &written);
                self.accepted.push((name, make(accepted), lost));
            }
            Err(error) => self.rejections.push_str(&format!("; {name}: {error}")),
        }
        self
    }

    /// Returns the only alternative that accepts the value (`oneOf`).
    ///
    /// # Errors
    ///
    /// Returns an error if no alternative accepts the value, or if more than one does.
    pub fn one(mut self) -> Result<T, String> {
        match (self.accepted.pop(), self.accepted.pop()) {
            (Some((_, accepted, _)), None) => Ok(accepted),
            (Some((second, ..)), Some((first, ..))) => Err(format!(
                "must match only one alternative, but matches both {first} and {second}"
            )),
            (None, _) => Err(format!(
                "does not match any of the alternatives{}",
                self.rejections
            )),
        }
    }

    /// Returns the alternative that keeps the most parts of the value (`anyOf`). If several keep as many, returns
    /// the first of them.
    ///
    /// # Errors
    ///
    /// Returns an error if no alternative accepts the value.
    pub fn any(self) -> Result<T, String> {
        match self.accepted.into_iter().min_by_key(|(.., lost)| *lost) {
            Some((_, accepted, _)) => Ok(accepted),
            None => Err(format!(
                "does not match any of the alternatives{}",
                self.rejections
            )),
        }
    }
}

/// Returns how many parts of a value are missing from what was written back.
fn lost_parts(value: &Value, written: &Value) -> usize {
    match (value, written) {
        (Value::Object(members), Value::Object(others)) => members
            .iter()
            .map(|(name, member)| {
                others
                    .get(name)
                    .map_or(1, |other| lost_parts(member, other))
            })
            .sum(),
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => items
            .iter()
            .zip(others)
            .map(|(item, other)| lost_parts(item, other))
            .sum(),
        _ => usize::from(value != written),
    }
}

/// Returns the value of the property that names the alternative (`discriminator`).
///
/// # Errors
///
/// Returns an error if the value has no such property, or if the property is not a string.
pub fn tag<'v>(value: &'v Value, property: &str) -> Result<&'v str, String> {
    value
        .get(property)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("must have a string `{property}`, which names the alternative"))
}

/// Writes an alternative, and adds the property that names it (`discriminator`), because its own schema does not
/// require this property.
///
/// # Errors
///
/// Returns an error if the alternative cannot be written.
pub fn with_tag<S: Serializer>(
    alternative: &impl Serialize,
    property: &str,
    tag: &str,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut value = serde_json::to_value(alternative).map_err(S::Error::custom)?;
    if let Value::Object(members) = &mut value {
        let member = members.entry(property).or_insert(Value::Null);
        if member.is_null() {
            *member = tag.into();
        }
    }
    value.serialize(serializer)
}

/// Returns the schema of an alternative, with the title and the description that the document has for it.
pub fn described(schema: Schema, title: Option<&str>, description: Option<&str>) -> Schema {
    if title.is_none() && description.is_none() {
        return schema;
    }
    let mut object = extensible(schema);
    object.metadata().title = title.map(str::to_owned);
    object.metadata().description = description.map(str::to_owned);
    object.into()
}

#[cfg(test)]
mod tests;
