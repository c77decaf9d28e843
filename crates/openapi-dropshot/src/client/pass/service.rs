//! Writes the client itself, and the names under which it offers the toolkit's types to applications.

use super::{docs, enums, examples::Examples};
use crate::client::names::folded;
use openapi_dropshot_contract::model::{Document, Operation};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;
use syn::{Fields, Ident, Item, parse_quote};

/// The client, with these methods.
pub(super) fn client(
    document: &Document,
    library: &str,
    methods: &[TokenStream],
    examples: &Examples<'_>,
) -> Vec<Item> {
    let (credential, required) = credential(document);
    let address = format!("http://127.0.0.1:8080{}", base_path(document));
    let doc = |text: &str, code: &TokenStream| {
        let mut paragraphs = vec![text.to_owned()];
        paragraphs.extend(examples.of_client(code));
        docs(&paragraphs)
    };
    let built = quote!(let client = Client::builder(#address).api_key("the-key").build()?;);
    let client_docs = doc(
        "A client of the service, with one API key.\n\nCloning is cheap, and clones share their connections, their retry \
         budget, and the pauses that the service asked for.",
        &built,
    );
    let builder_docs = doc(
        "Starts a client of the service at this address; a slash at its end does not matter.",
        &built,
    );
    let url_docs = doc(
        "The address of the service, without a slash at its end.",
        &quote!(#built assert_eq!(client.base_url(), #address);),
    );
    let calls_docs = doc(
        "How many responses said that their operation is deprecated, by `operationId`.",
        &quote!(#built println!("{:?}", client.deprecated_calls());),
    );
    vec![
        parse_quote!(
            static SERVICE: ::openapi_dropshot_client::generated::Service =
                ::openapi_dropshot_client::service!(#library, #credential, required: #required);
        ),
        parse_quote! {
            #(#client_docs)*
            #[derive(Clone)]
            pub struct Client {
                inner: ::openapi_dropshot_client::Client,
            }
        },
        parse_quote! {
            impl From<::openapi_dropshot_client::Client> for Client {
                fn from(inner: ::openapi_dropshot_client::Client) -> Self {
                    Client { inner }
                }
            }
        },
        parse_quote! {
            impl ::std::fmt::Debug for Client {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    self.inner.fmt(f)
                }
            }
        },
        parse_quote! {
            impl Client {
                #(#builder_docs)*
                pub fn builder(base_url: impl Into<String>) -> super::ClientBuilder {
                    super::ClientBuilder::new(base_url, &SERVICE)
                }

                #(#url_docs)*
                pub fn base_url(&self) -> &str {
                    self.inner.base_url()
                }

                #(#calls_docs)*
                pub fn deprecated_calls(&self) -> ::std::collections::BTreeMap<&'static str, u64> {
                    self.inner.deprecated_calls()
                }

                #(#methods)*
            }
        },
    ]
}

/// The items of the module with everything that an application needs.
pub(super) fn module(document: &Document, types: &[Item]) -> TokenStream {
    let error_code = error_code(document, types);
    let (code, code_of_blocking) = match &error_code {
        Some(code) => (quote!(types::#code), quote!(super::types::#code)),
        None => (quote!(String), quote!(String)),
    };
    // The member `error_code` of the component `Error` would be `ErrorErrorCode` to applications.
    let alias = error_code.filter(|code| code != "ErrorCode").map(|code| {
        quote! {
            /// The error codes of the document.
            pub use types::#code as ErrorCode;
        }
    });
    quote! {
        #![allow(
            clippy::all, clippy::unwrap_used, dead_code, deprecated, missing_docs, unreachable_pub, unused_imports,
            reason = "the code is generated"
        )]

        pub mod builder;
        mod client;
        pub mod types;

        pub use client::Client;
        #alias
        pub use ::openapi_dropshot_client::{
            BuildError, CallOptions, Clock, Deprecation, ErrorKind, RetryBudget, RetryPolicy, reqwest,
        };

        /// Settings of a [`Client`]; [`Client::builder`] starts one.
        pub type ClientBuilder = ::openapi_dropshot_client::ClientBuilder<Client>;

        /// The error of a call, with the error codes of the document.
        pub type Error = ::openapi_dropshot_client::Error<#code>;

        /// A response of the service. It dereferences to its body.
        pub type Response<T> = ::openapi_dropshot_client::Response<T, #code>;

        /// Pages, one after the other, as a stream; the method `pages` of a request returns it.
        pub type Pages<T> = ::openapi_dropshot_client::Pages<T, #code>;

        /// The items of the pages, one by one, as a stream; the method `stream` of a request returns it.
        pub type Items<T> = ::openapi_dropshot_client::Items<T, #code>;

        /// Iterators over pages and their items, for code that is not async.
        #[cfg(feature = "blocking")]
        pub mod blocking {
            /// Pages, one after the other.
            pub type PagesIter<T> = ::openapi_dropshot_client::blocking::PagesIter<T, #code_of_blocking>;

            /// The items of the pages, one by one.
            pub type ItemsIter<T> = ::openapi_dropshot_client::blocking::ItemsIter<T, #code_of_blocking>;
        }
    }
}

/// The path of the first server, such as `/v1`; empty if it has none or a variable.
fn base_path(document: &Document) -> &str {
    let url = document.servers.first().map_or("", |server| &server.url);
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |start| &rest[start..]);
    if path.contains('{') {
        ""
    } else {
        path.trim_end_matches('/')
    }
}

/// How the API key is sent, and whether every operation needs one.
fn credential(document: &Document) -> (TokenStream, bool) {
    let needs_key = |operation: &Operation| {
        !operation.security.is_empty() && operation.security.iter().all(|scheme| !scheme.is_empty())
    };
    let header = document.security_schemes.values().find_map(|scheme| {
        let (name, place) = scheme.api_key.as_ref()?;
        (place == "header").then_some(name)
    });
    let credential = match header {
        Some(name) => quote!(::openapi_dropshot_client::generated::Credential::Header(#name)),
        None => quote!(::openapi_dropshot_client::generated::Credential::Bearer),
    };
    let operations = &document.operations;
    (
        credential,
        !operations.is_empty() && operations.iter().all(needs_key),
    )
}

/// The type of the error codes: the enumeration of the member `code` or `error_code` that the error bodies of the
/// document have in common; none if they have none.
fn error_code(document: &Document, types: &[Item]) -> Option<Ident> {
    let open = enums::open_enums(types);
    let bodies: BTreeSet<&str> = document
        .operations
        .iter()
        .flat_map(|operation| &operation.responses)
        .filter(|response| !response.status.value.is_success())
        .flat_map(|response| &response.content)
        .filter_map(|media| media.schema.as_ref()?.reference.as_ref())
        .map(|reference| reference.value.as_str())
        .collect();
    let codes = bodies.into_iter().map(|body| {
        types.iter().find_map(|item| match item {
            Item::Struct(object) if folded(&object.ident.to_string()) == folded(body) => {
                code_of(&object.fields)
            }
            _ => None,
        })
    });
    let codes: BTreeSet<Option<Ident>> = codes.collect();
    match codes.into_iter().collect::<Vec<_>>().as_slice() {
        [Some(code)] if open.contains_key(&code.to_string()) => Some(code.clone()),
        _ => None,
    }
}

fn code_of(fields: &Fields) -> Option<Ident> {
    let field = fields.iter().find(|field| {
        let own = field.ident.as_ref().map(ToString::to_string);
        let wire = enums::wire_name(&field.attrs).or(own);
        wire.is_some_and(|wire| ["code", "error_code"].contains(&wire.as_str()))
    })?;
    let held = super::kinds::argument_of(&field.ty, "Option");
    super::kinds::name_of(held.as_ref().unwrap_or(&field.ty))
}
