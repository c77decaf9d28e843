//! Writes `JsonSchema` for enumerations and checked types, and the attributes with
//! which schemars describes derived types as the document does.

use crate::{
    docs::Docs,
    names::ident,
    plan::ir::{Item, Kind, Others, Struct},
};
use openapi_dropshot_contract::model::{Node, NodeKind};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// `#[schemars(…)]` for a derived type; nothing where there is nothing to say.
pub(super) fn container(item: &Item) -> TokenStream {
    let mut parts = Vec::new();
    if let Kind::Struct(Struct {
        others: Others::Collected(..),
        ..
    }) = &item.kind
    {
        // Without it schemars would drop what the flattened field says of other
        // members: of none and something it keeps none, of `false` the other.
        parts.push(quote!(deny_unknown_fields));
    }
    if let Some(component) = item
        .component
        .as_ref()
        .filter(|component| **component != item.name)
    {
        parts.push(quote!(rename = #component));
    }
    if let Some(title) = &item.title {
        parts.push(quote!(title = #title));
    }
    if let Some(description) = item.docs.schema_description() {
        parts.push(quote!(description = #description));
    }
    attribute(&parts)
}

/// `#[schemars(…)]` of parts.
pub(super) fn attribute(parts: &[TokenStream]) -> TokenStream {
    if parts.is_empty() {
        TokenStream::new()
    } else {
        quote!(#[schemars(#(#parts),*)])
    }
}

/// The description of a field, where schemars would make another one.
pub(super) fn description(docs: &Docs) -> Option<TokenStream> {
    docs.schema_description()
        .map(|description| quote!(description = #description))
}

/// `impl JsonSchema` of a leaf: `parts` are the fields of `SchemaObject`.
pub(super) fn leaf(item: &Item, generator: TokenStream, parts: TokenStream) -> TokenStream {
    let name = ident(&item.name);
    let schema_name = item.component.as_ref().unwrap_or(&item.name);
    let inline = item.component.is_none().then(|| {
        quote! {
            fn is_referenceable() -> bool {
                false
            }
        }
    });
    let metadata = metadata(item);
    quote! {
        impl JsonSchema for #name {
            fn schema_name() -> String {
                #schema_name.to_owned()
            }

            #inline

            fn json_schema(#generator: &mut SchemaGenerator) -> Schema {
                Schema::Object(SchemaObject { #parts #metadata ..Default::default() })
            }
        }
    }
}

fn metadata(item: &Item) -> TokenStream {
    let mut parts = Vec::new();
    if let Some(title) = &item.title {
        parts.push(quote!(title: Some(#title.to_owned()),));
    }
    // An inline leaf is described at its use.
    if let Some(description) = item
        .docs
        .description
        .as_ref()
        .filter(|_| item.component.is_some())
    {
        parts.push(quote!(description: Some(#description.to_owned()),));
    }
    if let Some(default) = &item.default {
        let value = json(default);
        parts.push(quote!(default: Some(serde_json::json!(#value)),));
    }
    if item.deprecated {
        parts.push(quote!(deprecated: true,));
    }
    if parts.is_empty() {
        return TokenStream::new();
    }
    quote!(metadata: Some(Box::new(Metadata { #(#parts)* ..Default::default() })),)
}

/// A JSON value as `serde_json::json!` takes it.
pub(super) fn json(node: &Node) -> TokenStream {
    match &node.kind {
        NodeKind::Null => quote!(null),
        NodeKind::Bool(value) => quote!(#value),
        NodeKind::Number(number) => number.to_string().parse().unwrap_or_else(|_| {
            let value = Literal::f64_unsuffixed(
                number
                    .as_f64()
                    .filter(|value| value.is_finite())
                    .unwrap_or_default(),
            );
            quote!(#value)
        }),
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
