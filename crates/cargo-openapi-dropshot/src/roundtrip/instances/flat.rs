//! Collects the keywords of one schema, with `allOf` and references followed,
//! for `Instances`, which makes values from them.

use crate::roundtrip::validators::discriminator_names;
use serde_json::{Map, Value};

/// What a schema says, with references followed and `allOf` merged.
#[derive(Default)]
pub(super) struct Flat<'d> {
    /// The schema and the parts of its `allOf`.
    pub(super) parts: Vec<&'d Map<String, Value>>,
}

impl<'d> Flat<'d> {
    /// The first value of a keyword.
    pub(super) fn get(&self, keyword: &str) -> Option<&'d Value> {
        self.parts.iter().find_map(|part| part.get(keyword))
    }

    pub(super) fn number(&self, keyword: &str) -> Option<f64> {
        self.get(keyword).and_then(Value::as_f64)
    }

    pub(super) fn count(&self, keyword: &str) -> Option<usize> {
        self.get(keyword)
            .and_then(Value::as_u64)
            .and_then(|count| usize::try_from(count).ok())
    }

    pub(super) fn properties(&self) -> Vec<(&'d str, &'d Value)> {
        let mut found: Vec<(&str, &Value)> = Vec::new();
        for part in &self.parts {
            for (name, schema) in part
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                if !found.iter().any(|(known, _)| known == name) {
                    found.push((name, schema));
                }
            }
        }
        found
    }

    pub(super) fn required(&self) -> Vec<&'d str> {
        let lists = self
            .parts
            .iter()
            .filter_map(|part| part.get("required")?.as_array());
        lists.flatten().filter_map(Value::as_str).collect()
    }

    /// A value of an alternative, with its name where a discriminator wants one.
    pub(super) fn named(&self, alternative: &Value, mut value: Value) -> Value {
        let with = self
            .parts
            .iter()
            .find(|part| part.contains_key("discriminator"));
        let name = with.and_then(|part| {
            let property = part["discriminator"].get("propertyName")?.as_str()?;
            let names = discriminator_names(part, alternative)?;
            Some((property, names.into_iter().next()?))
        });
        if let (Some((property, name)), Some(members)) = (name, value.as_object_mut())
            && members.contains_key(property)
        {
            members.insert(property.to_owned(), name.into());
        }
        value
    }

    pub(super) fn kind(&self) -> &'d str {
        match self.get("type").and_then(Value::as_str) {
            Some(kind) => kind,
            None if !self.properties().is_empty() => "object",
            None if self.get("items").is_some() => "array",
            None => "",
        }
    }
}
