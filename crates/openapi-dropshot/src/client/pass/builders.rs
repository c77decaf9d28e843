//! Writes the constructors of objects: `new`, and the builders. A macro of the toolkit contains the code that all builders
//! share.

use super::{
    Pass, docs, docs_of_part,
    kinds::{Absent, Field, Null, argument_of, in_module, is_string},
};
use crate::client::names::folded;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

impl Pass<'_> {
    /// Writes the function `new` of an object.
    pub(super) fn constructor(&self, ident: &Ident, fields: &[Field<'_>]) -> TokenStream {
        let (mut parameters, mut values) = (Vec::new(), Vec::new());
        for field in fields {
            let Field { name, own, .. } = field;
            if field.optional {
                let value = match &field.absent {
                    Absent::Made(function) => quote!(#function()),
                    _ => quote!(::std::default::Default::default()),
                };
                values.push(quote!(#name: #value));
            } else if is_string(own) {
                parameters.push(quote!(#name: impl Into<::std::string::String>));
                values.push(quote!(#name: #name.into()));
            } else {
                parameters.push(quote!(#name: #own));
                values.push(quote!(#name));
            }
        }
        let docs = docs([
            "Creates a value from its required members, in the order of the fields; the optional ones are not set.",
        ]);
        quote! {
            impl #ident {
                #docs
                #[must_use]
                pub fn new(#(#parameters),*) -> Self {
                    Self { #(#values),* }
                }
            }
        }
    }

    /// Writes the builder of an object. Its name ends in `Builder`, so that the compiler error
    /// `expected NewBook, found NewBookBuilder` shows that `build` is missing. The old name is kept as an alias.
    pub(super) fn builder_of_type(&self, ident: &Ident, fields: &[Field<'_>]) -> TokenStream {
        let long = format_ident!("{ident}Builder");
        let other = self.idents.get(&folded(&long.to_string()));
        let (builder, alias) = if other == Some(&long) && self.fields(&long).is_some() {
            (ident, None)
        } else {
            let text = docs([format!("The builder of [`{ident}`](super::{ident}).")]);
            (&long, Some(quote!(#text pub type #ident = #long;)))
        };
        let example = self.type_example(ident);
        let text = format!(
            "Builds a value of [`{ident}`](super::{ident}) field by field; `build` ends it."
        );
        let builder_docs = docs([&text, &example]);
        let names: Vec<&Ident> = fields.iter().map(|field| &field.name).collect();
        let held = fields.iter().map(|field| {
            let target = in_module(&field.own, "super");
            match field.null.is_wrapped() {
                true => quote!(::std::option::Option<#target>),
                false => quote!(#target),
            }
        });
        let initial = fields.iter().map(|field| match &field.absent {
            Absent::Default => quote!(Ok(Default::default())),
            Absent::Made(function) => quote!(Ok(super::#function())),
            Absent::Rejected => {
                let (wire, setter) = (&field.wire, field.name.to_string());
                let setter = setter.trim_start_matches("r#");
                quote!(toolkit::missing(#wire, #setter))
            }
        });
        let setters = fields.iter().map(|field| self.field_setter(field));
        let has_build = fields.iter().any(|field| field.name == "build");
        let without = has_build.then(|| quote!(without build));
        quote! {
            #builder_docs
            #[derive(Clone, Debug)]
            #[must_use = "a builder is not a value: call `build`, or pass it to `body`"]
            pub struct #builder {
                #(#names: toolkit::Member<#held>,)*
            }

            #alias

            toolkit::builder!(#without #ident #(, #names = #initial)*);

            impl #ident {
                #(#setters)*
            }
        }
    }

    fn field_setter(&self, field: &Field<'_>) -> TokenStream {
        let (name, wire) = (&field.name, &field.wire);
        let (text, deprecation) = self.words_of_property(wire, field.property);
        let note = match field.null {
            Null::Outside => {
                "`None` is sent as `null`. The member is absent if it is not set at all."
            }
            Null::Collection | Null::Plain | Null::Inside => "",
        };
        // If the member may be `null`, `None` is sent as `null`. An empty list is sent as an empty list.
        let given = (field.null == Null::Outside).then(|| quote!(.map(Some)));
        let (docs, deprecated) = docs_of_part(&text, deprecation.as_ref(), &[note]);
        let target = in_module(&field.own, "super");
        let inner = match field.null {
            Null::Collection => Some(target.clone()),
            _ => argument_of(&target, "Option").filter(|_| field.optional),
        };
        if let Some(inner) = inner {
            return quote! {
                #docs
                #deprecated
                pub fn #name<T: toolkit::IntoOptional<#inner, M>, M>(mut self, value: T) -> Self {
                    self.#name = toolkit::optional_member(value, #wire)#given;
                    self
                }
            };
        }
        quote! {
            #docs
            #deprecated
            pub fn #name<T: toolkit::IntoMember<#target>>(mut self, value: T) -> Self {
                self.#name = value.into_member(#wire)#given;
                self
            }
        }
    }
}
