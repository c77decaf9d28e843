//! Replaces implementations that are the same for many types by calls of macros in the toolkit.

use super::{Pass, kinds::Kind};
use crate::{names::ident, probe::text};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::{Fields, Ident, Item, ItemImpl, Type};

impl Pass<'_> {
    /// Removes these implementations, and returns the macro calls that replace them.
    pub(super) fn repeated(&self, items: &mut Vec<Item>) -> TokenStream {
        let found: BTreeSet<String> = items.iter().filter_map(signature).collect();
        let mut written = BTreeSet::new();
        // Marks implementations for removal, if the types have all of them.
        let mut claim = |wanted: Vec<TokenStream>| {
            let wanted: Vec<String> = wanted.iter().map(text).collect();
            let has_all = wanted.iter().all(|own| found.contains(own));
            written.extend(wanted.into_iter().filter(|_| has_all));
            has_all
        };
        let (mut enums, mut texts, mut holders) = (Vec::new(), Vec::new(), Vec::new());
        let mut unions = TokenStream::new();
        for item in &*items {
            match item {
                Item::Enum(choice) if matches!(self.kind(&choice.ident), Some(Kind::Choice(_))) => {
                    let ident = &choice.ident;
                    claim(vec![quote!(Display for #ident)]);
                    claim(vec![quote!(FromStr for #ident)]);
                    claim(vec![quote!(TryFrom<&str> for #ident)]);
                    claim(vec![quote!(TryFrom<::std::string::String> for #ident)]);
                    enums.push(ident.clone());
                }
                Item::Enum(choice) => {
                    let ident = &choice.ident;
                    let variants = choice.variants.iter().filter_map(|variant| {
                        let (name, value) = (&variant.ident, held(&variant.fields)?);
                        let is_claimed = claim(vec![quote!(From<#value> for #ident)]);
                        is_claimed.then(|| quote!(#name(#value)))
                    });
                    let variants: Vec<TokenStream> = variants.collect();
                    if !variants.is_empty() {
                        let name = vec![quote!(#ident)];
                        unions.extend(call("union", &[name, variants].concat()));
                    }
                }
                Item::Struct(object) => {
                    let ident: &Ident = &object.ident;
                    let Some(value) = held(&object.fields) else {
                        continue;
                    };
                    let mut wanted =
                        vec![quote!(Deref for #ident), quote!(From<#ident> for #value)];
                    if matches!(self.kind(ident), Some(Kind::Text)) {
                        wanted.push(quote!(TryFrom<&str> for #ident));
                        wanted.push(quote!(TryFrom<::std::string::String> for #ident));
                        wanted.push(quote!(Deserialize<'de> for #ident));
                        texts.extend(claim(wanted).then(|| ident.clone()));
                    } else {
                        wanted.push(quote!(From<#value> for #ident));
                        holders.extend(claim(wanted).then(|| quote!(#ident(#value))));
                    }
                }
                _ => {}
            }
        }
        items.retain(|item| signature(item).is_none_or(|own| !written.contains(&own)));
        let calls = [
            call("open_enums", &enums),
            call("texts", &texts),
            call("holders", &holders),
        ];
        quote!(#(#calls)* #unions)
    }
}

/// Writes a macro call for these types; `None` if there are no types.
fn call<T: ToTokens>(name: &str, types: &[T]) -> Option<TokenStream> {
    let name = ident(name);
    let call = || quote!(::openapi_dropshot_client::generated::#name!(#(#types),*););
    (!types.is_empty()).then(call)
}

/// Returns the only value in a type or variant with unnamed fields.
pub(super) fn held(fields: &Fields) -> Option<&Type> {
    match fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Some(&fields.unnamed.first()?.ty),
        _ => None,
    }
}

/// Returns the trait and the type of an implementation, such as `From<Novel>forBook`.
fn signature(item: &Item) -> Option<String> {
    let Item::Impl(ItemImpl {
        trait_, self_ty, ..
    }) = item
    else {
        return None;
    };
    let last = trait_.as_ref()?.0.segments.last()?;
    Some(text(&quote!(#last for #self_ty)))
}
