//! Converts progenitor's code to the client of the document. The types are kept and get their documentation, deprecation
//! and stability. The requests are generated again from progenitor's names and types.

mod bounds;
mod builders;
mod enums;
mod errors;
mod examples;
mod forms;
mod kinds;
mod operations;
mod repeated;
mod requests;
mod responses;
mod security;
mod service;
mod setters;
mod types;
mod unions;
mod values;
mod waiters;

use super::{names::Names, plan::Plan};
use crate::{
    File, Generated, Options,
    docs::{doc_attributes, harmless, one_line},
    lifecycle::DeprecationNote,
    names::ident,
    render,
};
use kinds::Kind;
use openapi_dropshot_contract::model::{Document, Extensions};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;
use syn::{Attribute, Ident, Item, ItemMod, Path, Token, parse_quote, punctuated::Punctuated};

/// The inputs that all parts of this pass share.
struct Pass<'a> {
    plan: &'a Plan<'a>,
    document: &'a Document,
    names: &'a Names<'a>,
    /// The name of the client crate in Rust code.
    library: &'a str,
    schemes: security::Schemes<'a>,
    /// The kind of each type, by its [`folded`](super::names::folded) name.
    kinds: BTreeMap<String, Kind<'a>>,
    /// The types, by folded name.
    idents: BTreeMap<String, Ident>,
}

/// Writes the files of the client from progenitor's code.
///
/// # Errors
///
/// progenitor's code has an unexpected structure, or does not contain a deprecation of the document.
pub(super) fn apply(
    plan: &Plan<'_>,
    names: &Names<'_>,
    file: syn::File,
    options: &Options,
) -> Result<Generated, String> {
    let (mut builders, mut types) = (Vec::new(), Vec::new());
    // The client that progenitor generates is not used.
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
        library: &options.client_crate,
        schemes: security::Schemes::of(plan.document),
        kinds: BTreeMap::new(),
        idents: responses::idents(&types),
    };
    pass.kinds = pass.kinds_of(&types);
    let requests = requests::read(plan, &builders)?;
    let builders = requests.iter().map(|request| pass.builder(request));
    let builders = quote! {
        use ::openapi_dropshot_client::generated as toolkit;
        use super::types;

        #(#builders)*
    };
    let types = pass.types(types, &requests)?;
    let optional = [
        (
            "responses.rs",
            "The bodies of responses, by status, of operations whose responses have different bodies.",
            pass.responses(&requests),
        ),
        (
            "errors.rs",
            "The error codes of each operation.",
            pass.errors(&requests),
        ),
        (
            "forms.rs",
            "The forms in parts of the operations, with a method for each part.",
            pass.forms(&requests),
        ),
        (
            "callbacks.rs",
            "The bodies of the requests that the service sends: of its callbacks and webhooks.",
            pass.callbacks(),
        ),
        (
            "schemes.rs",
            "The security schemes of the document, for the credentials of a client.",
            pass.schemes(),
        ),
    ];
    let declared = optional.iter().filter(|(.., code)| code.is_some());
    let declared = declared.map(|(name, ..)| ident(name.trim_end_matches(".rs")));
    let root = pass.root(&requests, declared.collect());
    let modules = [
        ("mod.rs", "", Some(root)),
        (
            "client.rs",
            "The client, with a method for each operation.",
            Some(pass.client(&requests)),
        ),
        (
            "builder.rs",
            "Requests, each with its parameters and `send`.",
            Some(builders),
        ),
        (
            "types.rs",
            "The types of the document: the bodies and parameters of requests and responses.",
            Some(types.root()),
        ),
        (
            "types/builder.rs",
            "Builders of the types, field by field.",
            (types.builders)
                .map(|code| quote!(use ::openapi_dropshot_client::generated as toolkit; #code)),
        ),
        (
            "types/error.rs",
            "The error of a value that a type rejects.",
            types.error,
        ),
        (
            "types/defaults.rs",
            "The values of absent properties.",
            types.defaults,
        ),
    ];
    let mut files = Vec::new();
    for (name, about, code) in modules.into_iter().chain(optional) {
        let lines = ["", about];
        let lines = if about.is_empty() { &[][..] } else { &lines };
        let text = code.map(|code| render::file(&options.first_line(), lines, code));
        let text = text.transpose().map_err(|error| error.to_string())?;
        let path = Options::path(&options.client, name);
        files.extend(text.map(|text| File { path, text }));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let client = requests.iter().map(requests::Request::call).collect();
    Ok(Generated {
        files,
        client,
        ..Generated::default()
    })
}

/// Changes the traits that an item derives.
fn change_derives(attributes: &mut [Attribute], change: impl FnOnce(&mut Vec<Path>)) {
    let mut attributes = attributes.iter_mut();
    if let Some(derives) = attributes.find(|attribute| attribute.path().is_ident("derive"))
        && let Ok(paths) = derives.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
    {
        let mut paths = paths.into_iter().collect();
        change(&mut paths);
        derives.meta = parse_quote!(derive(#(#paths),*));
    }
}

/// Creates documentation from Markdown paragraphs. Empty paragraphs are skipped.
fn docs<P: AsRef<str>>(paragraphs: impl IntoIterator<Item = P>) -> TokenStream {
    let paragraphs: Vec<String> = paragraphs
        .into_iter()
        .map(|text| text.as_ref().trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect();
    let lines: Vec<String> = paragraphs.join("\n\n").lines().map(str::to_owned).collect();
    doc_attributes(&lines)
}

/// Returns a description of the document as a paragraph.
fn described(text: Option<&str>) -> String {
    text.map(harmless).unwrap_or_default()
}

/// Writes the documentation for a part of the document that can be deprecated, and the `deprecated` attribute. The sentence
/// about the deprecation follows the first paragraph.
fn docs_of_part(
    first: &str,
    deprecation: Option<&DeprecationNote>,
    others: &[&str],
) -> (TokenStream, Option<TokenStream>) {
    let sentence = deprecation.map_or("", |note| note.sentence.as_str());
    let paragraphs = [first, sentence].into_iter().chain(others.iter().copied());
    (docs(paragraphs), deprecation.map(deprecated_attribute))
}

/// Makes the compiler warn about each use of an item.
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
