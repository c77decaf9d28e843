//! Writes arrays and maps with rules, which check their elements when they are made.

use super::{
    metadata,
    structs::default_impl,
    types::{Shapes, View, rust, tokens},
};
use crate::{
    names::ident,
    plan::{
        Plan,
        ir::{Counts, Item, Ty},
    },
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
    let shape = tokens(&shapes.schema(of));
    let (min, max) = (number(rules.min), number(rules.max));
    let unique = rules.unique.then(|| quote!(unique_items: Some(true),));
    let schema = metadata::leaf(
        item,
        quote!(generator),
        quote! {
            instance_type: Some(InstanceType::Array.into()),
            array: Some(Box::new(ArrayValidation {
                items: Some(generator.subschema_for::<#shape>().into()),
                min_items: #min,
                max_items: #max,
                #unique
                ..Default::default()
            })),
        },
    );
    let mut checks = vec![count(rules.min, rules.max, "elements")];
    if rules.unique {
        checks.push(quote! {
            openapi_dropshot_types::rules::check_distinct(&value)?;
        });
    }
    let own = own(plan, item, &Ty::List(Box::new(of.clone())), &checks);
    let (name, element) = (ident(&item.name), tokens(&rust(of, View::Models)));
    quote! {
        #own

        impl std::ops::Deref for #name {
            type Target = [#element];

            fn deref(&self) -> &[#element] {
                &self.0
            }
        }

        #schema
    }
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
    let (min, max) = (number(rules.min), number(rules.max));
    let schema = metadata::leaf(
        item,
        quote!(generator),
        quote! {
            instance_type: Some(InstanceType::Object.into()),
            object: Some(Box::new(ObjectValidation {
                additional_properties: Some(Box::new(generator.subschema_for::<#shape>())),
                min_properties: #min,
                max_properties: #max,
                ..Default::default()
            })),
        },
    );
    let map = Ty::Map(Box::new(of.clone()));
    let own = own(plan, item, &map, &[count(rules.min, rules.max, "members")]);
    let (name, target) = (ident(&item.name), tokens(&rust(&map, View::Models)));
    quote! {
        #own

        impl std::ops::Deref for #name {
            type Target = #target;

            fn deref(&self) -> &#target {
                &self.0
            }
        }

        #schema
    }
}

/// The struct around a collection, made only by what checks it.
fn own(plan: &Plan<'_>, item: &Item, inner: &Ty, checks: &[TokenStream]) -> TokenStream {
    let (name, docs) = (ident(&item.name), item.docs.attributes());
    let text = rust(inner, View::Models);
    let inner = tokens(&text);
    let default = default_impl(plan, item);
    quote! {
        #docs
        #[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
        #[serde(try_from = #text)]
        pub struct #name(pub(super) #inner);

        #default

        impl TryFrom<#inner> for #name {
            type Error = Violation;

            fn try_from(value: #inner) -> Result<Self, Violation> {
                #(#checks)*
                Ok(#name(value))
            }
        }

        impl From<#name> for #inner {
            fn from(value: #name) -> #inner {
                value.0
            }
        }
    }
}

fn number(bound: Option<u64>) -> TokenStream {
    match bound.and_then(|bound| u32::try_from(bound).ok()) {
        Some(bound) => {
            let bound = Literal::u32_unsuffixed(bound);
            quote!(Some(#bound))
        }
        None => quote!(None),
    }
}

/// The check of how many there are.
fn count(min: Option<u64>, max: Option<u64>, what: &str) -> TokenStream {
    if min.is_none() && max.is_none() {
        return TokenStream::new();
    }
    let bound = |bound: Option<u64>| match bound.map(Literal::u64_unsuffixed) {
        Some(bound) => quote!(Some(#bound)),
        None => quote!(None),
    };
    let (min, max) = (bound(min), bound(max));
    quote!(openapi_dropshot_types::rules::check_count(value.len(), #min, #max, #what)?;)
}
