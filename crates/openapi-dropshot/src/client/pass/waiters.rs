//! Writes the methods that wait for the states of `x-waiters`.

use super::{
    Pass, docs,
    examples::is_required,
    requests::{Reading, Request},
};
use crate::names::{ident, snake};
use openapi_dropshot_contract::model::{Spanned, Waiter};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, Type};

impl Pass<'_> {
    /// Writes a method of the client for each waiter of an operation. It takes the required parameters.
    pub(super) fn waiters_of_client(&self, request: &Request<'_>) -> TokenStream {
        let Reading::Json(response) = &request.response else {
            return TokenStream::new();
        };
        let waiters = request.operation.waiters.iter();
        let methods = waiters.map(|waiter| self.waiter_of_client(request, waiter, response));
        methods.collect()
    }

    fn waiter_of_client(
        &self,
        request: &Request<'_>,
        waiter: &Waiter,
        response: &Type,
    ) -> TokenStream {
        let (method, name) = (&request.method, method_of(waiter));
        let (names, bounds): (Vec<&Ident>, Vec<_>) = request.required_parameters().unzip();
        let example = self.complete_example(request, |values| {
            quote! {
                let response = client.#name(#(#values),*).timeout(std::time::Duration::from_secs(60)).await?;
                println!("{response:?}");
            }
        });
        let docs = docs([
            sentence(waiter),
            format!(
                "Sends the request of [`{method}`](Self::{method}) until then. To set its other parameters, begin with that \
                 method."
            ),
            example,
        ]);
        let (gate, deprecated) = (&request.gate, &request.deprecated);
        quote! {
            #docs
            #deprecated
            #gate
            pub fn #name(
                &self,
                #(#names: impl #bounds),*
            ) -> super::Waiting<#response> {
                self.#method()#(.#names(#names))*.#name()
            }
        }
    }

    /// Writes the method of a request for each waiter of its operation, and the constants that they need.
    pub(super) fn waiters_of_builder(&self, request: &Request<'_>) -> (TokenStream, TokenStream) {
        let Reading::Json(response) = &request.response else {
            return Default::default();
        };
        let gate = &request.gate;
        let (mut constants, mut methods) = (TokenStream::new(), TokenStream::new());
        for waiter in &request.operation.waiters {
            let method = method_of(waiter);
            let constant = format_ident!("{}", snake(&waiter.name).to_uppercase());
            let (name, path) = (&waiter.name, &waiter.path.value);
            let (success, failure) = (texts(&waiter.success), texts(&waiter.failure));
            constants.extend(quote! {
                #gate
                static #constant: toolkit::Waiter = toolkit::Waiter {
                    name: #name,
                    path: #path,
                    success: &[#(#success),*],
                    failure: &[#(#failure),*],
                };
            });
            let example = self.request_example(request, "async fn", is_required, |request| {
                quote! {
                    let response = #request.#method().await?;
                    println!("{response:?}");
                }
            });
            let docs = docs([sentence(waiter), example]);
            methods.extend(quote! {
                #docs
                pub fn #method(self) -> super::Waiting<#response> {
                    self.call.request().wait(&#constant)
                }
            });
        }
        (constants, methods)
    }
}

fn method_of(waiter: &Waiter) -> Ident {
    ident(&format!("wait_until_{}", snake(&waiter.name)))
}

/// What a waiter waits for, and what ends it with an error.
fn sentence(waiter: &Waiter) -> String {
    let list = |states: &[Spanned<String>]| {
        let quoted: Vec<String> = states.iter().map(|state| format!("`{state}`")).collect();
        quoted.join(" or ")
    };
    let member = waiter.path.value.trim_start_matches('/').replace('/', ".");
    let (success, failure) = (list(&waiter.success), list(&waiter.failure));
    let otherwise = match waiter.failure.is_empty() {
        true => String::new(),
        false => format!("it becomes {failure}, or if "),
    };
    format!("Waits until `{member}` is {success}. It is an error if {otherwise}it takes too long.")
}

fn texts(states: &[Spanned<String>]) -> Vec<&str> {
    states.iter().map(|state| state.value.as_str()).collect()
}
