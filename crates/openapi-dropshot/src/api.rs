//! Writes the files of the API: the trait that a service implements, its errors,
//! its dispatch, the table of its operations, and the document itself.

mod catalogue;
mod contract;
mod dispatch;
mod document;
mod errors;
mod operations;
mod responses;
mod statuses;

use crate::{
    File, Options,
    names::{ident, pascal, snake},
    plan::{Catalogue, Plan},
    render::{self, Import},
};
use openapi_dropshot_contract::model::Document;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// The imports that a file of the API may have beside the types of other files, sorted by
/// path.
const IMPORTS: &[Import] = &[
    (
        "ApiDescriptionBuildErrors",
        "dropshot::ApiDescriptionBuildErrors",
    ),
    ("Body", "dropshot::Body"),
    ("ErrorStatusCode", "dropshot::ErrorStatusCode"),
    ("FreeformBody", "dropshot::FreeformBody"),
    ("Header", "dropshot::Header"),
    ("HttpCodedResponse", "dropshot::HttpCodedResponse"),
    ("HttpError", "dropshot::HttpError"),
    ("HttpResponse", "dropshot::HttpResponse"),
    ("HttpResponseAccepted", "dropshot::HttpResponseAccepted"),
    ("HttpResponseCreated", "dropshot::HttpResponseCreated"),
    ("HttpResponseDeleted", "dropshot::HttpResponseDeleted"),
    ("HttpResponseHeaders", "dropshot::HttpResponseHeaders"),
    ("HttpResponseOk", "dropshot::HttpResponseOk"),
    (
        "HttpResponseUpdatedNoContent",
        "dropshot::HttpResponseUpdatedNoContent",
    ),
    ("MultipartBody", "dropshot::MultipartBody"),
    ("Path", "dropshot::Path"),
    ("Query", "dropshot::Query"),
    ("RequestContext", "dropshot::RequestContext"),
    ("ServerContext", "dropshot::ServerContext"),
    ("TypedBody", "dropshot::TypedBody"),
    ("UntypedBody", "dropshot::UntypedBody"),
    ("WebsocketChannelResult", "dropshot::WebsocketChannelResult"),
    ("WebsocketConnection", "dropshot::WebsocketConnection"),
    ("WebsocketUpgrade", "dropshot::WebsocketUpgrade"),
    ("Request", "http::Request"),
    ("Response", "http::Response"),
    ("StatusCode", "http::StatusCode"),
    ("Contract", "openapi_dropshot_types::Contract"),
    ("Deprecation", "openapi_dropshot_types::Deprecation"),
    ("ErrorEntry", "openapi_dropshot_types::ErrorEntry"),
    ("ErrorMember", "openapi_dropshot_types::ErrorMember"),
    ("Operation", "openapi_dropshot_types::Operation"),
    ("OptionalBody", "openapi_dropshot_types::OptionalBody"),
    ("Rejection", "openapi_dropshot_types::Rejection"),
    ("Router", "openapi_dropshot_types::Router"),
    ("Stability", "openapi_dropshot_types::Stability"),
    ("dispatch", "openapi_dropshot_types::dispatch"),
    ("Cow", "std::borrow::Cow"),
    ("PhantomData", "std::marker::PhantomData"),
];

/// The parts that the files of the API share.
pub(super) struct Api<'a> {
    pub(super) document: &'a Document,
    pub(super) plan: &'a Plan<'a>,
    /// The name of the trait.
    pub(super) name: Ident,
    /// The module that dropshot makes of the trait.
    pub(super) module: Ident,
    /// The crate of the models.
    models: TokenStream,
}

impl Api<'_> {
    /// The catalogue of error codes, where the document has one.
    pub(super) fn catalogue(&self) -> Option<&Catalogue<'_>> {
        self.plan.catalogue.as_ref()
    }

    /// Puts the imports before the code of a file.
    fn imported(&self, own: &[(&str, &str)], code: TokenStream) -> syn::Result<TokenStream> {
        let names = render::names_in(&code);
        let paths: Vec<String> = own
            .iter()
            .filter(|(name, _)| names.contains(*name))
            .map(|(name, file)| format!("super::{file}::{name}"))
            .collect();
        let uses = render::grouped(paths.iter().map(String::as_str))?;
        let others = render::imports(&code, IMPORTS)?;
        let models = &self.models;
        let models = names
            .contains("models")
            .then(|| quote!(use #models as models;));
        Ok(quote!(#uses #others #models #code))
    }
}

/// Writes the API.
///
/// # Errors
///
/// The generator wrote something that is no Rust: a fault of its own, or of a
/// name among the options.
pub(crate) fn files(
    document: &Document,
    plan: &Plan<'_>,
    options: &Options,
) -> syn::Result<Vec<File>> {
    let wanted = options
        .trait_name
        .clone()
        .unwrap_or_else(|| format!("{}Api", pascal(&document.info.title)));
    let name: Ident = syn::parse_str(&wanted)?;
    let models: syn::Path = syn::parse_str(&options.models_crate)?;
    let module = format_ident!("{}_mod", snake(&wanted));
    let api = Api {
        document,
        plan,
        name,
        module,
        models: quote!(#models),
    };
    let errors: Vec<(String, &str)> = plan
        .operations
        .iter()
        .filter(|operation| errors::are_own(operation))
        .map(|operation| (errors::name(operation), "errors"))
        .collect();
    let owns: Vec<(String, &str)> = plan
        .operations
        .iter()
        .filter_map(|operation| Some((operation.success.own.clone()?, "responses")))
        .collect();
    let module_name = api.module.to_string();
    let mut own: Vec<(&str, &str)> = vec![
        (&wanted, "contract"),
        (&module_name, "contract"),
        ("CATALOGUE", "errors"),
        ("ERROR_BODY", "errors"),
        ("ErrorCode", "errors"),
        ("OPERATIONS", "operations"),
        ("OperationId", "operations"),
    ];
    own.extend(
        errors
            .iter()
            .chain(&owns)
            .map(|(name, file)| (name.as_str(), *file)),
    );
    own.sort_by_key(|(name, file)| (*file, *name));
    let parts: Vec<(&str, &str, Option<TokenStream>)> = vec![
        (
            "contract",
            "The trait that a service implements.",
            Some(contract::file(&api)),
        ),
        (
            "dispatch",
            "The implementation of `Contract`, by which a server reaches the API.",
            Some(dispatch::file(&api)),
        ),
        (
            "errors",
            "The responses that are errors.",
            Some(errors::file(&api)),
        ),
        (
            "operations",
            "What the document says about each operation, as a table.",
            Some(operations::file(&api)),
        ),
        (
            "responses",
            "Responses for which dropshot has no type.",
            responses::file(&api),
        ),
    ];
    let first = options.first_line();
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for (file, about, code) in parts {
        let Some(code) = code else { continue };
        let others: Vec<(&str, &str)> = own
            .iter()
            .copied()
            .filter(|(_, home)| *home != file)
            .collect();
        let text = render::file(&first, &["", about], api.imported(&others, code)?)?;
        files.push(File {
            path: Options::path(&options.api, &format!("{file}.rs")),
            text,
        });
        modules.push(ident(file));
    }
    let root = quote! {
        #![allow(
            clippy::doc_lazy_continuation, clippy::doc_overindented_list_items, clippy::enum_variant_names,
            clippy::large_enum_variant, clippy::result_large_err,
            reason = "the names, words and sizes of the document"
        )]
        #(mod #modules;)*
        #(pub use #modules::*;)*
    };
    let text = render::file(&first, &[], root)?;
    files.push(File {
        path: Options::path(&options.api, "mod.rs"),
        text,
    });
    for (name, text) in [
        ("openapi.json", document::json(document)),
        ("openapi.yaml", document.text.to_string()),
    ] {
        files.push(File {
            path: Options::path(&options.api, name),
            text,
        });
    }
    Ok(files)
}
