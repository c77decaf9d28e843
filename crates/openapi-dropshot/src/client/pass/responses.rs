//! Writes the enums of bodies by status, and the types of bodies that the service sends in callbacks.

use super::{Pass, docs, requests::Request};
use crate::{
    client::{
        names::{folded, type_name},
        plan::{Case, Content},
    },
    docs::status_line,
    names::{ident, pascal},
    render::status_pattern,
};
use openapi_dropshot_contract::model::{Schema, StatusCode};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::{Ident, Item};

/// Returns the names of the types in progenitor's module `types`, by folded name.
pub(super) fn idents(types: &[Item]) -> BTreeMap<String, Ident> {
    let ident = |item: &Item| match item {
        Item::Enum(item) => Some(item.ident.clone()),
        Item::Struct(item) => Some(item.ident.clone()),
        Item::Type(item) => Some(item.ident.clone()),
        _ => None,
    };
    let idents = types.iter().filter_map(ident);
    idents
        .map(|ident| (folded(&ident.to_string()), ident))
        .collect()
}

impl Pass<'_> {
    /// Writes the enums of all requests that have such an enum.
    pub(super) fn responses(&self, requests: &[Request<'_>]) -> Option<TokenStream> {
        let mut enums = TokenStream::new();
        for request in requests {
            let method = &request.method;
            let link = format!("[`{method}`](super::Client::{method})");
            if !request.call.typed_successes.is_empty() {
                let about = format!("The bodies of the successes of {link}, by status.");
                let name = request.type_named("Success");
                enums.extend(self.by_status(request, &name, &about, &request.call.typed_successes));
            }
            if !request.call.typed_errors.is_empty() {
                let about = format!(
                    "The bodies of the errors of {link}, by status; \
                     [`typed_body`](super::TypedError::typed_body) of the error returns it."
                );
                let name = request.type_named("Error");
                enums.extend(self.by_status(request, &name, &about, &request.call.typed_errors));
            }
        }
        let code = quote! {
            use ::openapi_dropshot_client::generated as toolkit;
            use super::types;

            #enums
        };
        (!enums.is_empty()).then_some(code)
    }

    /// Writes an enum, and the code that reads it.
    fn by_status(
        &self,
        request: &Request<'_>,
        name: &Ident,
        about: &str,
        cases: &[Case<'_>],
    ) -> TokenStream {
        let gate = &request.gate;
        let docs_of_enum = docs([about]);
        let (mut variants, mut arms, mut is_complete) =
            (TokenStream::new(), TokenStream::new(), false);
        for case in cases {
            let variant = format_ident!("{}", case.variant);
            let status = case.response.status.value;
            let docs = docs([status_line(status, &case.response.description)]);
            let (field, read) = match case.content {
                Content::Json(schema) => {
                    let body = self.type_of_body(schema);
                    (
                        quote!((#body)),
                        quote!(toolkit::json_body(body).map(Self::#variant)),
                    )
                }
                Content::Text => (
                    quote!((::std::string::String)),
                    quote!(Ok(Self::#variant(toolkit::text_body(body)))),
                ),
                Content::Empty => (quote!(), quote!(Ok(Self::#variant))),
            };
            variants.extend(quote!(#docs #variant #field,));
            is_complete |= status == StatusCode::Default;
            let pattern = status_pattern(status);
            arms.extend(quote!(#pattern => #read,));
        }
        let others = (!is_complete).then(|| quote!(_ => Err(toolkit::unlisted()),));
        quote! {
            #docs_of_enum
            #gate
            #[derive(Clone, Debug, PartialEq)]
            #[non_exhaustive]
            pub enum #name {
                #variants
            }

            #gate
            impl toolkit::ByStatus for #name {
                fn read(status: u16, body: &[u8]) -> toolkit::JsonResult<Self> {
                    match status {
                        #arms
                        #others
                    }
                }
            }
        }
    }

    /// Writes an alias for the type of each body that the service sends.
    pub(super) fn callbacks(&self) -> Option<TokenStream> {
        let (mut aliases, mut met) = (TokenStream::new(), BTreeSet::new());
        for request in &self.plan.outgoing {
            let Some((_, media)) = request.body else {
                continue;
            };
            let mut name = pascal(&request.name);
            while !met.insert(name.clone()) {
                name.push('2');
            }
            let name = ident(&name);
            let description = request.operation.description.as_deref();
            let text = description.or(request.operation.summary.as_deref());
            let about = format!("The body of {}", request.about);
            let docs = docs([about, super::described(text)]);
            let body = self.type_of_body(media.schema.as_ref());
            aliases.extend(quote!(#docs pub type #name = #body;));
        }
        let code = quote! {
            use super::types;

            #aliases
        };
        (!aliases.is_empty()).then_some(code)
    }

    /// Returns the type of a JSON body, as written in a module beside `types`.
    fn type_of_body(&self, schema: Option<&Schema>) -> TokenStream {
        match schema.and_then(|schema| self.type_ident(schema)) {
            Some(ident) => quote!(types::#ident),
            None => quote!(::serde_json::Value),
        }
    }

    /// Returns the type of a schema, if it has a name.
    pub(super) fn type_ident(&self, schema: &Schema) -> Option<&Ident> {
        self.idents.get(&folded(type_name(schema, self.names)?))
    }
}
