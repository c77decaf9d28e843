//! Writes a service that responds as a test requests, for tests of the generated
//! code beside it: the handlers, and the list of the types. It is made only from
//! the text that the generator wrote, so that it has no more information than a
//! service.

use crate::{File, api::module};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Expr, ExprLit, FnArg, Item, ItemEnum, ItemTrait, Lit, MetaNameValue, Pat, Token, TraitItem,
    TraitItemFn, Type, punctuated::Punctuated,
};

const CONTRACT: &str = "api/contract.rs";

/// Why there is no probe of generated files.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// One of the files is not among them.
    #[error("the generator wrote no {0}; pass all files that `generate_service` returned")]
    Missing(String),
    /// A file is no Rust.
    #[error("the generated {path} is not valid Rust")]
    NoRust {
        /// The file, relative to the sources of the crate.
        path: String,
        /// The error of the parser.
        source: syn::Error,
    },
    /// The file that should contain the trait has none.
    #[error("the generated file with the contract has no trait")]
    NoTrait,
}

/// Writes the probe of generated files: a module of a crate that also has the files as its modules
/// `models` and `api`, and a module `server`. `title` is the title of the document. The same files
/// give the same bytes.
///
/// # Errors
///
/// The files are not those that [`generate_service`](crate::generate_service)
/// wrote into the folders `models` and `api`.
pub fn probe(title: &str, files: &[File]) -> Result<String, ProbeError> {
    let contract = parse(files, CONTRACT)?;
    let errors = parse(files, "api/errors.rs")?;
    // A document without schemas has no such file.
    let schemas = match parse(files, "models/schemas.rs") {
        Err(ProbeError::Missing(_)) => None,
        schemas => Some(schemas?),
    };
    let api = contract
        .items
        .iter()
        .find_map(|item| match item {
            Item::Trait(item) => Some(item),
            _ => None,
        })
        .ok_or(ProbeError::NoTrait)?;
    let enums: Vec<&ItemEnum> = errors
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Enum(item) => Some(item),
            _ => None,
        })
        .collect();

    let types = schemas.as_ref().map(types).unwrap_or_default();
    let name = &api.ident;
    let module = module(name);
    let handlers = handlers(api, &enums);
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
            use crate::{api::*, models, server};
            use openapi_dropshot_types::prelude::api::*;

            pub(crate) enum Probe {}

            impl #name for Probe {
                type Context = std::sync::Arc<server::Context>;

                #handlers
            }
        }
    };
    let file = syn::parse2(code).map_err(|source| ProbeError::NoRust {
        path: "probe.rs".to_owned(),
        source,
    })?;
    let about = "//! Written by `openapi_dropshot::probe` for the generated code beside it.\n\n";
    Ok(format!("{about}{}", prettyplease::unparse(&file)))
}

pub(crate) fn parse(files: &[File], path: &str) -> Result<syn::File, ProbeError> {
    let file = files
        .iter()
        .find(|file| file.path == path)
        .ok_or_else(|| ProbeError::Missing(path.to_owned()))?;
    syn::parse_file(&file.text).map_err(|source| ProbeError::NoRust {
        path: path.to_owned(),
        source,
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

fn methods(api: &ItemTrait) -> impl Iterator<Item = &TraitItemFn> {
    api.items.iter().filter_map(|item| match item {
        TraitItem::Fn(method) => Some(method),
        _ => None,
    })
}

/// `operation_id` of the attribute that makes the method an operation.
pub(crate) fn operation_id(method: &TraitItemFn) -> Option<String> {
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

/// The variant of errors that no handler of the probe returns.
const UNDOCUMENTED: &str = "Undocumented";

/// Writes the handlers: each records its arguments and returns the requested error.
fn handlers(api: &ItemTrait, enums: &[&ItemEnum]) -> TokenStream {
    let handlers = methods(api).map(|method| {
        let signature = &method.sig;
        let mut arguments = signature
            .inputs
            .iter()
            .filter_map(|argument| match argument {
                FnArg::Typed(argument) => match &*argument.pat {
                    Pat::Ident(name) => Some((&name.ident, text(&argument.ty))),
                    _ => None,
                },
                FnArg::Receiver(_) => None,
            });
        let context = arguments.next().map(|(name, _)| name);
        let seen = arguments.filter_map(|(name, ty)| match ty.strip_prefix("OptionalBody<") {
            Some(body) if is_generated(body) => Some(quote! {
                let #name = #name.into_inner().map(|body| body.into_inner());
                seen.push_str(&format!("{:?};", #name));
            }),
            None if is_generated(&ty) => {
                Some(quote!(seen.push_str(&format!("{:?};", #name.into_inner()));))
            }
            _ => None,
        });
        let arms = (0_u64..)
            .zip(variants(method, enums))
            .map(|(index, variant)| quote!(#index => #variant,));
        let end = match error(method) {
            Some(error) if error == "HttpError" => quote! {
                Err(wanted.map_or_else(server::no_response, server::RequestedError::into_error))
            },
            Some(_) => quote! {
                match wanted.as_ref().map_or(u64::MAX, |wanted| wanted.index) {
                    #(#arms)*
                    _ => Err(server::no_response().into()),
                }
            },
            None => quote!(Ok(())),
        };
        quote! {
            #signature {
                let mut seen = String::new();
                #(#seen)*
                let wanted = #context.context().saw(seen);
                #end
            }
        }
    });
    quote!(#(#handlers)*)
}

/// Returns the text of a type, without white space.
pub(crate) fn text(ty: &impl ToTokens) -> String {
    ty.to_token_stream()
        .to_string()
        .replace(char::is_whitespace, "")
}

/// Returns whether an argument contains a generated type, which implements `Debug`.
fn is_generated(ty: &str) -> bool {
    ["Path<", "Query<", "Header<", "TypedBody<"]
        .iter()
        .any(|extractor| {
            ty.strip_prefix(extractor)
                .is_some_and(|inner| inner.starts_with("models::"))
        })
}

/// Returns the name of the error type of a method that returns a `Result`: `HttpError` is
/// dropshot's own error, which can have any status.
fn error(method: &TraitItemFn) -> Option<String> {
    let output = text(&method.sig.output);
    let arguments = output.strip_prefix("->Result<")?;
    let (_, error) = arguments.trim_end_matches(['>', ',']).rsplit_once(',')?;
    Some(error.to_owned())
}

/// Returns how many errors a method can return.
fn errors_of(method: &TraitItemFn, enums: &[&ItemEnum]) -> u64 {
    if error(method).is_some_and(|error| error == "HttpError") {
        u64::MAX
    } else {
        variants(method, enums).len() as u64
    }
}

/// Returns the errors of a method as expressions, in the order of the generated enum.
fn variants(method: &TraitItemFn, enums: &[&ItemEnum]) -> Vec<TokenStream> {
    let error = error(method).unwrap_or_default();
    let Some(item) = enums.iter().find(|item| item.ident == error) else {
        return Vec::new();
    };
    let variants = item
        .variants
        .iter()
        .filter(|variant| variant.ident != UNDOCUMENTED);
    variants
        .map(|variant| {
            let (error, name) = (&item.ident, &variant.ident);
            let mut values = variant
                .fields
                .iter()
                .map(|field| value(&field.ty))
                .peekable();
            match values.peek() {
                Some(_) => quote!(Err(#error::#name(#(#values),*))),
                None => quote!(Err(#error::#name)),
            }
        })
        .collect()
}

/// Returns a value for a field of an error.
fn value(ty: &Type) -> TokenStream {
    let name = text(ty);
    if name.starts_with("Cow<") {
        quote!("requested".into())
    } else if name == "ErrorStatusCode" {
        quote!(
            ErrorStatusCode::from_u16(wanted.as_ref().map_or(500, |wanted| wanted.status))
                .unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR)
        )
    } else {
        quote!(
            match serde_json::from_str::<#ty>(wanted.as_ref().map_or("", |wanted| wanted.body.as_str())) {
                Ok(body) => body,
                Err(_) => return Err(server::no_response().into()),
            }
        )
    }
}
