//! A service that answers nothing but what it is told to, for a test of the
//! generated code beside it: the handlers, and which types there are. It is made
//! of the text that the generator wrote, so that it knows nothing that a service
//! would not know. The program around it, and what it is asked, is left to the
//! one who tests: `cargo xtask roundtrip`.

use crate::File;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use syn::{
    Expr, ExprLit, FnArg, GenericArgument, Item, ItemEnum, ItemTrait, Lit, MetaNameValue, Pat,
    PathArguments, ReturnType, Token, TraitItem, TraitItemFn, Type, UseTree,
    punctuated::Punctuated,
};

const CONTRACT: &str = "api/contract.rs";
const DISPATCH: &str = "api/dispatch.rs";

/// The variant of an error that no handler makes.
const UNDOCUMENTED: &str = "Undocumented";

/// Why there is no probe of generated files.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// One of the files is not among them.
    #[error("the generator wrote no {0}; give all the files of a service")]
    Missing(&'static str),
    /// A file is no Rust.
    #[error("the generated {path} is no Rust")]
    NoRust {
        /// The file, relative to the sources of the crate.
        path: &'static str,
        /// What its parser says.
        source: syn::Error,
    },
    /// A file lacks what each of its kind has.
    #[error("the generated {path} has no {what}")]
    Lacking {
        /// The file, relative to the sources of the crate.
        path: &'static str,
        /// What it lacks.
        what: &'static str,
    },
}

/// Writes the probe of generated files: a module of a crate that also has the
/// files as its modules `models` and `api`, and the modules `door` and `fault`. `title` is that
/// of the document. The same files give the same bytes.
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
                Result<dropshot::HttpResponseOk<models::#ty>, crate::fault::Fault>,
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
        what: "use of the module that dropshot makes of the trait",
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
        let seen = arguments.filter_map(|(name, ty)| match last(ty) {
            _ if shows_itself(ty) => {
                Some(quote!(seen.push_str(&format!("{:?};", #name.into_inner()));))
            }
            Some((optional, body))
                if optional == "OptionalBody" && body.iter().all(|ty| shows_itself(ty)) =>
            {
                Some(quote! {
                    let #name = #name.into_inner().map(|body| body.into_inner());
                    seen.push_str(&format!("{:?};", #name));
                })
            }
            _ => None,
        });
        let arms = (0_u64..)
            .zip(variants(method, enums))
            .map(|(index, variant)| quote!(#index => #variant,));
        let end = match result(method) {
            Some(_) if is_dropshots(method) => quote! {
                Err(wanted.map_or_else(door::nothing, door::Wanted::into_error))
            },
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

/// Whether the error of a method is dropshot's own, which has any status.
fn is_dropshots(method: &TraitItemFn) -> bool {
    result(method)
        .and_then(last)
        .is_some_and(|(name, _)| name == "HttpError")
}

/// How many errors a method can answer.
fn errors_of(method: &TraitItemFn, enums: &[&ItemEnum]) -> u64 {
    if is_dropshots(method) {
        u64::MAX
    } else {
        variants(method, enums).len() as u64
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
