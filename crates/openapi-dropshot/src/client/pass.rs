//! Turns progenitor's code into the client of the document. Types are kept and get their documentation, deprecation and
//! stability; requests are generated anew from their names and types.

mod bounds;
mod enums;
mod examples;
mod kinds;
mod operations;
mod requests;
mod service;
mod setters;
mod types;
mod values;

use super::names::Names;
use crate::{
    docs::{doc_attributes, harmless, one_line},
    lifecycle::DeprecationNote,
};
use kinds::Kind;
use openapi_dropshot_contract::model::{Document, Extensions};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;
use syn::{Item, ItemMod};

/// The code of the client, by file.
pub(super) struct Modules {
    /// The names that applications use.
    pub(super) root: TokenStream,
    /// The client and its methods.
    pub(super) client: TokenStream,
    /// The builders of requests.
    pub(super) builder: TokenStream,
    /// The types of the document, with the modules inside.
    pub(super) types: Vec<Item>,
}

/// The inputs of this pass, which all its parts share.
struct Pass<'a> {
    document: &'a Document,
    names: &'a Names<'a>,
    /// The crate of the client, as Rust writes it.
    library: &'a str,
    /// How values are written, by the [`folded`](super::names::folded) name of their type.
    kinds: BTreeMap<String, Kind>,
}

/// Turns progenitor's code into the client of the document; `library` is the crate of the client.
///
/// # Errors
///
/// progenitor's code is not built as this pass expects, or does not have a deprecation of the document.
pub(super) fn apply(
    document: &Document,
    names: &Names<'_>,
    file: syn::File,
    library: &str,
) -> Result<Modules, String> {
    let (mut builders, mut types) = (Vec::new(), Vec::new());
    // progenitor's own client is not used.
    for item in file.items {
        if let Item::Mod(ItemMod { ident, content, .. }) = item {
            let items = content.map(|(_, items)| items).unwrap_or_default();
            match ident.to_string().as_str() {
                "builder" => builders = items,
                "types" => types = items,
                _ => {}
            }
        }
    }
    let pass = Pass {
        document,
        names,
        library,
        kinds: kinds::of(&types),
    };
    let requests = requests::read(document, &builders)?;
    let builders = requests.iter().map(|request| pass.builder(request));
    Ok(Modules {
        root: pass.root(),
        client: pass.client(&requests),
        builder: quote! {
            use ::openapi_dropshot_client::generated as toolkit;
            use super::types;

            #(#builders)*
        },
        types: pass.types(types)?,
    })
}

/// Documentation made of paragraphs in Markdown; empty ones are left out.
fn docs<P: AsRef<str>>(paragraphs: impl IntoIterator<Item = P>) -> TokenStream {
    let paragraphs: Vec<String> = paragraphs
        .into_iter()
        .map(|text| text.as_ref().trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect();
    let lines: Vec<String> = paragraphs.join("\n\n").lines().map(str::to_owned).collect();
    doc_attributes(&lines)
}

/// A description of the document as a paragraph.
fn described(text: Option<&str>) -> String {
    text.map(harmless).unwrap_or_default()
}

/// Lets the compiler warn of each use of an item.
fn deprecated_attribute(deprecation: &DeprecationNote) -> TokenStream {
    let note = &deprecation.note;
    let since = deprecation.since_version.iter();
    quote!(#[deprecated(#(since = #since,)* note = #note)])
}

/// The deprecation of a parameter, a property or a schema, with the note of its `x-replacement`.
fn part_deprecation(deprecated: bool, extensions: &Extensions) -> Option<DeprecationNote> {
    let note = extensions
        .get("x-replacement")
        .and_then(|replacement| replacement.get("note").unwrap_or(replacement).as_str())
        .map_or_else(|| "the document names no replacement".to_owned(), one_line);
    let since = extensions.get("x-deprecated-since-version");
    deprecated.then(|| DeprecationNote {
        since_version: since
            .and_then(|version| version.as_str())
            .map(str::to_owned),
        sentence: format!("Deprecated; {note}."),
        note,
    })
}
