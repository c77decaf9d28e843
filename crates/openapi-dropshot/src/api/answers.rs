//! Errors of a document without a catalogue: one variant for each answer that
//! is an error, with its body.

use crate::{
    docs::harmless,
    models::types::{View, rust, tokens},
    names::ident,
    plan::Answer,
};
use openapi_dropshot_contract::model::StatusCode;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// What the errors of all operations have in common.
pub(super) const MACRO: &str = include_str!("templates/answers.rs");

/// The refusal that any operation may end with.
pub(super) fn head() -> TokenStream {
    quote! {
        #[doc = " An answer that is not a success, whatever the operation."]
        #[derive(Clone, Debug, PartialEq)]
        pub struct Refusal {
            #[doc = " Its status."]
            pub status: ErrorStatusCode,
            #[doc = " Its body; absent where the document has none, or where the fault was found"]
            #[doc = " before the operation."]
            pub body: Option<serde_json::Value>,
            #[doc = " What the caller may be told."]
            pub message: String,
        }

        impl fmt::Display for Refusal {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}: {}", self.status, self.message)
            }
        }

        impl std::error::Error for Refusal {}

        impl From<HttpError> for Refusal {
            fn from(error: HttpError) -> Self {
                Refusal { status: error.status_code, body: None, message: error.external_message }
            }
        }
    }
}

/// What the errors of operations have that are not dropshot's own.
pub(super) fn undocumented() -> TokenStream {
    quote! {
        #[doc = " What dropshot itself refused. Only dropshot makes one: a handler has the"]
        #[doc = " other variants."]
        #[derive(Debug)]
        pub struct Undocumented(HttpError);
    }
}

/// The errors of one operation.
pub(super) fn operation(name: &Ident, id: &str, answers: &[Answer<'_>]) -> TokenStream {
    let about =
        format!(" The errors of `{id}`: one variant for each answer that the document lists.");
    let variants: Vec<TokenStream> = answers.iter().map(variant).collect();
    let bodies: Vec<TokenStream> = answers
        .iter()
        .map(|answer| arm(name, answer, true))
        .collect();
    let statuses: Vec<TokenStream> = answers
        .iter()
        .map(|answer| arm(name, answer, false))
        .collect();
    let body = answers.iter().find_map(|answer| answer.body.as_ref());
    let schema = match body {
        Some(ty) => tokens(&rust(ty, View::Outside)),
        None => quote!(serde_json::Value),
    };
    quote! {
        #[doc = #about]
        #[derive(Debug)]
        pub enum #name {
            #(#variants)*
            #[doc = " What dropshot refused before the handler ran."]
            #[doc(hidden)]
            Undocumented(Undocumented),
        }

        impl Serialize for #name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    #(#bodies)*
                    #name::Undocumented(Undocumented(error)) => {
                        serde_json::json!({ "message": error.external_message }).serialize(serializer)
                    }
                }
            }
        }

        impl JsonSchema for #name {
            fn schema_name() -> String {
                <#schema as JsonSchema>::schema_name()
            }

            fn is_referenceable() -> bool {
                <#schema as JsonSchema>::is_referenceable()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                <#schema as JsonSchema>::json_schema(generator)
            }
        }

        impl HttpResponseError for #name {
            fn status_code(&self) -> ErrorStatusCode {
                match self {
                    #(#statuses)*
                    #name::Undocumented(Undocumented(error)) => error.status_code,
                }
            }
        }
    }
}

fn is_exact(answer: &Answer<'_>) -> bool {
    matches!(answer.status, StatusCode::Exact(_))
}

fn variant(answer: &Answer<'_>) -> TokenStream {
    let name = ident(&answer.variant);
    let words = harmless(
        &answer
            .response
            .description
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    );
    let about = if words.is_empty() {
        format!(" {}", answer.status)
    } else {
        format!(" {}: {words}", answer.status)
    };
    let body = answer
        .body
        .as_ref()
        .map(|ty| tokens(&rust(ty, View::Outside)));
    let fields = match (is_exact(answer), body) {
        (true, Some(body)) => quote!((#body)),
        (true, None) => TokenStream::new(),
        (false, Some(body)) => quote!((ErrorStatusCode, #body)),
        (false, None) => quote!((ErrorStatusCode)),
    };
    quote!(#[doc = #about] #name #fields,)
}

/// The arm that serializes a variant, or that tells its status.
fn arm(name: &Ident, answer: &Answer<'_>, body: bool) -> TokenStream {
    let variant = ident(&answer.variant);
    let (exact, has_body) = (is_exact(answer), answer.body.is_some());
    let pattern = match (exact, has_body) {
        (true, true) if body => quote!((body)),
        (true, true) => quote!((_)),
        (true, false) => TokenStream::new(),
        (false, true) if body => quote!((_, body)),
        (false, true) => quote!((status, _)),
        (false, false) if body => quote!((_)),
        (false, false) => quote!((status)),
    };
    let value = match (body, has_body, answer.status) {
        (true, true, _) => quote!(body.serialize(serializer)),
        (true, false, _) => quote!(serializer.serialize_unit()),
        (false, _, StatusCode::Exact(status)) => {
            let status = Literal::u16_unsuffixed(status);
            quote!(ErrorStatusCode::from_u16(#status).unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR))
        }
        (false, ..) => quote!(*status),
    };
    quote!(#name::#variant #pattern => #value,)
}

/// What all of them share.
pub(super) fn tail(names: &[Ident]) -> TokenStream {
    if names.is_empty() {
        return TokenStream::new();
    }
    quote!(responses!(#(#names),*);)
}
