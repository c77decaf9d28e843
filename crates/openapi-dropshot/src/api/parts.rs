//! Writes the parts of streamed forms: an enum for each form, with the rules of its parts.

use crate::{
    models::types::in_api,
    names::ident,
    plan::{Body, Content, OperationPlan, Part, Parts, Plan},
    render::option,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Writes the file.
pub(super) fn file(plan: &Plan<'_>) -> TokenStream {
    let operations = plan.operations.iter();
    let forms = operations.filter_map(|operation| match &operation.body {
        Some(Body::Parts(Ok(parts))) => Some(form(operation, parts)),
        _ => None,
    });
    forms.collect()
}

fn form(operation: &OperationPlan<'_>, form: &Parts) -> TokenStream {
    let (name, is_closed) = (ident(&form.name), form.is_closed);
    let about = format!(" A part of the body of `{}`.", operation.id);
    let variants = form.parts.iter().map(|part| {
        let (docs, variant) = (part.docs.attributes(), ident(&part.variant));
        let ty = match &part.content {
            Content::File => quote!(openapi_dropshot_types::FilePart),
            Content::Text(ty) | Content::Json(ty) => in_api(ty),
        };
        quote!(#docs #variant(#ty))
    });
    let rules = form.parts.iter().map(rules);
    quote! {
        #[doc = #about]
        #[derive(Debug)]
        pub enum #name {
            #(#variants,)*
        }

        impl openapi_dropshot_types::FormPart for #name {
            const RULES: &'static [openapi_dropshot_types::PartRules<Self>] = &[#(#rules),*];
            const IS_CLOSED: bool = #is_closed;
        }
    }
}

fn rules(part: &Part) -> TokenStream {
    let (name, variant, is_required) = (&part.wire, ident(&part.variant), part.is_required);
    let (min, media_types) = (Literal::u64_unsuffixed(part.min), &part.media_types);
    let max = match part.max {
        Some(max) => {
            let max = Literal::u64_unsuffixed(max);
            quote!(#max)
        }
        None => quote!(u64::MAX),
    };
    let max_bytes = option(part.max_bytes.map(Literal::u64_unsuffixed));
    let read = match &part.content {
        Content::File => quote!(File(Self::#variant)),
        Content::Text(_) => quote!(Value(|value| value.text().map(Self::#variant))),
        Content::Json(_) => quote!(Value(|value| value.json().map(Self::#variant))),
    };
    quote! {
        openapi_dropshot_types::PartRules {
            name: #name,
            is_required: #is_required,
            min: #min,
            max: #max,
            max_bytes: #max_bytes,
            media_types: #media_types,
            read: openapi_dropshot_types::ReadPart::#read,
        }
    }
}
