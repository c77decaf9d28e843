//! Validates a value of the document against a schema of the model: all keywords
//! of OpenAPI 3.0 and the common formats. Where the specification is unclear
//! (unknown formats, `nullable` beside `allOf`), the value counts as valid.

mod scalars;

use super::walk::{Direction, compositions};
use crate::model::{AdditionalProperties, Document, Location, Member, Node, NodeKind, Schema};
use indexmap::IndexMap;
use scalars::{article, counts, format_fits, has_type, numbers};
use std::collections::{HashMap, HashSet};

/// How many schemas one value is checked against before it counts as valid:
/// compositions of compositions can multiply without end.
const MAX_STEPS: usize = 20_000;

/// How deep schemas are followed; chains of references can be long.
const MAX_DEPTH: usize = 200;

/// What is wrong with a value.
pub(super) struct Fault {
    pub(super) at: Location,
    /// The keyword, or the schema, that the value violates.
    pub(super) by: Location,
    pub(super) message: String,
    pub(super) help: &'static str,
}

/// Validates values by the schemas of one document.
pub(super) struct Validator<'d> {
    document: &'d Document,
    patterns: HashMap<String, Option<regex::Regex>>,
    steps: usize,
    depth: usize,
    direction: Direction,
}

impl<'d> Validator<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Validator {
            document,
            patterns: HashMap::new(),
            steps: 0,
            depth: 0,
            direction: Direction::Either,
        }
    }

    /// What is wrong with a value by a schema; nothing if it is valid.
    pub(super) fn faults(
        &mut self,
        schema: &Schema,
        value: &Node,
        direction: Direction,
    ) -> Vec<Fault> {
        let mut faults = Vec::new();
        self.start(direction);
        self.validate(schema, value, &mut faults);
        faults
    }

    /// The same, without `enum` of the schema itself.
    pub(super) fn faults_besides_enum(&mut self, schema: &Schema, value: &Node) -> Vec<Fault> {
        let mut faults = Vec::new();
        self.start(Direction::Either);
        self.own_keywords(schema, value, &mut faults);
        self.compositions(schema, value, &mut faults);
        faults
    }

    fn start(&mut self, direction: Direction) {
        self.steps = 0;
        self.depth = 0;
        self.direction = direction;
    }

    /// Whether validation was given up, so that nothing is known.
    fn is_exhausted(&self) -> bool {
        self.steps > MAX_STEPS || self.depth > MAX_DEPTH
    }

    fn validate(&mut self, schema: &Schema, value: &Node, faults: &mut Vec<Fault>) {
        self.steps += 1;
        if self.is_exhausted() {
            return;
        }
        let Some(schema) = self.document.resolve(schema) else {
            return;
        };
        if value.is_null() && schema.nullable {
            return;
        }
        self.depth += 1;
        if let Some(values) = &schema.enumeration
            && !values.iter().any(|allowed| allowed.same_value(value))
        {
            let message = format!("{} is not in `enum`", value.summary());
            faults.push(fault(
                value,
                &schema.at,
                message,
                "write one of the values of `enum`",
            ));
        }
        self.own_keywords(schema, value, faults);
        self.compositions(schema, value, faults);
        self.depth -= 1;
    }

    fn own_keywords(&mut self, schema: &Schema, value: &Node, faults: &mut Vec<Fault>) {
        if let Some(kind) = &schema.types
            && !has_type(value, kind.value)
        {
            let message = format!(
                "expected {}, found {}",
                article(kind.value),
                value.summary()
            );
            faults.push(fault(
                value,
                &kind.at,
                message,
                "write a value of the type of the schema",
            ));
            return;
        }
        match &value.kind {
            NodeKind::Number(number) => numbers(schema, value, number, faults),
            NodeKind::String(text) => self.texts(schema, value, text, faults),
            NodeKind::Array(items) => self.arrays(schema, value, items, faults),
            NodeKind::Object(members) => self.objects(schema, value, members, faults),
            NodeKind::Null | NodeKind::Bool(_) => {}
        }
    }

    fn texts(&mut self, schema: &Schema, value: &Node, text: &str, faults: &mut Vec<Fault>) {
        let bounds = (&schema.min_length, &schema.max_length);
        counts(text.chars().count(), "characters", bounds, value, faults);
        if let Some(pattern) = &schema.pattern
            && !self.matches(&pattern.value, text)
        {
            let message = format!(
                "{} does not match the pattern `{}`",
                value.summary(),
                pattern.value
            );
            faults.push(fault(
                value,
                &pattern.at,
                message,
                "write a text that matches, or correct the pattern",
            ));
        }
        if let Some(format) = &schema.format
            && !format_fits(&format.value, text)
        {
            let message = format!("{} is not a valid `{}`", value.summary(), format.value);
            faults.push(fault(
                value,
                &format.at,
                message,
                "write a text of this format",
            ));
        }
    }

    /// Matches with an engine whose time is bounded. A pattern that it does not
    /// support (with look-around, for example) counts as matched.
    fn matches(&mut self, pattern: &str, text: &str) -> bool {
        let compiled = self
            .patterns
            .entry(pattern.to_owned())
            .or_insert_with(|| regex::Regex::new(pattern).ok());
        compiled.as_ref().is_none_or(|regex| regex.is_match(text))
    }

    fn arrays(&mut self, schema: &Schema, value: &Node, items: &[Node], faults: &mut Vec<Fault>) {
        let bounds = (&schema.min_items, &schema.max_items);
        counts(items.len(), "elements", bounds, value, faults);
        if schema.unique_items {
            let mut seen = HashSet::new();
            for item in items
                .iter()
                .filter(|item| !seen.insert(item.to_json().to_string()))
            {
                let message = format!(
                    "{} is repeated, but the elements must be unique",
                    item.summary()
                );
                faults.push(fault(item, &schema.at, message, "remove one of them"));
            }
        }
        if let Some(schema) = &schema.items {
            for item in items {
                self.validate(schema, item, faults);
            }
        }
    }

    fn objects(
        &mut self,
        schema: &Schema,
        value: &Node,
        members: &IndexMap<String, Member>,
        faults: &mut Vec<Fault>,
    ) {
        let bounds = (&schema.min_properties, &schema.max_properties);
        counts(members.len(), "properties", bounds, value, faults);
        for name in schema
            .required
            .iter()
            .filter(|name| !members.contains_key(&name.value))
        {
            if !self.may_be_absent(schema.properties.get(&name.value)) {
                let message = format!(
                    "the required property `{}` is missing",
                    name.value.escape_debug()
                );
                faults.push(fault(value, &name.at, message, "add it"));
            }
        }
        for (name, member) in members {
            match (schema.properties.get(name), &schema.additional_properties) {
                (Some(property), _) => self.validate(property, &member.value, faults),
                (None, Some(AdditionalProperties::Schema(schema))) => {
                    self.validate(schema, &member.value, faults)
                }
                (None, Some(AdditionalProperties::Allowed(allowed))) if !allowed.value => {
                    let message = format!("the property `{}` is not allowed", name.escape_debug());
                    let (at, by) = (member.key_at.clone(), allowed.at.clone());
                    faults.push(Fault {
                        at,
                        by,
                        message,
                        help: "remove it, or add it to `properties`",
                    });
                }
                _ => {}
            }
        }
    }

    /// A required property is required only in the direction that it is sent in.
    fn may_be_absent(&self, property: Option<&Schema>) -> bool {
        let Some(property) = property.and_then(|property| self.document.resolve(property)) else {
            return false;
        };
        (property.read_only && self.direction != Direction::Response)
            || (property.write_only && self.direction != Direction::Request)
    }

    fn compositions(&mut self, schema: &Schema, value: &Node, faults: &mut Vec<Fault>) {
        if compositions(schema).next().is_none() && schema.not.is_none() {
            return;
        }
        for part in &schema.all_of {
            self.validate(part, value, faults);
        }
        if let Some((valid, mut closest)) = self.alternatives(&schema.one_of, value) {
            match valid {
                0 => faults.append(&mut closest),
                1 => {}
                _ => {
                    let message = format!(
                        "it is valid by {valid} of the schemas in `oneOf`, not by exactly one"
                    );
                    faults.push(fault(
                        value,
                        &schema.at,
                        message,
                        "make the schemas exclude each other, or write `anyOf`",
                    ));
                }
            }
        }
        if let Some((0, mut closest)) = self.alternatives(&schema.any_of, value) {
            faults.append(&mut closest);
        }
        if let Some(not) = &schema.not {
            let mut inner = Vec::new();
            self.validate(not, value, &mut inner);
            if inner.is_empty() && !self.is_exhausted() {
                faults.push(fault(
                    value,
                    &not.at,
                    "`not` excludes it".to_owned(),
                    "write another value",
                ));
            }
        }
    }

    /// How many alternatives a value is valid by, and what is wrong by the
    /// closest one. `None` if that is unknown or there are no alternatives.
    fn alternatives(&mut self, schemas: &[Schema], value: &Node) -> Option<(usize, Vec<Fault>)> {
        let results: Vec<Vec<Fault>> = schemas
            .iter()
            .map(|schema| {
                let mut faults = Vec::new();
                self.validate(schema, value, &mut faults);
                faults
            })
            .collect();
        if self.is_exhausted() {
            return None;
        }
        let valid = results.iter().filter(|faults| faults.is_empty()).count();
        let closest = results.into_iter().min_by_key(Vec::len)?;
        Some((valid, closest))
    }
}

fn fault(value: &Node, by: &Location, message: String, help: &'static str) -> Fault {
    Fault {
        at: value.at.clone(),
        by: by.clone(),
        message,
        help,
    }
}
