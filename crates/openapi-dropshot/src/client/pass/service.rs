//! Writes the client itself, and the names under which it offers the toolkit's types to applications.

use super::{
    Pass, docs,
    kinds::{Field, Kind, argument_of, name_of},
    requests::Request,
};
use crate::{api::base_path, client::names::folded};
use openapi_dropshot_contract::model::{Document, Operation};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;
use syn::Ident;

impl Pass<'_> {
    /// Writes the client, with a method for each operation.
    pub(super) fn client(&self, requests: &[Request<'_>]) -> TokenStream {
        let library = self.library;
        let (credential, required) = credential(self.document);
        let address = format!("http://127.0.0.1:8080{}", base_path(self.document));
        let built = quote!(let client = Client::builder(#address).api_key("the-key").build()?;);
        let example = |code: TokenStream| docs([self.fallible_example(&quote!(#built #code))]);
        let example_of_client = example(TokenStream::new());
        let example_of_url = example(quote!(assert_eq!(client.base_url(), #address);));
        let example_of_calls = example(quote!(println!("{:?}", client.deprecated_calls());));
        let methods = requests.iter().map(|request| self.method(request));
        quote! {
            use super::{builder, types};

            static SERVICE: ::openapi_dropshot_client::generated::Service =
                ::openapi_dropshot_client::service!(#library, #credential, required: #required);

            /// A client of the service, with one API key.
            ///
            /// Cloning is cheap, and clones share their connections, their retry budget, and the pauses that the
            /// service asked for.
            ///
            #example_of_client
            #[derive(Clone)]
            pub struct Client {
                inner: ::openapi_dropshot_client::Client,
            }

            impl From<::openapi_dropshot_client::Client> for Client {
                fn from(inner: ::openapi_dropshot_client::Client) -> Self {
                    Client { inner }
                }
            }

            impl ::std::fmt::Debug for Client {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    self.inner.fmt(f)
                }
            }

            impl Client {
                /// Starts a client of the service at this address; a slash at its end does not matter.
                ///
                #example_of_client
                pub fn builder(base_url: impl Into<String>) -> super::ClientBuilder {
                    super::ClientBuilder::new(base_url, &SERVICE)
                }

                /// The address of the service, without a slash at its end.
                ///
                #example_of_url
                pub fn base_url(&self) -> &str {
                    self.inner.base_url()
                }

                /// How many responses said that their operation is deprecated, by `operationId`.
                ///
                #example_of_calls
                pub fn deprecated_calls(&self) -> ::std::collections::BTreeMap<&'static str, u64> {
                    self.inner.deprecated_calls()
                }

                #(#methods)*
            }
        }
    }

    /// Writes the items of the root module, which contains everything that an application needs.
    pub(super) fn root(&self, requests: &[Request<'_>], has_callbacks: bool) -> TokenStream {
        let error_code = self.error_code();
        let (code, code_of_blocking) = match &error_code {
            Some(code) => (quote!(types::#code), quote!(super::types::#code)),
            None => (quote!(String), quote!(String)),
        };
        let is_typed = |request: &Request<'_>| {
            !request.call.typed_errors.is_empty() || !request.call.typed_successes.is_empty()
        };
        let responses = (requests.iter().any(is_typed)).then(|| {
            quote!(
                pub mod responses;
            )
        });
        let callbacks = has_callbacks.then(|| {
            quote!(
                pub mod callbacks;
            )
        });
        let typed_error = requests
            .iter()
            .any(|request| !request.call.typed_errors.is_empty());
        let typed_error = typed_error.then(|| {
            quote! {
                /// The error of a call of an operation whose error responses have different bodies; [`responses`] has the bodies.
                pub type TypedError<B> = ::openapi_dropshot_client::TypedError<B, #code>;
            }
        });
        // Without the alias, applications would use `ErrorErrorCode` for `error_code` of the component `Error`.
        let alias = error_code.filter(|code| code != "ErrorCode").map(|code| {
            quote! {
                /// The error codes of the document.
                pub use types::#code as ErrorCode;
            }
        });
        quote! {
            #![allow(
                clippy::all, clippy::unwrap_used, dead_code, deprecated, missing_docs, unreachable_pub, unused_comparisons,
                unused_imports,
                reason = "the code is generated"
            )]

            pub mod builder;
            #callbacks
            mod client;
            #responses
            pub mod types;

            pub use client::Client;
            #alias
            pub use ::openapi_dropshot_client::{
                ApiKey, Batch, BatchError, BatchReport, BoxError, BuildError, CallOptions, Clock, Credentials, Deprecation, ErrorKind,
                Interceptor, Progress, RetryBudget, RetryDecision, RetryPolicy, RetryStop, TryOutcome, TryRequest, reqwest,
                telemetry,
            };
            #[cfg(not(target_arch = "wasm32"))]
            pub use ::openapi_dropshot_client::{ApiKeyFile, RequestBody, TransportError, mock};

            /// Settings of a [`Client`]; [`Client::builder`] starts one.
            pub type ClientBuilder = ::openapi_dropshot_client::ClientBuilder<Client>;

            /// The error of a call, with the error codes of the document.
            pub type Error = ::openapi_dropshot_client::Error<#code>;

            #typed_error

            /// A response of the service. It dereferences to its body.
            pub type Response<T> = ::openapi_dropshot_client::Response<T, #code>;

            /// Waits for a state; the methods `wait_until_…` of the client return it.
            pub type Waiting<T> = ::openapi_dropshot_client::Waiting<T, #code>;

            /// Why a state was not reached.
            pub type WaitError<T> = ::openapi_dropshot_client::WaitError<T, #code>;

            /// Pages, one after the other, as a stream; the method `pages` of a request returns it.
            pub type Pages<T> = ::openapi_dropshot_client::Pages<T, #code>;

            /// The items of the pages, one by one, as a stream; the method `stream` of a request returns it.
            pub type Items<T> = ::openapi_dropshot_client::Items<T, #code>;

            /// Iterators over pages and their items, for code that is not async.
            #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
            pub mod blocking {
                /// Pages, one after the other.
                pub type PagesIter<T> = ::openapi_dropshot_client::blocking::PagesIter<T, #code_of_blocking>;

                /// The items of the pages, one by one.
                pub type ItemsIter<T> = ::openapi_dropshot_client::blocking::ItemsIter<T, #code_of_blocking>;
            }
        }
    }

    /// Returns the type of the error codes: the enumeration of the member `code` or `error_code` that all error
    /// bodies of the document have in common, if there is one.
    fn error_code(&self) -> Option<Ident> {
        let operations = self.document.operations.iter();
        let codes: BTreeSet<Option<Ident>> = operations
            .flat_map(|operation| &operation.responses)
            .filter(|response| !response.status.value.is_success())
            .flat_map(|response| &response.content)
            .filter_map(|media| media.schema.as_ref()?.reference.as_ref())
            .map(|body| self.code_of(&body.value))
            .collect();
        let mut codes = codes.into_iter();
        match (codes.next(), codes.next()) {
            (Some(code), None) => code,
            _ => None,
        }
    }

    fn code_of(&self, body: &str) -> Option<Ident> {
        let Kind::Object(fields) = self.kinds.get(&folded(body))? else {
            return None;
        };
        let is_code = |field: &&Field<'_>| ["code", "error_code"].contains(&field.wire.as_str());
        let target = &fields.iter().find(is_code)?.target;
        let code = name_of(argument_of(target, "Option").as_ref().unwrap_or(target))?;
        matches!(self.kind(&code)?, Kind::Choice(_)).then_some(code)
    }
}

/// How the API key is sent, and whether every operation needs one.
fn credential(document: &Document) -> (TokenStream, bool) {
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
        !operations.is_empty() && !operations.iter().any(Operation::is_open),
    )
}
