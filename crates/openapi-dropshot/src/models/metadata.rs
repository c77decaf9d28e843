//! Writes `JsonSchema` for types that do not derive it, and the attributes with which schemars
//! describes derived types as the document does.

use super::types::tokens;
use crate::{
    names::ident,
    plan::ir::{Item, Kind, Others, Struct},
};
use openapi_dropshot_contract::model::{Node, NodeKind};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use serde_json::Number;

/// Returns `#[schemars(…)]` for a derived type; `None` if it is not needed.
pub(super) fn container(item: &Item) -> Option<TokenStream> {
    let mut parts = Vec::new();
    if let Kind::Struct(Struct {
        others: Others::Collected(..),
        ..
    }) = &item.kind
    {
        // Without this attribute, schemars would lose what the flattened field says about other
        // members.
        parts.push(quote!(deny_unknown_fields));
    }
    let renamed = item.component.as_ref().filter(|name| **name != item.name);
    parts.extend(renamed.map(|name| quote!(rename = #name)));
    parts.extend(item.title.as_ref().map(|title| quote!(title = #title)));
    parts.extend(item.docs.description_attribute());
    attribute(&parts)
}

/// Returns `#[schemars(…)]` with these parts.
pub(super) fn attribute(parts: &[TokenStream]) -> Option<TokenStream> {
    (!parts.is_empty()).then(|| quote!(#[schemars(#(#parts),*)]))
}

/// Writes a keyword of a schema, with its value.
pub(super) fn keyword(name: &str, value: impl ToTokens) -> TokenStream {
    quote!((#name, json!(#value)))
}

/// Writes `impl JsonSchema` for an item, with these keywords and the keywords that every item has.
pub(super) fn json_schema(item: &Item, mut keywords: Vec<TokenStream>) -> TokenStream {
    keywords.extend(item.title.as_ref().map(|title| keyword("title", title)));
    // The description of an inline item is written where the item is used.
    let description = item.docs.description.as_ref();
    let described = description.filter(|_| item.component.is_some());
    keywords.extend(described.map(|text| keyword("description", text)));
    keywords.extend(item.default.as_ref().map(|default| {
        let value = json(default);
        keyword("default", value)
    }));
    keywords.extend(item.deprecated.then(|| keyword("deprecated", true)));
    implementation(&item.name, item.component.as_deref(), &keywords)
}

/// Writes `impl JsonSchema` for a type. Its schema is inline if the type is not a component.
pub(super) fn implementation(
    name: &str,
    component: Option<&str>,
    keywords: &[TokenStream],
) -> TokenStream {
    let schema_name = component.unwrap_or(name);
    let inline = component.is_none().then(|| {
        quote! {
            fn is_referenceable() -> bool {
                false
            }
        }
    });
    let name = ident(name);
    quote! {
        impl JsonSchema for #name {
            fn schema_name() -> String {
                #schema_name.to_owned()
            }

            #inline

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                openapi_dropshot_types::shapes::schema([#(#keywords),*])
            }
        }
    }
}

/// Returns the keywords for the bounds that are present. schemars supports only 32-bit bounds.
pub(super) fn bounds(bounds: &[(&str, Option<u64>)]) -> Vec<TokenStream> {
    let present = bounds.iter().filter_map(|(name, bound)| {
        let bound = number(&u32::try_from((*bound)?).ok()?.into());
        Some(keyword(name, bound))
    });
    present.collect()
}

/// Writes a number for `serde_json::json!`, with a suffix if the number is too large for the type
/// that Rust would assume.
fn number(number: &Number) -> TokenStream {
    let suffix = match number.as_i64() {
        Some(value) if i32::try_from(value).is_err() => "_i64",
        None if number.is_u64() => "_u64",
        _ => "",
    };
    tokens(&format!("{number}{suffix}"))
}

/// Writes a JSON value for `serde_json::json!`.
fn json(node: &Node) -> TokenStream {
    match &node.kind {
        NodeKind::Null => quote!(null),
        NodeKind::Bool(value) => quote!(#value),
        NodeKind::Number(value) => number(value),
        NodeKind::String(text) => quote!(#text),
        NodeKind::Array(items) => {
            let items = items.iter().map(json);
            quote!([#(#items),*])
        }
        NodeKind::Object(members) => {
            let names = members.keys();
            let values = members.values().map(|member| json(&member.value));
            quote!({ #(#names: #values),* })
        }
    }
}
