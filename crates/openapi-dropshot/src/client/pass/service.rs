//! Writes the client itself, and re-exports the types of the toolkit that applications need.

use super::{
    Pass, docs,
    kinds::{Field, Kind, argument_of, name_of},
    requests::{Reading, Request},
};
use crate::client::names::folded;
use openapi_dropshot_contract::model::Operation;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;
use syn::Ident;

impl Pass<'_> {
    /// Writes the client, with a method for each operation.
    pub(super) fn client(&self, requests: &[Request<'_>]) -> TokenStream {
        let library = self.library;
        let credential = self.schemes.credential(self.document);
        let operations = &self.document.operations;
        let required = !operations.is_empty() && !operations.iter().any(Operation::is_open);
        let is_one_key = self.schemes.is_one_key();
        let schemes = (!is_one_key).then(|| quote!(schemes,));
        let security = (!is_one_key).then(|| self.security());
        let arguments = security.as_ref().map(|_| quote!(, security: security));
        let (about, about_raw) = match is_one_key {
            true => (
                quote! {
                    /// A client of the service. All of its calls have the API key that was passed to
                    /// [`api_key`](::openapi_dropshot_client::ClientBuilder::api_key), or the current one of the provider that was passed to
                    /// [`credentials`](::openapi_dropshot_client::ClientBuilder::credentials). For another key, build another client
                    /// ([`to_builder`](Self::to_builder)).
                },
                quote! {
                    /// A request that is not in the document, such as one of a newer service: with the API key, the retries and the time
                    /// limits of this client. The path is relative to the address of the service, and may have a query.
                },
            ),
            false => (
                quote! {
                    /// A client of the service. Each call has the credentials that its operation requires, of those that were passed to
                    /// [`credential`](::openapi_dropshot_client::ClientBuilder::credential). For other credentials, build another client
                    /// ([`to_builder`](Self::to_builder)).
                },
                quote! {
                    /// A request that is not in the document, such as one of a newer service: with the retries and the time limits of this
                    /// client. The path is relative to the address of the service, and may have a query. The request has no
                    /// credential of a security scheme, because the document does not say which it requires: set its header.
                },
            ),
        };
        let address = format!("http://127.0.0.1:8080{}", self.document.base_path());
        let credentials = self.example_credentials();
        let built = quote!(let client = Client::builder(#address)#credentials.build()?;);
        let example = |code: TokenStream| docs([self.fallible_example(&quote!(#built #code))]);
        let example_of_client = example(TokenStream::new());
        let example_of_url = example(quote!(assert_eq!(client.base_url(), #address);));
        let example_of_copy = example(quote! {
            let patient = client.to_builder().timeout(std::time::Duration::from_secs(300)).build()?;
        });
        let root: TokenStream = library.parse().unwrap_or_default();
        let before = format!(
            "async fn example(client: &{library}::Client) -> Result<(), Box<dyn std::error::Error>> {{"
        );
        let raw = quote! {
            let request = client.request(#root::reqwest::Method::GET, "/new/things?size=2");
            let response = request.send::<serde_json::Value>().await?;
            println!("{}", response["name"]);
        };
        let example_of_raw = docs([self.example_code(&before, &raw, "Ok(())\n}")]);
        let example_of_calls = example(quote!(println!("{:?}", client.deprecated_calls());));
        let methods = requests.iter().map(|request| self.method(request));
        quote! {
            use super::{builder, #schemes types};

            static SERVICE: ::openapi_dropshot_client::generated::Service =
                ::openapi_dropshot_client::service!(#library, #credential, required: #required #arguments);

            #security

            #about
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
                /// Starts a client of the service at this address; a trailing slash is ignored.
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

                /// A builder with the settings of this client, to change some of them, such as its credentials or a time limit.
                ///
                /// The changed client has the connections of this one, unless their settings change, and its retry budget.
                ///
                #example_of_copy
                pub fn to_builder(&self) -> super::ClientBuilder {
                    self.inner.to_builder()
                }

                #about_raw
                ///
                #example_of_raw
                pub fn request(&self, method: super::reqwest::Method, path: &str) -> super::RawRequest {
                    self.inner.request(method, path)
                }

                /// The number of responses that announced the deprecation of their operation, by `operationId`.
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
    pub(super) fn root(&self, requests: &[Request<'_>], declared: Vec<Ident>) -> TokenStream {
        let error_code = self.error_code();
        let (code, code_of_blocking) = match &error_code {
            Some(code) => (quote!(types::#code), quote!(super::types::#code)),
            None => (quote!(String), quote!(String)),
        };
        let with_examples = self.with_examples();
        let credentials = match self.schemes.is_one_key() {
            true => quote! {
                /// - API key: [`api_key`](::openapi_dropshot_client::ClientBuilder::api_key),
                ///   [`credentials`](::openapi_dropshot_client::ClientBuilder::credentials)
            },
            false => quote! {
                /// - credentials: [`credential`](::openapi_dropshot_client::ClientBuilder::credential), for each of [`schemes`]
            },
        };
        let typed_error = requests
            .iter()
            .any(|request| !request.call.typed_errors.is_empty());
        let typed_error = typed_error.then(|| {
            quote! {
                /// The error of a call of an operation whose error responses have different bodies; [`responses`] has the bodies.
                pub type TypedError<B> = ::openapi_dropshot_client::TypedError<B, #code>;
            }
        });
        let has = |is_event: bool| {
            let mut readings = requests.iter().map(|request| &request.response);
            readings.any(|reading| matches!(reading, Reading::Items(_, form, _) if form.is_event() == is_event))
        };
        let streams = has(false).then(|| {
            quote! {
                /// The items of a response that is a stream, as they arrive.
                /// [`next`](::openapi_dropshot_client::stream::Streamed::next) is the next one.
                pub type Streamed<T> = ::openapi_dropshot_client::stream::Streamed<T, #code>;
            }
        });
        let mut bodies = requests.iter().filter_map(|request| request.body.as_ref());
        let lines = bodies.any(|body| body.line().is_some()).then(|| {
            quote! {
                #[doc(inline)]
                pub use ::openapi_dropshot_client::stream::Lines;
            }
        });
        let events = has(true).then(|| {
            quote! {
                /// Server-sent events, as they arrive; the stream reconnects by itself.
                /// [`next`](::openapi_dropshot_client::stream::EventStream::next) is the next one.
                pub type EventStream<T> = ::openapi_dropshot_client::stream::EventStream<T, #code>;
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

            /// The requests, a type for each operation: the methods of [`Client`] return them. Set the parameters, and then call `send`.
            pub mod builder;
            mod client;
            #(pub mod #declared;)*
            /// The values of requests and responses: bodies, their parts, and parameters.
            pub mod types;

            pub use client::Client;
            #alias
            pub use ::openapi_dropshot_client::{
                ApiKey, Batch, BatchError, BatchReport, BoxError, BuildError, Clock, CursorLost, Deprecation, ErrorKind, FailedLoad, FeedItem, Progress,
                RetryBudget, RetryDecision, RetryStop, TryOutcome, TryRequest, recovery, reqwest, telemetry,
            };
            #[cfg(not(target_arch = "wasm32"))]
            pub use ::openapi_dropshot_client::{ApiKeyFile, DefaultTransport, RequestBody, TransportError, mock};
            #with_examples

            /// Settings of a [`Client`]; [`Client::builder`] starts one, and
            /// [`build`](::openapi_dropshot_client::ClientBuilder::build) ends it.
            ///
            #credentials
            /// - time and tries: [`timeout`](::openapi_dropshot_client::ClientBuilder::timeout),
            ///   [`try_timeout`](::openapi_dropshot_client::ClientBuilder::try_timeout),
            ///   [`retry`](::openapi_dropshot_client::ClientBuilder::retry),
            ///   [`retry_budget`](::openapi_dropshot_client::ClientBuilder::retry_budget)
            /// - hooks and headers: [`interceptor`](::openapi_dropshot_client::ClientBuilder::interceptor),
            ///   [`header`](::openapi_dropshot_client::ClientBuilder::header),
            ///   [`app_name`](::openapi_dropshot_client::ClientBuilder::app_name),
            ///   [`on_deprecation`](::openapi_dropshot_client::ClientBuilder::on_deprecation)
            /// - connections: [`http_client`](::openapi_dropshot_client::ClientBuilder::http_client),
            ///   `transport`, `wrap_transport`, `proxy`, `connect_timeout`
            pub type ClientBuilder = ::openapi_dropshot_client::ClientBuilder<Client>;

            /// The error of a call, with the error codes of the document.
            ///
            /// - what the service says: [`code`](::openapi_dropshot_client::Error::code),
            ///   [`code_of`](::openapi_dropshot_client::Error::code_of), [`status`](::openapi_dropshot_client::Error::status),
            ///   [`message`](::openapi_dropshot_client::Error::message),
            ///   [`request_id`](::openapi_dropshot_client::Error::request_id), [`body`](::openapi_dropshot_client::Error::body)
            /// - what happened: [`kind`](::openapi_dropshot_client::Error::kind),
            ///   [`was_sent`](::openapi_dropshot_client::Error::was_sent), [`retries`](::openapi_dropshot_client::Error::retries),
            ///   [`retry_stop`](::openapi_dropshot_client::Error::retry_stop)
            /// - whether to try again: [`is_retryable`](::openapi_dropshot_client::Error::is_retryable),
            ///   [`retry_after`](::openapi_dropshot_client::Error::retry_after),
            ///   [`idempotency_key`](::openapi_dropshot_client::Error::idempotency_key)
            pub type Error = ::openapi_dropshot_client::Error<#code>;

            #typed_error

            /// A request that is not in the document; [`Client::request`] starts it.
            pub type RawRequest = ::openapi_dropshot_client::RawRequest<#code>;

            /// A response of the service. It dereferences to its body, and `for` takes a response with a list.
            ///
            /// - [`into_inner`](::openapi_dropshot_client::Response::into_inner): the body alone
            /// - [`status`](::openapi_dropshot_client::Response::status), [`headers`](::openapi_dropshot_client::Response::headers),
            ///   [`request_id`](::openapi_dropshot_client::Response::request_id),
            ///   [`retries`](::openapi_dropshot_client::Response::retries)
            /// - [`next_cursor`](::openapi_dropshot_client::Response::next_cursor): where the next page begins
            /// - [`raw_body`](::openapi_dropshot_client::Response::raw_body),
            ///   [`unknown_members`](::openapi_dropshot_client::Response::unknown_members): what a newer service sent
            pub type Response<T> = ::openapi_dropshot_client::Response<T, #code>;

            /// Waits for a state; the methods `wait_until_…` of the client return it. `await` it, after
            /// [`timeout`](::openapi_dropshot_client::Waiting::timeout) if 5 minutes are not the right time.
            pub type Waiting<T> = ::openapi_dropshot_client::Waiting<T, #code>;

            /// Why a state was not reached.
            pub type WaitError<T> = ::openapi_dropshot_client::WaitError<T, #code>;

            /// Pages, one after the other, as a stream; the method `pages` of a request returns it.
            /// [`next`](::openapi_dropshot_client::Pages::next) is the next page, and
            /// [`cursor`](::openapi_dropshot_client::Pages::cursor) where the last one began. With the feature `blocking` it has a method
            /// `blocking`, which makes an iterator of it.
            pub type Pages<T> = ::openapi_dropshot_client::Pages<T, #code>;

            /// The items of the pages, one by one, as a stream; the method `stream` of a request returns it.
            /// [`next`](::openapi_dropshot_client::Items::next) is the next item, and
            /// [`cursor`](::openapi_dropshot_client::Items::cursor) where the page of the last one began, to continue there later. With the
            /// feature `blocking` it has a method `blocking`, which makes an iterator of it.
            pub type Items<T> = ::openapi_dropshot_client::Items<T, #code>;

            /// The events of a feed, including future ones, as a stream; the method `feed` of a request returns it.
            /// [`next`](::openapi_dropshot_client::Feed::next) is the next event, and
            /// [`cursor`](::openapi_dropshot_client::Feed::cursor) the position after the last one, to continue there later. With the
            /// feature `blocking` it has a method `blocking`, which makes an iterator of it.
            pub type Feed<T> = ::openapi_dropshot_client::Feed<T, #code>;

            #streams
            #lines
            #events

            /// Iterators over pages and their items, for code that is not async.
            #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
            pub mod blocking {
                /// Pages, one after the other.
                pub type PagesIter<T> = ::openapi_dropshot_client::blocking::PagesIter<T, #code_of_blocking>;

                /// The items of the pages, one by one.
                pub type ItemsIter<T> = ::openapi_dropshot_client::blocking::ItemsIter<T, #code_of_blocking>;

                /// The events of a feed, one by one.
                pub type FeedIter<T> = ::openapi_dropshot_client::blocking::FeedIter<T, #code_of_blocking>;
            }
        }
    }

    /// Writes the re-exports whose documentation has an example with the crate of the client.
    fn with_examples(&self) -> TokenStream {
        let library: TokenStream = self.library.parse().unwrap_or_default();
        let built = |settings: TokenStream| {
            let address = format!("http://127.0.0.1:8080{}", self.document.base_path());
            quote!(let client = Client::builder(#address)#settings.build()?;)
        };
        let key = self.example_credentials();
        let credentials = built(self.example_provider());
        let interceptor = built(quote! {
            #key.interceptor(|request: &mut TryRequest<'_>| {
                println!("{}, try {}", request.operation(), request.number());
                Ok(())
            })
        });
        let retry = built(quote!(#key.retry(RetryPolicy::new().max_tries(3))));
        let items = [
            (
                quote!(Credentials),
                "A provider of credentials that change while the program runs, such as an API key in a file.",
                quote!(use #library::ApiKeyFile; #credentials),
            ),
            (
                quote!(Interceptor),
                "Hooks around each call and each of its tries, such as this one, which is a closure.",
                quote!(use #library::TryRequest; #interceptor),
            ),
            (
                quote!(RetryPolicy),
                "How often a call is tried, and how long it pauses between two tries.",
                quote!(use #library::RetryPolicy; #retry),
            ),
            (
                quote!(CallOptions),
                "Settings of one call, which the method `with` of a request takes.",
                quote! {
                    use #library::{CallOptions, RetryPolicy};
                    let once = CallOptions::new().timeout(std::time::Duration::from_secs(1)).retry(RetryPolicy::never());
                },
            ),
        ];
        let exports = items.into_iter().map(|(item, about, example)| {
            let docs = docs([about, &self.fallible_example(&example)]);
            quote! {
                #docs
                #[doc(inline)]
                pub use ::openapi_dropshot_client::#item;
            }
        });
        exports.collect()
    }

    /// Returns the type of the error codes: the enumeration of the member `code` or `error_code` that all error
    /// bodies of the document have in common, if there is one.
    pub(super) fn error_code(&self) -> Option<Ident> {
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
