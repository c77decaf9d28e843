//! Turns progenitor's code into the client of the document. Types are kept and get their documentation, deprecation and
//! stability; requests are generated anew from their names and types. If the code does not have the expected form, or
//! if a deprecation of the document was not found in it, that is reported as a problem.

mod bounds;
mod enums;
mod examples;
mod kinds;
mod messages;
mod operations;
mod requests;
mod service;
mod types;
mod values;

use super::names::Names;
use crate::docs::{doc_attributes, harmless, one_line};
use examples::Examples;
use openapi_dropshot_contract::{
    Problem,
    model::{Document, Extensions, Operation},
};
use proc_macro2::TokenStream;
use syn::{Attribute, Item, parse_quote};
use values::Values;

/// The code of the client, by file.
pub(super) struct Modules {
    /// The names that applications use.
    pub(super) root: TokenStream,
    /// The client and its methods.
    pub(super) client: Vec<Item>,
    /// The builders of requests.
    pub(super) builder: Vec<Item>,
    /// The types of the document, with the modules inside.
    pub(super) types: Vec<Item>,
}

/// Code that is not built as this pass expects.
#[derive(Debug)]
struct Surprise(String);

/// Turns progenitor's code into the client of the document; `library` is the crate of the client.
///
/// # Errors
///
/// progenitor's code is not built as this pass expects.
pub(super) fn apply(
    document: &Document,
    names: &Names<'_>,
    file: syn::File,
    library: &str,
) -> Result<Modules, Vec<Problem>> {
    modules(document, names, file, library).map_err(|reason| vec![surprise(document, &reason.0)])
}

/// The problem of code that is not built as expected.
pub(super) fn surprise(document: &Document, reason: &str) -> Problem {
    Problem::error(
        "client-shape",
        &document.root.at,
        format!("the client generator does not know the code that progenitor made: {reason}"),
        "use the version of progenitor that `Cargo.lock` names, and report the document",
    )
}

fn modules(
    document: &Document,
    names: &Names<'_>,
    file: syn::File,
    library: &str,
) -> Result<Modules, Surprise> {
    let (mut blocks, mut builders, mut types) = (Vec::new(), Vec::new(), Vec::new());
    for item in file.items {
        match item {
            Item::Mod(module) if module.ident == "types" => {
                types = module.content.map(|(_, items)| items).unwrap_or_default()
            }
            Item::Mod(module) if module.ident == "builder" => {
                builders = module.content.map(|(_, items)| items).unwrap_or_default()
            }
            Item::Impl(block) if block.trait_.is_none() => blocks.push(block),
            // progenitor's own client is not used.
            _ => {}
        }
    }
    let requests = requests::read(document, &blocks, &builders)?;
    let examples = Examples::new(library, Values::new(document, names, &types));
    let methods = operations::methods(&requests, &examples);
    Ok(Modules {
        root: service::module(document, &types),
        client: service::client(document, library, &methods, &examples),
        builder: operations::builders(document, &requests, &types, &examples),
        types: types::types(document, names, types, &examples)?,
    })
}

/// Documentation made of paragraphs in Markdown.
fn docs(paragraphs: &[String]) -> Vec<Attribute> {
    let text = paragraphs
        .iter()
        .map(|text| text.trim())
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let attributes = doc_attributes(&lines);
    let item: syn::ItemStruct = parse_quote!(#attributes struct Holder;);
    item.attrs
}

/// A description of the document as a paragraph.
fn described(text: Option<&str>) -> String {
    text.map(harmless).unwrap_or_default()
}

/// Replaces the documentation of an item.
fn set_docs(attributes: &mut Vec<Attribute>, paragraphs: &[String]) {
    attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    attributes.splice(0..0, docs(paragraphs));
}

/// The documentation of an item, unchanged.
fn documentation(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
    {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && let syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(line),
                ..
            }) = &pair.value
        {
            text.push_str(&line.value());
            text.push('\n');
        }
    }
    text
}

/// Lets the compiler warn of each use of an item.
fn deprecate(attributes: &mut Vec<Attribute>, since: Option<&str>, note: &str) {
    attributes.push(match since {
        Some(since) => parse_quote!(#[deprecated(since = #since, note = #note)]),
        None => parse_quote!(#[deprecated(note = #note)]),
    });
}

/// Deprecates an item of a deprecated operation.
fn deprecate_with(attributes: &mut Vec<Attribute>, operation: &Operation) {
    if let Some(note) = crate::lifecycle::deprecation_note(operation) {
        deprecate(attributes, note.since_version.as_deref(), &note.note);
    }
}

/// The note for a deprecated parameter or property: that of its `x-replacement`, if it has one.
fn part_note(extensions: &Extensions) -> String {
    extensions
        .get("x-replacement")
        .and_then(|replacement| replacement.get("note").unwrap_or(replacement).as_str())
        .map_or_else(|| "the document names no replacement".to_owned(), one_line)
}

/// The version that deprecated a parameter or property.
fn part_since(extensions: &Extensions) -> Option<String> {
    extensions
        .get("x-deprecated-since-version")
        .and_then(|version| version.as_str())
        .map(str::to_owned)
}
