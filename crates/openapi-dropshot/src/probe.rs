//! Writes a service that responds as a test requests, for tests of the generated
//! code beside it: the handlers, and the list of the types. It is made only from
//! the text that the generator wrote, so that it has no more information than a
//! service.

mod handlers;

use crate::File;
use handlers::{errors_of, handlers};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use syn::{
    Expr, ExprLit, Item, ItemEnum, ItemTrait, Lit, MetaNameValue, Token, TraitItem, TraitItemFn,
    UseTree, punctuated::Punctuated,
};

const CONTRACT: &str = "api/contract.rs";
const DISPATCH: &str = "api/dispatch.rs";

/// Why there is no probe of generated files.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// One of the files is not among them.
    #[error("the generator wrote no {0}; pass all files that `generate_service` returned")]
    Missing(&'static str),
    /// A file is no Rust.
    #[error("the generated {path} is not valid Rust")]
    NoRust {
        /// The file, relative to the sources of the crate.
        path: &'static str,
        /// The error of the parser.
        source: syn::Error,
    },
    /// A file lacks what each of its kind has.
    #[error("the generated {path} has no {what}")]
    Lacking {
        /// The file, relative to the sources of the crate.
        path: &'static str,
        /// The missing item.
        what: &'static str,
    },
}

/// Writes the probe of generated files: a module of a crate that also has the
/// files as its modules `models` and `api`, and the module `server`. `title` is that of the document. The same files give the same bytes.
///
/// # Errors
///
/// The files are not those that [`generate_service`](crate::generate_service)
/// wrote into the folders `models` and `api`.
pub fn probe(title: &str, files: &[File]) -> Result<String, ProbeError> {
    let contract = parse(files, CONTRACT)?;
    let errors = parse(files, "api/errors.rs")?;
    let schemas = parse(files, "models/schemas.rs")?;
    let api = contract
        .items
        .iter()
        .find_map(|item| match item {
            Item::Trait(item) => Some(item),
            _ => None,
        })
        .ok_or(ProbeError::Lacking {
            path: CONTRACT,
            what: "trait",
        })?;
    let enums: Vec<&ItemEnum> = errors
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Enum(item) => Some(item),
            _ => None,
        })
        .collect();

    let types = types(&schemas);
    let module = module(files)?;
    let name = &api.ident;
    let handlers = handlers(api, &enums);
    let imports = imports(&[&contract, &errors]);
    let counts = methods(api).filter_map(|method| {
        let (id, count) = (operation_id(method)?, errors_of(method, &enums));
        Some(quote!(#id => #count,))
    });
    let body = if enums.iter().any(|item| item.ident == "ErrorCode") {
        quote!(
            serde_json::from_slice(&api::Generated::<Probe>::error_body(&rejection, ""))
                .unwrap_or_default()
        )
    } else {
        quote!(rejection.body.unwrap_or_default())
    };
    let documented = types.iter().map(|ty| {
        let (name, path) = (ty.to_string(), format!("/{ty}"));
        quote! {
            api.register(dropshot::ApiEndpoint::new_for_types::<
                (),
                Result<dropshot::HttpResponseOk<models::#ty>, crate::server::HandlerError>,
            >(
                #name.to_owned(),
                http::Method::GET,
                dropshot::CONTENT_TYPE_JSON,
                #path,
                dropshot::ApiEndpointVersions::All,
            ))?;
        }
    });
    let code = quote! {
        use crate::{Attempt, api, attempt, models};
        use openapi_dropshot_types::Contract as _;
        use schemars::JsonSchema;
        use serde_json::{Value, json};
        use std::{collections::BTreeMap, error::Error};

        pub(crate) use handlers::Probe;

        const TITLE: &str = #title;

        pub(crate) fn document() -> Result<Value, Box<dyn Error>> {
            let api = api::#module::stub_api_description().map_err(|error| error.to_string())?;
            Ok(api.openapi(TITLE, dropshot::semver::Version::new(0, 0, 0)).json()?)
        }

        pub(crate) fn schemas() -> Result<Value, Box<dyn Error>> {
            let mut api = dropshot::ApiDescription::<dropshot::StubContext>::new();
            #(#documented)*
            Ok(api.openapi(TITLE, dropshot::semver::Version::new(0, 0, 0)).json()?)
        }

        pub(crate) fn types(types: &mut BTreeMap<String, Attempt>) {
            #(types.insert(<models::#types as JsonSchema>::schema_name(), attempt::<models::#types>);)*
        }

        pub(crate) fn errors(operation: &str) -> u64 {
            match operation {
                #(#counts)*
                _ => 0,
            }
        }

        pub(crate) fn rejection(rejection: openapi_dropshot_types::Rejection) -> (u16, Value) {
            (rejection.error.status, #body)
        }

        mod handlers {
            use crate::{api::*, server};
            #imports

            pub(crate) enum Probe {}

            impl #name for Probe {
                type Context = std::sync::Arc<server::Context>;

                #handlers
            }
        }
    };
    let file = syn::parse2(code).map_err(|source| ProbeError::NoRust {
        path: "probe.rs",
        source,
    })?;
    let about = "//! Written by `openapi_dropshot::probe` for the generated code beside it.\n\n";
    Ok(format!("{about}{}", prettyplease::unparse(&file)))
}

fn parse(files: &[File], path: &'static str) -> Result<syn::File, ProbeError> {
    let file = files
        .iter()
        .find(|file| file.path == path)
        .ok_or(ProbeError::Missing(path))?;
    syn::parse_file(&file.text).map_err(|source| ProbeError::NoRust { path, source })
}

/// The module that dropshot makes of the trait, as the generated code calls it.
fn module(files: &[File]) -> Result<syn::Ident, ProbeError> {
    let dispatch = parse(files, DISPATCH)?;
    let mut names = BTreeSet::new();
    for item in &dispatch.items {
        if let Item::Use(item) = item {
            flatten(&item.tree, String::new(), &mut names);
        }
    }
    let module = names.iter().find_map(|path| {
        let name = path.strip_prefix("super::contract::")?;
        name.ends_with("_mod").then(|| format_ident!("{name}"))
    });
    module.ok_or(ProbeError::Lacking {
        path: DISPATCH,
        what: "use of the module that dropshot makes from the trait",
    })
}

/// The types of schemas, by their names in Rust.
fn types(schemas: &syn::File) -> Vec<syn::Ident> {
    let types = schemas.items.iter().filter_map(|item| match item {
        Item::Struct(item) if item.generics.params.is_empty() => Some((&item.vis, &item.ident)),
        Item::Enum(item) if item.generics.params.is_empty() => Some((&item.vis, &item.ident)),
        _ => None,
    });
    types
        .filter(|(visibility, _)| matches!(visibility, syn::Visibility::Public(_)))
        .map(|(_, name)| name.clone())
        .collect()
}

/// The imports of the files from other crates, each once.
fn imports(files: &[&syn::File]) -> TokenStream {
    let mut paths = BTreeSet::new();
    for item in files.iter().flat_map(|file| &file.items) {
        if let Item::Use(item) = item {
            flatten(&item.tree, String::new(), &mut paths);
        }
    }
    let paths = paths.iter().filter(|path| !path.starts_with("super::"));
    let uses = paths.filter_map(|path| syn::parse_str::<Item>(&format!("use {path};")).ok());
    quote!(#(#uses)*)
}

/// One path for each name that a `use` brings.
fn flatten(tree: &UseTree, prefix: String, paths: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => {
            let name = quote::ToTokens::to_token_stream(&path.ident);
            flatten(&path.tree, format!("{prefix}{name}::"), paths);
        }
        UseTree::Group(group) => group
            .items
            .iter()
            .for_each(|tree| flatten(tree, prefix.clone(), paths)),
        UseTree::Name(name) => {
            paths.insert(format!("{prefix}{}", name.ident));
        }
        UseTree::Rename(name) => {
            paths.insert(format!("{prefix}{} as {}", name.ident, name.rename));
        }
        UseTree::Glob(_) => {
            paths.insert(format!("{prefix}*"));
        }
    }
}

fn methods(api: &ItemTrait) -> impl Iterator<Item = &TraitItemFn> {
    api.items.iter().filter_map(|item| match item {
        TraitItem::Fn(method) => Some(method),
        _ => None,
    })
}

/// `operation_id` of the attribute that makes the method an operation.
fn operation_id(method: &TraitItemFn) -> Option<String> {
    method.attrs.iter().find_map(|attribute| {
        let arguments = attribute
            .parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated)
            .ok()?;
        arguments.iter().find_map(|argument| match &argument.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) if argument.path.is_ident("operation_id") => Some(text.value()),
            _ => None,
        })
    })
}
