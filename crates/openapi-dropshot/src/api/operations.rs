//! Writes the table of the operations.

use super::Api;
use crate::{
    docs::one_line,
    lifecycle::{http_date, midnight},
    names::ident,
    plan::{Body, Errors, OperationPlan},
};
use openapi_dropshot_contract::model::{Stability, StatusCode};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The file.
pub(super) fn file(api: &Api<'_>) -> TokenStream {
    let types = types(api);
    let plans = api.plan.operations.iter().enumerate();
    let rows = plans.map(|(index, plan)| row(api, index, plan));
    quote! {
        #types

        #[doc = " All operations, in the order of the document."]
        pub const OPERATIONS: &[Operation] = &[#(#rows),*];
    }
}

fn types(api: &Api<'_>) -> TokenStream {
    let plans = &api.plan.operations;
    let variants: Vec<_> = plans.iter().map(|plan| ident(&plan.type_name)).collect();
    let about = plans.iter().map(|plan| {
        format!(
            " `{}`: `{} {}`",
            plan.id, plan.operation.method, plan.operation.path.value
        )
    });
    let operation = if variants.is_empty() {
        quote!(match self {})
    } else {
        quote!(&OPERATIONS[self as usize])
    };
    quote! {
        #[doc = " The names of the operations."]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum OperationId {
            #(#[doc = #about] #variants,)*
        }

        impl OperationId {
            #[doc = " All operations, in the order of [`OPERATIONS`]."]
            pub const ALL: &'static [OperationId] = &[#(OperationId::#variants),*];

            #[doc = " The name as the document has it."]
            pub const fn as_str(self) -> &'static str {
                self.operation().name
            }

            #[doc = " The row of [`OPERATIONS`]."]
            pub const fn operation(self) -> &'static Operation {
                #operation
            }

            #[doc = " The operation of that name."]
            pub fn from_name(name: &str) -> Option<OperationId> {
                OperationId::ALL.iter().copied().find(|id| id.as_str() == name)
            }
        }
    }
}

fn row(api: &Api<'_>, index: usize, plan: &OperationPlan<'_>) -> TokenStream {
    let operation = plan.operation;
    let (index, name) = (Literal::usize_unsuffixed(index), plan.id);
    let (method, path) = (operation.method.as_str(), operation.path.value.as_str());
    let stability = ident(
        match operation
            .stability
            .as_ref()
            .map(|stability| stability.value)
        {
            Some(Stability::Experimental) => "Experimental",
            Some(Stability::Beta) => "Beta",
            Some(Stability::Stable) | None => "Stable",
        },
    );
    let security = option(plan.security.as_deref());
    let body = option(plan.body.as_ref().map(Body::media_type));
    let success = Literal::u16_unsuffixed(plan.success.status.unwrap_or_default());
    let errors = match (&plan.errors, api.catalogue()) {
        (Errors::Codes(codes), Some(_)) => {
            let codes = codes.iter().map(|code| ident(&code.variant));
            quote!(&[#(ErrorCode::#codes.entry()),*])
        }
        (Errors::Statuses(responses) | Errors::Dropshot(responses), _) => {
            let statuses = responses
                .iter()
                .filter_map(|response| match response.status {
                    StatusCode::Exact(status) => Some(Literal::u16_unsuffixed(status)),
                    StatusCode::Range(_) | StatusCode::Default => None,
                });
            quote!(&[#(ErrorEntry::of_status(#statuses)),*])
        }
        (Errors::Codes(_), None) => quote!(&[]),
    };
    let deprecation = deprecation(plan).unwrap_or_else(|| quote!(None));
    quote! {
        Operation {
            index: #index,
            name: #name,
            method: #method,
            path: #path,
            stability: Stability::#stability,
            security: #security,
            request_body: #body,
            success: #success,
            errors: #errors,
            deprecation: #deprecation,
        }
    }
}

fn deprecation(plan: &OperationPlan<'_>) -> Option<TokenStream> {
    let lifecycle = &plan.operation.lifecycle;
    let successor = plan.successor.as_ref()?;
    let (since, sunset) = (
        lifecycle.since.as_ref()?.value,
        lifecycle.sunset.as_ref()?.value,
    );
    let note = one_line(&lifecycle.replacement.as_ref()?.note);
    let seconds = midnight(since).timestamp();
    let header = format!("@{seconds}");
    let (since, sunset_seconds) = (
        Literal::i64_unsuffixed(seconds),
        Literal::i64_unsuffixed(midnight(sunset).timestamp()),
    );
    let sunset = http_date(sunset);
    let link = format!("<{successor}>; rel=\"successor-version\"");
    Some(quote! {
        Some(Deprecation {
            since: #since,
            sunset: #sunset_seconds,
            note: #note,
            deprecation_header: #header,
            sunset_header: #sunset,
            link_header: #link,
        })
    })
}

fn option(value: Option<&str>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}
