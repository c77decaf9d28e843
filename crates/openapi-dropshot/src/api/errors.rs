//! Writes the errors of the operations: an enum for each operation. It has one variant for each code that the operation lists
//! or, if the document has no catalogue, for each of its error responses.

use super::shapes;
use crate::{
    docs::{doc_attributes, harmless, one_line, status_line},
    models::{implementations, types::in_api},
    names::ident,
    plan::{
        Catalogue, ErrorResponse, Errors, Fields, JsonBody, Listed, OperationPlan, Plan, ir::Ty,
    },
    render::{option, status_pattern},
};
use openapi_dropshot_contract::model::StatusCode;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// Returns the name of the error type of an operation.
pub(crate) fn name(plan: &OperationPlan<'_>) -> String {
    match plan.errors {
        Errors::Dropshot(_) => "HttpError".to_owned(),
        _ => format!("{}Error", plan.type_name),
    }
}

/// Returns the entries of the document's error catalogue, if it has one.
pub(super) fn entries(plan: &Plan<'_>) -> TokenStream {
    match plan.catalogue {
        Some(_) => quote!(CATALOGUE),
        None => quote!([]),
    }
}

pub(super) fn file(plan: &Plan<'_>) -> TokenStream {
    // Websockets, and operations whose errors dropshot describes, have no separate error type.
    let own = |operation: &&OperationPlan<'_>| {
        !operation.websocket && !matches!(operation.errors, Errors::Dropshot(_))
    };
    let operations: Vec<&OperationPlan<'_>> = plan.operations.iter().filter(own).collect();
    let codes = plan.catalogue.as_ref().map(catalogue);
    let body = shapes::error_body(plan);
    let enums = operations.iter().map(|operation| errors(plan, operation));
    let names = operations.iter().map(|operation| ident(&name(operation)));
    let names: Vec<Ident> = names.collect();
    let entries = entries(plan);
    let implemented = (!names.is_empty()).then(
        || quote!(openapi_dropshot_types::operation_errors!(#entries, ERROR_BODY; #(#names),*);),
    );
    let state = failures(&operations, "state_failures", &STATE_FAILURE);
    let idempotency = failures(&operations, "idempotency_failures", &IDEMPOTENCY_FAILURE);
    quote!(#codes #body #(#enums)* #implemented #state #idempotency)
}

/// Writes the error catalogue: an enum of its codes and a table of its entries.
fn catalogue(catalogue: &Catalogue<'_>) -> TokenStream {
    let codes = catalogue.codes.iter();
    let variants: Vec<Ident> = codes.map(|(variant, _)| ident(variant)).collect();
    let docs = catalogue.codes.iter().map(|(_, entry)| {
        doc_attributes(&[
            format!("`{}`, status {}.", entry.code, entry.status),
            String::new(),
            format!("Cause: {}", harmless(&one_line(&entry.cause))),
            String::new(),
            format!("Remedy: {}", harmless(&one_line(&entry.cure))),
        ])
    });
    let entries = catalogue.codes.iter().map(|(_, entry)| {
        let (code, cause, remedy) = (&entry.code, &entry.cause, &entry.cure);
        let status = Literal::u16_unsuffixed(entry.status);
        quote!(ErrorEntry { code: #code, status: #status, cause: #cause, remedy: #remedy })
    });
    let count = Literal::usize_unsuffixed(variants.len());
    quote! {
        #[doc = " The codes of the error catalogue."]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum ErrorCode {
            #(#docs #variants,)*
        }

        impl ErrorCode {
            #[doc = " All codes, in the order of the document."]
            pub const ALL: &'static [ErrorCode] = &[#(ErrorCode::#variants),*];

            #[doc = " The entry of [`CATALOGUE`]."]
            pub const fn entry(self) -> &'static ErrorEntry {
                &CATALOGUE[self as usize]
            }

            #[doc = " The code as it is sent."]
            pub const fn as_str(self) -> &'static str {
                self.entry().code
            }

            #[doc = " The HTTP status that goes with the code."]
            pub const fn status(self) -> u16 {
                self.entry().status
            }
        }

        #[doc = " The error catalogue, in the order of the document."]
        pub static CATALOGUE: [ErrorEntry; #count] = [#(#entries),*];
    }
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
fn failures(
    operations: &[&OperationPlan<'_>],
    macro_name: &str,
    variants: &[&str],
) -> Option<TokenStream> {
    let able = operations
        .iter()
        .filter(|operation| match &operation.errors {
            Errors::Codes(codes) => variants.iter().all(|variant| {
                codes
                    .iter()
                    .any(|code| code.variant == *variant && code.headers.is_none())
            }),
            Errors::Statuses(_) | Errors::Dropshot(_) => false,
        });
    let able: Vec<Ident> = able.map(|operation| ident(&name(operation))).collect();
    implementations(macro_name, &able)
}

/// A variant of the error enum of an operation.
struct Variant {
    /// The variant with its documentation.
    definition: TokenStream,
    /// The arm of the `match` in `rejection`.
    arm: TokenStream,
}

/// Writes the error enum of one operation.
fn errors(plan: &Plan<'_>, operation: &OperationPlan<'_>) -> TokenStream {
    let mut schema = quote!(Value);
    let mut bodies = None;
    let has_headers = !operation.errors.headers().is_empty();
    let name = ident(&name(operation));
    let (listed, variants, conversion): (_, Vec<Variant>, _) = match &operation.errors {
        Errors::Codes(codes) => {
            if let Some(catalogue) = &plan.catalogue {
                let body = ident(&catalogue.body.name);
                schema = quote!(models::#body);
            }
            let codes = codes.iter().map(|code| code_variant(code, has_headers));
            ("code", codes.collect(), None)
        }
        Errors::Statuses(responses) | Errors::Dropshot(responses) => {
            let mut different: Vec<&JsonBody<'_>> = Vec::new();
            let all = responses.iter().filter_map(|own| own.body.as_ref());
            for body in all {
                if !different.contains(&body) {
                    different.push(body);
                }
            }
            match different.as_slice() {
                [] => {}
                [only] if only.own_media_type().is_none() => schema = in_api(&only.ty),
                _ => {
                    let name = ident(&format!("{}ErrorBody", operation.type_name));
                    bodies = Some(error_bodies(&name, &operation.id, responses));
                    schema = quote!(#name);
                }
            }
            let variants = responses.iter().map(status_variant).collect();
            ("response", variants, conversion(&name, responses))
        }
    };
    let id = &operation.id;
    let about =
        format!(" The errors of `{id}`: one variant for each {listed} that the document lists.");
    let definitions = variants.iter().map(|variant| &variant.definition);
    let arms = variants.iter().map(|variant| &variant.arm);
    let (parts, rejection) = match operation.errors {
        Errors::Codes(_) if !has_headers => (
            quote!((code, message)),
            quote!(Rejection::new(code.entry(), message.clone())),
        ),
        _ => (quote!(rejection), quote!(rejection)),
    };
    let rejection = if variants.is_empty() {
        quote!(let Self::Undocumented(error) = self; Err(error))
    } else {
        quote! {
            let #parts = match self {
                #(#arms)*
                Self::Undocumented(error) => return Err(error),
            };
            Ok(#rejection)
        }
    };
    quote! {
        #bodies

        #[doc = #about]
        #[derive(Debug)]
        pub enum #name {
            #(#definitions)*
            #[doc = " An error of dropshot itself, found before the handler ran."]
            #[doc(hidden)]
            Undocumented(HttpError),
        }

        impl OperationError for #name {
            type Body = #schema;

            fn rejection(&self) -> Result<Rejection, &HttpError> {
                #rejection
            }
        }

        #conversion
    }
}

/// Writes the conversion from a status and a body to the variant for that status, without headers. It exists only if the `default`
/// response has a body, because otherwise there could be statuses without a variant. It chooses no variant that requires a header.
fn conversion(name: &Ident, responses: &[ErrorResponse<'_>]) -> Option<TokenStream> {
    let is_default = |response: &&ErrorResponse<'_>| response.status == StatusCode::Default;
    let may_lack_headers =
        |own: &&ErrorResponse<'_>| own.headers.as_ref().is_none_or(Fields::are_optional);
    let default = responses.iter().find(is_default).filter(may_lack_headers)?;
    let body = default.body.as_ref()?;
    let ty = in_api(&body.ty);
    let has_body = |own: &&ErrorResponse<'_>| own.body.as_ref() == Some(body);
    let others = responses.iter().filter(has_body).filter(may_lack_headers);
    let (exact, ranges): (Vec<_>, Vec<_>) = others
        .filter(|own| !is_default(own))
        .partition(|own| matches!(own.status, StatusCode::Exact(_)));
    let no_headers =
        |own: &ErrorResponse<'_>| own.headers.as_ref().map(|_| quote!(, Default::default()));
    let arms = exact.into_iter().chain(ranges).map(|response| {
        let (variant, headers) = (ident(&response.variant), no_headers(response));
        let pattern = status_pattern(response.status);
        let is_exact = matches!(response.status, StatusCode::Exact(_));
        let status = (!is_exact).then(|| quote!(status,));
        quote!(#pattern => Self::#variant(#status body #headers))
    });
    let arms: Vec<TokenStream> = arms.collect();
    let variant = ident(&default.variant);
    let headers = no_headers(default);
    let any = quote!(Self::#variant(status, body #headers));
    let chosen = match arms.is_empty() {
        true => any,
        false => quote!(match status.as_u16() { #(#arms,)* _ => #any }),
    };
    Some(quote! {
        impl From<(ErrorStatusCode, #ty)> for #name {
            fn from((status, body): (ErrorStatusCode, #ty)) -> Self {
                #chosen
            }
        }
    })
}

/// Writes the type that describes the bodies of errors if they differ.
fn error_bodies(name: &Ident, id: &str, responses: &[ErrorResponse<'_>]) -> TokenStream {
    let about = format!(" Describes the bodies of the errors of `{id}`.");
    let responses = responses.iter().map(|response| {
        let body = response.body.as_ref();
        let json = body.filter(|body| body.is_json());
        let media_type = body.map(|body| body.media_type);
        (response.status, media_type, json.map(|body| &body.ty))
    });
    let entries = by_status(responses);
    quote!(openapi_dropshot_types::bodies_by_status!(#[doc = #about] #name: #entries);)
}

/// Writes the entries of `bodies_by_status!`.
pub(super) fn by_status<'r>(
    responses: impl Iterator<Item = (StatusCode, Option<&'r str>, Option<&'r Ty>)>,
) -> TokenStream {
    let entries = responses.map(|(status, media_type, body)| {
        let (status, body) = (status.to_string(), body.map(in_api));
        let media_type = option(media_type);
        quote!(#status => #media_type, [#body];)
    });
    quote!(#(#entries)*)
}

/// Writes the variant for a code of the catalogue, with its message and headers. `has_headers` says whether any code of the
/// operation has headers; the arm then returns the rejection, otherwise the code and the message.
fn code_variant(code: &Listed<'_>, has_headers: bool) -> Variant {
    let (name, entry) = (ident(&code.variant), code.entry);
    let cause = lowered(&harmless(&one_line(&entry.cause)));
    let mut lines = vec![format!("{} `{}`: {cause}", entry.status, entry.code)];
    for header in &code.response.headers {
        let text = header.description.as_deref();
        let text = text.map(|text| format!(": {}", harmless(&one_line(text))));
        let text = text.unwrap_or_default();
        lines.push(String::new());
        lines.push(format!("With the header `{}`{text}", header.name.value));
    }
    let docs = doc_attributes(&lines);
    let rejection = quote!(Rejection::new(ErrorCode::#name.entry(), message.clone()));
    let (field, arm) = match &code.headers {
        Some(headers) => {
            let headers = ident(&headers.name);
            let arm = quote!((message, headers) => #rejection.with_headers(headers));
            (Some(quote!(, models::#headers)), arm)
        }
        None if has_headers => (None, quote!((message) => #rejection)),
        None => (None, quote!((message) => (ErrorCode::#name, message))),
    };
    Variant {
        definition: quote!(#docs #name(Cow<'static, str> #field),),
        arm: quote!(Self::#name #arm,),
    }
}

/// Writes the variant for a response, with its body and headers, and with its status if the status is not fixed.
fn status_variant(response: &ErrorResponse<'_>) -> Variant {
    let name = ident(&response.variant);
    let docs = doc_attributes(&[status_line(response.status, &response.response.description)]);
    let (mut fields, mut values) = (Vec::new(), Vec::new());
    let status = match response.status {
        StatusCode::Exact(status) => {
            let status = Literal::u16_unsuffixed(status);
            quote!(#status)
        }
        StatusCode::Range(_) | StatusCode::Default => {
            fields.push(quote!(ErrorStatusCode));
            values.push(quote!(status));
            quote!(status.as_u16())
        }
    };
    let body = match &response.body {
        Some(body) => {
            fields.push(in_api(&body.ty));
            values.push(quote!(body));
            quote!(body)
        }
        None => quote!(&()),
    };
    let media_type = response.body.as_ref().and_then(JsonBody::own_media_type);
    let media_type = media_type.map(|media_type| quote!(.with_media_type(#media_type)));
    let headers = response.headers.as_ref().map(|headers| {
        let headers = ident(&headers.name);
        fields.push(quote!(models::#headers));
        values.push(quote!(headers));
        quote!(.with_headers(headers))
    });
    let in_parentheses =
        |parts: Vec<TokenStream>| (!parts.is_empty()).then(|| quote!((#(#parts),*)));
    let (fields, values) = (in_parentheses(fields), in_parentheses(values));
    Variant {
        definition: quote!(#docs #name #fields,),
        arm: quote!(Self::#name #values => Rejection::with_body(#status, #body)#media_type #headers,),
    }
}

/// Converts a sentence so that it can follow a colon: the first letter becomes lower case, unless the first word is in capitals.
fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => sentence.to_owned(),
    }
}
