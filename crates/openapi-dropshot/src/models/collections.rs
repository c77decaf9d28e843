//! Writes arrays and maps with rules, which check their elements when they are made.

use super::{
    metadata::{bounds, json_schema, keyword},
    structs::default_impl,
    types::{Shapes, rust, tokens},
};
use crate::{
    names::ident,
    plan::{
        Plan,
        ir::{Counts, Item, Ty},
    },
    render::option,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// An array with rules.
pub(super) fn items(
    plan: &Plan<'_>,
    item: &Item,
    of: &Ty,
    rules: &Counts,
    shapes: &mut Shapes,
) -> TokenStream {
    let (element, shape) = (tokens(&rust(of)), tokens(&shapes.schema(of)));
    let mut schema = vec![
        keyword("type", "array"),
        keyword("items", quote!(generator.subschema_for::<#shape>())),
    ];
    schema.extend(bounds(&[("minItems", rules.min), ("maxItems", rules.max)]));
    let mut checks = count(rules.min, rules.max, "elements");
    if rules.unique {
        schema.push(keyword("uniqueItems", true));
        checks.extend(quote!(openapi_dropshot_types::rules::check_distinct(&value)?;));
    }
    let inner = Ty::List(Box::new(of.clone()));
    collection(plan, item, &inner, quote!([#element]), checks, schema)
}

/// A map with rules.
pub(super) fn entries(
    plan: &Plan<'_>,
    item: &Item,
    of: &Ty,
    rules: &Counts,
    shapes: &mut Shapes,
) -> TokenStream {
    let shape = tokens(&shapes.schema(of));
    let mut schema = vec![
        keyword("type", "object"),
        keyword(
            "additionalProperties",
            quote!(generator.subschema_for::<#shape>()),
        ),
    ];
    schema.extend(bounds(&[
        ("minProperties", rules.min),
        ("maxProperties", rules.max),
    ]));
    let checks = count(rules.min, rules.max, "members");
    let inner = Ty::Map(Box::new(of.clone()));
    let target = tokens(&rust(&inner));
    collection(plan, item, &inner, target, checks, schema)
}

/// Writes the struct that holds a collection. Only its checks can make a value; it
/// dereferences to `target`.
fn collection(
    plan: &Plan<'_>,
    item: &Item,
    inner: &Ty,
    target: TokenStream,
    checks: TokenStream,
    schema: Vec<TokenStream>,
) -> TokenStream {
    let (name, docs) = (ident(&item.name), item.docs.attributes());
    let text = rust(inner);
    let inner = tokens(&text);
    let default = default_impl(plan, item);
    let schema = json_schema(item, schema);
    quote! {
        #docs
        #[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
        #[serde(try_from = #text)]
        pub struct #name(pub(super) #inner);

        #default

        impl TryFrom<#inner> for #name {
            type Error = Violation;

            fn try_from(value: #inner) -> Result<Self, Violation> {
                #checks
                Ok(#name(value))
            }
        }

        impl From<#name> for #inner {
            fn from(value: #name) -> #inner {
                value.0
            }
        }

        impl std::ops::Deref for #name {
            type Target = #target;

            fn deref(&self) -> &#target {
                &self.0
            }
        }

        #schema
    }
}

/// The check of how many there are.
fn count(min: Option<u64>, max: Option<u64>, what: &str) -> TokenStream {
    if min.is_none() && max.is_none() {
        return TokenStream::new();
    }
    let (min, max) = (
        option(min.map(Literal::u64_unsuffixed)),
        option(max.map(Literal::u64_unsuffixed)),
    );
    quote!(openapi_dropshot_types::rules::check_count(value.len(), #min, #max, #what)?;)
}
