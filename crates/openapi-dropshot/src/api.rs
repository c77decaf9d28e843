//! The files of the API: the trait that a service implements, its errors, its
//! dispatch, and the table of its operations.

mod answers;
mod bodies;
mod catalogue;
mod contract;
mod dispatch;
mod errors;
mod operations;
mod responses;

use crate::{
    File, Options,
    names::{ident, pascal, snake},
    plan::{Catalogue, Plan},
    render::{self, Import, Part},
};
use openapi_dropshot_contract::model::Document;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// What a file of the API may import beside the types of other files, sorted by
/// path.
const IMPORTS: &[Import] = &[
    (
        "ApiDescriptionBuildErrors",
        "dropshot::ApiDescriptionBuildErrors",
    ),
    (
        "ApiEndpointBodyContentType",
        "dropshot::ApiEndpointBodyContentType",
    ),
    ("Body", "dropshot::Body"),
    ("ErrorStatusCode", "dropshot::ErrorStatusCode"),
    ("ExclusiveExtractor", "dropshot::ExclusiveExtractor"),
    ("ExtractorMetadata", "dropshot::ExtractorMetadata"),
    ("FreeformBody", "dropshot::FreeformBody"),
    ("Header", "dropshot::Header"),
    ("HttpCodedResponse", "dropshot::HttpCodedResponse"),
    ("HttpError", "dropshot::HttpError"),
    ("HttpResponse", "dropshot::HttpResponse"),
    ("HttpResponseAccepted", "dropshot::HttpResponseAccepted"),
    ("HttpResponseCreated", "dropshot::HttpResponseCreated"),
    ("HttpResponseDeleted", "dropshot::HttpResponseDeleted"),
    ("HttpResponseError", "dropshot::HttpResponseError"),
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
    (
        "RequestEndpointMetadata",
        "dropshot::RequestEndpointMetadata",
    ),
    ("RequestInfo", "dropshot::RequestInfo"),
    ("ServerContext", "dropshot::ServerContext"),
    ("SharedExtractor", "dropshot::SharedExtractor"),
    ("TypedBody", "dropshot::TypedBody"),
    ("UntypedBody", "dropshot::UntypedBody"),
    ("WebsocketChannelResult", "dropshot::WebsocketChannelResult"),
    ("WebsocketConnection", "dropshot::WebsocketConnection"),
    ("WebsocketUpgrade", "dropshot::WebsocketUpgrade"),
    ("Method", "http::Method"),
    ("Response", "http::Response"),
    ("StatusCode", "http::StatusCode"),
    ("JsonSchema", "schemars::JsonSchema"),
    ("SchemaGenerator", "schemars::r#gen::SchemaGenerator"),
    ("Schema", "schemars::schema::Schema"),
    ("Serialize", "serde::Serialize"),
    ("Serializer", "serde::Serializer"),
    ("DeserializeOwned", "serde::de::DeserializeOwned"),
    ("MapDeserializer", "serde::de::value::MapDeserializer"),
    ("Cow", "std::borrow::Cow"),
    ("fmt", "std::fmt"),
];

/// What the files of the API have in common.
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
    fn imported(&self, own: &[(&str, &str)], mut parts: Vec<Part>) -> syn::Result<Vec<Part>> {
        let code: TokenStream = parts.iter().map(Part::tokens).collect();
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
        parts.insert(0, Part::Code(quote!(#uses #others #models)));
        Ok(parts)
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
        ("ErrorCode", "errors"),
        ("OptionalBody", "bodies"),
        ("Refusal", "errors"),
        ("OperationId", "operations"),
    ];
    own.extend(
        errors
            .iter()
            .chain(&owns)
            .map(|(name, file)| (name.as_str(), *file)),
    );
    own.sort_by_key(|(name, file)| (*file, *name));
    let parts: Vec<(&str, &str, Option<Vec<Part>>)> = vec![
        (
            "bodies",
            "Bodies of requests that dropshot has no type for.",
            bodies::file(&api).map(|code| vec![Part::Code(code)]),
        ),
        (
            "contract",
            "The trait that a service implements.",
            Some(vec![Part::Code(contract::file(&api))]),
        ),
        (
            "dispatch",
            "From a request to the method of the trait that answers it.",
            Some(vec![Part::Code(dispatch::file(&api))]),
        ),
        (
            "errors",
            "The answers that are errors.",
            Some(errors::file(&api)),
        ),
        (
            "operations",
            "What the document says of each operation, as a table.",
            Some(vec![Part::Code(operations::file(&api))]),
        ),
        (
            "responses",
            "Answers that dropshot has no type for.",
            responses::file(&api).map(|code| vec![Part::Code(code)]),
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
        let text = render::file_of(&first, &["", about], &api.imported(&others, code)?)?;
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
    Ok(files)
}
