use schemars::schema::{Schema, SchemaObject};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The alternatives of a type, tried on one value.
pub(super) struct Alternatives<'v, T> {
    value: &'v Value,
    taken: Vec<(&'static str, T, bool)>,
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
                let whole = serde_json::to_value(&taken).is_ok_and(|kept| kept == *self.value);
                self.taken.push((name, make(taken), whole));
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

    /// The first one that keeps all of the value, or that takes it (`anyOf`).
    pub(super) fn any(mut self) -> Result<T, String> {
        let whole = self.taken.iter().position(|(.., whole)| *whole);
        if self.taken.is_empty() {
            Err(format!("is none of the alternatives{}", self.refused))
        } else {
            Ok(self.taken.swap_remove(whole.unwrap_or_default()).1)
        }
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
