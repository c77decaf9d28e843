//! Makes values of a schema, the same ones each time: some that are valid, and
//! for each rule some just inside and just outside of it. Whether a value is
//! valid is decided by `validators`.

mod flat;
mod scalars;

use flat::Flat;
use serde_json::{Map, Value, json};

/// How deep values are nested.
const DEEPEST: usize = 5;
/// How many values are made of one schema at most.
const MOST: usize = 300;
/// How many of the values of a part are tried in the whole.
const OF_A_PART: usize = 24;

/// The name of a member that no document has.
pub(super) const UNKNOWN: &str = "zz-not-in-the-document";

/// Makes values of the schemas of one document.
pub(super) struct Instances<'d> {
    root: &'d Value,
}

impl<'d> Instances<'d> {
    /// Of the document with this root.
    pub(super) fn new(root: &'d Value) -> Self {
        Instances { root }
    }

    /// A valid value of the schema, as small as can be; nothing where none was
    /// found, or where every value has to contain another one.
    pub(super) fn valid(&self, schema: &'d Value) -> Option<Value> {
        self.smallest(schema, 0)
    }

    /// Values that are valid, and values that are not, in no order.
    pub(super) fn of(&self, schema: &'d Value) -> Vec<Value> {
        let mut values = self.values(schema, 0);
        values.extend([
            Value::Null,
            json!(true),
            json!(0),
            json!(-1),
            json!(1.5),
            json!(""),
            json!("text"),
            json!([]),
            json!([1]),
            json!({}),
            json!({ UNKNOWN: 1 }),
        ]);
        let mut distinct: Vec<Value> = Vec::new();
        for value in values {
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        distinct.truncate(MOST);
        distinct
    }

    fn flat(&self, schema: &'d Value) -> Flat<'d> {
        let mut flat = Flat::default();
        let mut left = vec![schema];
        while let Some(schema) = left.pop() {
            let Some(members) = self.followed(schema) else {
                continue;
            };
            // A schema that is part of itself has been rejected long before.
            if flat.parts.len() > 50 {
                break;
            }
            flat.parts.push(members);
            left.extend(
                members
                    .get("allOf")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .rev(),
            );
        }
        flat
    }

    fn followed(&self, schema: &'d Value) -> Option<&'d Map<String, Value>> {
        let mut members = schema.as_object()?;
        for _ in 0..100 {
            let Some(reference) = members.get("$ref").and_then(Value::as_str) else {
                break;
            };
            members = self
                .root
                .pointer(reference.strip_prefix('#')?)?
                .as_object()?;
        }
        Some(members)
    }

    fn smallest(&self, schema: &'d Value, depth: usize) -> Option<Value> {
        let flat = self.flat(schema);
        if depth > DEEPEST {
            return flat.get("nullable").map(|_| Value::Null);
        }
        if let Some(values) = flat.get("enum").and_then(Value::as_array) {
            return values.first().cloned();
        }
        for keyword in ["oneOf", "anyOf"] {
            let alternatives = flat.get(keyword).and_then(Value::as_array);
            let found = alternatives.into_iter().flatten().find_map(|schema| {
                let value = self.smallest(schema, depth + 1)?;
                Some(flat.named(schema, value))
            });
            if let Some(value) = found {
                return Some(self.with_own_members(&flat, value, depth));
            }
        }
        Some(match flat.kind() {
            "object" => self.object(&flat, depth, false)?,
            "array" => {
                let count = flat.count("minItems").unwrap_or_default().min(20);
                self.array(&flat, count, depth)?
            }
            _ => scalars::valid(&flat)?,
        })
    }

    /// An alternative, with the members that stand beside the alternatives.
    fn with_own_members(&self, flat: &Flat<'d>, mut value: Value, depth: usize) -> Value {
        if let (Some(members), Some(Value::Object(own))) =
            (value.as_object_mut(), self.object(flat, depth, false))
        {
            for (name, value) in own {
                members.entry(name).or_insert(value);
            }
        }
        value
    }

    /// An object with what it must have, or with everything that it can have.
    fn object(&self, flat: &Flat<'d>, depth: usize, full: bool) -> Option<Value> {
        let required = flat.required();
        let mut members = Map::new();
        for (name, schema) in flat.properties() {
            let is_required = required.contains(&name);
            if is_required || full {
                match self.smallest(schema, depth + 1) {
                    Some(value) => {
                        members.insert(name.to_owned(), value);
                    }
                    None if is_required => return None,
                    None => {}
                }
            }
        }
        for name in required {
            members.entry(name).or_insert(Value::Null);
        }
        let others = flat
            .get("additionalProperties")
            .filter(|others| others.is_object());
        let least = flat.count("minProperties").unwrap_or_default().min(20);
        let least = if full && others.is_some() {
            least.max(1)
        } else {
            least
        };
        for index in 0.. {
            if members.len() >= least {
                break;
            }
            let value = match others {
                Some(schema) => self.smallest(schema, depth + 1)?,
                None => json!(index),
            };
            members.insert(format!("name-{index}"), value);
        }
        Some(Value::Object(members))
    }

    /// An array of so many items, distinct ones where they have to be.
    fn array(&self, flat: &Flat<'d>, count: usize, depth: usize) -> Option<Value> {
        let Some(items) = flat.get("items") else {
            return Some(Value::Array((0..count).map(|index| json!(index)).collect()));
        };
        let first = self.smallest(items, depth + 1);
        if count == 0 {
            return Some(json!([]));
        }
        let mut values = vec![first?];
        if flat.get("uniqueItems") == Some(&Value::Bool(true)) {
            for value in self.values(items, depth + 1) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        Some(Value::Array(
            values.iter().cycle().take(count).cloned().collect(),
        ))
    }

    fn values(&self, schema: &'d Value, depth: usize) -> Vec<Value> {
        let flat = self.flat(schema);
        let mut values: Vec<Value> = self.smallest(schema, depth).into_iter().collect();
        if depth > 2 {
            return values;
        }
        for keyword in ["example", "default"] {
            values.extend(flat.get(keyword).cloned());
        }
        for keyword in ["oneOf", "anyOf"] {
            for schema in flat
                .get(keyword)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                let found = self.values(schema, depth + 1);
                // As the discriminator wants it, and as it comes.
                let named = found.iter().map(|value| flat.named(schema, value.clone()));
                values.extend(
                    named
                        .chain(found.iter().cloned())
                        .map(|value| self.with_own_members(&flat, value, depth)),
                );
            }
        }
        match flat.kind() {
            "object" => self.objects(&flat, depth, &mut values),
            "array" => self.arrays(&flat, depth, &mut values),
            _ => scalars::values(&flat, &mut values),
        }
        values.truncate(MOST);
        values
    }

    fn objects(&self, flat: &Flat<'d>, depth: usize, values: &mut Vec<Value>) {
        let Some(Value::Object(full)) = self.object(flat, depth, true) else {
            return;
        };
        let with = |name: &str, value: Value| {
            let mut members = full.clone();
            members.insert(name.to_owned(), value);
            Value::Object(members)
        };
        values.push(Value::Object(full.clone()));
        // An array of the members is what serde's own structs would take.
        values.push(Value::Array(full.values().cloned().collect()));
        values.push(with(UNKNOWN, json!(1)));
        values.push(with(UNKNOWN, json!("text")));
        for (name, _) in flat.properties() {
            let mut members = full.clone();
            members.remove(name);
            values.push(Value::Object(members));
            values.push(with(name, Value::Null));
            values.push(with(name, json!({ UNKNOWN: [] })));
        }
        for (name, schema) in flat.properties() {
            let found = self.values(schema, depth + 1);
            values.extend(
                found
                    .into_iter()
                    .take(OF_A_PART)
                    .map(|value| with(name, value)),
            );
        }
        if let Some(schema) = flat
            .get("additionalProperties")
            .filter(|others| others.is_object())
        {
            let found = self.values(schema, depth + 1);
            values.extend(
                found
                    .into_iter()
                    .take(OF_A_PART)
                    .map(|value| with("another", value)),
            );
        }
        for count in around(flat.count("minProperties")).chain(around(flat.count("maxProperties")))
        {
            let value = match flat
                .get("additionalProperties")
                .filter(|others| others.is_object())
            {
                Some(schema) => self.smallest(schema, depth + 1).unwrap_or_default(),
                None => json!(1),
            };
            values.push(
                (0..count)
                    .map(|index| (format!("name-{index}"), value.clone()))
                    .collect(),
            );
        }
    }

    fn arrays(&self, flat: &Flat<'d>, depth: usize, values: &mut Vec<Value>) {
        for count in around(flat.count("minItems"))
            .chain(around(flat.count("maxItems")))
            .chain([0, 1, 2])
        {
            values.extend(self.array(flat, count, depth));
        }
        let Some(items) = flat.get("items") else {
            return;
        };
        let least = flat.count("minItems").unwrap_or(1).clamp(1, 20);
        for item in self.values(items, depth + 1).into_iter().take(OF_A_PART) {
            if let Some(Value::Array(mut items)) = self.array(flat, least, depth) {
                items[0] = item.clone();
                values.push(Value::Array(items));
                values.push(json!([item, item]));
            }
        }
        values.push(json!([{ UNKNOWN: null }]));
    }
}

/// The counts at a bound, as long as they can be made.
fn around(bound: Option<usize>) -> impl Iterator<Item = usize> {
    const LONGEST: usize = 2_000;
    let counts = bound
        .into_iter()
        .flat_map(|bound| [bound.checked_sub(1), Some(bound), Some(bound + 1)]);
    counts.flatten().filter(|count| *count <= LONGEST)
}
