//! Writes types for responses for which dropshot has none: other statuses, or other
//! bodies than its types have.

use super::Api;
use crate::{
    docs::Docs,
    models::types::{View, rust, tokens},
    names::ident,
    plan::OperationPlan,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The file, where such a response is needed.
pub(super) fn file(api: &Api<'_>) -> Option<TokenStream> {
    let code: Vec<TokenStream> = api.plan.operations.iter().filter_map(response).collect();
    (!code.is_empty()).then(|| quote!(#(#code)*))
}

fn response(plan: &OperationPlan<'_>) -> Option<TokenStream> {
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
    let code = quote! {
        const STATUS_CODE: StatusCode = match StatusCode::from_u16(#status) {
            Ok(status) => status,
            Err(_) => StatusCode::OK,
        };
        const DESCRIPTION: &'static str = #description;
    };
    if let Some(media_type) = success.raw {
        let content_type = match media_type {
            "*/*" => "application/octet-stream",
            other => other,
        };
        return Some(quote! {
            #docs
            pub struct #name(pub Body);

            impl HttpCodedResponse for #name {
                type Body = FreeformBody;
                #code
            }

            impl From<#name> for Result<Response<Body>, HttpError> {
                fn from(response: #name) -> Self {
                    let builder = Response::builder().status(#name::STATUS_CODE);
                    Ok(builder.header("content-type", #content_type).body(response.0)?)
                }
            }
        });
    }
    Some(match &success.body {
        Some(ty) => {
            let ty = tokens(&rust(ty, View::Outside));
            quote! {
                #docs
                #[derive(Clone, Debug, PartialEq)]
                pub struct #name(pub #ty);

                impl HttpCodedResponse for #name {
                    type Body = #ty;
                    #code
                }

                impl From<#name> for Result<Response<Body>, HttpError> {
                    fn from(response: #name) -> Self {
                        #name::for_object(response.0)
                    }
                }
            }
        }
        None => quote! {
            #docs
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct #name;

            impl HttpCodedResponse for #name {
                type Body = <dropshot::HttpResponseDeleted as HttpCodedResponse>::Body;
                #code
            }

            impl From<#name> for Result<Response<Body>, HttpError> {
                fn from(_: #name) -> Self {
                    Ok(Response::builder().status(#name::STATUS_CODE).body(Body::empty())?)
                }
            }
        },
    })
}
