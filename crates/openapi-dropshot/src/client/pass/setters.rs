//! Writes the setters of the builder of a request.

use super::{
    Pass, bounds, deprecated_attribute, described, docs, part_deprecation,
    requests::{Body, Request, Setter},
};
use crate::{client::document::separator, lifecycle::stability_sentence};
use openapi_dropshot_contract::model::{Parameter, ParameterIn, Stability};
use proc_macro2::TokenStream;
use quote::quote;

impl Pass<'_> {
    /// Writes a setter. It checks bounds, so that no value is sent that the service would reject.
    pub(super) fn setter(&self, setter: &Setter<'_>) -> TokenStream {
        let (parameter, name, target) = (setter.parameter, &setter.name, &setter.target);
        let wire = &parameter.name.value;
        let schema = parameter.schema.as_ref();
        let bounds = schema.and_then(|schema| bounds::of(schema, target));
        let value = match &bounds {
            Some(bounds) => {
                let (condition, description) = (&bounds.condition, &bounds.description);
                quote!(within::<#target, V>(value, #description, |&value| #condition))
            }
            None => quote!(convert::<#target, V>(value)),
        };
        let value = quote!(toolkit::#value);
        let set = match (separator(self.document, parameter), parameter.location) {
            _ if parameter.json().is_some() => quote!(set_json(#wire, #value)),
            (Some(','), _) => quote!(set_joined(#wire, #value)),
            (Some(separator), _) => quote!(set_separated(#wire, #separator, #value)),
            (None, ParameterIn::Query) => quote!(set_query(#wire, #value)),
            (None, _) => quote!(set_text(#wire, #value)),
        };
        let description = || {
            let schema = self.document.resolve(parameter.value()?)?;
            schema.description.as_deref()
        };
        let mut paragraphs = vec![
            match parameter.description.as_deref().or_else(description) {
                Some(description) => described(Some(description)),
                None => format!("Sets `{wire}`."),
            },
        ];
        paragraphs.extend(bounds.map(|bounds| {
            let description = bounds.description;
            format!("Must be {description}; any other value is rejected before anything is sent.")
        }));
        paragraphs.extend(schema.and_then(bounds::of_list));
        paragraphs.extend(parameter.required.then(|| "Required.".to_owned()));
        paragraphs.extend(part_stability(parameter));
        let deprecation = part_deprecation(parameter.deprecated, &parameter.extensions);
        paragraphs.extend(deprecation.as_ref().map(|note| note.sentence.clone()));
        let docs = docs(paragraphs);
        let deprecated = deprecation.as_ref().map(deprecated_attribute);
        quote! {
            #docs
            #deprecated
            pub fn #name<V>(mut self, value: V) -> Self
            where
                V: ::std::convert::TryInto<#target>,
                V::Error: ::std::fmt::Display,
            {
                self.call.#set;
                self
            }
        }
    }

    /// Writes `body`, and `body_map` if the body has a builder.
    pub(super) fn body_setters(&self, request: &Request<'_>, body: &Body<'_>) -> TokenStream {
        let Body { target, held, .. } = body;
        let declared = request.operation.request_body.as_ref();
        let description = described(declared.and_then(|body| body.description.as_deref()));
        let body_docs = if !body.required {
            let first = "Sets the body. Without it, the request has none.";
            docs([first, &description])
        } else if body.line().is_some() {
            let last = "Takes the [`Lines`](super::Lines) of a stream, or a `Vec`.";
            docs([&description, last])
        } else if let Some((form, _)) = self.form_of(request) {
            let form = format!(
                "Takes a [`{form}`](super::forms::{form}), or the [`Multipart`](::openapi_dropshot_client::Multipart) of any parts."
            );
            docs(["Sets the body.", &description, &form])
        } else if description.is_empty() {
            docs(["Sets the body."])
        } else {
            docs([&description, "Takes a value, or the builder of one."])
        };
        let map = (held != target).then(|| {
            let fields = self.fields_of(target);
            let change = |request| assign(quote!(#request.body_map(|body| body #fields)));
            let example = self.request_example(request, "fn", |_| false, change);
            let first = "Changes the body step by step with its builder.";
            let docs = docs([first, &description, &example]);
            quote! {
                #docs
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
            #body_docs
            pub fn body<V>(mut self, value: V) -> Self
            where
                V: toolkit::IntoBody<#target>,
            {
                self.body.set::<#target, V>(value);
                self
            }
            #map
        }
    }
}

/// Returns the statement of an example that assigns a request to a variable.
pub(super) fn assign(request: TokenStream) -> TokenStream {
    quote!(let request = #request;)
}

/// Returns a sentence about the stability of a parameter, if it is not stable.
fn part_stability(parameter: &Parameter) -> Option<String> {
    let level = parameter.extensions.get("x-stability-level")?.as_str()?;
    let sentence = stability_sentence(Stability::from_word(level))?;
    Some(sentence.to_owned())
}
