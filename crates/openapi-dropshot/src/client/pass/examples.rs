//! Writes an example for each public item, with the values of the document's own examples. If the document has none,
//! the example takes the value as an argument, so that it still compiles. The documentation tests of the client's crate
//! compile all of them.

use super::{
    kinds,
    requests::{Request, Setter},
    values::Values,
};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Ident, Type};

/// The parts that examples consist of.
pub(super) struct Examples<'a> {
    /// The crate of the client, as Rust writes it.
    library: String,
    values: Values<'a>,
}

/// The call of a setter: its name, what the value is turned into, and the value of the document's example.
type Set<'r> = (Ident, &'r Type, Option<TokenStream>);

impl<'a> Examples<'a> {
    pub(super) fn new(library: &str, values: Values<'a>) -> Self {
        Examples {
            library: library.to_owned(),
            values,
        }
    }

    /// Code that uses the client itself.
    pub(super) fn of_client(&self, code: &TokenStream) -> Vec<String> {
        let after = format!("Ok::<(), {}::BuildError>(())", self.library);
        self.block("", code, &after)
    }

    fn parameter<'r>(&self, setter: &'r Setter<'_>) -> Set<'r> {
        let value = self.values.of_parameter(setter.parameter, &setter.target);
        (setter.name.clone(), &setter.target, value)
    }

    fn body<'r>(&self, request: &'r Request<'_>) -> Option<Set<'r>> {
        let body = request.body.as_ref()?;
        let schema = request.operation.request_body.as_ref()?;
        let value = self.values.of_body(schema, &body.target);
        Some((crate::names::ident("body"), &body.target, value))
    }

    /// A call of the operation, from the client to the response.
    pub(super) fn call(&self, request: &Request<'_>) -> Vec<String> {
        self.asynchronous(request, |request| {
            quote! {
                let response = #request.send().await?.into_inner();
                println!("{response:?}");
            }
        })
    }

    /// The request with all its parameters.
    pub(super) fn builder(&self, request: &Request<'_>) -> Vec<String> {
        let setters = request
            .parameters
            .iter()
            .filter(|setter| !setter.parameter.deprecated)
            .map(|setter| (setter.parameter.required, self.parameter(setter)))
            .filter(|(required, (_, _, value))| *required || value.is_some())
            .map(|(_, set)| set);
        let (chain, arguments) = chain(setters.chain(self.body(request)));
        let method = &request.method;
        self.synchronous(&arguments, &quote!(let request = client.#method()#chain;))
    }

    /// One setter of a request.
    pub(super) fn setter(&self, request: &Request<'_>, name: &syn::Ident) -> Vec<String> {
        let method = &request.method;
        let parameters = request
            .parameters
            .iter()
            .map(|setter| self.parameter(setter));
        let all = parameters.chain(self.body(request));
        let (chain, arguments) = chain(all.filter(|(own, _, _)| own == name));
        self.synchronous(&arguments, &quote!(let request = client.#method()#chain;))
    }

    /// Changing the body by its builder.
    pub(super) fn body_map(&self, request: &Request<'_>) -> Vec<String> {
        let method = &request.method;
        let body = request.body.as_ref();
        let fields = body
            .and_then(|body| self.values.fields(&body.target))
            .unwrap_or_default();
        self.synchronous(
            &TokenStream::new(),
            &quote!(let request = client.#method().body_map(|body| body #fields);),
        )
    }

    /// Settings of one call.
    pub(super) fn with(&self, request: &Request<'_>) -> Vec<String> {
        let library: TokenStream = self.library.parse().unwrap_or_default();
        self.asynchronous(request, |request| {
            quote! {
                let hasty = #library::CallOptions::new().timeout(std::time::Duration::from_secs(2));
                let response = #request.with(hasty).send().await?;
            }
        })
    }

    /// A call of code that is not async.
    pub(super) fn blocking(&self, request: &Request<'_>) -> Vec<String> {
        self.in_function("fn", request, |request| {
            quote! {
                let response = #request.send_blocking()?.into_inner();
                println!("{response:?}");
            }
        })
    }

    /// Page by page.
    pub(super) fn pages(&self, request: &Request<'_>) -> Vec<String> {
        self.asynchronous(request, |request| {
            quote! {
                let mut pages = #request.pages();
                while let Some(page) = pages.next().await {
                    let page = page?.into_inner();
                    println!("{page:?}");
                }
            }
        })
    }

    /// Item by item.
    pub(super) fn stream(&self, request: &Request<'_>) -> Vec<String> {
        self.asynchronous(request, |request| {
            quote! {
                let mut items = #request.stream();
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
                let argument = kinds::target(method)
                    .map(|target| kinds::from_outside(&target))
                    .map(|target| quote!(value: #target));
                let before = format!("fn example({}) {{", argument.unwrap_or_default());
                let code = quote!(let builder = types::#owner::builder().#name(value););
                self.block(&before, &code, "}")
            }
        }
    }

    /// The error of a value that is rejected.
    pub(super) fn conversion_error(&self) -> Vec<String> {
        let error = quote!(types::error::ConversionError);
        let before = format!("fn example(error: {error}) {{");
        self.block(&before, &quote!(println!("{error}");), "}")
    }

    fn asynchronous(
        &self,
        request: &Request<'_>,
        code: impl FnOnce(TokenStream) -> TokenStream,
    ) -> Vec<String> {
        self.in_function("async fn", request, code)
    }

    /// Code that begins with the request, all that it needs being set.
    fn in_function(
        &self,
        keyword: &str,
        request: &Request<'_>,
        code: impl FnOnce(TokenStream) -> TokenStream,
    ) -> Vec<String> {
        let method = &request.method;
        let required = request
            .parameters
            .iter()
            .filter(|setter| setter.parameter.required)
            .map(|setter| self.parameter(setter));
        let (chain, arguments) = chain(required.chain(self.body(request)));
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
        let all = format!("{before} {code}").replace(" :: ", "::");
        for (used, import) in [("types::", "types"), (" Client::builder", "Client")] {
            if all.contains(used) {
                lines.extend([format!("use {}::{import};", self.library), String::new()]);
            }
        }
        let hidden = |text: &str| {
            text.lines()
                .map(|line| format!("# {line}"))
                .collect::<Vec<_>>()
        };
        // Tokens are printed with spaces around `::`.
        lines.extend(hidden(&before.replace(" :: ", "::").replace(" : ", ": ")));
        lines.extend(code.lines().map(str::to_owned));
        lines.extend(hidden(after));
        lines.push("```".to_owned());
        vec![lines.join("\n")]
    }
}

/// The calls of setters, and the arguments of the function around them: for values that the document does not give.
fn chain<'r>(setters: impl Iterator<Item = Set<'r>>) -> (TokenStream, TokenStream) {
    let (mut calls, mut arguments) = (TokenStream::new(), TokenStream::new());
    for (name, target, value) in setters {
        match value {
            Some(value) => calls.extend(quote!(.#name(#value))),
            None => {
                let target = kinds::from_outside(target).to_token_stream();
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
