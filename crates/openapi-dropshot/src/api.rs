//! Writes the files of the API: the trait that a service implements, its errors,
//! its dispatch, the table of its operations, and the document itself.

pub(crate) mod contract;
mod dispatch;
pub(crate) mod errors;
mod operations;
mod parts;
mod responses;
pub(crate) mod shapes;

use crate::{
    File, Options,
    names::{pascal, snake},
    plan::Plan,
    render::modules,
};
use openapi_dropshot_contract::model::Document;
use proc_macro2::Ident;
use quote::{format_ident, quote};

/// Writes the API. It fails if the result is not valid Rust, because of a bug in the generator or a
/// name in the options.
pub(crate) fn files(
    document: &Document,
    plan: &Plan<'_>,
    options: &Options,
) -> syn::Result<Vec<File>> {
    let name: Ident = syn::parse_str(&trait_name(document, options))?;
    let models: syn::Path = syn::parse_str(&options.models_crate)?;
    let root = quote! {
        #![allow(
            clippy::doc_lazy_continuation, clippy::doc_overindented_list_items, clippy::enum_variant_names,
            clippy::large_enum_variant, clippy::result_large_err, unused_imports, unused_variables,
            reason = "the names, words and sizes of the document"
        )]

        use openapi_dropshot_types::prelude::api::*;
        use #models as models;
    };
    let parts = [
        (
            "contract",
            "The trait that a service implements.",
            contract::file(document, plan, &name),
        ),
        (
            "dispatch",
            "The implementation of `Contract`, through which a server calls the handlers.",
            dispatch::file(document, plan, &name),
        ),
        (
            "errors",
            "The responses that are errors.",
            errors::file(plan),
        ),
        (
            "operations",
            "What the document says about each operation, as a table.",
            operations::file(document, plan),
        ),
        ("parts", "The parts of streamed forms.", parts::file(plan)),
        (
            "responses",
            "Responses for which dropshot has no type.",
            responses::file(plan),
        ),
    ];
    let mut files = modules(options, &options.api, root, parts)?;
    // The server also needs the document as JSON, so that it does not have to parse YAML. The
    // members are sorted by name, so that the text does not depend on the features of `serde_json`.
    let mut json = document.as_written().to_json();
    json.sort_all_objects();
    for (name, text) in [
        ("openapi.json", format!("{json}\n")),
        ("openapi.yaml", document.one_text().into_owned()),
    ] {
        files.push(File {
            path: Options::path(&options.api, name),
            text,
        });
    }
    Ok(files)
}

/// Returns the name of the trait.
pub(crate) fn trait_name(document: &Document, options: &Options) -> String {
    let own = options.trait_name.clone();
    own.unwrap_or_else(|| format!("{}Api", pascal(&document.info.title)))
}

/// Returns the name of the module that dropshot generates for the trait.
pub(crate) fn module(name: &Ident) -> Ident {
    format_ident!("{}_mod", snake(&name.to_string()))
}
