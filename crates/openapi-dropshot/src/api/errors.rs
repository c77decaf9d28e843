//! The errors of the operations: by the codes of the catalogue, or by their
//! statuses where the document has none.

use super::{Api, answers, catalogue};
use crate::{
    names::ident,
    plan::{Errors, OperationPlan},
    render::Part,
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
pub(super) fn file(api: &Api<'_>) -> Vec<Part> {
    let names: Vec<Ident> = api
        .plan
        .operations
        .iter()
        .filter(|plan| are_own(plan))
        .map(|plan| ident(&name(plan)))
        .collect();
    match api.catalogue() {
        Some(listed) => {
            let head = catalogue::head(listed);
            let enums = api.plan.operations.iter().map(|plan| match &plan.errors {
                Errors::Codes(codes) => catalogue::operation(&ident(&name(plan)), plan.id, codes),
                Errors::Answers(_) | Errors::Dropshot(_) => TokenStream::new(),
            });
            let code = quote!(#head #(#enums)*);
            parts(code, catalogue::MACRO, catalogue::tail(listed, &names))
        }
        None => {
            let head = answers::head();
            let undocumented = (!names.is_empty()).then(answers::undocumented);
            let enums = api.plan.operations.iter().map(|plan| match &plan.errors {
                Errors::Answers(listed) if are_own(plan) => {
                    answers::operation(&ident(&name(plan)), plan.id, listed)
                }
                _ => TokenStream::new(),
            });
            let code = quote!(#head #undocumented #(#enums)*);
            parts(code, answers::MACRO, answers::tail(&names))
        }
    }
}

/// The macro is left out where nothing uses it.
fn parts(code: TokenStream, text: &'static str, tail: TokenStream) -> Vec<Part> {
    if tail.is_empty() {
        vec![Part::Code(code)]
    } else {
        vec![Part::Code(code), Part::template(text), Part::Code(tail)]
    }
}
