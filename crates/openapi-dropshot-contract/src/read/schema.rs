//! Reads schemas with all keywords of the model.

use super::Reader;
use super::structure::{check_value, wrong_type};
use crate::grammar::Holds;
use crate::model::{AdditionalProperties, Discriminator, Node, Schema, Spanned, Type};
use crate::rules::document as rules;
use std::collections::HashSet;

impl<'a> Reader<'a> {
    /// Reads a schema. A reference is not followed.
    pub(super) fn schema(&self, node: &'a Node) -> Option<Schema> {
        let mut schema = Schema::anything(node.at.clone());
        if node.get("$ref").is_some() {
            schema.reference = Some(self.reference(node, "schemas")?);
            return Some(schema);
        }
        node.as_object()?;
        schema.nullable = node.null().is_some();
        let inner = node.without_null();
        annotations(inner, &mut schema);
        if !std::ptr::eq(node, inner) {
            annotations(node, &mut schema);
        }
        self.restrictions(inner, &mut schema);
        for (name, property) in inner.entries("properties") {
            let property = self.schema(property);
            let property = property.map(|property| (name.to_owned(), property));
            schema.properties.extend(property);
        }
        schema.items = self.boxed_schema(inner.get("items"));
        let first = inner.items("prefixItems").iter();
        schema.prefix_items = first.filter_map(|part| self.schema(part)).collect();
        let additional = inner.get("additionalProperties");
        schema.additional_properties = match additional.and_then(Node::as_bool) {
            Some(_) => (inner.value_at("additionalProperties", Node::as_bool))
                .map(AdditionalProperties::Allowed),
            None => (self.boxed_schema(additional)).map(AdditionalProperties::Schema),
        };
        schema.property_names = self.boxed_schema(inner.get("propertyNames"));
        schema.all_of = self.schemas(inner, "allOf");
        schema.one_of = self.schemas(inner, "oneOf");
        schema.any_of = self.schemas(inner, "anyOf");
        schema.not = self.boxed_schema(inner.get("not"));
        Some(schema)
    }

    fn restrictions(&self, node: &'a Node, schema: &mut Schema) {
        let number = |name: &str| node.value_at(name, |value| value.as_number().cloned());
        let count = |name: &str| node.value_at(name, Node::as_u64);
        schema.types = self.schema_type(node);
        schema.format = node.string_at("format");
        schema.pattern = node.string_at("pattern");
        schema.minimum = number("minimum");
        schema.maximum = number("maximum");
        schema.exclusive_minimum = number("exclusiveMinimum");
        schema.exclusive_maximum = number("exclusiveMaximum");
        schema.multiple_of = number("multipleOf");
        schema.min_length = count("minLength");
        schema.max_length = count("maxLength");
        schema.min_items = count("minItems");
        schema.max_items = count("maxItems");
        schema.min_properties = count("minProperties");
        schema.max_properties = count("maxProperties");
        schema.unique_items = node.is_set("uniqueItems");
        schema.required = self.required_names(node);
        if let Some(values) = node
            .get("enum")
            .filter(|values| values.as_array().is_some())
        {
            let list = node.items("enum").to_vec();
            if list.is_empty() {
                let message = "`enum` is empty: no value would be valid";
                self.report(rules::EMPTY_ENUM.violation(&values.at, message));
            }
            schema.enumeration = Some(list);
        }
        if let Some(multiple) = &schema.multiple_of
            && !multiple.value.as_f64().is_some_and(|value| value > 0.0)
        {
            let message = "`multipleOf` must be greater than 0";
            let help = "write a positive number";
            self.report(rules::WRONG_TYPE.problem(&multiple.at, message, help));
        }
    }

    fn schema_type(&self, schema: &Node) -> Option<Spanned<Type>> {
        const TYPES: &str = "write `string`, `integer`, `number`, `boolean`, `array` or `object`";
        let node = schema.get("type")?;
        let name = match node.as_array() {
            Some([name, null]) if null.as_str() == Some("null") => name,
            _ => node,
        };
        let Some(word) = name.as_str() else {
            let several =
                "write one type; add `nullable: true` for null, use `oneOf` for several types";
            let help = if node.as_array().is_some() {
                several
            } else {
                TYPES
            };
            self.report(wrong_type(node, "type", "a string", help));
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
            self.report(rules::SCHEMA_TYPE.problem(&name.at, message, help));
        }
        known.map(|kind| Spanned::new(kind, &name.at))
    }

    fn required_names(&self, node: &'a Node) -> Vec<Spanned<String>> {
        let required = node.get("required");
        if let Some(names) = required {
            check_value(names, "required", Holds::TextList, self.log);
        }
        let names = node.strings_at("required");
        let mut seen = HashSet::new();
        for name in names.iter().filter(|name| !seen.insert(&name.value)) {
            let message = format!("`{name}` is listed twice in `required`");
            self.report(rules::DUPLICATE_REQUIRED.violation(&name.at, message));
        }
        names
    }

    fn schemas(&self, node: &'a Node, name: &str) -> Vec<Schema> {
        if let Some(node) = node.get(name)
            && node.as_array().is_some_and(<[Node]>::is_empty)
        {
            let message = format!("`{name}` is empty");
            self.report(rules::EMPTY_COMPOSITION.violation(&node.at, message));
        }
        let parts = node.items(name).iter();
        parts.filter_map(|part| self.schema(part)).collect()
    }

    /// Reads a schema into a box. Schemas are large, and boxing them immediately keeps the stack
    /// small.
    fn boxed_schema(&self, node: Option<&'a Node>) -> Option<Box<Schema>> {
        self.schema(node?).map(Box::new)
    }
}

fn annotations(node: &Node, schema: &mut Schema) {
    schema.title = node.string("title").or(schema.title.take());
    schema.description = node.string("description").or(schema.description.take());
    schema.default = node.get("default").cloned().or(schema.default.take());
    let examples = node.get("example").into_iter();
    let examples = examples.chain(node.items("examples"));
    schema.examples.extend(examples.cloned());
    schema.read_only |= node.is_set("readOnly");
    schema.write_only |= node.is_set("writeOnly");
    schema.deprecated |= node.is_set("deprecated");
    schema.discriminator = discriminator(node).or(schema.discriminator.take());
    schema.extensions.extend(node.extensions());
}

fn discriminator(node: &Node) -> Option<Discriminator> {
    let node = node.get("discriminator")?;
    let mapping = node.entries("mapping").filter_map(|(name, target)| {
        let text = target.as_str()?.to_owned();
        Some((name.to_owned(), Spanned::new(text, &target.at)))
    });
    Some(Discriminator {
        at: node.at.clone(),
        mapping: mapping.collect(),
        property: node.string("propertyName")?,
    })
}
