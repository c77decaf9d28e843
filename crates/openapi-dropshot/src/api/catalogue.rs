//! Writes the errors of a document with a catalogue: one variant for each code, so
//! that a handler cannot return a code that the document does not list.

use crate::{
    docs::{doc_attributes, harmless},
    names::ident,
    plan::{Catalogue, Listed},
};
use openapi_dropshot_contract::model::Header;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The catalogue, as an enum of its codes and a table of its entries.
pub(super) fn codes(catalogue: &Catalogue<'_>) -> TokenStream {
    let variants: Vec<Ident> = catalogue
        .codes
        .iter()
        .map(|(variant, _)| ident(variant))
        .collect();
    let docs = catalogue.codes.iter().map(|(_, entry)| {
        let lines = [
            format!("`{}`, status {}.", entry.code, entry.status),
            String::new(),
            format!("Cause: {}", one_line(&entry.cause)),
            String::new(),
            format!("Remedy: {}", one_line(&entry.cure)),
        ];
        doc_attributes(&lines)
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

/// The errors of one operation.
pub(super) fn operation(
    catalogue: &Catalogue<'_>,
    name: &Ident,
    id: &str,
    codes: &[Listed<'_>],
) -> TokenStream {
    let about =
        format!(" The errors of `{id}`: one variant for each code that the document lists.");
    let body = ident(&catalogue.body.name);
    let variants: Vec<Ident> = codes.iter().map(|code| ident(&code.variant)).collect();
    let rejection = if variants.is_empty() {
        only_undocumented()
    } else {
        quote! {
            let (code, message) = match self {
                #(Self::#variants(message) => (ErrorCode::#variants, message),)*
                Self::Undocumented(error) => return Err(error),
            };
            Ok(Rejection::new(code.entry(), message.clone()))
        }
    };
    let docs = codes.iter().map(|code| {
        let entry = code.entry;
        let mut lines = vec![format!(
            "{} `{}`: {}",
            entry.status,
            entry.code,
            lowered(&one_line(&entry.cause))
        )];
        for header in &code.response.headers {
            lines.push(String::new());
            lines.push(header_line(header));
        }
        doc_attributes(&lines)
    });
    quote! {
        #[doc = #about]
        #[derive(Debug)]
        pub enum #name {
            #(#docs #variants(Cow<'static, str>),)*
            #[doc = " An error of dropshot itself, found before the handler ran."]
            #[doc(hidden)]
            Undocumented(HttpError),
        }

        impl openapi_dropshot_types::OperationError for #name {
            type Body = models::#body;

            const ERRORS: &'static [ErrorEntry] = &CATALOGUE;
            const ERROR_BODY: &'static [(&'static str, ErrorMember)] = ERROR_BODY;

            fn undocumented(error: HttpError) -> Self {
                Self::Undocumented(error)
            }

            fn rejection(&self) -> Result<Rejection, &HttpError> {
                #rejection
            }
        }
    }
}

/// The rejection of an enum that has no errors.
pub(super) fn only_undocumented() -> TokenStream {
    quote! {
        let Self::Undocumented(error) = self;
        Err(error)
    }
}

/// A header that the service adds to the response.
fn header_line(header: &Header) -> String {
    let words = header
        .description
        .as_deref()
        .map(|words| format!(": {}", one_line(words)))
        .unwrap_or_default();
    format!("With the header `{}`{words}", header.name.value)
}

/// A sentence on one line, harmless to rustdoc.
fn one_line(words: &str) -> String {
    harmless(&words.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A sentence that goes on after a colon: without its capital, unless the word
/// is written in capitals.
fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => sentence.to_owned(),
    }
}
