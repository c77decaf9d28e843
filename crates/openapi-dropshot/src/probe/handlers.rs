//! Writes the handlers of a probe: they report what they were given, and return the
//! error that the test requests.

use super::methods;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    FnArg, GenericArgument, ItemEnum, ItemTrait, Pat, PathArguments, ReturnType, TraitItemFn, Type,
};

/// The variant of an error that no handler makes.
const UNDOCUMENTED: &str = "Undocumented";

/// The handlers: each notes what it was given and returns the error that is wanted.
pub(super) fn handlers(api: &ItemTrait, enums: &[&ItemEnum]) -> TokenStream {
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

/// Whether an argument holds a generated type, which can be written with `Debug`.
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

/// The error of a method, if it returns a `Result`.
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

/// How many errors a method can return.
pub(super) fn errors_of(method: &TraitItemFn, enums: &[&ItemEnum]) -> u64 {
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
        Some("Cow") => quote!("requested".into()),
        Some("ErrorStatusCode") => quote!(
            ErrorStatusCode::from_u16(wanted.as_ref().map_or(500, |wanted| wanted.status))
                .unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR)
        ),
        _ => quote!(
            match serde_json::from_str::<#ty>(wanted.as_ref().map_or("", |wanted| wanted.body.as_str())) {
                Ok(body) => body,
                Err(_) => return Err(server::no_response().into()),
            }
        ),
    }
}
