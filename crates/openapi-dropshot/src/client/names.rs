//! Gives every inline schema that becomes a type a name of its own, because typify merges two schemas of one name
//! without a warning.

use openapi_dropshot_contract::{
    Problem,
    model::{
        AdditionalProperties, Document, Location, MediaType, Operation, Parameter, Schema, Type,
    },
};
use std::collections::BTreeMap;

/// A schema that becomes a type, and the name that the type has.
#[derive(Clone, Debug)]
pub(super) struct Named<'a> {
    /// The name in the document.
    pub(super) name: String,
    /// The schema.
    pub(super) schema: &'a Schema,
    /// The description of the schema, or of the parameter that it belongs to.
    pub(super) description: Option<&'a str>,
    /// Whether it is written in place, so that the name has to be given.
    pub(super) inline: bool,
}

/// All schemas that become types, by [`folded`] name.
pub(super) type Names<'a> = BTreeMap<String, Named<'a>>;

/// Names that the generated code uses without their paths.
const TAKEN: [&str; 8] = [
    "Default", "Err", "None", "Ok", "Option", "Result", "Some", "String",
];

/// A name without case and punctuation: `bookId`, `book_id` and `BookId` are one name in Rust.
pub(super) fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a name would hide one that the generated code relies on.
pub(super) fn is_taken(name: &str) -> bool {
    TAKEN.iter().any(|taken| folded(taken) == folded(name))
}

/// Names every schema that becomes a type; two schemas with one name are a
/// problem.
pub(super) fn collect<'a>(document: &'a Document, problems: &mut Vec<Problem>) -> Names<'a> {
    let mut collector = Collector {
        names: Names::new(),
        problems,
    };
    for (name, schema) in &document.schemas {
        collector.claim(name, schema, None, false);
    }
    for (name, schema) in &document.schemas {
        collector.parts(name, schema);
    }
    for operation in &document.operations {
        let label = operation.id.as_ref().map_or("", |id| id.value.as_str());
        for parameter in &operation.parameters {
            if let Some(schema) = &parameter.schema {
                collector.visit(
                    &parameter_name(label, parameter),
                    schema,
                    parameter.description.as_deref(),
                );
            }
        }
        if let Some(body) = &operation.request_body {
            let name = component_of(&body.at).unwrap_or_else(|| format!("{label} body"));
            collector.visit_content(&name, &body.content);
        }
        for response in successes(operation) {
            let name = component_of(&response.at).unwrap_or_else(|| format!("{label} response"));
            collector.visit_content(&name, &response.content);
        }
    }
    collector.names
}

/// The responses that a client reads as a success; see [`super::prepare`].
pub(super) fn successes(operation: &Operation) -> Vec<&openapi_dropshot_contract::model::Response> {
    use openapi_dropshot_contract::model::StatusCode;
    let declared: Vec<_> = operation
        .responses
        .iter()
        .filter(|response| response.status.value.is_success())
        .collect();
    if declared.is_empty() {
        operation
            .responses
            .iter()
            .filter(|response| response.status.value == StatusCode::Default)
            .collect()
    } else {
        declared
    }
}

/// The name of a component, where the place is one.
fn component_of(at: &Location) -> Option<String> {
    let mut tokens = at.pointer.strip_prefix("/components/")?.split('/');
    let (_, name) = (tokens.next()?, tokens.next()?);
    Some(openapi_dropshot_contract::model::unescape_pointer_token(
        name,
    ))
}

/// The name of the type of a parameter: a component is shared by operations.
fn parameter_name(operation: &str, parameter: &Parameter) -> String {
    component_of(&parameter.at).unwrap_or_else(|| format!("{operation} {}", parameter.name.value))
}

/// Whether typify makes a named type of an inline schema.
fn becomes_a_type(schema: &Schema) -> bool {
    let combined = !(schema.one_of.is_empty() && schema.any_of.is_empty())
        // One reference in an `allOf` is that reference, with a description of its own.
        || schema.all_of.len() > 1
        || schema.all_of.iter().any(|part| !part.is_reference());
    let text = schema
        .types
        .as_ref()
        .is_some_and(|kind| kind.value == Type::String);
    let checked =
        schema.min_length.is_some() || schema.max_length.is_some() || schema.pattern.is_some();
    !schema.is_reference()
        && (!schema.properties.is_empty()
            || schema.enumeration.is_some()
            || known_values(schema).is_some()
            || combined
            || (text && checked && schema.format.is_none()))
}

/// The values that are known of an open list: `x-extensible-enum` of a string.
pub(super) fn known_values(schema: &Schema) -> Option<Vec<&str>> {
    let is_text = schema
        .types
        .as_ref()
        .is_some_and(|kind| kind.value == Type::String);
    let values = schema.extensions.get("x-extensible-enum")?.as_array()?;
    let known: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
    known.filter(|known| is_text && !known.is_empty())
}

struct Collector<'a, 'p> {
    names: Names<'a>,
    problems: &'p mut Vec<Problem>,
}

impl<'a> Collector<'a, '_> {
    fn claim(&mut self, name: &str, schema: &'a Schema, about: Option<&'a str>, inline: bool) {
        if is_taken(name) {
            self.problems.push(Problem::error(
                "client-name-reserved",
                &schema.at,
                format!("a schema cannot be called `{name}`: generated Rust relies on that name"),
                "give the schema another name",
            ));
            return;
        }
        match self.names.get(&folded(name)) {
            // A component that several operations refer to is met again.
            Some(other) if other.schema.at == schema.at => {}
            Some(other) => self.problems.push(
                Problem::error(
                    "client-name-clash",
                    &schema.at,
                    format!("this schema would become a second type with the name of `{}`", other.name),
                    if inline {
                        "move it to `components.schemas` under a name of its own"
                    } else {
                        "rename one of the two, so that they differ in more than case and punctuation"
                    },
                )
                .with_related(&other.schema.at, "the first one"),
            ),
            None => {
                let description = schema.description.as_deref().or(about);
                self.names.insert(folded(name), Named { name: name.to_owned(), schema, description, inline });
            }
        }
    }

    fn visit_content(&mut self, name: &str, content: &'a [MediaType]) {
        for media in content {
            if let Some(schema) = &media.schema {
                self.visit(name, schema, None);
            }
        }
    }

    /// An inline schema that should be called by this name.
    fn visit(&mut self, name: &str, schema: &'a Schema, about: Option<&'a str>) {
        if becomes_a_type(schema) {
            self.claim(name, schema, about, true);
        }
        self.parts(name, schema);
    }

    /// The inline schemas inside a schema of this name.
    fn parts(&mut self, name: &str, schema: &'a Schema) {
        if schema.is_reference() {
            return;
        }
        for (property, inner) in &schema.properties {
            self.visit(&format!("{name} {property}"), inner, None);
        }
        if let Some(items) = &schema.items {
            self.visit(&format!("{name} item"), items, None);
        }
        if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
            self.visit(&format!("{name} value"), values, None);
        }
        for part in &schema.all_of {
            self.parts(name, part);
        }
        // Variants stay unnamed: typify makes them parts of the enum, and finds
        // better names for them than a number.
        for (index, variant) in schema.one_of.iter().chain(&schema.any_of).enumerate() {
            self.variant_parts(&format!("{name} {index}"), variant);
        }
    }

    /// Inside a variant, a property with a single value is its tag.
    fn variant_parts(&mut self, name: &str, variant: &'a Schema) {
        if variant.is_reference() {
            return;
        }
        for (property, inner) in &variant.properties {
            if inner.deprecated {
                self.problems.push(Problem::error(
                    "client-deprecated-variant",
                    &inner.at,
                    format!("the client cannot warn of `{property}`, which is part of an unnamed variant"),
                    "move the variant to `components.schemas` under a name of its own",
                ));
            }
            if inner
                .enumeration
                .as_ref()
                .is_none_or(|values| values.len() != 1)
            {
                self.visit(&format!("{name} {property}"), inner, None);
            }
        }
        for part in &variant.all_of {
            self.variant_parts(name, part);
        }
    }
}
