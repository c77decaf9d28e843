//! Creates a value of a JSON Schema in which every property is set, so that a test notices a lost
//! property, including properties that the contract gains later.

use serde_json::{Map, Value, json};

/// A document with schemas, such as an OpenAPI document.
pub struct Schemas(Value);

impl Schemas {
    pub fn new(document: Value) -> Self {
        Self(document)
    }

    /// Returns the names of all properties of the object schema at this JSON pointer.
    pub fn members(&self, pointer: &str) -> Vec<String> {
        let schema = self.resolved(pointer);
        self.properties(schema).keys().cloned().collect()
    }

    /// Returns an object of the schema at this JSON pointer with every property. Samples with other
    /// numbers differ in every property that has enough values.
    pub fn sample(&self, pointer: &str, number: usize) -> Value {
        self.sample_of(self.resolved(pointer), "", number)
    }

    fn resolved(&self, pointer: &str) -> &Value {
        self.0
            .pointer(pointer)
            .unwrap_or_else(|| panic!("there is no schema at `{pointer}`"))
    }

    /// Returns the schema, or the schema that it refers to.
    fn target<'s>(&'s self, schema: &'s Value) -> &'s Value {
        match schema["$ref"].as_str() {
            Some(reference) => self.target(self.resolved(reference.trim_start_matches('#'))),
            None => schema,
        }
    }

    /// Returns the properties of an object schema and of the schemas that it consists of.
    fn properties<'s>(&'s self, schema: &'s Value) -> Map<String, Value> {
        let schema = self.target(schema);
        let own = schema["properties"].as_object().cloned();
        let parts = schema["allOf"].as_array().into_iter().flatten();
        let inherited = parts.flat_map(|part| self.properties(part));
        own.unwrap_or_default()
            .into_iter()
            .chain(inherited)
            .collect()
    }

    fn sample_of(&self, schema: &Value, name: &str, number: usize) -> Value {
        let schema = self.target(schema);
        if let Some(values) = schema["enum"].as_array() {
            return values[number % values.len()].clone();
        }
        if let (None, Some([only])) = (
            schema.get("properties"),
            schema["allOf"].as_array().map(Vec::as_slice),
        ) {
            return self.sample_of(only, name, number);
        }
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("boolean"), _) => json!(number.is_multiple_of(2)),
            (Some("integer"), _) => {
                let least = schema["minimum"].as_i64().unwrap_or(1_000);
                json!(least + i64::try_from(number).expect("a small number") + 1)
            }
            (Some("number"), _) => json!(number as f64 + 0.5),
            (Some("string"), None) => {
                let text = format!("{name} {number}: \"é\", a\nb");
                let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
                let most = usize::try_from(most).unwrap_or(usize::MAX);
                json!(text.chars().take(most).collect::<String>())
            }
            (Some("string"), Some("date")) => json!(format!("2026-11-{:02}", 1 + number % 28)),
            (Some("string"), Some("date-time")) => {
                json!(format!("2026-11-{:02}T12:34:56Z", 1 + number % 28))
            }
            (Some("string"), Some("uuid")) => {
                json!(format!("67e55044-10b1-426f-9247-{number:012}"))
            }
            (Some("array"), _) => json!([self.sample_of(&schema["items"], name, number)]),
            (Some("object") | None, _) => {
                let properties = self.properties(schema).into_iter();
                properties
                    .map(|(name, schema)| {
                        let value = self.sample_of(&schema, &name, number);
                        (name, value)
                    })
                    .collect()
            }
            other => panic!("add a sample of the type {other:?} for the member `{name}`"),
        }
    }
}
