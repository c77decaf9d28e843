//! Reads schemas: every keyword of the model, each with the type it must have.

use super::Reader;
use super::object::{Object, value, wrong_type};
use crate::grammar::ObjectKind;
use crate::model::{AdditionalProperties, Discriminator, Node, Schema, Spanned, Type};
use crate::rules::document as rules;
use indexmap::IndexMap;
use std::collections::HashSet;

impl<'a> Reader<'a> {
    /// A schema; a reference stays one.
    pub(super) fn schema(&self, node: &'a Node) -> Option<Schema> {
        let mut schema = Schema::anything(node.at.clone());
        if node.get("$ref").is_some() {
            schema.reference = Some(self.reference(node, "schemas")?);
            return Some(schema);
        }
        let own = self.object(node, ObjectKind::Schema)?;
        schema.nullable = node.null().is_some();
        let inner = node.without_null();
        let object = self.object(inner, ObjectKind::Schema)?;
        self.annotations(&object, &mut schema);
        if !std::ptr::eq(node, inner) {
            self.annotations(&own, &mut schema);
        }
        self.numbers_and_texts(&object, &mut schema);
        self.arrays_and_objects(&object, &mut schema);
        schema.all_of = self.schemas(&object, "allOf");
        schema.one_of = self.schemas(&object, "oneOf");
        schema.any_of = self.schemas(&object, "anyOf");
        schema.not = self.boxed_schema(object.get("not"));
        Some(schema)
    }

    fn annotations(&self, object: &Object<'a>, schema: &mut Schema) {
        schema.title = object.optional("title").or(schema.title.take());
        schema.description = object.optional("description").or(schema.description.take());
        schema.default = object.get("default").cloned().or(schema.default.take());
        let examples = object.get("examples").and_then(Node::as_array);
        let all = object
            .get("example")
            .into_iter()
            .chain(examples.into_iter().flatten());
        schema.examples.extend(all.cloned());
        schema.read_only |= object.flag("readOnly");
        schema.write_only |= object.flag("writeOnly");
        schema.deprecated |= object.flag("deprecated");
        schema.discriminator = self.discriminator(object).or(schema.discriminator.take());
        schema.extensions.extend(object.extensions());
        self.check_external_docs(object);
        if let Some(node) = object.get("xml") {
            self.object(node, ObjectKind::Xml);
        }
    }

    fn numbers_and_texts(&self, object: &Object<'a>, schema: &mut Schema) {
        schema.types = self.schema_type(object);
        schema.format = object.optional("format");
        schema.pattern = object.optional("pattern");
        schema.minimum = object.optional("minimum");
        schema.maximum = object.optional("maximum");
        schema.exclusive_minimum = object.optional("exclusiveMinimum");
        schema.exclusive_maximum = object.optional("exclusiveMaximum");
        schema.multiple_of = object.optional("multipleOf");
        schema.min_length = object.optional("minLength");
        schema.max_length = object.optional("maxLength");
        let values: Option<Spanned<&[Node]>> = object.optional("enum");
        if let Some(values) = values {
            if values.value.is_empty() {
                let message = "`enum` is empty: no value would be valid";
                self.report(rules::EMPTY_ENUM.violation(&values.at, message));
            }
            schema.enumeration = Some(values.value.to_vec());
        }
        if let Some(multiple) = &schema.multiple_of
            && !multiple.value.as_f64().is_some_and(|value| value > 0.0)
        {
            let message = "`multipleOf` must be greater than 0";
            let help = "write a positive number";
            self.report(rules::WRONG_TYPE.problem(&multiple.at, message, help));
        }
    }

    fn schema_type(&self, object: &Object<'a>) -> Option<Spanned<Type>> {
        const TYPES: &str = "write `string`, `integer`, `number`, `boolean`, `array` or `object`";
        let node = object.get("type")?;
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

    fn arrays_and_objects(&self, object: &Object<'a>, schema: &mut Schema) {
        schema.min_items = object.optional("minItems");
        schema.max_items = object.optional("maxItems");
        schema.unique_items = object.flag("uniqueItems");
        schema.min_properties = object.optional("minProperties");
        schema.max_properties = object.optional("maxProperties");
        schema.required = self.required_names(object);
        schema.items = self.boxed_schema(object.get("items"));
        for (name, member) in self.entries(object, "properties") {
            let property = self.schema(&member.value);
            let property = property.map(|property| (name.clone(), property));
            schema.properties.extend(property);
        }
        let additional = object.get("additionalProperties");
        schema.additional_properties = match additional.and_then(Node::as_bool) {
            Some(_) => (object.optional("additionalProperties")).map(AdditionalProperties::Allowed),
            None => (self.boxed_schema(additional)).map(AdditionalProperties::Schema),
        };
    }

    fn required_names(&self, object: &Object<'a>) -> Vec<Spanned<String>> {
        let required = object.get("required");
        if let Some(node) = required.filter(|node| node.as_bool().is_some()) {
            let help = "list the property in `required` of the object that has it";
            self.report(wrong_type(node, "required", "an array of names", help));
            return Vec::new();
        }
        let names = object.texts("required");
        let mut seen = HashSet::new();
        for name in names.iter().filter(|name| !seen.insert(&name.value)) {
            let message = format!("`{name}` is listed twice in `required`");
            self.report(rules::DUPLICATE_REQUIRED.violation(&name.at, message));
        }
        names
    }

    fn schemas(&self, object: &Object<'a>, name: &str) -> Vec<Schema> {
        let parts = object.list(name);
        if let Some(node) = object.get(name)
            && node.as_array().is_some_and(<[Node]>::is_empty)
        {
            let message = format!("`{name}` is empty");
            self.report(rules::EMPTY_COMPOSITION.violation(&node.at, message));
        }
        parts.iter().filter_map(|part| self.schema(part)).collect()
    }

    /// A boxed schema. Schemas are large, and boxing them at once keeps the stack small.
    fn boxed_schema(&self, node: Option<&'a Node>) -> Option<Box<Schema>> {
        self.schema(node?).map(Box::new)
    }

    fn discriminator(&self, object: &Object<'a>) -> Option<Discriminator> {
        let node = object.get("discriminator")?;
        let object = self.object(node, ObjectKind::Discriminator)?;
        let mut mapping = IndexMap::new();
        for (name, member) in self.entries(&object, "mapping") {
            let target = value(&member.value, name, self.log);
            mapping.extend(target.map(|target| (name.clone(), target)));
        }
        Some(Discriminator {
            at: node.at.clone(),
            mapping,
            property: object.required("propertyName")?,
        })
    }
}
