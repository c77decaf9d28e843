//! Turns progenitor's code into the client of the document. Types are kept and get their documentation, deprecation and
//! stability; requests are generated anew from their names and types.

mod bounds;
mod builders;
mod enums;
mod examples;
mod kinds;
mod operations;
mod requests;
mod responses;
mod service;
mod setters;
mod types;
mod unions;
mod values;
mod waiters;

use super::{names::Names, plan::Plan};
use crate::{
    docs::{doc_attributes, harmless, one_line},
    lifecycle::DeprecationNote,
    starter::ClientCall,
};
use kinds::Kind;
use openapi_dropshot_contract::model::{Document, Extensions};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;
use syn::{Ident, Item, ItemMod};
use types::Types;

/// A module of the client, which becomes a file.
pub(super) struct Module {
    /// The path of the file in the folder of the client.
    pub(super) name: String,
    /// The first sentence of the file, if it has one.
    pub(super) about: Option<&'static str>,
    pub(super) code: TokenStream,
}

/// The inputs of this pass, which all its parts share.
struct Pass<'a> {
    plan: &'a Plan<'a>,
    document: &'a Document,
    names: &'a Names<'a>,
    /// The crate of the client, as Rust writes it.
    library: &'a str,
    /// What each type is, by its [`folded`](super::names::folded) name.
    kinds: BTreeMap<String, Kind<'a>>,
    /// The types, by folded name.
    idents: BTreeMap<String, Ident>,
}

/// Turns progenitor's code into the client of the document; `library` is the crate of the client.
///
/// # Errors
///
/// progenitor's code has another structure than this pass expects, or lacks a deprecation of the document.
pub(super) fn apply(
    plan: &Plan<'_>,
    names: &Names<'_>,
    file: syn::File,
    library: &str,
) -> Result<(Vec<Module>, BTreeMap<String, ClientCall>), String> {
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
    let mut pass = Pass {
        plan,
        document: plan.document,
        names,
        library,
        kinds: BTreeMap::new(),
        idents: responses::idents(&types),
    };
    pass.kinds = pass.kinds_of(&types);
    let requests = requests::read(plan, &builders)?;
    let module = |name: &str, about, code| Module {
        name: name.to_owned(),
        about,
        code,
    };
    let builders = requests.iter().map(|request| pass.builder(request));
    let builders = quote! {
        use ::openapi_dropshot_client::generated as toolkit;
        use super::types;

        #(#builders)*
    };
    let about_client = "The client, with a method for each operation.";
    let about_builders = "Requests, each with its parameters and `send`.";
    let callbacks = pass.callbacks();
    let mut modules = vec![
        module("mod.rs", None, pass.root(&requests, callbacks.is_some())),
        module("client.rs", Some(about_client), pass.client(&requests)),
        module("builder.rs", Some(about_builders), builders),
    ];
    let about_responses =
        "The bodies of responses, by status, of operations whose responses have different bodies.";
    let responses = pass.responses(&requests);
    modules.extend(responses.map(|code| module("responses.rs", Some(about_responses), code)));
    let about_callbacks =
        "The bodies of the requests that the service sends: of its callbacks and webhooks.";
    modules.extend(callbacks.map(|code| module("callbacks.rs", Some(about_callbacks), code)));
    let Types {
        code,
        builders,
        modules: inner,
    } = pass.types(types, &requests)?;
    let mut declarations = TokenStream::new();
    if !builders.is_empty() {
        declarations.extend(quote!(
            pub mod builder;
        ));
        let about = "Builders of the types, field by field.";
        modules.push(module("types/builder.rs", Some(about), builders));
    }
    for ItemMod { ident, content, .. } in inner {
        let name = ident.to_string();
        let (public, about) = match name.as_str() {
            "error" => (quote!(pub), "The error of a value that a type rejects."),
            _ => (quote!(), "The values of absent properties."),
        };
        declarations.extend(quote!(#public mod #ident;));
        let items = content.map(|(_, items)| items).unwrap_or_default();
        modules.push(module(
            &format!("types/{name}.rs"),
            Some(about),
            quote!(#(#items)*),
        ));
    }
    let about = "The types of the document: the bodies and parameters of requests and responses.";
    let types = quote!(#declarations #code);
    modules.push(module("types.rs", Some(about), types));
    let calls = requests.iter().map(requests::Request::call);
    Ok((modules, calls.collect()))
}

/// Makes documentation from paragraphs in Markdown; empty ones are left out.
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

/// Returns the deprecation of a parameter, a property or a schema, with the note of its `x-replacement`.
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
        is_described: false,
    })
}
