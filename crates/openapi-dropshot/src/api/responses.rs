//! Writes types for responses for which dropshot has none: other statuses, or other
//! bodies than its types have.

use crate::{docs::Docs, models::types::in_api, names::ident, plan::OperationPlan};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Writes the type of the successful response, if the operation needs a type of its own.
pub(super) fn response(plan: &OperationPlan<'_>) -> Option<TokenStream> {
    let success = &plan.success;
    let name = ident(success.own.as_ref()?);
    let description = success
        .response
        .map_or("", |response| response.description.as_str());
    let number = success.status?;
    let docs = Docs::new(
        Some(description),
        format!("The {number} response of `{}`.", plan.id),
    )
    .attributes();
    let status = Literal::u16_unsuffixed(number);
    let builder = quote!(Response::builder().status(#name::STATUS_CODE));
    let (item, body, response) = match (success.raw, &success.body) {
        (Some(media_type), _) => {
            let content_type = match media_type {
                "*/*" => "application/octet-stream",
                other => other,
            };
            (
                quote!(pub struct #name(pub Body);),
                quote!(FreeformBody),
                quote!(Ok(#builder.header("content-type", #content_type).body(response.0)?)),
            )
        }
        (None, Some(ty)) => {
            let ty = in_api(ty);
            (
                quote!(#[derive(Clone, Debug, PartialEq)] pub struct #name(pub #ty);),
                ty,
                quote!(#name::for_object(response.0)),
            )
        }
        (None, None) => (
            quote!(#[derive(Clone, Copy, Debug, PartialEq, Eq)] pub struct #name;),
            quote!(<dropshot::HttpResponseDeleted as HttpCodedResponse>::Body),
            quote!(Ok(#builder.body(Body::empty())?)),
        ),
    };
    Some(quote! {
        #docs
        #item

        impl HttpCodedResponse for #name {
            type Body = #body;

            const STATUS_CODE: StatusCode = match StatusCode::from_u16(#status) {
                Ok(status) => status,
                Err(_) => StatusCode::OK,
            };
            const DESCRIPTION: &'static str = #description;
        }

        impl From<#name> for Result<Response<Body>, HttpError> {
            fn from(response: #name) -> Self {
                #response
            }
        }
    })
}
