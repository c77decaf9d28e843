//! Writes the methods of the client and the builders of their requests.

use super::{
    Pass, described, docs,
    examples::{is_required, is_typical},
    kinds::{Kind, argument_of, name_of},
    requests::{Body, Reading, Request, feature},
    setters::assign,
};
use crate::{
    client::{
        document::is_type,
        names::folded,
        plan::{Sent, is_feed},
    },
    lifecycle::{deprecation_note, limits_sentence, stability_sentence},
    names::{ident, pascal, snake},
    plan::ItemForm,
};
use openapi_dropshot_contract::model::{Method, Operation, Type as SchemaType};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, Type, ext::IdentExt as _};

impl Pass<'_> {
    /// Writes the method of the client for an operation.
    pub(super) fn method(&self, request: &Request<'_>) -> TokenStream {
        let (operation, method, builder) = (request.operation, &request.method, &request.builder);
        let (deprecated, gate) = (&request.deprecated, &request.gate);
        let mut paragraphs = vec![summary(operation)];
        paragraphs.extend(lifecycle(operation, true));
        if operation.summary.is_some() {
            paragraphs.push(described(operation.description.as_deref()));
        }
        paragraphs.push(format!("Sends `{}`.", operation.request()));
        paragraphs.push(self.errors_section(request));
        paragraphs.push(self.call_example(request));
        let docs = docs(paragraphs);
        let complete = self.complete_method(request);
        let waiters = self.waiters_of_client(request);
        quote! {
            #docs
            #deprecated
            #gate
            pub fn #method(&self) -> builder::#builder<'static> {
                builder::#builder::new(&self.inner)
            }
            #complete
            #waiters
        }
    }

    /// Writes the client method that takes all required values as arguments, unless another operation has this method name.
    fn complete_method(&self, request: &Request<'_>) -> Option<TokenStream> {
        let (method, builder) = (&request.method, &request.builder);
        let (deprecated, gate) = (&request.deprecated, &request.gate);
        let complete = format_ident!("{}_with", method.unraw());
        let mut settings: Vec<(&Ident, TokenStream)> = request.required_parameters().collect();
        let body = request.body.as_ref().filter(|body| body.required);
        settings.extend(body.map(|Body { name, target, .. }| {
            let bound = quote!(::openapi_dropshot_client::generated::IntoBody<#target>);
            (name, bound)
        }));
        let mut calls = self.plan.calls.iter();
        let is_taken = calls.any(|call| folded(call.id) == folded(&complete.to_string()));
        if settings.is_empty() || is_taken {
            return None;
        }
        let (names, bounds): (Vec<_>, Vec<_>) = settings.into_iter().unzip();
        let docs = docs([
            format!(
                "Like [`{method}`](Self::{method}), with everything that the operation requires as arguments, so that the compiler reports what is missing."
            ),
            self.complete_example(
                request,
                |values| quote!(let response = client.#complete(#(#values),*).send().await?;),
            ),
        ]);
        Some(quote! {
            #docs
            #deprecated
            #gate
            pub fn #complete(&self, #(#names: impl #bounds),*) -> builder::#builder<'static> {
                self.#method()#(.#names(#names))*
            }
        })
    }

    /// Writes the builder of a request: the description of its operation, its setters, and the methods that send the request.
    pub(super) fn builder(&self, request: &Request<'_>) -> TokenStream {
        let (operation, method, builder) = (request.operation, &request.method, &request.builder);
        let (deprecated, gate) = (&request.deprecated, &request.gate);
        let mut paragraphs = vec![format!(
            "A request of [`Client::{method}`](super::Client::{method}): set its parameters, then \
             [`send`]({builder}::send) it."
        )];
        paragraphs.extend(lifecycle(operation, false));
        paragraphs.push(self.request_example(request, "fn", is_typical, assign));
        let docs = docs(paragraphs);
        let description = format_ident!("{}", snake(&builder.to_string()).to_uppercase());
        let described = description_of(request, &description);
        let body = request.body.iter();
        let held = body.clone().map(|body| &body.held);
        let initial = body.clone().map(|body| {
            let has_builder = body.held != body.target;
            ident(match (body.required, has_builder) {
                (true, false) => "missing",
                (true, true) => "builder",
                (false, false) => "optional",
                (false, true) => "optional_builder",
            })
        });
        // A body of bytes may be a stream, which cannot be cloned.
        let clone = body
            .clone()
            .all(|body| !matches!(body.how, Sent::Bytes | Sent::Parts | Sent::Lines))
            .then(|| quote!(, Clone));
        let setters = request.parameters.iter();
        let setters = setters.map(|setter| self.setter(setter));
        let body_setters = body.map(|body| self.body_setters(request, body));
        let settings = call_settings(request);
        let send = self.send(request);
        let walks = self.walks(request);
        let (waiter_constants, waiters) = self.waiters_of_builder(request);
        quote! {
            #waiter_constants
            #gate
            #described

            #docs
            #deprecated
            #gate
            #[derive(Debug #clone)]
            #[must_use = "nothing is sent before `send` is called"]
            pub struct #builder<'a> {
                call: toolkit::Call<'a>,
                #(body: toolkit::Body<#held>,)*
            }

            #gate
            impl<'a> #builder<'a> {
                pub(crate) fn new(client: &::openapi_dropshot_client::Client) -> Self {
                    Self {
                        call: toolkit::Call::new(client, &#description),
                        #(body: toolkit::Body::#initial(),)*
                    }
                }
                #(#setters)*
                #(#body_setters)*
                #settings
                #send
                #walks
                #waiters
            }
        }
    }

    /// Makes an example that calls the operation and reads the response.
    fn call_example(&self, request: &Request<'_>) -> String {
        let is_stream = matches!(request.response, Reading::Items(..));
        self.request_example(
            request,
            "async fn",
            is_required,
            |request| match is_stream {
                true => quote! {
                    let mut items = #request.send().await?.into_inner();
                    while let Some(item) = items.next().await {
                        let item = item?;
                        println!("{item:?}");
                    }
                },
                false => quote! {
                    let response = #request.send().await?.into_inner();
                    println!("{response:?}");
                },
            },
        )
    }

    /// Writes `send` and `send_blocking`.
    fn send(&self, request: &Request<'_>) -> TokenStream {
        let operation = request.operation;
        let prepared = request_of(request);
        let (read, response) = match &request.response {
            Reading::Json(response) => (quote!(json()), quote!(#response)),
            Reading::Items(item, ItemForm::Events, _) => (
                quote!(events(toolkit::json_data)),
                quote!(super::EventStream<#item>),
            ),
            Reading::Items(item, ItemForm::TextEvents, _) => (
                quote!(events(toolkit::text_data)),
                quote!(super::EventStream<#item>),
            ),
            Reading::Items(item, _, media_type) => (
                quote!(streamed(#media_type)),
                quote!(super::Streamed<#item>),
            ),
            Reading::ByStatus => {
                let name = request.type_named("Success");
                (quote!(by_status()), quote!(super::responses::#name))
            }
            Reading::Empty => (quote!(empty()), quote!(())),
            Reading::Bytes => (
                quote!(bytes()),
                quote!(::openapi_dropshot_client::ByteStream),
            ),
        };
        let received = quote!(#prepared.#read);
        let (mut error, mut sent) = (quote!(super::Error), quote!(#received.await));
        let mut sent_blocking = quote!(toolkit::wait(#received));
        if !request.call.typed_errors.is_empty() {
            // The error type depends on the status.
            let name = request.type_named("Error");
            error = quote!(super::TypedError<super::responses::#name>);
            sent = quote!(Ok(#sent?));
            sent_blocking = quote!(Ok(#sent_blocking?));
        }
        let first = format!(" Sends `{}`.", operation.request());
        let method = &request.method;
        let listed = (!self.errors_section(request).is_empty()).then(|| {
            let text =
                format!(" [`{method}`](super::Client::{method}) lists the errors of the service.");
            quote!(#[doc = #text])
        });
        quote! {
            #[doc = #first]
            ///
            /// # Errors
            ///
            /// A parameter is missing or was rejected, the service could not be reached, it responded with an error, or
            /// its response does not match the document.
            #listed
            pub async fn send(self) -> Result<super::Response<#response>, #error> {
                #sent
            }

            /// Sends the request like [`send`](Self::send), and blocks until the response arrives: for code that is not async.
            ///
            /// # Errors
            ///
            /// The errors of [`send`](Self::send).
            #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
            pub fn send_blocking(self) -> Result<super::Response<#response>, #error> {
                #sent_blocking
            }
        }
    }

    /// Writes `pages` and `stream`, if the operation returns an array and a `Link` to the next page.
    fn walks(&self, request: &Request<'_>) -> Option<TokenStream> {
        let Reading::Json(response) = &request.response else {
            return None;
        };
        let item = self.item_of(response)?;
        if !self.is_paged(request) {
            return None;
        }
        let prepared = request_of(request);
        let example = |code: fn(TokenStream) -> TokenStream| {
            docs([self.request_example(request, "async fn", is_required, code)])
        };
        let pages_example = example(|request| {
            quote! {
                let mut pages = #request.pages();
                while let Some(page) = pages.next().await {
                    let page = page?.into_inner();
                    println!("{page:?}");
                }
            }
        });
        let stream_example = example(|request| {
            quote! {
                let mut items = #request.stream();
                while let Some(item) = items.next().await {
                    let item = item?;
                    println!("{item:?}");
                }
            }
        });
        let feed = is_feed(request.operation).then(|| {
            let feed_example = example(|request| {
                quote! {
                    let mut events = #request.feed();
                    while let Some(event) = events.next().await {
                        let event = event?;
                        println!("{event:?}, then {:?}", events.cursor());
                    }
                }
            });
            quote! {
                /// Returns all items of this page and of the following ones, and then new items as they appear, without an
                /// end. The stream continues after temporary errors.
                ///
                #feed_example
                pub fn feed(self) -> super::Feed<#item> {
                    #prepared.feed()
                }
            }
        });
        Some(quote! {
            /// Follows the links from page to page, starting with the page of this request.
            ///
            /// Each page is fetched only when it is polled.
            ///
            #pages_example
            pub fn pages(self) -> super::Pages<#response> {
                #prepared.pages()
            }

            /// Returns all items of this page and of the following ones.
            ///
            /// The next page is fetched only when all items of the current one have been read.
            ///
            #stream_example
            pub fn stream(self) -> super::Items<#item> {
                #prepared.items()
            }

            #feed
        })
    }

    /// Returns the type of the items of a list.
    fn item_of(&self, response: &Type) -> Option<Type> {
        match name_of(response).and_then(|name| self.kind(&name)) {
            Some(Kind::List(item)) => Some((**item).clone()),
            _ => argument_of(response, "Vec"),
        }
    }

    fn is_paged(&self, request: &Request<'_>) -> bool {
        request.call.successes.iter().any(|response| {
            let mut names = response.headers.iter().map(|header| &header.name.value);
            let linked = names.any(|name| name.eq_ignore_ascii_case("link"));
            let listed = response.content.iter().any(|media| {
                let schema = media.schema.as_ref();
                let schema = schema.and_then(|schema| self.document.resolve(schema));
                schema.is_some_and(|schema| is_type(schema, SchemaType::Array))
            });
            linked && listed
        })
    }
}

/// Calls the macro that writes the settings of a call: `with`, and a shortcut for each setting, unless the operation has a
/// parameter with that name.
fn call_settings(request: &Request<'_>) -> TokenStream {
    let is_free = |name: &&str| {
        let mut setters = request.parameters.iter();
        setters.all(|setter| setter.name != *name)
    };
    let shortcuts = ["timeout", "retry", "header"].into_iter().filter(is_free);
    let shortcuts = shortcuts.map(|name| format_ident!("{name}"));
    quote!(toolkit::settings!(with #(, #shortcuts)*);)
}

/// Writes the static variable that describes the operation.
fn description_of(request: &Request<'_>, variable: &Ident) -> TokenStream {
    let operation = request.operation;
    let id = operation.id.as_ref().map_or("", |id| &id.value);
    let name = operation.method.as_str();
    let is_constant = !matches!(operation.method, Method::Other(_));
    let method = match is_constant {
        true => {
            let name = format_ident!("{name}");
            quote!(toolkit::Method::#name)
        }
        false => quote!(toolkit::method(#name)),
    };
    let path = &operation.path.value;
    let parameters = request.parameters.iter().map(|setter| {
        let name = &setter.parameter.name.value;
        let method = setter.name.to_string();
        let required = setter.parameter.required;
        let place = ident(&pascal(setter.parameter.location.as_str()));
        quote!(toolkit::Parameter::new(toolkit::Place::#place, #name, #method, #required))
    });
    let success = request.success.iter().copied();
    let success: Vec<_> = success.map(Literal::u16_unsuffixed).collect();
    let parameters = quote!(&[#(#parameters),*]);
    let described = |parameters| {
        quote! {
            toolkit::Operation {
                id: #id,
                method: #method,
                path: #path,
                parameters: #parameters,
                success: &[#(#success),*],
            }
        }
    };
    if is_constant {
        let described = described(parameters);
        return quote!(static #variable: toolkit::Operation = #described;);
    }
    let described = described(quote!(PARAMETERS));
    quote! {
        static #variable: ::std::sync::LazyLock<toolkit::Operation> = ::std::sync::LazyLock::new(|| {
            const PARAMETERS: &[toolkit::Parameter] = #parameters;
            #described
        });
    }
}

/// Returns the expression that converts the builder to a request.
fn request_of(request: &Request<'_>) -> TokenStream {
    let Some(body) = &request.body else {
        return quote!(self.call.request());
    };
    let Body { target, held, .. } = body;
    match (body.how, body.essence) {
        (Sent::Json, "application/json") => {
            quote!(self.call.request_with_json::<#target, #held>(self.body))
        }
        (Sent::Json, media) => {
            quote!(self.call.request_with_json_as::<#target, #held>(#media, self.body))
        }
        (Sent::Form, _) => quote!(self.call.request_with_form::<#target, #held>(self.body)),
        (Sent::Parts, _) => quote!(self.call.request_with_parts(self.body)),
        (Sent::Lines, media) => quote!(self.call.request_with_lines(#media, self.body)),
        (Sent::Text | Sent::Bytes, media) => quote!(self.call.request_with_raw(#media, self.body)),
    }
}

fn summary(operation: &Operation) -> String {
    let first = (operation.summary.as_deref()).or(operation.description.as_deref());
    let text = first.map_or_else(
        || format!("The operation {}", operation.label()),
        |text| described(Some(text)),
    );
    let text = text.trim();
    if text.ends_with(['.', '!', '?', ':']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// Returns sentences about the removal, the stability and the limits of the operation. `described` means that the description
/// of the operation stands before them.
fn lifecycle(operation: &Operation, described: bool) -> impl Iterator<Item = String> {
    let end = deprecation_note(operation)
        .filter(|note| !(described && note.is_described))
        .map(|note| note.sentence);
    let level = operation.stability.as_ref().map(|level| level.value);
    let level = stability_sentence(level).zip(feature(operation));
    let level = level.map(|(sentence, feature)| {
        format!("{sentence} Only with the cargo feature `{feature}` of this crate.")
    });
    end.into_iter()
        .chain(level)
        .chain(limits_sentence(operation))
}
