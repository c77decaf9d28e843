//! Errors of a document with a catalogue: one variant a code, so that a handler
//! cannot answer what the document does not list.

use crate::{
    docs::{doc_attributes, harmless},
    names::ident,
    plan::{Catalogue, Listed, ir::Base},
};
use openapi_dropshot_contract::model::{ErrorCode, Header};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// What the errors of all operations have in common.
pub(super) const MACRO: &str = include_str!("templates/catalogue.rs");

/// The catalogue, and the refusal that any operation may end with.
pub(super) fn head(catalogue: &Catalogue<'_>) -> TokenStream {
    let codes = codes(catalogue);
    let (internal, body) = (ident(&catalogue.internal), body(catalogue));
    let name = ident(&catalogue.body.name);
    quote! {
        #codes

        #[doc = " An answer that is not a success, whatever the operation."]
        #[derive(Clone, Debug, Eq, PartialEq)]
        pub struct Refusal {
            #[doc = " Which of the catalogue."]
            pub code: ErrorCode,
            #[doc = " What the caller is told."]
            pub message: Cow<'static, str>,
            #[doc = " What only the log is told."]
            pub detail: Option<String>,
        }

        impl Refusal {
            #[doc = " A refusal with a message that says what to change."]
            pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
                Refusal { code, message: message.into(), detail: None }
            }

            #[doc = " A fault of the service; `detail` is for the log only."]
            pub fn internal(detail: impl Into<String>) -> Self {
                Refusal {
                    detail: Some(detail.into()),
                    ..Refusal::new(
                        ErrorCode::#internal,
                        "a fault of the service; report the `x-request-id` of this answer",
                    )
                }
            }

            #[doc = " The body of the answer."]
            pub fn body(&self) -> models::#name {
                #body
            }
        }

        impl fmt::Display for Refusal {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}: {}", self.code, self.message)
            }
        }

        impl std::error::Error for Refusal {}

        #[doc = " What dropshot itself refused. Only dropshot makes one: a handler has the"]
        #[doc = " other variants."]
        #[derive(Debug)]
        pub struct Undocumented(HttpError);

        #[doc = " What an operation's error enum is to the rest of this module."]
        trait Listed: Sized {
            fn refusal(&self) -> Result<Refusal, &HttpError>;
        }
    }
}

fn codes(catalogue: &Catalogue<'_>) -> TokenStream {
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
            format!("Cure: {}", one_line(&entry.cure)),
        ];
        doc_attributes(&lines)
    });
    let texts = |get: fn(&ErrorCode) -> &str| {
        catalogue
            .codes
            .iter()
            .map(move |(_, entry)| get(entry).to_owned())
    };
    let (names, causes, cures) = (
        texts(|entry| &entry.code),
        texts(|entry| &entry.cause),
        texts(|entry| &entry.cure),
    );
    let statuses = catalogue
        .codes
        .iter()
        .map(|(_, entry)| Literal::u16_unsuffixed(entry.status));
    let method = |about: &str, name: &str, ty: TokenStream, values: Vec<TokenStream>| {
        let name = ident(name);
        quote! {
            #[doc = #about]
            pub const fn #name(self) -> #ty {
                match self {
                    #(ErrorCode::#variants => #values,)*
                }
            }
        }
    };
    let text = quote!(&'static str);
    let as_str = method(
        " The code as it is sent.",
        "as_str",
        text.clone(),
        names.map(|it| quote!(#it)).collect(),
    );
    let status = method(
        " The HTTP status that goes with the code.",
        "status",
        quote!(u16),
        statuses.map(|it| quote!(#it)).collect(),
    );
    let cause = method(
        " Why it happens.",
        "cause",
        text.clone(),
        causes.map(|it| quote!(#it)).collect(),
    );
    let cure = method(
        " What the caller can do.",
        "cure",
        text,
        cures.map(|it| quote!(#it)).collect(),
    );
    quote! {
        #[doc = " The catalogue of error codes."]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum ErrorCode {
            #(#docs #variants,)*
        }

        impl ErrorCode {
            #[doc = " All codes, in the order of the document."]
            pub const ALL: &'static [ErrorCode] = &[#(ErrorCode::#variants),*];

            #as_str
            #status
            #cause
            #cure
        }

        impl fmt::Display for ErrorCode {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    }
}

/// The body of a refusal.
fn body(catalogue: &Catalogue<'_>) -> TokenStream {
    let status = catalogue.body.status.as_ref().map(|(field, base)| {
        let (field, value) = (ident(field), status_as(*base, quote!(self.code.status())));
        quote!(#field: #value,)
    });
    fields(
        catalogue,
        quote!(self.code.as_str().to_owned()),
        quote!(self.message.clone().into_owned()),
        status,
    )
}

fn fields(
    catalogue: &Catalogue<'_>,
    code: TokenStream,
    message: TokenStream,
    status: Option<TokenStream>,
) -> TokenStream {
    let own = &catalogue.body;
    let (name, code_field, message_field) =
        (ident(&own.name), ident(&own.code), ident(&own.message));
    let empty = own.empty.iter().map(|field| ident(field));
    quote!(models::#name { #code_field: #code, #message_field: #message, #status #(#empty: None,)* })
}

/// A status as the integer of the body.
fn status_as(base: Base, status: TokenStream) -> TokenStream {
    let ty = ident(base.name());
    match base {
        Base::U16 => status,
        Base::I16 => quote!(#ty::try_from(#status).unwrap_or_default()),
        _ => quote!(#ty::from(#status)),
    }
}

/// The errors of one operation.
pub(super) fn operation(name: &Ident, id: &str, codes: &[Listed<'_>]) -> TokenStream {
    let about =
        format!(" The refusals of `{id}`: one variant for each code that the document lists.");
    let variants: Vec<Ident> = codes.iter().map(|code| ident(&code.variant)).collect();
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
            #[doc = " What dropshot refused before the handler ran."]
            #[doc(hidden)]
            Undocumented(Undocumented),
        }

        impl Listed for #name {
            fn refusal(&self) -> Result<Refusal, &HttpError> {
                match self {
                    #(#name::#variants(message) => Ok(Refusal::new(ErrorCode::#variants, message.clone())),)*
                    #name::Undocumented(Undocumented(error)) => Err(error),
                }
            }
        }
    }
}

/// A header that the service adds to the answer.
fn header_line(header: &Header) -> String {
    let words = header
        .description
        .as_deref()
        .map(|words| format!(": {}", one_line(words)))
        .unwrap_or_default();
    format!("With the header `{}`{words}", header.name.value)
}

/// What all of them share.
pub(super) fn tail(catalogue: &Catalogue<'_>, names: &[Ident]) -> TokenStream {
    if names.is_empty() {
        return TokenStream::new();
    }
    let error = ident(&catalogue.body.name);
    let (invalid, internal) = (ident(&catalogue.invalid), ident(&catalogue.internal));
    let status = catalogue.body.status.as_ref().map(|(field, base)| {
        let (field, value) = (
            ident(field),
            status_as(*base, quote!(error.status_code.as_u16())),
        );
        quote!(#field: #value,)
    });
    let undocumented = fields(
        catalogue,
        quote!(catalogued(error).as_str().to_owned()),
        quote!(error.external_message.clone()),
        status,
    );
    quote! {
        responses!(models::#error: #(#names),*);

        #[doc = " The body where the trait is served by dropshot alone."]
        fn body(error: &impl Listed) -> models::#error {
            match error.refusal() {
                Ok(refusal) => refusal.body(),
                Err(error) => #undocumented,
            }
        }

        #[doc = " The status where the trait is served by dropshot alone."]
        fn status(error: &impl Listed) -> ErrorStatusCode {
            match error.refusal() {
                Ok(refusal) => ErrorStatusCode::from_u16(refusal.code.status())
                    .unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR),
                Err(error) => error.status_code,
            }
        }

        #[doc = " The code of the catalogue for what dropshot refuses."]
        fn catalogued(error: &HttpError) -> ErrorCode {
            let status = error.status_code.as_u16();
            ErrorCode::ALL
                .iter()
                .copied()
                .find(|code| code.status() == status)
                .unwrap_or(if status < 500 { ErrorCode::#invalid } else { ErrorCode::#internal })
        }
    }
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
