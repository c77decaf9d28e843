//! Compares two schemas and the schemas inside them, keyword by keyword.

use super::shape::{Others, Shape};
use super::{Comparer, TextRules};
use crate::model::{Location, Schema, Type};
use crate::rules::{DifferenceRule, differences as rules};

/// The rules for differences in the description of a schema.
const DESCRIPTION: TextRules = TextRules {
    form: &rules::SCHEMA_DESCRIPTION_FORM,
    more: &rules::SCHEMA_DESCRIPTION_MORE,
    added: &rules::SCHEMA_DESCRIPTION_ADDED,
    lost: &rules::SCHEMA_DESCRIPTION,
};

impl<'d> Comparer<'d> {
    /// Compares a schema of the source with the emitted one.
    pub(super) fn schema(&mut self, source: &'d Schema, emitted: &'d Schema) {
        let pointers = (source.at.pointer.clone(), emitted.at.pointer.clone());
        if !self.seen.insert(pointers) {
            self.is_nameless = false;
            return;
        }
        let a = Shape::new(self.source, source);
        let b = Shape::new(self.emitted, emitted);
        let at = &source.at;
        if a.nullable && !b.nullable && is_component(at) {
            // `null` is compared at each use of the schema.
            let message = "`null` is allowed where the schema is used";
            self.differ(&rules::COMPONENT_NULL_AT_USE, at, message);
        } else if !self.in_parameter {
            // The value of a parameter or a header is a string, so it is never `null`.
            self.same(&rules::SCHEMA_NULLABLE, at, [a.nullable, b.nullable]);
        }
        if let Some(name) = b.names.first()
            && !a.names.contains(name)
        {
            let (pointer, name) = (at.pointer.clone(), (*name).to_owned());
            self.comparison.pairs.insert(pointer, name);
        }
        // A type with a name keeps its own description, but not a description beside a reference to
        // it.
        let is_described = source.description.is_some() && !source.all_of.is_empty();
        let is_nameless =
            std::mem::take(&mut self.is_nameless) && (b.names.is_empty() || is_described);
        self.annotations(at, source, &a, &b, is_nameless);
        let known = |name: &&&str| self.source.schemas.contains_key(**name);
        match (a.names.first(), b.names.first()) {
            // Components are compared once, with the component of the same name.
            (Some(name), Some(other)) if name == other => return,
            (_, Some(other)) if a.names.contains(other) => {}
            // The source may be a reference with other keywords beside it. The content is compared below.
            (_, Some(other)) if !known(&other) => {
                let message = format!("the inline schema became the component `{other}`");
                self.differ(&rules::SCHEMA_NAMED, at, message);
            }
            (Some(name), Some(other)) => {
                let message = format!("`{name}` became `{other}`");
                self.differ(&rules::SCHEMA_REFERENCE, at, message);
            }
            (Some(name), None) => {
                let message = format!("the reference to `{name}` became an inline schema");
                self.differ(&rules::SCHEMA_INLINED, at, message);
            }
            (None, Some(other)) => {
                let message = format!("the inline schema became a reference to `{other}`");
                self.differ(&rules::SCHEMA_REFERENCE, at, message);
            }
            (None, None) => {}
        }
        self.values(at, &a, &b);
        self.members(at, &a, &b);
        self.compositions(at, &a, &b);
    }

    fn annotations(
        &mut self,
        at: &Location,
        source: &Schema,
        a: &Shape<'d>,
        b: &Shape<'d>,
        is_nameless: bool,
    ) {
        match (a.title, b.title) {
            (None, Some(title)) => {
                let message = format!("the title `{title}` is not in the source");
                self.differ(&rules::SCHEMA_TITLE_ADDED, at, message);
            }
            (Some(title), None) if self.in_parameter => {
                let message = format!("the title `{title}` was lost");
                self.differ(&rules::PARAMETER_SCHEMA_TEXT, at, message);
            }
            (Some(title), None) if is_nameless => {
                let message = format!("the title `{title}` was lost");
                self.differ(&rules::ELEMENT_TEXT, at, message);
            }
            // The title of the parameter itself, beside a reference to a component that has a title.
            (Some(title), Some(other)) if title != other && self.in_parameter => {
                let message = format!("the title `{title}` became `{other}`");
                self.differ(&rules::PARAMETER_SCHEMA_TEXT, at, message);
            }
            (Some(title), Some(other)) if title != other && is_from_schemars(other) => {
                let message = format!("the title `{title}` became `{other}`");
                self.differ(&rules::SCHEMA_TITLE_REPLACED, at, message);
            }
            (title, other) => self.same(&rules::SCHEMA_TITLE, at, [title, other]),
        }
        if self.in_parameter && b.description.is_none_or(str::is_empty) {
            if a.description.is_some_and(|text| !text.is_empty()) {
                let message = "the description was lost";
                self.differ(&rules::PARAMETER_SCHEMA_TEXT, at, message);
            }
        } else if is_nameless && a.description.is_some() && b.description.is_none_or(str::is_empty)
        {
            self.differ(&rules::ELEMENT_TEXT, at, "the description was lost");
        } else {
            self.text(&DESCRIPTION, at, [a.description, b.description]);
        }
        let is_own = source.deprecated && !is_component(at);
        if a.deprecated && !b.deprecated && !is_own && a.types == Some(Type::Object) {
            self.differ(&rules::STRUCT_DEPRECATED, at, "the deprecation was lost");
        } else {
            self.same(&rules::SCHEMA_DEPRECATED, at, [a.deprecated, b.deprecated]);
        }
        match (a.default, b.default) {
            (Some(default), Some(other)) if !default.same_value(other) => {
                let (default, other) = (default.summary(), other.summary());
                let message = format!("the default {default} became {other}");
                self.differ(&rules::SCHEMA_DEFAULT, at, message);
            }
            (Some(default), None) => {
                let message = format!("the default {} was lost", default.summary());
                self.differ(&rules::SCHEMA_DEFAULT_LOST, &default.at, message);
            }
            (None, Some(other)) => {
                let message = format!("the default {} is not in the source", other.summary());
                self.differ(&rules::SCHEMA_DEFAULT_ADDED, at, message);
            }
            _ => {}
        }
        if !source.examples.is_empty() {
            self.differ(&rules::SCHEMA_EXAMPLE, at, "the example was lost");
        }
        for name in source.extensions.keys() {
            self.lost(&rules::SCHEMA_EXTENSION, at, name);
        }
    }

    fn values(&mut self, at: &Location, a: &Shape<'_>, b: &Shape<'_>) {
        self.same(&rules::SCHEMA_TYPE, at, [a.types, b.types]);
        self.same(&rules::SCHEMA_FORMAT, at, [a.format, b.format]);
        self.same(&rules::SCHEMA_PATTERN, at, [a.pattern, b.pattern]);
        self.same(&rules::SCHEMA_READ_ONLY, at, [a.read_only, b.read_only]);
        self.same(&rules::SCHEMA_WRITE_ONLY, at, [a.write_only, b.write_only]);
        self.same(&rules::SCHEMA_ENUM, at, [&a.values, &b.values]);
        for keyword in a.bounds.keys().chain(b.bounds.keys()) {
            let [bound, other] = [a, b].map(|shape| shape.bounds.get(keyword));
            let [bound, other] = [bound, other].map(|bound| bound.map_or("nothing", |text| text));
            if bound != other {
                let message = format!("`{keyword}: {bound}` became {other}");
                let is_of_struct = other == "nothing" && !a.properties.is_empty();
                let rule = match bound_rule(keyword) {
                    rule if is_of_struct && *rule == rules::SCHEMA_PROPERTIES_BOUNDS => {
                        &rules::SCHEMA_PROPERTIES_BOUNDS_LOST
                    }
                    rule => rule,
                };
                self.differ(rule, at, message);
            }
        }
    }

    fn members(&mut self, at: &Location, a: &Shape<'d>, b: &Shape<'d>) {
        for (name, property) in &a.properties {
            match b.properties.get(name) {
                Some(other) => self.schema(property, other),
                None => self.lost(&rules::SCHEMA_PROPERTY_LOST, &property.at, name),
            }
        }
        for name in b.properties.keys() {
            if !a.properties.contains_key(name) {
                self.added(&rules::SCHEMA_PROPERTY_ADDED, at, name);
            }
        }
        // A member with a default is always written in responses, but does not have to be sent in
        // requests.
        for name in a.required.symmetric_difference(&b.required) {
            let (before, after) = match a.required.contains(name) {
                true => ("required", "optional"),
                false => ("optional", "required"),
            };
            let place = a.properties.get(name).map_or(at, |property| &property.at);
            let message = format!("`{name}` was {before} and became {after}");
            self.differ(&rules::SCHEMA_REQUIRED, place, message);
        }
        match (a.others, b.others) {
            (Others::Of(schema), Others::Of(other)) => {
                self.is_nameless = true;
                self.schema(schema, other);
            }
            (others, other) => {
                let (others, other) = (others_name(others), others_name(other));
                self.same(&rules::SCHEMA_ADDITIONAL_PROPERTIES, at, [others, other]);
            }
        }
        match (a.items, b.items) {
            (Some(items), Some(other)) => {
                self.is_nameless = true;
                self.schema(items, other);
            }
            (None, None) => {}
            _ => {
                let message = "only one document describes the items";
                self.differ(&rules::SCHEMA_ITEMS, at, message);
            }
        }
    }

    fn compositions(&mut self, at: &Location, a: &Shape<'d>, b: &Shape<'d>) {
        for (rule, parts, others) in [
            (&rules::SCHEMA_ALL_OF, &a.all_of, &b.all_of),
            (&rules::SCHEMA_ONE_OF, &a.one_of, &b.one_of),
            (&rules::SCHEMA_ANY_OF, &a.any_of, &b.any_of),
        ] {
            if parts.len() != others.len() {
                let message = format!("{} alternatives became {}", parts.len(), others.len());
                self.differ(rule, at, message);
                continue;
            }
            for (part, other) in parts.iter().zip(others) {
                self.schema(part, other);
            }
        }
        match (a.not, b.not) {
            (Some(part), Some(other)) => self.schema(part, other),
            (None, None) => {}
            _ => self.differ(&rules::SCHEMA_NOT, at, "only one document has `not`"),
        }
        let property = |shape: &Shape<'_>| shape.discriminator.map(|own| own.property.clone());
        match (property(a), property(b)) {
            (Some(name), None) => {
                let message = format!("the discriminator `{name}` was lost");
                self.differ(&rules::SCHEMA_DISCRIMINATOR_LOST, at, message);
            }
            (source, emitted) => self.same(&rules::SCHEMA_DISCRIMINATOR, at, [source, emitted]),
        }
    }
}

/// Returns whether schemars made the title: for a list or a map from its elements, or for a value that
/// may be `null`.
fn is_from_schemars(title: &str) -> bool {
    let prefixes = ["Array_of_", "Map_of_", "Nullable_"];
    prefixes.iter().any(|prefix| title.starts_with(prefix))
}

/// Whether this is the place of a component schema.
fn is_component(at: &Location) -> bool {
    let name = at.pointer.strip_prefix("/components/schemas/");
    name.is_some_and(|name| !name.contains('/'))
}

/// Returns the name, for messages, of the rule for members without a declared property.
fn others_name(others: Others<'_>) -> &'static str {
    match others {
        Others::Open => "any other members",
        Others::Closed => "no other members",
        Others::Of(_) => "other members of a schema",
    }
}

fn bound_rule(keyword: &str) -> &'static DifferenceRule {
    match keyword {
        "minimum" | "exclusiveMinimum" => &rules::SCHEMA_MINIMUM,
        "maximum" | "exclusiveMaximum" => &rules::SCHEMA_MAXIMUM,
        "multipleOf" => &rules::SCHEMA_MULTIPLE_OF,
        "minLength" | "maxLength" => &rules::SCHEMA_LENGTH,
        "minItems" | "maxItems" | "uniqueItems" => &rules::SCHEMA_ITEMS_BOUNDS,
        _ => &rules::SCHEMA_PROPERTIES_BOUNDS,
    }
}
