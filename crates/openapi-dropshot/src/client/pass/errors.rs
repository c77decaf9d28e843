//! Documents the errors that each operation lists. If the document has a catalogue of codes, also writes an enum with the error
//! codes of each operation.

use super::{Pass, docs, examples::is_required, kinds::Kind, requests::Request};
use crate::{
    client::plan::errors,
    docs::{code, harmless, one_line, status_line},
    names::{ident, pascal},
};
use openapi_dropshot_contract::model::ErrorCode;
use proc_macro2::TokenStream;
use quote::quote;

impl Pass<'_> {
    /// Returns the error codes that the responses of an operation list, by status.
    fn codes_of(&self, request: &Request<'_>) -> Vec<&ErrorCode> {
        let responses = request.operation.responses.iter();
        let listed = responses.flat_map(|response| &response.error_codes);
        let mut codes: Vec<&ErrorCode> = Vec::new();
        for entry in listed.filter_map(|listed| self.document.error_code(&listed.value)) {
            if codes.iter().all(|other| other.code != entry.code) {
                codes.push(entry);
            }
        }
        codes.sort_by_key(|entry| entry.status);
        codes
    }

    /// Returns a section about the errors of an operation, with texts of the document: its codes, or the statuses of its responses.
    pub(super) fn errors_section(&self, request: &Request<'_>) -> String {
        let codes = self.codes_of(request);
        if codes.is_empty() {
            let errors = errors(request.operation);
            let lines = errors.into_iter().map(|response| {
                let line = status_line(response.status.value, &response.description);
                format!("- {line}")
            });
            let lines: Vec<String> = lines.collect();
            return match lines.is_empty() {
                true => String::new(),
                false => format!("# Errors\n\n{}", lines.join("\n")),
            };
        }
        let name = request.type_named("Error");
        let mut section = format!(
            "# Errors\n\n[`errors::{name}`](super::errors::{name}) has the codes that the document lists:\n\n\
             | status | code | meaning | what to do |\n|---|---|---|---|"
        );
        for entry in codes {
            let cell = |text: &str| harmless(&one_line(text)).replace('|', "\\|");
            let (status, code) = (entry.status, code(&entry.code));
            let (cause, cure) = (cell(&entry.cause), cell(&entry.cure));
            section.push_str(&format!("\n| {status} | {code} | {cause} | {cure} |"));
        }
        section
    }

    /// Returns the documentation of an error code, if it is in the catalogue of the document.
    pub(super) fn words_of_code(&self, wire: &str) -> Option<String> {
        let entry = self.document.error_code(wire)?;
        let [cause, cure] = [&entry.cause, &entry.cure].map(|text| harmless(&one_line(text)));
        let (code, status) = (code(wire), entry.status);
        let text = format!("{code} ({status}): {cause}\n\nWhat to do: {cure}");
        Some(text)
    }

    /// Writes the enums of error codes, if operations list codes.
    pub(super) fn errors(&self, requests: &[Request<'_>]) -> Option<TokenStream> {
        let listed = requests
            .iter()
            .map(|request| (request, self.codes_of(request)));
        let listed = listed.filter(|(_, codes)| !codes.is_empty());
        let enums: Vec<TokenStream> = listed
            .map(|(request, codes)| self.enum_of_codes(request, &codes))
            .collect();
        let code = quote! {
            use ::openapi_dropshot_client::generated as toolkit;

            #(#enums)*
        };
        (!enums.is_empty()).then_some(code)
    }

    fn enum_of_codes(&self, request: &Request<'_>, codes: &[&ErrorCode]) -> TokenStream {
        let Request { method, gate, .. } = request;
        let name = request.type_named("Error");
        let library = self.library;
        let path = format!("{library}::errors::{name}");
        let path: TokenStream = path.parse().unwrap_or_default();
        let first = format!(
            "The error codes that the document lists for [`{method}`](super::Client::{method})."
        );
        let example = self.request_example(request, "async fn", is_required, |request| {
            quote! {
                if let Err(error) = #request.send().await {
                    match error.code_of::<#path>() {
                        Some(code) => println!("{code:?}: {error}"),
                        None => println!("a code that the document does not list, or no response: {error}"),
                    }
                }
            }
        });
        let text = "[`code_of`](super::Error::code_of) of the error returns it.";
        let docs_of_enum = docs([&first, text, &example]);
        let error_code = self.error_code();
        let known = match error_code.as_ref().and_then(|name| self.kind(name)) {
            Some(Kind::Choice(values)) => values.as_slice(),
            _ => &[],
        };
        let (mut variants, mut table) = (TokenStream::new(), TokenStream::new());
        for ErrorCode { code, .. } in codes {
            let variant = known.iter().find(|(wire, _)| wire == code);
            let variant = variant.map_or_else(|| ident(&pascal(code)), |(_, name)| name.clone());
            let docs = docs(self.words_of_code(code));
            variants.extend(quote!(#docs #variant,));
            table.extend(quote!((#code, Self::#variant),));
        }
        quote! {
            #docs_of_enum
            #gate
            #[derive(Clone, Copy, Debug, Eq, PartialEq)]
            #[non_exhaustive]
            pub enum #name { #variants }

            #gate
            impl toolkit::ListedCode for #name {
                const LISTED: &'static [(&'static str, Self)] = &[#table];
            }
        }
    }
}
