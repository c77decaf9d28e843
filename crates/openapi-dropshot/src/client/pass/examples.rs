//! An example for each public item, with the values of the document's own
//! examples. Where the document has none that can be written down, the example
//! takes the value as an argument: it compiles all the same. That they do is
//! shown by the documentation tests of the crate of the client.

mod kinds;
mod values;

use super::setters::target;
use crate::client::names::{Names, folded};
use openapi_dropshot_contract::model::{Document, Operation};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
use syn::{ImplItem, Item, ItemImpl};
use values::Values;

/// What examples are made of.
pub(super) struct Examples<'a> {
    /// The crate of the client, as Rust writes it.
    library: String,
    values: Values<'a>,
    /// The requests, by the folded id of their operation.
    requests: BTreeMap<String, Request>,
}

/// A request, as an application makes it.
struct Request {
    /// The method of the client.
    method: syn::Ident,
    /// The setters of the builder, in its order.
    setters: Vec<Setter>,
}

/// A setter, and what it takes.
struct Setter {
    name: syn::Ident,
    /// What the value is turned into.
    target: Option<syn::Type>,
    /// The value of the document's example.
    value: Option<TokenStream>,
    required: bool,
    deprecated: bool,
}

impl<'a> Examples<'a> {
    /// Reads the code that progenitor made: the builders of requests, and the
    /// types.
    pub(super) fn new(
        document: &'a Document,
        names: &'a Names<'a>,
        library: &str,
        builders: &[Item],
        types: &[Item],
    ) -> Self {
        let values = Values::new(document, names, types);
        let blocks = builders.iter().filter_map(|item| match item {
            Item::Impl(block) if block.trait_.is_none() => Some(block),
            _ => None,
        });
        let requests = blocks
            .filter_map(|block| {
                let ident = super::operations::self_ident(block)?.to_string();
                let id = folded(&ident);
                let operation = document.operations.iter().find(|operation| {
                    let own = operation.id.as_ref();
                    own.is_some_and(|own| folded(&own.value) == id)
                })?;
                let request = Request {
                    method: crate::names::ident(&crate::names::snake(&ident)),
                    setters: setters(operation, block, &values),
                };
                Some((id, request))
            })
            .collect();
        Examples {
            library: library.to_owned(),
            values,
            requests,
        }
    }

    /// A call of the operation, from the client to the answer.
    pub(super) fn call(&self, operation: &Operation) -> Vec<String> {
        self.asynchronous(operation, |made| {
            quote! {
                let answer = #made.send().await?.into_inner();
                println!("{answer:?}");
            }
        })
    }

    /// The request with all its parameters.
    pub(super) fn builder(&self, operation: &Operation) -> Vec<String> {
        let Some(request) = self.request(operation) else {
            return Vec::new();
        };
        let setters = request.setters.iter().filter(|setter| !setter.deprecated);
        let (chain, arguments) =
            chain(setters.filter(|setter| setter.required || setter.value.is_some()));
        let method = &request.method;
        self.synchronous(&arguments, &quote!(let request = client.#method()#chain;))
    }

    /// One setter of a request.
    pub(super) fn setter(&self, operation: &Operation, name: &syn::Ident) -> Vec<String> {
        let Some(request) = self.request(operation) else {
            return Vec::new();
        };
        let method = &request.method;
        let setter = request.setters.iter().filter(|setter| setter.name == *name);
        let (chain, arguments) = chain(setter);
        self.synchronous(&arguments, &quote!(let request = client.#method()#chain;))
    }

    /// Changing the body by its builder.
    pub(super) fn body_map(&self, operation: &Operation) -> Vec<String> {
        let Some(request) = self.request(operation) else {
            return Vec::new();
        };
        let method = &request.method;
        let body = request.setters.iter().find(|setter| setter.name == "body");
        let fields = body
            .and_then(|body| self.values.fields(body.target.as_ref()?))
            .unwrap_or_default();
        self.synchronous(
            &TokenStream::new(),
            &quote!(let request = client.#method().body_map(|body| body #fields);),
        )
    }

    /// Settings of one call.
    pub(super) fn with(&self, operation: &Operation) -> Vec<String> {
        let library: TokenStream = self.library.parse().unwrap_or_default();
        self.asynchronous(operation, |made| {
            quote! {
                let hasty = #library::CallOptions::new().timeout(std::time::Duration::from_secs(2));
                let answer = #made.with(hasty).send().await?;
            }
        })
    }

    /// A call of code that is not async.
    pub(super) fn blocking(&self, operation: &Operation) -> Vec<String> {
        self.in_function("fn", operation, |made| {
            quote! {
                let answer = #made.send_blocking()?.into_inner();
                println!("{answer:?}");
            }
        })
    }

    /// Page by page.
    pub(super) fn pages(&self, operation: &Operation) -> Vec<String> {
        self.asynchronous(operation, |made| {
            quote! {
                let mut pages = #made.pages();
                while let Some(page) = pages.next().await {
                    let page = page?.into_inner();
                    println!("{page:?}");
                }
            }
        })
    }

    /// Item by item.
    pub(super) fn stream(&self, operation: &Operation) -> Vec<String> {
        self.asynchronous(operation, |made| {
            quote! {
                let mut items = #made.stream();
                while let Some(item) = items.next().await {
                    let item = item?;
                    println!("{item:?}");
                }
            }
        })
    }

    /// A value of a type.
    pub(super) fn of_type(&self, ident: &syn::Ident) -> Vec<String> {
        match self.values.of_type(ident) {
            Some(value) => self.falling(&quote! {
                let value: types::#ident = #value;
                println!("{value:?}");
            }),
            None => self.given(&quote!(types::#ident)),
        }
    }

    /// The text of a value of an enumeration.
    pub(super) fn as_str(&self, ident: &syn::Ident) -> Vec<String> {
        match self.values.variant(ident) {
            Some((variant, text)) => self.block(
                "",
                &quote!(assert_eq!(types::#ident::#variant.as_str(), #text);),
                "",
            ),
            None => self.given(&quote!(types::#ident)),
        }
    }

    /// One setter of the builder of a type.
    pub(super) fn field(&self, owner: &syn::Ident, method: &syn::ImplItemFn) -> Vec<String> {
        let name = &method.sig.ident;
        match self.values.field(owner, name) {
            Some(value) => self.falling(&quote!(
                let builder = types::#owner::builder().#name(#value);
            )),
            None => {
                let argument = target(method)
                    .map(|target| kinds::from_outside(&target))
                    .map(|target| quote!(value: #target));
                let before = format!("fn example({}) {{", argument.unwrap_or_default());
                let code = quote!(let builder = types::#owner::builder().#name(value););
                self.block(&before, &code, "}")
            }
        }
    }

    /// The error of a value that is refused.
    pub(super) fn refused(&self) -> Vec<String> {
        let error = quote!(types::error::ConversionError);
        let before = format!("fn example(error: {error}) {{");
        self.block(&before, &quote!(println!("{error}");), "}")
    }

    fn request(&self, operation: &Operation) -> Option<&Request> {
        let id = operation.id.as_ref()?;
        self.requests.get(&folded(&id.value))
    }

    fn asynchronous(
        &self,
        operation: &Operation,
        code: impl FnOnce(TokenStream) -> TokenStream,
    ) -> Vec<String> {
        self.in_function("async fn", operation, code)
    }

    /// Code that begins with the request, all that it needs being set.
    fn in_function(
        &self,
        keyword: &str,
        operation: &Operation,
        code: impl FnOnce(TokenStream) -> TokenStream,
    ) -> Vec<String> {
        let Some(request) = self.request(operation) else {
            return Vec::new();
        };
        let method = &request.method;
        let (chain, arguments) = chain(request.setters.iter().filter(|setter| setter.required));
        let before = format!(
            "{keyword} example(client: &{}::Client{arguments}) -> Result<(), Box<dyn std::error::Error>> {{",
            self.library,
        );
        self.block(&before, &code(quote!(client.#method()#chain)), "Ok(())\n}")
    }

    fn synchronous(&self, arguments: &TokenStream, code: &TokenStream) -> Vec<String> {
        let before = format!(
            "fn example(client: &{}::Client{arguments}) -> Result<(), Box<dyn std::error::Error>> {{",
            self.library
        );
        self.block(&before, code, "Ok(())\n}")
    }

    /// Code that runs as it stands, and may fail.
    fn falling(&self, code: &TokenStream) -> Vec<String> {
        self.block("", code, "Ok::<(), Box<dyn std::error::Error>>(())")
    }

    /// Code that is given a value, because there is none to write down.
    fn given(&self, of: &TokenStream) -> Vec<String> {
        let before = format!("fn example(value: {of}) {{");
        self.block(&before, &quote!(println!("{value:?}");), "}")
    }

    /// The block of code in the documentation; what stands before and after it
    /// is not shown.
    fn block(&self, before: &str, code: &TokenStream, after: &str) -> Vec<String> {
        let Some(code) = formatted(code) else {
            return Vec::new();
        };
        let mut lines = vec!["```".to_owned()];
        if before.contains("types ::") || before.contains("types::") || code.contains("types::") {
            lines.push(format!("use {}::types;", self.library));
            lines.push(String::new());
        }
        let hidden = |text: &str| {
            text.lines()
                .map(|line| format!("# {line}"))
                .collect::<Vec<_>>()
        };
        // As tokens are printed, and as people write them.
        lines.extend(hidden(&before.replace(" :: ", "::").replace(" : ", ": ")));
        lines.extend(code.lines().map(str::to_owned));
        lines.extend(hidden(after));
        lines.push("```".to_owned());
        vec![lines.join("\n")]
    }
}

/// The setters of a block, with the values of the document.
fn setters(operation: &Operation, block: &ItemImpl, values: &Values<'_>) -> Vec<Setter> {
    let methods = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    });
    methods
        .filter_map(|method| {
            let name = method.sig.ident.clone();
            let target = target(method);
            let wanted = folded(&name.to_string());
            let mut parameters = operation.parameters.iter();
            if let Some(parameter) =
                parameters.find(|parameter| folded(&parameter.name.value) == wanted)
            {
                let value = target
                    .as_ref()
                    .and_then(|target| values.of_parameter(parameter, target));
                return Some(Setter {
                    name,
                    target,
                    value,
                    required: parameter.required,
                    deprecated: parameter.deprecated,
                });
            }
            let body = operation.request_body.as_ref()?;
            (name == "body").then(|| Setter {
                value: target
                    .as_ref()
                    .and_then(|target| values.of_body(body, target)),
                name,
                target,
                required: true,
                deprecated: false,
            })
        })
        .collect()
}

/// The calls of setters, and the arguments of the function around them: for the
/// values that cannot be written down.
fn chain<'s>(setters: impl Iterator<Item = &'s Setter>) -> (TokenStream, TokenStream) {
    let (mut calls, mut arguments) = (TokenStream::new(), TokenStream::new());
    for setter in setters {
        let name = &setter.name;
        match (&setter.value, &setter.target) {
            (Some(value), _) => calls.extend(quote!(.#name(#value))),
            (None, target) => {
                let target = target.as_ref().map_or_else(
                    || quote!(String),
                    |target| kinds::from_outside(target).to_token_stream(),
                );
                calls.extend(quote!(.#name(#name)));
                arguments.extend(quote!(, #name: #target));
            }
        }
    }
    (calls, arguments)
}

/// Statements as people write them.
fn formatted(code: &TokenStream) -> Option<String> {
    let file: syn::File = syn::parse2(quote!(fn example() { #code })).ok()?;
    let text = prettyplease::unparse(&file);
    let inside = text
        .strip_prefix("fn example() {\n")?
        .trim_end()
        .strip_suffix('}')?;
    let lines = inside
        .lines()
        .map(|line| line.strip_prefix("    ").unwrap_or(line));
    Some(lines.collect::<Vec<_>>().join("\n").trim_end().to_owned())
}
