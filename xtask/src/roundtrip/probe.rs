//! Writes the part of a throw-away program that is different for each document:
//! the handlers, and which types there are. It is made of the text that the
//! generator wrote, so that it knows nothing that a service would not know. The
//! rest of the program is in `program/`.

use anyhow::{Context, Result};
use openapi_contract::Document;
use openapi_dropshot::File;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use syn::{
    Expr, ExprLit, FnArg, GenericArgument, Item, ItemEnum, ItemTrait, Lit, MetaNameValue, Pat,
    PathArguments, ReturnType, Token, TraitItem, TraitItemFn, Type, UseTree,
    punctuated::Punctuated,
};

/// The variant of an error that no handler makes.
const UNDOCUMENTED: &str = "Undocumented";

/// The file, as text.
pub(super) fn write(document: &Document, files: &[File]) -> Result<String> {
    let contract = parse(files, "api/contract.rs")?;
    let errors = parse(files, "api/errors.rs")?;
    let schemas = parse(files, "models/schemas.rs")?;
    let api = contract
        .items
        .iter()
        .find_map(|item| match item {
            Item::Trait(item) => Some(item),
            _ => None,
        })
        .context("the generated contract.rs has no trait")?;
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
    let (title, name) = (&document.info.title, &api.ident);
    let handlers = handlers(api, &enums);
    let imports = imports(&[&contract, &errors]);
    let counts = methods(api).filter_map(|method| {
        let (id, count) = (operation_id(method)?, variants(method, &enums).len() as u64);
        Some(quote!(#id => #count,))
    });
    let refusal = if enums.iter().any(|item| item.ident == "ErrorCode") {
        quote!((refusal.code.status(), json!(refusal.body())))
    } else {
        quote!((refusal.status.as_u16(), refusal.body.unwrap_or_default()))
    };
    let documented = types.iter().map(|ty| {
        let (name, path) = (ty.to_string(), format!("/{ty}"));
        quote! {
            api.register(dropshot::ApiEndpoint::new_for_types::<
                (),
                Result<dropshot::HttpResponseOk<models::#ty>, dropshot::HttpError>,
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

        pub(crate) fn refusal(refusal: api::Refusal) -> (u16, Value) {
            #refusal
        }

        mod handlers {
            use crate::{api::*, door};
            #imports

            pub(crate) enum Probe {}

            impl #name for Probe {
                type Context = std::sync::Arc<door::Context>;

                #handlers
            }
        }
    };
    let file = syn::parse2(code).context("the probe of the generated code is no Rust")?;
    let about = "//! Written by `cargo xtask roundtrip` for the generated code beside it.\n\n";
    Ok(format!("{about}{}", prettyplease::unparse(&file)))
}

fn parse(files: &[File], path: &str) -> Result<syn::File> {
    let file = files
        .iter()
        .find(|file| file.path == path)
        .with_context(|| format!("the generator wrote no {path}"))?;
    syn::parse_file(&file.text).with_context(|| format!("the generated {path} is no Rust"))
}

/// The module that dropshot makes of the trait, as the generated code calls it.
fn module(files: &[File]) -> Result<syn::Ident> {
    let dispatch = parse(files, "api/dispatch.rs")?;
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
    module.context("the generated dispatch.rs does not use the module of the trait")
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

/// What the files use of other crates, each once.
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

/// The handlers: each notes what it was given and answers the error that is wanted.
fn handlers(api: &ItemTrait, enums: &[&ItemEnum]) -> TokenStream {
    let handlers = methods(api).map(|method| {
        let signature = &method.sig;
        let mut arguments = method
            .sig
            .inputs
            .iter()
            .filter_map(|argument| match argument {
                FnArg::Typed(argument) => match &*argument.pat {
                    Pat::Ident(name) => Some((&name.ident, &*argument.ty)),
                    _ => None,
                },
                FnArg::Receiver(_) => None,
            });
        let context = arguments.next().map(|(name, _)| quote!(#name));
        let seen = arguments
            .filter(|(_, ty)| shows_itself(ty))
            .map(|(name, _)| quote!(seen.push_str(&format!("{:?};", #name.into_inner()));));
        let arms = (0_u64..)
            .zip(variants(method, enums))
            .map(|(index, variant)| quote!(#index => #variant,));
        let end = match result(method) {
            Some(_) => quote! {
                match wanted.as_ref().map_or(u64::MAX, |wanted| wanted.index) {
                    #(#arms)*
                    _ => Err(door::nothing().into()),
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

/// Whether an argument holds a generated type, which can be shown.
fn shows_itself(ty: &Type) -> bool {
    let Some((name, arguments)) = last(ty) else {
        return false;
    };
    let is_shown = ["Path", "Query", "Header", "TypedBody"].contains(&name.as_str());
    is_shown
        && arguments.iter().all(|ty| match ty {
            Type::Path(path) => path
                .path
                .segments
                .first()
                .is_some_and(|first| first.ident == "models"),
            _ => false,
        })
}

/// The last name of a path, with its arguments.
fn last(ty: &Type) -> Option<(String, Vec<&Type>)> {
    let Type::Path(path) = ty else {
        return None;
    };
    let segment = path.path.segments.last()?;
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    Some((segment.ident.to_string(), arguments))
}

/// The error of a method, where it answers a `Result`.
fn result(method: &TraitItemFn) -> Option<&Type> {
    let ReturnType::Type(_, ty) = &method.sig.output else {
        return None;
    };
    match last(ty)? {
        (name, arguments) if name == "Result" => arguments.last().copied(),
        _ => None,
    }
}

/// The errors of a method as values, in the order of the generated enum.
fn variants(method: &TraitItemFn, enums: &[&ItemEnum]) -> Vec<TokenStream> {
    let error = result(method).and_then(last).map(|(name, _)| name);
    let Some(item) = enums
        .iter()
        .find(|item| error.as_ref().is_some_and(|name| item.ident == name))
    else {
        return Vec::new();
    };
    let variants = item
        .variants
        .iter()
        .filter(|variant| variant.ident != UNDOCUMENTED);
    variants
        .map(|variant| {
            let (error, name) = (&item.ident, &variant.ident);
            let values: Vec<TokenStream> = variant
                .fields
                .iter()
                .map(|field| value(&field.ty))
                .collect();
            if values.is_empty() {
                quote!(Err(#error::#name))
            } else {
                quote!(Err(#error::#name(#(#values),*)))
            }
        })
        .collect()
}

/// A value for a field of an error.
fn value(ty: &Type) -> TokenStream {
    match last(ty).as_ref().map(|(name, _)| name.as_str()) {
        Some("Cow") => quote!("asked for".into()),
        Some("ErrorStatusCode") => quote!(
            ErrorStatusCode::from_u16(wanted.as_ref().map_or(500, |wanted| wanted.status))
                .unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR)
        ),
        _ => quote!(
            match serde_json::from_str::<#ty>(wanted.as_ref().map_or("", |wanted| wanted.body.as_str())) {
                Ok(body) => body,
                Err(_) => return Err(door::nothing().into()),
            }
        ),
    }
}
