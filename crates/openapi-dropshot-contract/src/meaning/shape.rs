//! Normalises a schema, so that two spellings of the same schema are equal:
//! references and wrappers are followed, objects of `allOf` are merged, and bounds
//! that the format implies are left out.

use crate::model::{AdditionalProperties, Discriminator, Document, Node, Schema, Type};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// How many references and wrappers are followed from one schema.
const LONGEST_CHAIN: usize = 100;

/// A normalised schema.
#[derive(Default)]
pub(super) struct Shape<'d> {
    /// The components that were met on the way, the outermost first.
    pub(super) names: Vec<&'d str>,
    pub(super) types: Option<Type>,
    pub(super) format: Option<&'d str>,
    pub(super) title: Option<&'d str>,
    pub(super) description: Option<&'d str>,
    pub(super) default: Option<&'d Node>,
    pub(super) deprecated: bool,
    pub(super) nullable: bool,
    pub(super) read_only: bool,
    pub(super) write_only: bool,
    /// The values of `enum`, as JSON, without `null`.
    pub(super) values: Option<BTreeSet<String>>,
    /// `minimum` and its like, by keyword, as they are written.
    pub(super) bounds: IndexMap<&'static str, String>,
    pub(super) pattern: Option<&'d str>,
    pub(super) items: Option<&'d Schema>,
    pub(super) properties: IndexMap<&'d str, &'d Schema>,
    pub(super) required: BTreeSet<&'d str>,
    pub(super) others: Others<'d>,
    pub(super) all_of: Vec<&'d Schema>,
    pub(super) one_of: Vec<&'d Schema>,
    pub(super) any_of: Vec<&'d Schema>,
    pub(super) not: Option<&'d Schema>,
    pub(super) discriminator: Option<&'d Discriminator>,
}

/// Members without a name.
#[derive(Clone, Copy, Default)]
pub(super) enum Others<'d> {
    /// They may be there.
    #[default]
    Open,
    /// They may not.
    Closed,
    /// They are of this schema.
    Of(&'d Schema),
}

impl<'d> Shape<'d> {
    /// The shape of a schema of this document.
    pub(super) fn of(document: &'d Document, schema: &'d Schema) -> Self {
        let mut shape = Shape::default();
        shape.add(document, schema, LONGEST_CHAIN);
        shape.remove_implied_bounds();
        shape.normalise_null();
        shape
    }

    fn add(&mut self, document: &'d Document, schema: &'d Schema, left: usize) {
        let Some(left) = left.checked_sub(1) else {
            return;
        };
        if let Some(reference) = &schema.reference {
            self.names.push(&reference.value);
            if let Some(target) = document.schema(&reference.value) {
                self.add(document, target, left);
            }
            return;
        }
        self.annotate(schema);
        self.restrict(schema);
        let (values, others) = enum_values(document, &schema.one_of)
            .map_or((None, &schema.one_of), |values| (Some(values), &NONE));
        if let Some(values) = values {
            self.types = self.types.or(Some(Type::String));
            self.values.get_or_insert_default().extend(values);
        }
        self.one_of.extend(others);
        self.any_of.extend(&schema.any_of);
        self.not = self.not.or(schema.not.as_deref());
        self.discriminator = self.discriminator.or(schema.discriminator.as_ref());
        let is_wrapper = schema.all_of.len() == 1;
        if is_wrapper || schema.all_of.iter().all(|part| is_object(document, part)) {
            let names = self.names.len();
            for part in &schema.all_of {
                self.add_part(document, part, left, is_wrapper);
            }
            if !is_wrapper || !schema.properties.is_empty() {
                // The name of a part is not a name of the whole.
                self.names.truncate(names);
            }
        } else {
            self.all_of.extend(&schema.all_of);
        }
    }

    /// Adds a part of `allOf`. Its annotations count only if it is the only part.
    fn add_part(
        &mut self,
        document: &'d Document,
        part: &'d Schema,
        left: usize,
        is_wrapper: bool,
    ) {
        if is_wrapper {
            return self.add(document, part, left);
        }
        let (title, description, default) = (self.title, self.description, self.default);
        let (nullable, deprecated) = (self.nullable, self.deprecated);
        self.add(document, part, left);
        (self.title, self.description, self.default) = (title, description, default);
        (self.nullable, self.deprecated) = (nullable, deprecated);
    }

    /// Adds the annotations; the outermost ones count.
    fn annotate(&mut self, schema: &'d Schema) {
        self.title = self.title.or(schema.title.as_deref());
        self.description = self.description.or(schema.description.as_deref());
        self.default = self.default.or(schema.default.as_ref());
        self.deprecated |= schema.deprecated;
        self.nullable |= schema.nullable;
        self.read_only |= schema.read_only;
        self.write_only |= schema.write_only;
    }

    fn restrict(&mut self, schema: &'d Schema) {
        self.types = self
            .types
            .or(schema.types.as_ref().map(|types| types.value));
        self.format = self
            .format
            .or(schema.format.as_ref().map(|format| format.value.as_str()));
        self.pattern = self.pattern.or(schema
            .pattern
            .as_ref()
            .map(|pattern| pattern.value.as_str()));
        if let Some(values) = &schema.enumeration {
            let values = values.iter().filter(|value| !value.is_null());
            self.values
                .get_or_insert_default()
                .extend(values.map(|value| value.to_json().to_string()));
        }
        for (keyword, bound) in [
            ("minimum", &schema.minimum),
            ("maximum", &schema.maximum),
            ("multipleOf", &schema.multiple_of),
        ] {
            self.bound(keyword, bound.as_ref().map(|bound| number(&bound.value)));
        }
        for (keyword, bound) in [
            ("minLength", &schema.min_length),
            ("maxLength", &schema.max_length),
            ("minItems", &schema.min_items),
            ("maxItems", &schema.max_items),
            ("minProperties", &schema.min_properties),
            ("maxProperties", &schema.max_properties),
        ] {
            self.bound(keyword, bound.as_ref().map(|bound| bound.value.to_string()));
        }
        for (keyword, is_set) in [
            ("exclusiveMinimum", schema.exclusive_minimum),
            ("exclusiveMaximum", schema.exclusive_maximum),
            ("uniqueItems", schema.unique_items),
        ] {
            self.bound(keyword, is_set.then(|| "true".to_owned()));
        }
        self.items = self.items.or(schema.items.as_deref());
        for (name, property) in &schema.properties {
            self.properties.entry(name).or_insert(property);
        }
        self.required
            .extend(schema.required.iter().map(|name| name.value.as_str()));
        match &schema.additional_properties {
            Some(AdditionalProperties::Allowed(allowed)) if !allowed.value => {
                self.others = Others::Closed
            }
            Some(AdditionalProperties::Schema(others)) if !is_anything(others) => {
                self.others = Others::Of(others)
            }
            _ => {}
        }
    }

    fn bound(&mut self, keyword: &'static str, value: Option<String>) {
        if let Some(value) = value {
            self.bounds.entry(keyword).or_insert(value);
        }
    }

    /// If every value is allowed, so is `null`; and if `null` is the only value, a
    /// type has no meaning.
    fn normalise_null(&mut self) {
        let is_null = self.values.as_ref().is_some_and(BTreeSet::is_empty);
        let is_anything = self.types.is_none()
            && self.values.is_none()
            && self.properties.is_empty()
            && self.required.is_empty()
            && self.items.is_none()
            && self.not.is_none()
            && [&self.all_of, &self.one_of, &self.any_of]
                .iter()
                .all(|parts| parts.is_empty());
        if is_null {
            self.types = None;
        }
        self.nullable |= is_null || is_anything;
    }

    /// A lower bound of zero is implied for an unsigned integer and for a length.
    fn remove_implied_bounds(&mut self) {
        let is_unsigned = self.format.is_some_and(|format| format.starts_with("uint"));
        for keyword in ["minLength", "minItems", "minProperties", "minimum"] {
            let is_implied = keyword != "minimum"
                || (is_unsigned && !self.bounds.contains_key("exclusiveMinimum"));
            if is_implied && self.bounds.get(keyword).is_some_and(|bound| bound == "0") {
                self.bounds.shift_remove(keyword);
            }
        }
    }
}

static NONE: Vec<Schema> = Vec::new();

/// The values of a `oneOf` whose alternatives are strings with an `enum` each, which
/// is how schemars writes an enum that has documentation.
fn enum_values(document: &Document, alternatives: &[Schema]) -> Option<Vec<String>> {
    let mut values = Vec::new();
    for alternative in alternatives {
        let alternative = document.resolve(alternative)?;
        if alternative.types.as_ref()?.value != Type::String {
            return None;
        }
        values.extend(
            alternative
                .enumeration
                .as_ref()?
                .iter()
                .map(|value| value.to_json().to_string()),
        );
    }
    (!values.is_empty()).then_some(values)
}

/// Whether a part of `allOf` is an object whose members can be merged.
fn is_object(document: &Document, schema: &Schema) -> bool {
    document.resolve(schema).is_some_and(|schema| {
        let kind = schema.types.as_ref().map(|types| types.value);
        matches!(kind, None | Some(Type::Object))
            && schema.one_of.is_empty()
            && schema.any_of.is_empty()
            && schema.not.is_none()
            && (kind.is_some()
                || !schema.properties.is_empty()
                || !schema.required.is_empty()
                || !schema.all_of.is_empty())
    })
}

/// Whether a schema allows everything.
pub(super) fn is_anything(schema: &Schema) -> bool {
    schema.reference.is_none()
        && schema.types.is_none()
        && schema.enumeration.is_none()
        && schema.properties.is_empty()
        && schema.all_of.is_empty()
        && schema.one_of.is_empty()
        && schema.any_of.is_empty()
        && schema.not.is_none()
}

/// A number in one spelling: `1.0` is `1`.
fn number(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(double) if number.is_f64() && double.fract() == 0.0 && double.abs() < 9e15 => {
            format!("{double:.0}")
        }
        _ => number.to_string(),
    }
}
