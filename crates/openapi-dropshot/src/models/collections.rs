//! Writes arrays and maps with rules. They check their elements when they are created.

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

/// Writes the struct for an array or a map. A value can only be created through its checks. It dereferences to the
/// array or map.
pub(super) fn collection(
    plan: &Plan<'_>,
    item: &Item,
    of: &Ty,
    rules: &Counts,
    is_array: bool,
    shapes: &mut Shapes,
) -> TokenStream {
    let (json_type, elements, least, greatest, what) = match is_array {
        true => ("array", "items", "minItems", "maxItems", "elements"),
        false => (
            "object",
            "additionalProperties",
            "minProperties",
            "maxProperties",
            "members",
        ),
    };
    let shape = tokens(&shapes.schema(of));
    let mut described = quote!(generator.subschema_for::<#shape>());
    // No keyword of OpenAPI 3.0 refers to these types, but the emitted document must contain the components among them.
    let first = rules.first.iter().filter(|ty| !matches!(ty, Ty::Scalar(_)));
    let first: Vec<TokenStream> = first.map(|ty| tokens(&shapes.schema(ty))).collect();
    if !first.is_empty() {
        described = quote!(({ #(generator.subschema_for::<#first>();)* #described }));
    }
    let mut schema = vec![keyword("type", json_type), keyword(elements, described)];
    schema.extend(bounds(&[(least, rules.min), (greatest, rules.max)]));
    let mut checks = count(rules.min, rules.max, what, quote!(value.len()));
    if rules.unique {
        schema.push(keyword("uniqueItems", true));
        checks.extend(quote!(openapi_dropshot_types::rules::check_distinct(&value)?;));
    }
    checks.extend(rules.names.as_ref().map(|ty| {
        let ty = tokens(&rust(ty));
        quote!(openapi_dropshot_types::rules::check_names::<#ty>(value.keys())?;)
    }));
    for (index, ty) in rules.first.iter().enumerate() {
        let (index, ty) = (Literal::usize_unsuffixed(index), tokens(&rust(ty)));
        checks
            .extend(quote!(openapi_dropshot_types::rules::check_element::<#ty>(&value, #index)?;));
    }
    let text = rust(&match is_array {
        true => Ty::List(Box::new(of.clone())),
        false => Ty::Map(Box::new(of.clone())),
    });
    let inner = tokens(&text);
    let target = match is_array {
        true => {
            let element = tokens(&rust(of));
            quote!([#element])
        }
        false => inner.clone(),
    };
    let (name, docs) = (ident(&item.name), item.docs.attributes());
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

/// Returns the check of the number of elements.
pub(super) fn count(
    min: Option<u64>,
    max: Option<u64>,
    what: &str,
    number: TokenStream,
) -> TokenStream {
    if min.is_none() && max.is_none() {
        return TokenStream::new();
    }
    let [min, max] = [min, max].map(|bound| option(bound.map(Literal::u64_unsuffixed)));
    quote!(openapi_dropshot_types::rules::check_count(#number, #min, #max, #what)?;)
}
