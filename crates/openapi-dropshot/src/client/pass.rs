//! The pass over progenitor's code. It finds its way by the names of operations
//! and schemas; where the code is not built as expected, or something that the
//! document deprecates was not met, it says so instead of going on.

mod bounds;
mod calls;
mod enums;
mod examples;
mod messages;
mod operations;
mod send;
mod setters;
mod types;

use super::names::Names;
use crate::docs::{doc_attributes, harmless, one_line};
use examples::Examples;
use openapi_dropshot_contract::{
    Problem,
    model::{Document, Extensions, Operation},
};
use syn::{Attribute, Item, parse_quote};

/// The code of the client, by concern.
pub(super) struct Modules {
    /// The methods of the client.
    pub(super) client: Vec<Item>,
    /// The builders of requests.
    pub(super) builder: Vec<Item>,
    /// The types of the document, modules inside included.
    pub(super) types: Vec<Item>,
}

/// Code that is not built as this pass expects.
#[derive(Debug)]
struct Surprise(String);

/// Makes of progenitor's code what the document promises; `library` is the crate
/// that it becomes part of, for the examples in its documentation.
///
/// # Errors
///
/// progenitor built its code otherwise than this pass knows.
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
    let mut methods = Vec::new();
    let mut builder = None;
    let mut types = None;
    for item in file.items {
        match item {
            Item::Mod(module) if module.ident == "types" => {
                types = module.content.map(|(_, items)| items)
            }
            Item::Mod(module) if module.ident == "builder" => {
                builder = module.content.map(|(_, items)| items)
            }
            Item::Impl(block) if block.trait_.is_none() => methods.push(block),
            // The hand-written parent has its own client, and what belongs to it.
            _ => {}
        }
    }
    let builder = builder.ok_or_else(|| Surprise("there is no module `builder`".to_owned()))?;
    let types = types.ok_or_else(|| Surprise("there is no module `types`".to_owned()))?;
    let examples = Examples::new(document, names, library, &builder, &types);
    Ok(Modules {
        client: operations::client(document, methods, &examples)?,
        builder: operations::builders(document, builder, &types, &examples)?,
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

/// Puts documentation in the place of that which an item has.
fn set_docs(attributes: &mut Vec<Attribute>, paragraphs: &[String]) {
    attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    attributes.splice(0..0, docs(paragraphs));
}

/// The documentation that an item has, as it was written.
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

/// Deprecates an item for those who call it.
fn deprecate(attributes: &mut Vec<Attribute>, since: Option<&str>, note: &str) {
    attributes.push(match since {
        Some(since) => parse_quote!(#[deprecated(since = #since, note = #note)]),
        None => parse_quote!(#[deprecated(note = #note)]),
    });
}

/// Deprecates what belongs to a deprecated operation.
fn deprecate_with(attributes: &mut Vec<Attribute>, operation: &Operation) {
    if let Some(note) = crate::lifecycle::deprecation_note(operation) {
        deprecate(attributes, note.since_version.as_deref(), &note.note);
    }
}

/// The words for a deprecated parameter or property: those of its
/// `x-replacement`, where it has one.
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
