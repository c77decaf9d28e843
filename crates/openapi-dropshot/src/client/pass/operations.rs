//! Writes the methods of the client and the builders of their requests.

use super::{
    bounds, deprecate, deprecate_with, described, docs,
    examples::Examples,
    part_note, part_since,
    requests::{Body, Reading, Request, Setter, item_of},
};
use crate::client::names::successes;
use crate::lifecycle::{deprecation_note, stability_sentence};
use openapi_dropshot_contract::model::{
    Document, Operation, Parameter, ParameterIn, Stability, Type as SchemaType,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Item, Type, parse_quote};

/// The methods of the client, one for each operation.
pub(super) fn methods(requests: &[Request<'_>], examples: &Examples<'_>) -> Vec<TokenStream> {
    let method = |request: &Request<'_>| {
        let Request {
            operation,
            method,
            builder,
            ..
        } = request;
        let mut paragraphs = method_docs(operation);
        paragraphs.extend(examples.call(request));
        let attributes = attributes(operation, &paragraphs, true);
        quote! {
            #(#attributes)*
            pub fn #method(&self) -> builder::#builder<'_> {
                builder::#builder::new(&self.inner)
            }
        }
    };
    requests.iter().map(method).collect()
}

/// The builders, each with the description of its operation, its setters and the methods that send it.
pub(super) fn builders(
    document: &Document,
    requests: &[Request<'_>],
    types: &[Item],
    examples: &Examples<'_>,
) -> Vec<Item> {
    let builder = |request| builder(document, request, types, examples);
    requests.iter().flat_map(builder).collect()
}

fn builder(
    document: &Document,
    request: &Request<'_>,
    types: &[Item],
    examples: &Examples<'_>,
) -> Vec<Item> {
    let Request {
        operation, builder, ..
    } = request;
    let mut paragraphs = builder_docs(request);
    paragraphs.extend(examples.builder(request));
    let struct_attributes = attributes(operation, &paragraphs, true);
    let hidden = attributes(operation, &[], false);
    let description = format_ident!(
        "{}",
        crate::names::snake(&builder.to_string()).to_uppercase()
    );
    let described = description_of(request);
    let held = request.body.as_ref().map(|body| {
        let held = &body.held;
        quote!(body: toolkit::Body<#held>,)
    });
    let initial = request.body.as_ref().map(|body| {
        let kind = if body.has_builder() {
            quote!(builder)
        } else {
            quote!(missing)
        };
        quote!(body: toolkit::Body::#kind(),)
    });
    // A body of bytes may be a stream, which cannot be cloned.
    let streams = request
        .body
        .as_ref()
        .is_some_and(|body| body.media == "application/octet-stream");
    let derive = if streams {
        quote!(Debug)
    } else {
        quote!(Debug, Clone)
    };
    let setters = request
        .parameters
        .iter()
        .map(|setter| self::setter(document, request, setter, examples));
    let body_setters = request
        .body
        .as_ref()
        .map(|body| body_setters(request, body, examples));
    let with = {
        let mut paragraphs = vec![
            "Gives this call other settings than its client has, such as its time limit or its number of tries."
                .to_owned(),
        ];
        paragraphs.extend(examples.with(request));
        let attributes = docs(&paragraphs);
        quote! {
            #(#attributes)*
            pub fn with(mut self, options: super::CallOptions) -> Self {
                self.call.set_options(options);
                self
            }
        }
    };
    let send = send(request, examples);
    let walks = walks(document, request, types, examples);
    vec![
        parse_quote! {
            #(#hidden)*
            static #description: toolkit::Operation = #described;
        },
        parse_quote! {
            #(#struct_attributes)*
            #[derive(#derive)]
            #[must_use = "nothing is sent before `send` is called"]
            pub struct #builder<'a> {
                call: toolkit::Call<'a>,
                #held
            }
        },
        parse_quote! {
            #(#hidden)*
            impl<'a> #builder<'a> {
                pub(crate) fn new(client: &'a ::openapi_dropshot_client::Client) -> Self {
                    Self {
                        call: toolkit::Call::new(client, &#description),
                        #initial
                    }
                }
                #(#setters)*
                #body_setters
                #with
                #send
                #walks
            }
        },
    ]
}

/// The constant that describes the operation.
fn description_of(request: &Request<'_>) -> TokenStream {
    let Request {
        operation, success, ..
    } = request;
    let id = operation.id.as_ref().map_or("", |id| id.value.as_str());
    let method = format_ident!("{}", operation.method.to_string());
    let path = &operation.path.value;
    let parameters = request.parameters.iter().map(|setter| {
        let name = &setter.parameter.name.value;
        let method = setter.name.to_string();
        let method = method.trim_start_matches("r#");
        let required = setter.parameter.required;
        match setter.parameter.location {
            ParameterIn::Path => quote!(toolkit::Parameter::path(#name, #method)),
            ParameterIn::Header => quote!(toolkit::Parameter::header(#name, #method, #required)),
            ParameterIn::Query | ParameterIn::Cookie => {
                quote!(toolkit::Parameter::query(#name, #method, #required))
            }
        }
    });
    let success = success
        .iter()
        .copied()
        .map(proc_macro2::Literal::u16_unsuffixed);
    quote! {
        toolkit::Operation {
            id: #id,
            method: toolkit::Method::#method,
            path: #path,
            parameters: &[#(#parameters),*],
            success: &[#(#success),*],
        }
    }
}

/// A setter, which checks the bounds of its parameter, so that nothing is sent that the service would reject.
fn setter(
    document: &Document,
    request: &Request<'_>,
    setter: &Setter<'_>,
    examples: &Examples<'_>,
) -> TokenStream {
    let Setter {
        parameter,
        name,
        target,
    } = setter;
    let wire = &parameter.name.value;
    let bounds = parameter
        .schema
        .as_ref()
        .map(|schema| bounds::of(schema, target))
        .unwrap_or_default();
    let value = match &bounds.description {
        Some(description) => {
            let allowed = match &bounds.condition {
                Some(condition) => quote!(|&value| #condition),
                None => quote!(|_| true),
            };
            quote!(within::<#target, V>(value, #description, #allowed))
        }
        None => quote!(convert::<#target, V>(value)),
    };
    let set = match parameter.location {
        ParameterIn::Query => quote!(set_query),
        _ => quote!(set_text),
    };
    let mut paragraphs = setter_docs(document, parameter, bounds.description.as_deref());
    paragraphs.extend(examples.setter(request, name));
    let mut attributes = docs(&paragraphs);
    if parameter.deprecated {
        let since = part_since(&parameter.extensions);
        deprecate(
            &mut attributes,
            since.as_deref(),
            &part_note(&parameter.extensions),
        );
    }
    quote! {
        #(#attributes)*
        pub fn #name<V>(mut self, value: V) -> Self
        where
            V: ::std::convert::TryInto<#target>,
            V::Error: ::std::fmt::Display,
        {
            self.call.#set(#wire, toolkit::#value);
            self
        }
    }
}

fn setter_docs(document: &Document, parameter: &Parameter, bounds: Option<&str>) -> Vec<String> {
    let schema = || document.resolve(parameter.schema.as_ref()?);
    let description = parameter
        .description
        .as_deref()
        .or_else(|| schema()?.description.as_deref());
    let mut paragraphs = vec![match description {
        Some(description) => described(Some(description)),
        None => format!("Sets `{}`.", parameter.name.value),
    }];
    if let Some(description) = bounds {
        paragraphs.push(format!(
            "Has to be {description}; any other value is rejected before anything is sent."
        ));
    }
    if parameter.required {
        paragraphs.push("Required.".to_owned());
    }
    let level = parameter
        .extensions
        .get("x-stability-level")
        .and_then(|level| Stability::from_word(level.as_str()?));
    match level {
        Some(Stability::Beta) => paragraphs.push("Beta: may change, with a warning.".to_owned()),
        Some(Stability::Experimental) => {
            paragraphs.push("Experimental: may change or vanish at any time.".to_owned())
        }
        Some(Stability::Stable) | None => {}
    }
    if parameter.deprecated {
        paragraphs.push(format!("Deprecated; {}.", part_note(&parameter.extensions)));
    }
    paragraphs
}

/// `body`, and `body_map` if the body has a builder.
fn body_setters(request: &Request<'_>, body: &Body, examples: &Examples<'_>) -> TokenStream {
    let Body { target, held, .. } = body;
    let description = request
        .operation
        .request_body
        .as_ref()
        .and_then(|body| body.description.as_deref());
    let mut paragraphs = match description {
        Some(_) => vec![
            described(description),
            "Takes a value, or the builder of one.".to_owned(),
        ],
        None => vec!["Sets the body.".to_owned()],
    };
    paragraphs.extend(examples.setter(request, &format_ident!("body")));
    let attributes = docs(&paragraphs);
    let map = body.has_builder().then(|| {
        let mut paragraphs = vec![
            "Changes the body step by step with its builder.".to_owned(),
            described(description),
        ];
        paragraphs.extend(examples.body_map(request));
        let attributes = docs(&paragraphs);
        quote! {
            #(#attributes)*
            pub fn body_map<F>(mut self, change: F) -> Self
            where
                F: ::std::ops::FnOnce(#held) -> #held,
            {
                self.body = self.body.map(change);
                self
            }
        }
    });
    quote! {
        #(#attributes)*
        pub fn body<V>(mut self, value: V) -> Self
        where
            V: ::std::convert::TryInto<#target>,
            V::Error: ::std::fmt::Display,
        {
            self.body.set::<#target, V>(value);
            self
        }
        #map
    }
}

/// The expression that turns the builder into a request.
fn request_of(request: &Request<'_>) -> TokenStream {
    let Some(body) = &request.body else {
        return quote!(self.call.request());
    };
    let Body {
        target,
        held,
        media,
    } = body;
    match media.as_str() {
        "application/json" => quote!(self.call.request_with_json::<#target, #held>(self.body)),
        "application/x-www-form-urlencoded" => {
            quote!(self.call.request_with_form::<#target, #held>(self.body))
        }
        media => quote!(self.call.request_with_raw(#media, self.body)),
    }
}

/// `send` and `send_blocking`.
fn send(request: &Request<'_>, examples: &Examples<'_>) -> TokenStream {
    let operation = request.operation;
    let prepared = request_of(request);
    let (read, response): (_, Type) = match &request.response {
        Reading::Json(response) => ("json", (**response).clone()),
        Reading::Empty => ("empty", parse_quote!(())),
        Reading::Bytes => ("bytes", parse_quote!(::openapi_dropshot_client::ByteStream)),
    };
    let (read, blocking) = (format_ident!("{read}"), format_ident!("{read}_blocking"));
    let mut paragraphs = vec![
        format!("Sends `{} {}`.", operation.method, operation.path.value),
        "# Errors".to_owned(),
        "A parameter is missing or was rejected, the service could not be reached, it responded with an error, or its \
         response does not match the document."
            .to_owned(),
    ];
    paragraphs.extend(examples.call(request));
    let send_attributes = docs(&paragraphs);
    let mut paragraphs = vec![
        "Sends as [`send`](Self::send) does, and waits for the response: for code that is not async."
            .to_owned(),
        "# Errors".to_owned(),
        "Those of [`send`](Self::send).".to_owned(),
    ];
    paragraphs.extend(examples.blocking(request));
    let blocking_attributes = docs(&paragraphs);
    quote! {
        #(#send_attributes)*
        pub async fn send(self) -> Result<super::Response<#response>, super::Error> {
            #prepared.#read().await
        }

        #(#blocking_attributes)*
        #[cfg(feature = "blocking")]
        pub fn send_blocking(self) -> Result<super::Response<#response>, super::Error> {
            #prepared.#blocking()
        }
    }
}

/// `pages` and `stream`, if the operation returns its list in pages: an array, with a `Link` to the next one.
fn walks(
    document: &Document,
    request: &Request<'_>,
    types: &[Item],
    examples: &Examples<'_>,
) -> Option<TokenStream> {
    let Reading::Json(response) = &request.response else {
        return None;
    };
    let item = item_of(response, types).filter(|_| is_paged(document, request.operation))?;
    let prepared = request_of(request);
    let mut paragraphs = vec![
        "Follows the links from page to page, beginning with the page of this request.".to_owned(),
        "A page is fetched when it is polled for, and not before.".to_owned(),
    ];
    paragraphs.extend(examples.pages(request));
    let pages_attributes = docs(&paragraphs);
    let mut paragraphs = vec![
        "All items, of this page and of those that follow.".to_owned(),
        "The next page is fetched when the items of the last one are used up, and not before."
            .to_owned(),
    ];
    paragraphs.extend(examples.stream(request));
    let stream_attributes = docs(&paragraphs);
    Some(quote! {
        #(#pages_attributes)*
        pub fn pages(self) -> super::Pages<#response> {
            #prepared.pages()
        }

        #(#stream_attributes)*
        pub fn stream(self) -> super::Items<#item> {
            #prepared.items()
        }
    })
}

fn is_paged(document: &Document, operation: &Operation) -> bool {
    successes(operation).iter().any(|response| {
        let linked = response
            .headers
            .iter()
            .any(|header| header.name.value.eq_ignore_ascii_case("link"));
        let listed = response.content.iter().any(|media| {
            let schema = media.schema.as_ref();
            let kind = schema.and_then(|schema| document.resolve(schema)?.types.as_ref());
            kind.is_some_and(|kind| kind.value == SchemaType::Array)
        });
        linked && listed
    })
}

/// The documentation of an item of an operation, its deprecation, and the cargo feature that it needs.
fn attributes(operation: &Operation, paragraphs: &[String], deprecates: bool) -> Vec<Attribute> {
    let mut attributes = docs(paragraphs);
    if deprecates {
        deprecate_with(&mut attributes, operation);
    }
    if let Some(feature) = feature(operation) {
        attributes.push(parse_quote!(#[cfg(feature = #feature)]));
    }
    attributes
}

/// The cargo feature that an operation needs which is not stable.
fn feature(operation: &Operation) -> Option<&'static str> {
    match operation.stability.as_ref()?.value {
        Stability::Beta => Some("beta"),
        Stability::Experimental => Some("experimental"),
        Stability::Stable => None,
    }
}

/// The description of an operation, and how long and how far it can be relied on.
fn method_docs(operation: &Operation) -> Vec<String> {
    let mut paragraphs = vec![summary(operation)];
    paragraphs.extend(lifecycle(operation, true));
    if operation.summary.is_some() {
        paragraphs.push(described(operation.description.as_deref()));
    }
    paragraphs.push(format!(
        "Sends `{} {}`.",
        operation.method, operation.path.value
    ));
    paragraphs
}

fn builder_docs(request: &Request<'_>) -> Vec<String> {
    let (method, builder) = (&request.method, &request.builder);
    let mut paragraphs = vec![format!(
        "A request of [`Client::{method}`](super::Client::{method}): set its parameters, then \
         [`send`]({builder}::send) it."
    )];
    paragraphs.extend(lifecycle(request.operation, false));
    paragraphs
}

fn summary(operation: &Operation) -> String {
    let first = operation
        .summary
        .as_deref()
        .or(operation.description.as_deref());
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

/// When the operation is removed, and how far it can be relied on; `described` where the
/// description of the operation stands beside it.
fn lifecycle(operation: &Operation, described: bool) -> Vec<String> {
    let end = deprecation_note(operation)
        .filter(|note| !(described && note.is_described))
        .map(|note| note.sentence);
    let level = stability_sentence(operation).map(|sentence| match feature(operation) {
        Some(feature) => {
            format!("{sentence} Only with the cargo feature `{feature}` of this crate.")
        }
        None => sentence.to_owned(),
    });
    end.into_iter().chain(level).collect()
}
