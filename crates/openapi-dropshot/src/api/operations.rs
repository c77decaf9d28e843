//! Writes the table of the operations.

use crate::{
    docs::one_line,
    lifecycle::{http_date, midnight},
    names::ident,
    plan::{Body, Errors, OperationPlan, Plan, Security, scheme_kind},
    render::option,
};
use openapi_dropshot_contract::model::{Document, Stability, StatusCode};
use openapi_dropshot_types::SchemeKind;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

pub(super) fn file(document: &Document, plan: &Plan<'_>) -> TokenStream {
    let types = types(&plan.operations);
    let schemes = security_schemes(document);
    let rows = plan.operations.iter().enumerate();
    let rows = rows.map(|(index, operation)| row(index, operation));
    quote! {
        #types

        #schemes

        #[doc = " All operations, in the order of the document."]
        pub const OPERATIONS: &[Operation] = &[#(#rows),*];
    }
}

fn types(plans: &[OperationPlan<'_>]) -> TokenStream {
    let variants: Vec<_> = plans.iter().map(|plan| ident(&plan.type_name)).collect();
    let about =
        (plans.iter()).map(|plan| format!(" `{}`: `{}`", plan.id, plan.operation.request()));
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
            #[doc = " All operations, in the order of `OPERATIONS`."]
            pub const ALL: &'static [OperationId] = &[#(OperationId::#variants),*];

            #[doc = " The name as the document has it."]
            pub const fn as_str(self) -> &'static str {
                self.operation().name
            }

            #[doc = " The row of `OPERATIONS`."]
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

/// The security schemes of the document. No operation requires a scheme that the server does not support.
fn security_schemes(document: &Document) -> Option<TokenStream> {
    let schemes = document.security_schemes.iter().map(|(name, scheme)| {
        let kind = match scheme_kind(scheme) {
            Some(SchemeKind::Basic) => quote!(Basic),
            Some(SchemeKind::Token) => quote!(Token),
            Some(SchemeKind::Header(name)) => quote!(Header(#name)),
            Some(SchemeKind::Query(name)) => quote!(Query(#name)),
            Some(SchemeKind::Cookie(name)) => quote!(Cookie(#name)),
            Some(SchemeKind::Bearer) | None => quote!(Bearer),
        };
        quote!(SecurityScheme { name: #name, kind: SchemeKind::#kind })
    });
    (schemes.len() > 0).then(|| {
        quote! {
            #[doc = " The security schemes of the document."]
            const SECURITY_SCHEMES: &[SecurityScheme] = &[#(#schemes),*];
        }
    })
}

fn security(security: &Security) -> TokenStream {
    let (is_open, alternatives) = (security.is_open, &security.alternatives);
    if alternatives.is_empty() && is_open {
        return quote!(Security::NONE);
    }
    let alternatives = alternatives.iter().map(|schemes| {
        let schemes = schemes.iter().map(|(place, scopes)| {
            let place = Literal::usize_unsuffixed(*place);
            quote!(RequiredScheme { scheme: &SECURITY_SCHEMES[#place], scopes: &[#(#scopes),*] })
        });
        quote!(&[#(#schemes),*])
    });
    quote!(Security { is_open: #is_open, alternatives: &[#(#alternatives),*] })
}

fn row(index: usize, plan: &OperationPlan<'_>) -> TokenStream {
    let operation = plan.operation;
    let (index, name) = (Literal::usize_unsuffixed(index), &plan.id);
    let (method, path) = (operation.method.as_str(), operation.path.value.as_str());
    let stability = operation.stability.as_ref().map(|level| level.value);
    let stability = ident(match stability {
        Some(Stability::Experimental) => "Experimental",
        Some(Stability::Beta) => "Beta",
        Some(Stability::Stable) | None => "Stable",
    });
    let security = security(&plan.security);
    let body = option(plan.body.as_ref().map(Body::media_type));
    let success = Literal::u16_unsuffixed(plan.success.status.unwrap_or_default());
    let errors: Vec<TokenStream> = match &plan.errors {
        Errors::Codes(codes) => {
            let codes = codes.iter().map(|code| ident(&code.variant));
            codes.map(|code| quote!(ErrorCode::#code.entry())).collect()
        }
        Errors::Statuses(responses) | Errors::Dropshot(responses) => responses
            .iter()
            .filter_map(|response| match response.status {
                StatusCode::Exact(status) => Some(Literal::u16_unsuffixed(status)),
                StatusCode::Range(_) | StatusCode::Default => None,
            })
            .map(|status| quote!(ErrorEntry::of_status(#status)))
            .collect(),
    };
    let deprecation = option(deprecation(plan));
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
            errors: &[#(#errors),*],
            deprecation: #deprecation,
        }
    }
}

/// The deprecation of an operation, as the server announces it; `None` without a removal date.
fn deprecation(plan: &OperationPlan<'_>) -> Option<TokenStream> {
    let lifecycle = &plan.operation.lifecycle;
    if !plan.operation.deprecated {
        return None;
    }
    let sunset = lifecycle.sunset.as_ref()?.value;
    let note = match &lifecycle.replacement {
        Some(replacement) => one_line(&replacement.note),
        None => "the document names no replacement".to_owned(),
    };
    let since = lifecycle.since.as_ref();
    let since = since.map(|since| midnight(since.value).timestamp());
    let header = since.map_or_else(String::new, |since| format!("@{since}"));
    let since = since.map(Literal::i64_unsuffixed);
    let since = since.map_or_else(|| quote!(i64::MIN), |since| quote!(#since));
    let sunset_seconds = Literal::i64_unsuffixed(midnight(sunset).timestamp());
    let sunset = http_date(sunset);
    let link = plan.successor.as_ref();
    let link = link.map_or_else(String::new, |successor| {
        format!("<{successor}>; rel=\"successor-version\"")
    });
    Some(quote! {
        Deprecation {
            since: #since,
            sunset: #sunset_seconds,
            note: #note,
            deprecation_header: #header,
            sunset_header: #sunset,
            link_header: #link,
        }
    })
}
