//! The table of the operations.

use super::Api;
use crate::{
    docs::one_line,
    lifecycle::{http_date, midnight},
    names::ident,
    plan::{Body, Errors, OperationPlan},
};
use openapi_dropshot_contract::model::Stability;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The file.
pub(super) fn file(api: &Api<'_>) -> TokenStream {
    let types = types(api);
    let rows = api.plan.operations.iter().map(|plan| row(api, plan));
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
    let errors = match api.catalogue() {
        Some(_) => quote! {
            #[doc = " All codes that a refusal may carry, with their statuses."]
            pub errors: &'static [ErrorCode],
        },
        None => quote! {
            #[doc = " The statuses of refusals as the document has them: `404`, `4XX`, `default`."]
            pub errors: &'static [&'static str],
        },
    };
    let success = if plans.iter().any(|plan| plan.success.status.is_none()) {
        " The status of success; 0 where the handler chooses it."
    } else {
        " The status of success."
    };
    let security: &[&str] = if plans.iter().any(|plan| names_schemes(api, plan)) {
        &[
            " Whether a credential is required, and which: an HTTP scheme, or the names of",
            " security schemes, ` & ` between those that belong together and ` | ` between",
            " alternatives.",
        ]
    } else {
        &[" Whether a credential is required, and by which HTTP scheme."]
    };
    let find = if variants.is_empty() {
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
            #[doc = " The name as the document has it."]
            pub const fn as_str(self) -> &'static str {
                self.operation().name
            }

            #[doc = " The row of [`OPERATIONS`]."]
            pub const fn operation(self) -> &'static Operation {
                #find
            }

            #[doc = " The operation of that name."]
            pub fn from_name(name: &str) -> Option<OperationId> {
                OPERATIONS.iter().find(|operation| operation.name == name).map(|operation| operation.id)
            }
        }

        #[doc = " What the document says of an operation, for what stands before and after"]
        #[doc = " its handler."]
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub struct Operation {
            #[doc = " Which one."]
            pub id: OperationId,
            #[doc = " `operationId`"]
            pub name: &'static str,
            #[doc = " The method, in capitals."]
            pub method: &'static str,
            #[doc = " The path, relative to the base address."]
            pub path: &'static str,
            #[doc = " `x-stability-level`"]
            pub stability: Stability,
            #(#[doc = #security])*
            pub security: Option<&'static str>,
            #[doc = " The media type of the request body, where there is one."]
            pub request_body: Option<&'static str>,
            #[doc = #success]
            pub success: u16,
            #errors
            #[doc = " Set where the operation is deprecated and the document says how it ends."]
            pub deprecation: Option<Deprecation>,
        }

        #[doc = " `x-stability-level`, lowest first."]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Stability {
            #[doc = " May change or vanish at any time."]
            Experimental,
            #[doc = " May change, with a warning."]
            Beta,
            #[doc = " Keeps its promise until its sunset."]
            Stable,
        }

        #[doc = " When and why an operation ends, as values of its headers."]
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub struct Deprecation {
            #[doc = " The day of the deprecation, in seconds since 1970-01-01T00:00:00Z."]
            pub since: i64,
            #[doc = " The day of the removal, in seconds since 1970-01-01T00:00:00Z."]
            pub sunset: i64,
            #[doc = " What to do, as a sentence fragment."]
            pub note: &'static str,
            #[doc = " `Deprecation` (RFC 9745)."]
            pub deprecation_header: &'static str,
            #[doc = " `Sunset` (RFC 8594)."]
            pub sunset_header: &'static str,
            #[doc = " `Link` to the successor (RFC 8288), relative to the request."]
            pub link_header: &'static str,
        }
    }
}

/// Whether the credential of an operation is told by names of the document.
fn names_schemes(api: &Api<'_>, plan: &OperationPlan<'_>) -> bool {
    plan.security.is_some()
        && !plan.operation.security.iter().all(|names| {
            names.keys().all(|name| {
                let scheme = api.document.security_schemes.get(name);
                scheme.is_some_and(|scheme| scheme.scheme.is_some())
            })
        })
}

fn row(api: &Api<'_>, plan: &OperationPlan<'_>) -> TokenStream {
    let operation = plan.operation;
    let (id, name) = (ident(&plan.type_name), plan.id);
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
            quote!(&[#(ErrorCode::#codes),*])
        }
        (Errors::Answers(answers) | Errors::Dropshot(answers), _) => {
            let statuses = answers.iter().map(|answer| answer.status.to_string());
            quote!(&[#(#statuses),*])
        }
        (Errors::Codes(_), None) => quote!(&[]),
    };
    let deprecation = deprecation(plan).unwrap_or_else(|| quote!(None));
    quote! {
        Operation {
            id: OperationId::#id,
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
