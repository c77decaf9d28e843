//! The model of schemas: JSON Schema 2020-12 as OpenAPI 3.1 and 3.2 use it, as far as types can express it. Schemas of OpenAPI 3.0
//! are converted to it when they are read.

use super::{Extensions, Location, Node, Spanned};
use indexmap::IndexMap;

/// `type` of a schema
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names explain themselves")]
pub enum Type {
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

/// A schema. If it is a reference, only `reference` is set.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// Its place.
    pub at: Location,
    /// If the schema is a reference, the name of its target in `components.schemas`.
    pub reference: Option<Spanned<String>>,
    /// `type`, except `null`
    pub types: Option<Spanned<Type>>,
    /// `format`
    pub format: Option<Spanned<String>>,
    /// `title`
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `enum`
    pub enumeration: Option<Vec<Node>>,
    /// `default`
    pub default: Option<Node>,
    /// `example`, and `examples`
    pub examples: Vec<Node>,
    /// Whether `null` is one of its types, or an alternative to everything that the other fields describe.
    pub nullable: bool,
    /// `readOnly`
    pub read_only: bool,
    /// `writeOnly`
    pub write_only: bool,
    /// `deprecated`
    pub deprecated: bool,
    /// `minimum`
    pub minimum: Option<Spanned<serde_json::Number>>,
    /// `maximum`
    pub maximum: Option<Spanned<serde_json::Number>>,
    /// `exclusiveMinimum`; a schema with it has no `minimum`
    pub exclusive_minimum: Option<Spanned<serde_json::Number>>,
    /// `exclusiveMaximum`; a schema with it has no `maximum`
    pub exclusive_maximum: Option<Spanned<serde_json::Number>>,
    /// `multipleOf`
    pub multiple_of: Option<Spanned<serde_json::Number>>,
    /// `minLength`, in Unicode characters
    pub min_length: Option<Spanned<u64>>,
    /// `maxLength`, in Unicode characters
    pub max_length: Option<Spanned<u64>>,
    /// `pattern` (ECMA-262)
    pub pattern: Option<Spanned<String>>,
    /// `items`: the schema of the elements after those of `prefixItems`
    pub items: Option<Box<Schema>>,
    /// `prefixItems`: the schemas of the first elements
    pub prefix_items: Vec<Schema>,
    /// `minItems`
    pub min_items: Option<Spanned<u64>>,
    /// `maxItems`
    pub max_items: Option<Spanned<u64>>,
    /// `uniqueItems`
    pub unique_items: bool,
    /// `properties`, in the order of the document
    pub properties: IndexMap<String, Schema>,
    /// `required`
    pub required: Vec<Spanned<String>>,
    /// `additionalProperties`
    pub additional_properties: Option<AdditionalProperties>,
    /// `propertyNames`
    pub property_names: Option<Box<Schema>>,
    /// `minProperties`
    pub min_properties: Option<Spanned<u64>>,
    /// `maxProperties`
    pub max_properties: Option<Spanned<u64>>,
    /// `allOf`
    pub all_of: Vec<Schema>,
    /// `oneOf`
    pub one_of: Vec<Schema>,
    /// `anyOf`
    pub any_of: Vec<Schema>,
    /// `not`
    pub not: Option<Box<Schema>>,
    /// `discriminator`
    pub discriminator: Option<Discriminator>,
    /// Extensions.
    pub extensions: Extensions,
}

/// `additionalProperties`
#[derive(Clone, Debug)]
pub enum AdditionalProperties {
    /// `true` or `false`
    Allowed(Spanned<bool>),
    /// A schema for all of them.
    Schema(Box<Schema>),
}

/// `discriminator`
#[derive(Clone, Debug)]
pub struct Discriminator {
    /// Its place.
    pub at: Location,
    /// `propertyName`
    pub property: String,
    /// `mapping`: value to schema name or reference
    pub mapping: IndexMap<String, Spanned<String>>,
}

/// Returns the flags with which a pattern is compiled: `u` of ECMA-262, or none if the pattern is only valid without it.
///
/// # Errors
///
/// Returns the reason, if the pattern is not a regular expression of ECMA-262.
pub fn pattern_flags(pattern: &str) -> Result<&'static str, String> {
    let compiled = |flags| regress::Regex::with_flags(pattern, flags).map(|_| flags);
    let flags = compiled("u").or_else(|_| compiled(""));
    flags.map_err(|error| error.text.to_lowercase())
}
