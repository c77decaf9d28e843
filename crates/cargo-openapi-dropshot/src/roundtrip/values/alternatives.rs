//! Finds the members of the alternatives of `anyOf`. A member that breaks the
//! rules of the alternative that declares it is an unknown member of the
//! alternative that accepts the value.

use crate::roundtrip::validators::Validators;
use anyhow::Result;
use jsonschema::Validator;
use serde_json::Value;
use std::rc::Rc;

/// The members with their schemas.
pub(super) struct Alternatives(Vec<(String, Rc<Validator>)>);

/// Those of a document.
pub(super) fn of(validators: &Validators) -> Result<Alternatives> {
    let (root, mut found) = (validators.root(), Vec::new());
    let mut left = vec![root];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(members) => {
                let alternatives = members.get("anyOf").and_then(Value::as_array);
                for alternative in alternatives.into_iter().flatten() {
                    let target = alternative.get("$ref").and_then(Value::as_str);
                    let target = target.and_then(|place| root.pointer(place.strip_prefix('#')?));
                    let properties = target.unwrap_or(alternative).get("properties");
                    for (name, schema) in
                        properties.and_then(Value::as_object).into_iter().flatten()
                    {
                        found.push((name.clone(), validators.of_plain(schema)?));
                    }
                }
                left.extend(members.values());
            }
            Value::Array(items) => left.extend(items),
            _ => {}
        }
    }
    Ok(Alternatives(found))
}

impl Alternatives {
    /// Whether an alternative has a member of this name, and none of them this value.
    pub(super) fn do_not_name(&self, name: &str, value: &Value) -> bool {
        let mut named = self.0.iter().filter(|(known, _)| known == name).peekable();
        named.peek().is_some() && named.all(|(_, validator)| !validator.is_valid(value))
    }
}
