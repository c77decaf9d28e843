//! Runs progenitor. Its errors and panics become problems of the operation or the schema that causes them.

use super::{
    names::Names,
    prepare::{self, Prepared, component_name},
};
use crate::rules;
use openapi_dropshot_contract::{
    Problem,
    model::{Document, Location, referenced_names, referenced_schemas},
};
use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use quote::ToTokens as _;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, panic};

/// Returns the code that progenitor generates for the prepared document.
///
/// # Errors
///
/// The operations and schemas that progenitor cannot express.
pub(super) fn run(
    document: &Document,
    names: &Names<'_>,
    prepared: &Prepared<'_>,
) -> Result<syn::File, Vec<Problem>> {
    let whole = prepare::document(prepared.schemas.clone(), &prepared.operations);
    let file = attempt(whole).and_then(|file| with_names_of(prepared, file));
    file.map_err(|reason| find_cause(document, names, prepared, &reason))
}

/// Restores the original names of properties that were renamed for progenitor.
fn with_names_of(prepared: &Prepared<'_>, file: syn::File) -> Result<syn::File, String> {
    fn restored(tokens: TokenStream, names: &BTreeMap<String, String>) -> TokenStream {
        let restored = tokens.into_iter().map(|token| match token {
            TokenTree::Group(group) => {
                let tokens = restored(group.stream(), names);
                TokenTree::Group(Group::new(group.delimiter(), tokens))
            }
            TokenTree::Literal(literal) => {
                let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                let name = text.ok().and_then(|text| names.get(&text.value()));
                TokenTree::Literal(name.map_or(literal, |name| Literal::string(name)))
            }
            other => other,
        });
        restored.collect()
    }
    if prepared.properties.is_empty() {
        return Ok(file);
    }
    let tokens = restored(file.into_token_stream(), &prepared.properties);
    syn::parse2(tokens).map_err(|error| error.to_string())
}

fn attempt(document: Value) -> Result<syn::File, String> {
    // progenitor and typify panic for unexpected input. The earlier checks report all known cases, so the message of a panic rarely
    // appears on stderr.
    panic::catch_unwind(|| generate(document)).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("it gave no reason");
        Err(first_line(message))
    })
}

fn generate(document: Value) -> Result<syn::File, String> {
    let document: openapiv3::OpenAPI =
        serde_json::from_value(document).map_err(|error| error.to_string())?;
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_tag(TagStyle::Merged)
        .with_derive("PartialEq")
        .with_map_type("::std::collections::BTreeMap");
    let tokens = Generator::new(&settings)
        .generate_tokens(&document)
        .map_err(|error| first_line(&error.to_string()))?;
    syn::parse2(tokens).map_err(|error| error.to_string())
}

/// Finds the cause by running progenitor with each schema alone, then with each operation alone.
fn find_cause(
    document: &Document,
    names: &Names<'_>,
    prepared: &Prepared<'_>,
    reason: &str,
) -> Vec<Problem> {
    let (schemas, operations) = (&prepared.schemas, &prepared.operations);
    let mut problems = Vec::new();
    if attempt(prepare::document(schemas.clone(), &[])).is_err() {
        let components = document.schemas.iter().map(|(name, schema)| {
            let what = format!("the schema `{name}`");
            (name.clone(), what, &schema.at)
        });
        let in_place = names.values().filter(|named| named.inline);
        let in_place = in_place.map(|named| {
            let what = format!("the body `{}`", named.name);
            (component_name(&named.name), what, &named.schema.at)
        });
        for (name, what, at) in components.chain(in_place) {
            let alone = only(&name, schemas).map(|schemas| prepare::document(schemas, &[]));
            let reason = alone.and_then(|alone| attempt(alone).err());
            problems.extend(reason.map(|reason| unsupported(at, &what, &reason)));
        }
    } else {
        for own in operations {
            let (operation, signature) = own;
            let needed = referenced_schemas([signature], schemas);
            let reason = attempt(prepare::document(needed, [own])).err();
            let what = format!("the operation {}", operation.label());
            problems.extend(reason.map(|reason| unsupported(&operation.at, &what, &reason)));
        }
    }
    if problems.is_empty() {
        problems.push(unsupported(&document.root.at, "the document", reason));
    }
    problems
}

fn unsupported(at: &Location, what: &str, reason: &str) -> Problem {
    let message = format!("the client generator cannot express {what}: {reason}");
    let help = "write it with simpler schemas, each with its own name in `components.schemas`";
    rules::CLIENT_UNSUPPORTED.problem(at, message, help)
}

/// Returns a document with only one of the schemas. The schemas to which it refers are replaced by schemas that allow any value, so
/// that the references stay valid.
fn only(name: &str, schemas: &Map<String, Value>) -> Option<Map<String, Value>> {
    let schema = schemas.get(name)?;
    let referred = referenced_names(schema).into_iter();
    let mut kept: Map<String, Value> = referred.map(|name| (name, json!({}))).collect();
    kept.insert(name.to_owned(), schema.clone());
    Some(kept)
}

fn first_line(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    first.trim_end_matches(['(', '{', ' ']).to_owned()
}
