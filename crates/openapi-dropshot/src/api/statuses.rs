//! Writes the errors of a document without a catalogue: one variant for each
//! response that is an error, with its body.

use super::catalogue::only_undocumented;
use crate::{
    docs::harmless,
    models::types::{View, rust, tokens},
    names::ident,
    plan::ErrorResponse,
};
use openapi_dropshot_contract::model::StatusCode;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The errors of one operation.
pub(super) fn operation(name: &Ident, id: &str, responses: &[ErrorResponse<'_>]) -> TokenStream {
    let about =
        format!(" The errors of `{id}`: one variant for each response that the document lists.");
    let variants: Vec<TokenStream> = responses.iter().map(variant).collect();
    let rejection = if responses.is_empty() {
        only_undocumented()
    } else {
        let arms = responses.iter().map(arm);
        quote! {
            Ok(match self {
                #(#arms)*
                Self::Undocumented(error) => return Err(error),
            })
        }
    };
    let body = responses.iter().find_map(|response| response.body.as_ref());
    let schema = match body {
        Some(ty) => tokens(&rust(ty, View::Outside)),
        None => quote!(serde_json::Value),
    };
    quote! {
        #[doc = #about]
        #[derive(Debug)]
        pub enum #name {
            #(#variants)*
            #[doc = " An error of dropshot itself, found before the handler ran."]
            #[doc(hidden)]
            Undocumented(HttpError),
        }

        impl openapi_dropshot_types::OperationError for #name {
            type Body = #schema;

            fn undocumented(error: HttpError) -> Self {
                Self::Undocumented(error)
            }

            fn rejection(&self) -> Result<Rejection, &HttpError> {
                #rejection
            }
        }
    }
}

fn is_exact(response: &ErrorResponse<'_>) -> bool {
    matches!(response.status, StatusCode::Exact(_))
}

fn variant(response: &ErrorResponse<'_>) -> TokenStream {
    let name = ident(&response.variant);
    let words = harmless(
        &response
            .response
            .description
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    );
    let about = if words.is_empty() {
        format!(" {}", response.status)
    } else {
        format!(" {}: {words}", response.status)
    };
    let body = response
        .body
        .as_ref()
        .map(|ty| tokens(&rust(ty, View::Outside)));
    let fields = match (is_exact(response), body) {
        (true, Some(body)) => quote!((#body)),
        (true, None) => TokenStream::new(),
        (false, Some(body)) => quote!((ErrorStatusCode, #body)),
        (false, None) => quote!((ErrorStatusCode)),
    };
    quote!(#[doc = #about] #name #fields,)
}

/// The arm that turns a variant into a rejection.
fn arm(response: &ErrorResponse<'_>) -> TokenStream {
    let variant = ident(&response.variant);
    let has_body = response.body.is_some();
    let (pattern, status) = match (response.status, has_body) {
        (StatusCode::Exact(status), _) => {
            let status = Literal::u16_unsuffixed(status);
            (has_body.then(|| quote!((body))), quote!(#status))
        }
        (_, true) => (Some(quote!((status, body))), quote!(status.as_u16())),
        (_, false) => (Some(quote!((status))), quote!(status.as_u16())),
    };
    let body = if has_body { quote!(body) } else { quote!(&()) };
    quote!(Self::#variant #pattern => Rejection::with_body(#status, #body),)
}
