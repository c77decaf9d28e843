//! Normalises a schema, so that two spellings of the same schema are equal: references and wrappers
//! are followed, objects in `allOf` are merged, and bounds that the format already implies are
//! removed.

use crate::grammar::keywords_of_bounds;
use crate::model::{AdditionalProperties, Discriminator, Document, Node, Schema, Type};
use indexmap::IndexMap;
use serde_json::Number;
use std::collections::BTreeSet;

/// How many references and wrappers are followed from one schema.
const LONGEST_CHAIN: usize = 100;

/// A normalised schema.
#[derive(Default)]
pub(super) struct Shape<'d> {
    /// The names of the components on the way to the shape. The outermost one is first.
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
    /// `minimum` and similar bounds, by keyword, as they are written.
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

/// Whether members without a declared property are allowed.
#[derive(Clone, Copy, Default)]
pub(super) enum Others<'d> {
    /// Such members may be present.
    #[default]
    Open,
    /// Such members must not be present.
    Closed,
    /// The values of such members must match this schema.
    Of(&'d Schema),
}

impl<'d> Shape<'d> {
    /// Returns the shape of a schema of this document.
    pub(super) fn new(document: &'d Document, schema: &'d Schema) -> Self {
        let mut shape = Shape::default();
        shape.add(document, schema, LONGEST_CHAIN);
        shape.nullable = document.allows_null(schema);
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
        self.restrict(document, schema);
        if let Some(values) = enum_values(document, &schema.one_of) {
            self.types = self.types.or(Some(Type::String));
            self.values.get_or_insert_default().extend(values);
        } else {
            self.one_of.extend(&schema.one_of);
        }
        self.any_of.extend(&schema.any_of);
        self.not = self.not.or(schema.not.as_deref());
        self.discriminator = self.discriminator.or(schema.discriminator.as_ref());
        let names = self.names.len();
        let is_wrapper = match schema.all_of.as_slice() {
            [only] => {
                self.add(document, only, left);
                // A type beside `allOf` excludes the `null` that the part allows, so this schema is
                // not another notation of the part.
                let excludes_null = document.allows_null(only) && !document.allows_null(schema);
                schema.properties.is_empty() && !excludes_null
            }
            parts if parts.iter().all(|part| is_object(document, part)) => {
                for part in parts {
                    self.add_part(document, part, left);
                }
                false
            }
            parts => return self.all_of.extend(parts),
        };
        if !is_wrapper {
            // The name of a part is not a name for the whole schema.
            self.names.truncate(names);
        }
    }

    /// Adds one of several parts of `allOf`, whose annotations are ignored.
    fn add_part(&mut self, document: &'d Document, part: &'d Schema, left: usize) {
        let (title, description, default) = (self.title, self.description, self.default);
        let deprecated = self.deprecated;
        self.add(document, part, left);
        (self.title, self.description, self.default) = (title, description, default);
        self.deprecated = deprecated;
    }

    /// Adds the annotations. The outermost annotations take precedence.
    fn annotate(&mut self, schema: &'d Schema) {
        self.title = self.title.or(schema.title.as_deref());
        self.description = self.description.or(schema.description.as_deref());
        self.default = self.default.or(schema.default.as_ref());
        self.deprecated |= schema.deprecated;
        self.read_only |= schema.read_only;
        self.write_only |= schema.write_only;
    }

    fn restrict(&mut self, document: &Document, schema: &'d Schema) {
        self.types = self.types.or(schema.kind());
        let format = schema.format.as_ref().map(|format| &*format.value);
        self.format = self.format.or(format);
        let pattern = schema.pattern.as_ref().map(|pattern| &*pattern.value);
        self.pattern = self.pattern.or(pattern);
        if let Some(values) = &schema.enumeration {
            let values = values.iter().filter(|value| !value.is_null());
            let mut of_others = values.clone().map(scalar_type);
            // If all values have the same type, the type does not have to be written.
            if let Some(Some(first)) = of_others.next()
                && of_others.all(|other| other == Some(first))
            {
                self.types = self.types.or(Some(first));
            }
            let values = values.map(json);
            // A value that `allOf` allows must be a value of each part.
            self.values = Some(match self.values.take() {
                None => values.collect(),
                Some(own) => values.filter(|value| own.contains(value)).collect(),
            });
        }
        let node = document.node(schema);
        for keyword in keywords_of_bounds() {
            let bound = node.and_then(|node| node.get(keyword)?.as_number());
            let is_written = |bound: &&Number| keyword != "maximum" || !is_implied(schema, bound);
            if let Some(bound) = bound.filter(is_written) {
                self.bounds.entry(keyword).or_insert(number(bound));
            }
        }
        if schema.unique_items {
            self.bounds.insert("uniqueItems", "true".to_owned());
        }
        self.items = self.items.or(schema.items.as_deref());
        for (name, property) in &schema.properties {
            let own = self.properties.entry(name).or_insert(property);
            // If `allOf` has two definitions of a property, the narrower one counts. If they allow
            // the same values, the later one counts, unless only the earlier one has a description.
            let is_described = property.description.is_some() || own.description.is_none();
            if document.is_wider(own, property)
                && (is_described || !document.is_wider(property, own))
            {
                *own = property;
            }
        }
        let required = schema.required.iter().map(|name| name.value.as_str());
        self.required.extend(required);
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

    /// If every value is allowed, `null` is allowed, too. If `null` is the only value, a type has
    /// no meaning.
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

    /// Removes a lower bound of zero, which is implied for an unsigned integer and for a length.
    fn remove_implied_bounds(&mut self) {
        let is_unsigned = self.format.is_some_and(|format| format.starts_with("uint"));
        for keyword in ["minLength", "minItems", "minProperties", "minimum"] {
            let is_implied = keyword != "minimum" || is_unsigned;
            if is_implied && self.bounds.get(keyword).is_some_and(|bound| bound == "0") {
                self.bounds.shift_remove(keyword);
            }
        }
    }
}

/// The values of a `oneOf` whose alternatives are strings with an `enum` each. Schemars writes an
/// enum with documentation in this form.
fn enum_values(document: &Document, alternatives: &[Schema]) -> Option<Vec<String>> {
    let mut values = Vec::new();
    for alternative in alternatives {
        let alternative = document.resolve(alternative)?;
        if alternative.kind()? != Type::String {
            return None;
        }
        values.extend(alternative.enumeration.as_ref()?.iter().map(json));
    }
    (!values.is_empty()).then_some(values)
}

/// Whether a part of `allOf` is an object whose members can be merged.
fn is_object(document: &Document, schema: &Schema) -> bool {
    document.resolve(schema).is_some_and(|schema| {
        let kind = schema.kind();
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

/// Whether the format of an integer already implies its maximum.
fn is_implied(schema: &Schema, maximum: &Number) -> bool {
    let format = schema.format.as_ref().map(|format| format.value.as_str());
    let greatest = match format {
        Some("uint8") => u8::MAX.into(),
        Some("uint16") => u16::MAX.into(),
        Some("uint32") => u32::MAX.into(),
        _ => return false,
    };
    maximum.as_u64() == Some(greatest)
}

/// Formats a number in one canonical spelling: `1.0` becomes `1`.
fn number(number: &Number) -> String {
    match number.as_f64() {
        Some(double) if number.is_f64() && double.fract() == 0.0 && double.abs() < 1e19 => {
            format!("{double:.0}")
        }
        _ => number.to_string(),
    }
}

/// Returns a value as JSON in one canonical form. 1.0 and 1 are the same number.
fn json(node: &Node) -> String {
    let value = node.to_json();
    match value.as_f64().filter(|number| number.fract() == 0.0) {
        // Every whole number of this size has exactly one representation as `f64`.
        Some(number) if value.is_f64() && number.abs() < 2_f64.powi(53) => format!("{number:.0}"),
        _ => value.to_string(),
    }
}

/// The type of a string, a boolean or an integer.
fn scalar_type(value: &Node) -> Option<Type> {
    let is_integer = value
        .as_number()
        .is_some_and(|number| number.is_i64() || number.is_u64());
    match (value.as_str(), value.as_bool()) {
        (Some(_), _) => Some(Type::String),
        (_, Some(_)) => Some(Type::Boolean),
        _ => is_integer.then_some(Type::Integer),
    }
}
