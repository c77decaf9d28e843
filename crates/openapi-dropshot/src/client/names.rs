//! Gives every inline schema that becomes a type a unique name, because typify silently merges two schemas with the same name.

use super::{
    document::{all_schemas, is_type, known_values},
    plan::{Content, Plan, Sent},
};
use crate::{
    names::{pascal, snake},
    rules,
};
use indexmap::IndexMap;
use openapi_dropshot_contract::{
    Problem,
    model::{
        AdditionalProperties, Document, Location, MediaType, Node, NodeKind, Parameter, Schema,
        StatusCode, Type, unescape_pointer_token,
    },
    renamed,
};
use std::collections::{BTreeMap, BTreeSet};

/// A schema that becomes a type, and the name of the type.
#[derive(Clone, Debug)]
pub(super) struct Named<'a> {
    /// The name in the document.
    pub(super) name: String,
    pub(super) schema: &'a Schema,
    /// The description of the schema, or of its parameter.
    pub(super) description: Option<&'a str>,
    /// The examples of the parameter that contains the schema.
    pub(super) examples: &'a [Node],
    /// Whether it is an inline schema, which needs a name.
    pub(super) inline: bool,
}

/// All schemas that become types, by [`folded`] name.
pub(super) type Names<'a> = BTreeMap<String, Named<'a>>;

/// Names that the generated code uses without their paths.
const TAKEN: [&str; 8] = [
    "Default", "Err", "None", "Ok", "Option", "Result", "Some", "String",
];

/// Returns a name without case and punctuation: `bookId`, `book_id` and `BookId` are the same name in Rust.
pub(super) fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns whether a name has the same Rust name as one of these.
pub(super) fn is_one_of(taken: &[&str], name: &str) -> bool {
    taken.iter().any(|taken| folded(taken) == folded(name))
}

/// Whether a name would hide a name that the generated code uses.
pub(super) fn is_taken(name: &str) -> bool {
    is_one_of(&TAKEN, name)
}

/// Renames the components whose names the generated code uses itself; `None` if there are none.
pub(super) fn without_taken(document: &Document) -> Option<Document> {
    let components = document.schemas.keys();
    let mut known =
        crate::names::Names::without(TAKEN.into_iter().chain(components.map(String::as_str)));
    let taken = document.schemas.keys().filter(|name| is_taken(name));
    let names: IndexMap<String, String> = taken
        .map(|name| (name.clone(), known.claim(name)))
        .collect();
    (!names.is_empty())
        .then(|| renamed(document, &names))
        .flatten()
}

/// Returns other names for properties whose field would have the same Rust name as the field of another property, by the place of
/// the property. The new names are not used by other properties of the document.
pub(super) fn other_names(document: &Document) -> BTreeMap<&str, (&str, String)> {
    let schemas = all_schemas(document);
    let properties = schemas.iter().flat_map(|schema| schema.properties.keys());
    let known: BTreeSet<&String> = properties.collect();
    let mut names = BTreeMap::new();
    for schema in schemas {
        let mut taken = BTreeSet::new();
        let own: BTreeSet<String> = schema.properties.keys().map(|name| folded(name)).collect();
        for (name, property) in &schema.properties {
            if taken.insert(folded(name)) {
                continue;
            }
            let mut others = (2_usize..).map(|number| format!("{name} {number}"));
            let is_new = |other: &String| {
                !known.contains(other)
                    && !own.contains(&folded(other))
                    && !taken.contains(&folded(other))
            };
            let other = others.find(is_new).unwrap_or_default();
            taken.insert(folded(&other));
            names.insert(property.at.pointer.as_str(), (name.as_str(), other));
        }
    }
    names
}

/// Names every schema that becomes a type. It is a problem if two schemas get the same name.
pub(super) fn collect<'a>(
    plan: &Plan<'a>,
    renames: &BTreeMap<String, String>,
    problems: &mut Vec<Problem>,
) -> Names<'a> {
    let document = plan.document;
    let mut collector = Collector {
        names: Names::new(),
        renames,
        problems,
    };
    for (name, schema) in &document.schemas {
        collector.claim(name, schema, None, false);
    }
    for (name, schema) in &document.schemas {
        collector.parts(name, schema);
    }
    for call in &plan.calls {
        let id = call.id;
        for parameter in &call.operation.parameters {
            let name = name_at(&parameter.at, || format!("{id} {}", parameter.name.value));
            if let Some(schema) = &parameter.schema {
                collector.visit(&name, schema, Some(parameter));
            }
            collector.visit_content(&name, parameter.json());
        }
        if let Some((body, media, how)) = call.body
            && matches!(how, Sent::Json | Sent::Form | Sent::Lines)
        {
            let name = name_at(&body.at, || format!("{id} body"));
            collector.visit_content(&name, [media]);
        }
        let typed = !call.typed_successes.is_empty();
        for response in call.successes.iter().filter(|_| !typed) {
            let name = name_at(&response.at, || format!("{id} response"));
            collector.visit_content(&name, &response.content);
        }
    }
    for (name, schema) in bodies_in_place(plan) {
        collector.claim(&name, schema, None, true);
        collector.parts(&name, schema);
    }
    collector.default_functions();
    collector.names
}

/// Returns the name for a part of an operation. A component keeps its name, because several operations use it.
fn name_at(at: &Location, other: impl FnOnce() -> String) -> String {
    let component = at.pointer.strip_prefix("/components/");
    let name = component.and_then(|component| component.split('/').nth(1));
    name.map_or_else(other, unescape_pointer_token)
}

/// Returns the inline schemas of bodies that are used in enums and in callbacks: they become separate types.
pub(super) fn bodies_in_place<'a>(plan: &Plan<'a>) -> Vec<(String, &'a Schema)> {
    let mut bodies = Vec::new();
    for call in &plan.calls {
        for case in call.typed_successes.iter().chain(&call.typed_errors) {
            if let Content::Json(Some(schema)) = case.content {
                let status = case.response.status.value;
                let kind = match status {
                    StatusCode::Exact(..=399) | StatusCode::Range(..=3) => "response",
                    _ => "error",
                };
                let name = || format!("{} {kind} {status}", call.id);
                bodies.push((name_at(&case.response.at, name), schema));
            }
        }
    }
    for request in &plan.outgoing {
        if let Some((body, media)) = request.body {
            let name = name_at(&body.at, || format!("{} body", request.name));
            bodies.extend(media.schema.as_ref().map(|schema| (name, schema)));
        }
    }
    bodies.retain(|(_, schema)| !schema.is_reference());
    bodies
}

/// Returns the name of the type of a schema: the name of the component to which it refers, or its own name.
pub(super) fn type_name<'n>(schema: &'n Schema, names: &'n Names<'_>) -> Option<&'n str> {
    if let Some(component) = &schema.reference {
        return Some(&component.value);
    }
    let mut named = names.values();
    let own = named.find(|named| named.schema.at == schema.at);
    own.map(|named| named.name.as_str())
}

/// Whether typify writes a separate function for this default of a property. All other defaults are the defaults of their types, or
/// are made by one shared function.
fn needs_a_function(default: &Node) -> bool {
    match &default.kind {
        NodeKind::Null | NodeKind::Bool(_) => false,
        NodeKind::Number(_) => default.as_i64().is_none() && default.as_u64().is_none(),
        NodeKind::String(text) => !text.is_empty(),
        NodeKind::Array(list) => !list.is_empty(),
        NodeKind::Object(members) => !members.is_empty(),
    }
}

/// Whether typify makes a named type from an inline schema.
fn becomes_a_type(schema: &Schema) -> bool {
    let combined = !(schema.one_of.is_empty() && schema.any_of.is_empty())
        // An `allOf` with only one reference is that reference with another description.
        || schema.all_of.len() > 1
        || schema.all_of.iter().any(|part| !part.is_reference());
    let checked =
        schema.min_length.is_some() || schema.max_length.is_some() || schema.pattern.is_some();
    !schema.is_reference()
        && (!schema.properties.is_empty()
            || schema.enumeration.is_some()
            || known_values(schema).is_some()
            || combined
            || (is_type(schema, Type::String) && checked && schema.format.is_none()))
}

struct Collector<'a, 'p> {
    names: Names<'a>,
    /// Other names for types of inline schemas.
    renames: &'p BTreeMap<String, String>,
    problems: &'p mut Vec<Problem>,
}

impl<'a> Collector<'a, '_> {
    /// Rejects two defaults whose functions would have the same name. Typify derives the name from the names of the type and of the
    /// property.
    fn default_functions(&mut self) {
        let mut functions: BTreeMap<String, (&Location, String)> = BTreeMap::new();
        for named in self.names.values() {
            let parts = std::iter::once(named.schema).chain(&named.schema.all_of);
            for (property, schema) in parts.flat_map(|part| &part.properties) {
                let default = schema.default.as_ref();
                let Some(default) = default.filter(|node| needs_a_function(node)) else {
                    continue;
                };
                let what = format!("`{property}` of `{}`", named.name);
                let function = snake(&format!("{} {property}", named.name));
                match functions.get(&function) {
                    Some((at, other)) => {
                        let message = format!(
                            "the default of {what} would become a function with the same name as the function for the default of {other}"
                        );
                        let help = "rename one of the two schemas or properties, or remove one of the defaults";
                        let problem = rules::CLIENT_NAME_CLASH.problem(&default.at, message, help);
                        self.problems
                            .push(problem.with_related(at, "the first one"));
                    }
                    None => {
                        functions.insert(function, (&default.at, what));
                    }
                }
            }
        }
    }

    fn claim(
        &mut self,
        name: &str,
        schema: &'a Schema,
        parameter: Option<&'a Parameter>,
        inline: bool,
    ) {
        let renamed = self.renames.get(&pascal(name)).filter(|_| inline);
        let name = renamed.map_or(name, String::as_str);
        if is_taken(name) {
            self.problems.push(rules::CLIENT_NAME_RESERVED.problem(
                &schema.at,
                format!("a schema cannot have the name `{name}`, because the generated Rust code uses this name itself"),
                "give the schema another name",
            ));
            return;
        }
        match self.names.get(&folded(name)) {
            // A component is visited once for each operation that refers to it.
            Some(other) if other.schema.at == schema.at => {}
            // The numbers distinguish two inline schemas, because neither has a name in the document.
            Some(_) if inline => {
                let another = |number: &usize| {
                    let other = self.names.get(&folded(&format!("{name} {number}")));
                    other.is_none_or(|other| other.schema.at == schema.at)
                };
                let number = (2_usize..).find(another).unwrap_or_default();
                self.claim(&format!("{name} {number}"), schema, parameter, inline);
            }
            Some(other) => {
                let name = &other.name;
                let message =
                    format!("this schema would become a type with the same Rust name as `{name}`");
                let help =
                    "rename one of the two, so that they differ in more than case and punctuation";
                let problem = rules::CLIENT_NAME_CLASH.problem(&schema.at, message, help);
                self.problems
                    .push(problem.with_related(&other.schema.at, "the first one"));
            }
            None => {
                let about = parameter.and_then(|parameter| parameter.description.as_deref());
                let named = Named {
                    name: name.to_owned(),
                    schema,
                    description: schema.description.as_deref().or(about),
                    examples: parameter.map_or(&[], |parameter| &parameter.examples),
                    inline,
                };
                self.names.insert(folded(name), named);
            }
        }
    }

    fn visit_content(&mut self, name: &str, content: impl IntoIterator<Item = &'a MediaType>) {
        for schema in content.into_iter().flat_map(MediaType::schemas) {
            self.visit(name, schema, None);
        }
    }

    /// Visits an inline schema that should get this name.
    fn visit(&mut self, name: &str, schema: &'a Schema, parameter: Option<&'a Parameter>) {
        if becomes_a_type(schema) {
            self.claim(name, schema, parameter, true);
        }
        self.parts(name, schema);
    }

    /// Visits the inline schemas inside of a schema with this name. A reference has no inner schemas.
    fn parts(&mut self, name: &str, schema: &'a Schema) {
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
        // Variants get no names here: typify makes them parts of the enum, and finds better names for them than numbers.
        for (index, variant) in schema.one_of.iter().chain(&schema.any_of).enumerate() {
            self.variant_parts(&format!("{name} {index}"), variant);
        }
    }

    /// Visits the parts of a variant. A property with only one possible value is the tag of the variant.
    fn variant_parts(&mut self, name: &str, variant: &'a Schema) {
        for (property, inner) in &variant.properties {
            if inner.deprecated {
                self.problems.push(rules::CLIENT_DEPRECATED_VARIANT.problem(&inner.at,
                    format!("the client cannot mark `{property}` as deprecated, because it is part of an unnamed variant"),
                    "give the variant its own name in `components.schemas`",
                ));
            }
            let values = inner.enumeration.as_ref();
            if values.is_none_or(|values| values.len() != 1) {
                self.visit(&format!("{name} {property}"), inner, None);
            }
        }
        for part in &variant.all_of {
            self.variant_parts(name, part);
        }
    }
}
