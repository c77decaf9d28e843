//! Writes the errors of the operations: by the codes of the catalogue, or by
//! their statuses if the document has no catalogue.

use super::{Api, catalogue, statuses};
use crate::{
    names::ident,
    plan::{
        Errors, OperationPlan, Plan,
        ir::{Kind, Presence, Scalar, Ty},
        target,
    },
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The name of the errors of an operation.
pub(super) fn name(plan: &OperationPlan<'_>) -> String {
    match plan.errors {
        Errors::Dropshot(_) => "HttpError".to_owned(),
        _ => format!("{}Error", plan.type_name),
    }
}

/// Whether an operation has errors of its own: those of a websocket and those
/// that dropshot describes are dropshot's.
pub(super) fn are_own(plan: &OperationPlan<'_>) -> bool {
    !plan.websocket && !matches!(plan.errors, Errors::Dropshot(_))
}

/// The file.
pub(super) fn file(api: &Api<'_>) -> TokenStream {
    let own = || api.plan.operations.iter().filter(|plan| are_own(plan));
    let names: Vec<Ident> = own().map(|plan| ident(&name(plan))).collect();
    let codes = api.catalogue().map(catalogue::codes);
    let body = error_body(api.plan);
    let enums = own().map(|plan| match &plan.errors {
        Errors::Codes(codes) => match api.catalogue() {
            Some(catalogue) => catalogue::operation(catalogue, &ident(&name(plan)), plan.id, codes),
            None => TokenStream::new(),
        },
        Errors::Statuses(responses) => statuses::operation(&ident(&name(plan)), plan.id, responses),
        Errors::Dropshot(_) => TokenStream::new(),
    });
    let implementations = (!names.is_empty())
        .then(|| quote!(openapi_dropshot_types::operation_errors!(#(#names),*);));
    let state = failures(api, "state_failures", &STATE_FAILURE);
    let idempotency = failures(api, "idempotency_failures", &IDEMPOTENCY_FAILURE);
    quote!(#codes #body #(#enums)* #implementations #state #idempotency)
}

/// The variants that `StateFailure` needs.
const STATE_FAILURE: [&str; 3] = ["InternalError", "Overloaded", "Unavailable"];
/// The variants that `IdempotencyFailure` needs.
const IDEMPOTENCY_FAILURE: [&str; 6] = [
    "InternalError",
    "Overloaded",
    "Unavailable",
    "InvalidRequest",
    "Conflict",
    "IdempotencyKeyReused",
];

/// Calls a macro of `openapi-dropshot-types` for the enums that have all of these variants.
fn failures(api: &Api<'_>, name: &str, variants: &[&str]) -> Option<TokenStream> {
    let operations = api.plan.operations.iter().filter(|plan| are_own(plan));
    let able: Vec<Ident> = operations
        .filter(|plan| match &plan.errors {
            Errors::Codes(codes) => variants
                .iter()
                .all(|variant| codes.iter().any(|code| code.variant == *variant)),
            Errors::Statuses(_) | Errors::Dropshot(_) => false,
        })
        .map(|plan| ident(&self::name(plan)))
        .collect();
    let name = ident(name);
    (!able.is_empty()).then(|| quote!(openapi_dropshot_types::#name!(#(#able),*);))
}

/// The members of the error body that the server itself can write.
fn error_body(plan: &Plan<'_>) -> TokenStream {
    let members = members(plan).into_iter().map(|(name, member)| {
        let member = ident(member);
        quote!((#name, ErrorMember::#member))
    });
    quote! {
        #[doc = " The members of the error body, in their order."]
        pub const ERROR_BODY: &[(&str, ErrorMember)] = &[#(#members),*];
    }
}

/// The members of the catalogue's body, or of dropshot's own errors, or the one
/// string of the first error body that requires nothing else, or `message`.
fn members<'p>(plan: &'p Plan<'_>) -> Vec<(&'p str, &'static str)> {
    if let Some(catalogue) = &plan.catalogue {
        let members = catalogue.body.members.iter();
        return members
            .map(|(wire, member)| (wire.as_str(), *member))
            .collect();
    }
    let errors = plan.operations.iter().map(|operation| &operation.errors);
    let shape = errors.flat_map(|errors| match errors {
        Errors::Dropshot(_) => vec![vec![
            ("error_code", "Code"),
            ("message", "Message"),
            ("request_id", "RequestId"),
        ]],
        Errors::Statuses(responses) => responses
            .iter()
            .filter_map(|response| {
                Some(vec![(one_text(plan, response.body.as_ref()?)?, "Message")])
            })
            .collect(),
        Errors::Codes(_) => Vec::new(),
    });
    shape
        .into_iter()
        .next()
        .unwrap_or_else(|| vec![("message", "Message")])
}

/// The required member of an object that has just one, if it is any string.
fn one_text<'p>(plan: &'p Plan<'_>, ty: &Ty) -> Option<&'p str> {
    let Kind::Struct(object) = &target(&plan.items, ty)?.kind else {
        return None;
    };
    let mut required = object
        .fields
        .iter()
        .filter(|field| matches!(field.presence, Presence::Required));
    match (required.next(), required.next()) {
        (Some(field), None) if matches!(field.ty, Ty::Scalar(Scalar::Text { .. })) => {
            Some(&field.wire)
        }
        _ => None,
    }
}
