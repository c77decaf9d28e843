//! Reads schemas: every keyword of OpenAPI 3.0, each with the type it must have.

use super::Reader;
use super::object::{Object, text, wrong_type};
use super::reference::Section;
use crate::model::{AdditionalProperties, Discriminator, Node, NodeKind, Schema, Spanned, Type};
use crate::problem::Problem;
use crate::rules::document as rules;
use indexmap::IndexMap;
use serde_json::Number;

const SCHEMA: &str = "$ref title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum \
    maxLength minLength pattern maxItems minItems uniqueItems maxProperties \
    minProperties required enum type allOf oneOf anyOf not items properties \
    additionalProperties description format default nullable discriminator readOnly \
    writeOnly xml externalDocs example deprecated";

impl Reader<'_> {
    /// A schema; a reference stays one.
    pub(super) fn schema(&mut self, node: &Node) -> Option<Schema> {
        if node.get("$ref").is_some() {
            let reference = self.reference(node, Section::Schemas)?;
            return Some(Schema {
                reference: Some(reference),
                ..Schema::anything(node.at.clone())
            });
        }
        let object = self.object(node, "a schema", SCHEMA)?;
        let mut schema = Schema::anything(node.at.clone());
        self.annotations(&object, &mut schema);
        self.numbers_and_texts(&object, &mut schema);
        self.arrays_and_objects(&object, &mut schema);
        self.compositions(&object, &mut schema);
        schema.extensions = object.extensions();
        Some(schema)
    }

    fn annotations(&mut self, object: &Object<'_>, schema: &mut Schema) {
        let problems = &mut self.problems;
        schema.title = object.text("title", problems);
        schema.description = object.text("description", problems);
        schema.default = object.get("default").cloned();
        schema.example = object.get("example").cloned();
        schema.nullable = object.flag("nullable", problems);
        schema.read_only = object.flag("readOnly", problems);
        schema.write_only = object.flag("writeOnly", problems);
        schema.deprecated = object.flag("deprecated", problems);
        schema.discriminator = self.discriminator(object);
        self.check_external_docs(object);
        if let Some(node) = object.get("xml") {
            self.object(node, "`xml`", "name namespace prefix attribute wrapped");
        }
    }

    fn numbers_and_texts(&mut self, object: &Object<'_>, schema: &mut Schema) {
        schema.types = self.schema_type(object);
        let problems = &mut self.problems;
        schema.format = object.spanned_text("format", problems);
        schema.pattern = object.spanned_text("pattern", problems);
        schema.minimum = number(object, "minimum", problems);
        schema.maximum = number(object, "maximum", problems);
        schema.exclusive_minimum = exclusive(object, "exclusiveMinimum", "minimum", problems);
        schema.exclusive_maximum = exclusive(object, "exclusiveMaximum", "maximum", problems);
        schema.multiple_of = number(object, "multipleOf", problems);
        schema.min_length = count(object, "minLength", problems);
        schema.max_length = count(object, "maxLength", problems);
        schema.enumeration = object.list("enum", problems).map(<[Node]>::to_vec);
        if let Some(values) = object.get("enum")
            && values.as_array().is_some_and(<[Node]>::is_empty)
        {
            let message = "`enum` is empty: no value would be valid";
            let help = "list the values, or remove it";
            self.report(&rules::EMPTY_ENUM, &values.at, message, help);
        }
        if let Some(multiple) = &schema.multiple_of
            && !multiple.value.as_f64().is_some_and(|value| value > 0.0)
        {
            let message = "`multipleOf` must be greater than 0";
            let help = "write a positive number";
            self.report(&rules::WRONG_TYPE, &multiple.at, message, help);
        }
    }

    fn schema_type(&mut self, object: &Object<'_>) -> Option<Spanned<Type>> {
        const TYPES: &str = "write `string`, `integer`, `number`, `boolean`, `array` or `object`";
        let node = object.get("type")?;
        let Some(word) = node.as_str() else {
            let help = match &node.kind {
                NodeKind::Array(_) => {
                    "write one type; add `nullable: true` for null, use `oneOf` for several types"
                }
                _ => TYPES,
            };
            self.problems
                .push(wrong_type(node, "type", "a string", help));
            return None;
        };
        let known = Type::from_word(word);
        if known.is_none() {
            let help = match word {
                "null" => "write the other type, and `nullable: true`",
                "file" => "write `type: string` and `format: binary`",
                "int" | "long" | "int32" | "int64" => {
                    "write `type: integer`, and `format: int32` or `int64`"
                }
                "float" | "double" => "write `type: number`, and `format: float` or `double`",
                "date" | "date-time" | "uuid" => "write `type: string`, and this word as `format`",
                _ => TYPES,
            };
            let message = format!("`{}` is not a type", word.escape_debug());
            self.report(&rules::SCHEMA_TYPE, &node.at, message, help);
        }
        known.map(|kind| Spanned::new(kind, &node.at))
    }

    fn arrays_and_objects(&mut self, object: &Object<'_>, schema: &mut Schema) {
        let problems = &mut self.problems;
        schema.min_items = count(object, "minItems", problems);
        schema.max_items = count(object, "maxItems", problems);
        schema.unique_items = object.flag("uniqueItems", problems);
        schema.min_properties = count(object, "minProperties", problems);
        schema.max_properties = count(object, "maxProperties", problems);
        schema.required = self.required_names(object);
        schema.items = object.get("items").and_then(|node| self.boxed_schema(node));
        for (name, member) in self.entries(object, "properties") {
            if let Some(property) = self.schema(&member.value) {
                schema.properties.insert(name.clone(), property);
            }
        }
        if let Some(node) = object.get("additionalProperties") {
            schema.additional_properties = match node.as_bool() {
                Some(allowed) => Some(AdditionalProperties::Allowed(Spanned::new(
                    allowed, &node.at,
                ))),
                None => self.boxed_schema(node).map(AdditionalProperties::Schema),
            };
        }
    }

    fn required_names(&mut self, object: &Object<'_>) -> Vec<Spanned<String>> {
        if let Some(node) = object.get("required")
            && node.as_bool().is_some()
        {
            let help = "list the property in `required` of the object that has it";
            self.problems
                .push(wrong_type(node, "required", "an array of names", help));
            return Vec::new();
        }
        let names = object.texts("required", &mut self.problems);
        let mut seen = std::collections::HashSet::new();
        for name in &names {
            if !seen.insert(name.value.as_str()) {
                let message = format!(
                    "`{}` is listed twice in `required`",
                    name.value.escape_debug()
                );
                self.report(
                    &rules::DUPLICATE_REQUIRED,
                    &name.at,
                    message,
                    "remove one of them",
                );
            }
        }
        names
    }

    fn compositions(&mut self, object: &Object<'_>, schema: &mut Schema) {
        schema.all_of = self.schemas(object, "allOf");
        schema.one_of = self.schemas(object, "oneOf");
        schema.any_of = self.schemas(object, "anyOf");
        schema.not = object.get("not").and_then(|node| self.boxed_schema(node));
    }

    fn schemas(&mut self, object: &Object<'_>, name: &str) -> Vec<Schema> {
        let Some(parts) = object.list(name, &mut self.problems) else {
            return Vec::new();
        };
        if parts.is_empty()
            && let Some(node) = object.get(name)
        {
            let message = format!("`{name}` is empty");
            let help = "list at least one schema, or remove it";
            self.report(&rules::EMPTY_COMPOSITION, &node.at, message, help);
        }
        parts.iter().filter_map(|part| self.schema(part)).collect()
    }

    /// A boxed schema. Schemas are large, and boxing them at once keeps the stack small.
    fn boxed_schema(&mut self, node: &Node) -> Option<Box<Schema>> {
        self.schema(node).map(Box::new)
    }

    fn discriminator(&mut self, object: &Object<'_>) -> Option<Discriminator> {
        let node = object.get("discriminator")?;
        let object = self.object(node, "`discriminator`", "propertyName mapping")?;
        let property = object.required_text("propertyName", &mut self.problems);
        let mut mapping = IndexMap::new();
        for (value, member) in self.entries(&object, "mapping") {
            if let Some(target) = text(&member.value, value, &mut self.problems) {
                mapping.insert(value.clone(), target);
            }
        }
        Some(Discriminator {
            at: node.at.clone(),
            property: property?.value,
            mapping,
        })
    }
}

fn number(object: &Object<'_>, name: &str, problems: &mut Vec<Problem>) -> Option<Spanned<Number>> {
    let node = object.get(name)?;
    let Some(number) = node.as_number() else {
        problems.push(wrong_type(
            node,
            name,
            "a number",
            "write it without quotes",
        ));
        return None;
    };
    Some(Spanned::new(number.clone(), &node.at))
}

fn count(object: &Object<'_>, name: &str, problems: &mut Vec<Problem>) -> Option<Spanned<u64>> {
    let node = object.get(name)?;
    let Some(count) = node.as_u64() else {
        problems.push(wrong_type(
            node,
            name,
            "an integer from 0",
            "write it without quotes, sign and fraction",
        ));
        return None;
    };
    Some(Spanned::new(count, &node.at))
}

/// A bound is exclusive by a flag in OpenAPI 3.0; 3.1 writes the bound itself.
fn exclusive(object: &Object<'_>, name: &str, bound: &str, problems: &mut Vec<Problem>) -> bool {
    let Some(node) = object.get(name) else {
        return false;
    };
    if node.as_number().is_some() {
        let help = format!("write `{bound}: {}` and `{name}: true`", node.to_json());
        problems.push(wrong_type(
            node,
            name,
            "`true` or `false` in OpenAPI 3.0",
            &help,
        ));
        return false;
    }
    object.flag(name, problems)
}
