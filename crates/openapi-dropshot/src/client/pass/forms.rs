//! Writes a type for the form of each operation that takes a form in parts. The type has a method for
//! each part.

use super::{Pass, described, docs, docs_of_part, part_deprecation, requests::Request};
use crate::{
    client::plan::Sent,
    names::{Names, ident, snake},
    plan::{FormProperty, form_properties},
};
use openapi_dropshot_contract::model::Type;
use openapi_dropshot_types::is_json;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

impl Pass<'_> {
    /// Writes the forms of all requests that have a form.
    pub(super) fn forms(&self, requests: &[Request<'_>]) -> Option<TokenStream> {
        let forms: TokenStream = requests.iter().filter_map(|own| self.form(own)).collect();
        let code = quote! {
            use ::openapi_dropshot_client::{FilePart, Multipart, generated as toolkit};
            use super::types;

            #forms
        };
        (!forms.is_empty()).then_some(code)
    }

    /// Returns the name of the type of a form, and its parts; `None` if the document does not list them.
    pub(super) fn form_of<'r>(
        &'r self,
        request: &'r Request<'_>,
    ) -> Option<(Ident, Vec<FormProperty<'r>>)> {
        let body = request.body.as_ref()?;
        let body = Some(body).filter(|body| body.how == Sent::Parts)?;
        let (properties, _) = form_properties(self.document, body.media).ok()?;
        Some((request.type_named("Form"), properties))
    }

    fn form(&self, request: &Request<'_>) -> Option<TokenStream> {
        let (name, properties) = self.form_of(request)?;
        let (method, gate) = (&request.method, &request.gate);
        let deprecated = &request.deprecated;
        let mut methods = Names::without(["new"]);
        let (mut arguments, mut required, mut setters) = (Vec::new(), Vec::new(), Vec::new());
        for property in &properties {
            let wire = property.wire;
            let method = ident(&methods.claim(&snake(wire)));
            let (argument, add) = self.part(property, &method);
            if property.is_required {
                arguments.push(quote!(#method: #argument));
                required.push(add.clone());
            }
            let what = match (property.list, property.is_required) {
                (None, true) => continue,
                (None, false) => format!("Adds the part `{wire}`."),
                (Some(_), _) => format!("Adds parts with the name `{wire}`."),
            };
            let text = property.schema.description.as_deref();
            let text = text.or(property.inner.description.as_deref());
            let (deprecated, extensions) =
                (property.schema.deprecated, &property.schema.extensions);
            let note = part_deprecation(deprecated, extensions);
            let (docs, deprecated) = docs_of_part(&what, note.as_ref(), &[&described(text)]);
            setters.push(quote! {
                #docs
                #deprecated
                pub fn #method(self, #method: #argument) -> Self {
                    let form = self.0;
                    Self(#add)
                }
            });
        }
        let docs = docs([format!(
            "The form of [`Client::{method}`](super::Client::{method}). Its parts are sent in the order in which they are added."
        )]);
        Some(quote! {
            #docs
            #deprecated
            #gate
            #[derive(Debug)]
            #[must_use = "it is sent with a request"]
            pub struct #name(Multipart);

            #gate
            impl #name {
                /// A form with the parts that are required.
                pub fn new(#(#arguments),*) -> Self {
                    let form = Multipart::new();
                    #(let form = #required;)*
                    Self(form)
                }
                #(#setters)*
            }

            /// For parts that the document does not list.
            #gate
            impl From<#name> for Multipart {
                fn from(form: #name) -> Self {
                    form.0
                }
            }
        })
    }

    /// Returns the type of an argument that adds one or several parts, and the code that adds it to
    /// `form`.
    fn part(&self, property: &FormProperty<'_>, argument: &Ident) -> (TokenStream, TokenStream) {
        let (wire, inner) = (property.wire, property.inner);
        let item = format_ident!("item");
        let part = property.list.map_or(argument, |_| &item);
        let add = match is_json(property.media_types) {
            true => quote!(json),
            false => quote!(value),
        };
        let of = |ty: TokenStream| (ty, quote!(form.#add(#wire, &#part)));
        let (ty, add) = if property.is_file() {
            (quote!(FilePart), quote!(form.attach(#wire, #part)))
        } else if let Some(component) = self.type_ident(property.each) {
            (
                quote!(impl toolkit::IntoBody<types::#component>),
                quote!(toolkit::part::<types::#component>(form, #wire, #part, Multipart::#add)),
            )
        } else {
            match inner.kind() {
                Some(Type::String) => (
                    quote!(impl AsRef<str>),
                    quote!(form.#add(#wire, #part.as_ref())),
                ),
                Some(Type::Integer) => of(quote!(i64)),
                Some(Type::Number) => of(quote!(f64)),
                Some(Type::Boolean) => of(quote!(bool)),
                _ => of(quote!(impl ::serde::Serialize)),
            }
        };
        match property.list {
            None => (ty, add),
            Some(_) => (
                quote!(impl IntoIterator<Item = #ty>),
                quote!(#argument.into_iter().fold(form, |form, #item| #add)),
            ),
        }
    }
}
