//! Writes what makes values of the objects: `new`, and the builders.

use super::{
    Pass, docs, docs_of_part,
    examples::type_text,
    kinds::{Absent, Field, Null, argument_of, in_module, is_string},
};
use crate::client::names::folded;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

impl Pass<'_> {
    /// Writes `new` of an object.
    pub(super) fn constructor(&self, ident: &Ident, fields: &[Field<'_>]) -> TokenStream {
        let (mut parameters, mut values, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
        for field in fields {
            let Field { name, own, .. } = field;
            if field.optional {
                let value = match &field.absent {
                    Absent::Made(function) => quote!(#function()),
                    _ => quote!(::std::default::Default::default()),
                };
                values.push(quote!(#name: #value));
                continue;
            }
            arguments.push(format!("{name}: {}", type_text(&field.target)));
            if is_string(own) {
                parameters.push(quote!(#name: impl Into<::std::string::String>));
                values.push(quote!(#name: #name.into()));
            } else {
                parameters.push(quote!(#name: #own));
                values.push(quote!(#name));
            }
        }
        let names = fields
            .iter()
            .filter(|field| !field.optional)
            .map(|field| &field.name);
        let example = self.example_code(
            &format!("fn example({}) {{", arguments.join(", ")),
            &quote! {
                let value = types::#ident::new(#(#names),*);
                println!("{value:?}");
            },
            "}",
        );
        let docs = docs([
            "Makes a value of its required members, in the order of the fields; the optional ones are not set.",
            &example,
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

    /// Writes the function of an object that starts its builder.
    pub(super) fn builder_entry(&self, ident: &Ident) -> TokenStream {
        let text = format!("Builds a value of [`{ident}`] field by field.");
        let docs = docs([&text, &self.type_example(ident)]);
        quote! {
            impl #ident {
                #docs
                pub fn builder() -> builder::#ident {
                    Default::default()
                }
            }
        }
    }

    /// Writes the builder of an object. It is named after its type and what it is: the compiler prints the name where a value of
    /// the type is expected, and `expected NewBook, found NewBookBuilder` shows that `build` is missing; a second `NewBook` would
    /// not. The earlier name stays as an alias.
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
            match field.null {
                Null::Outside => quote!(::std::option::Option<#target>),
                _ => quote!(#target),
            }
        });
        let initial = fields.iter().map(|field| match &field.absent {
            Absent::Default => quote!(Ok(Default::default())),
            Absent::Made(function) => quote!(Ok(super::#function())),
            Absent::Rejected => {
                let message = format!("`{}` is required: set it with `{}`", field.wire, field.name);
                quote!(Err(#message.to_string()))
            }
        });
        let setters = fields.iter().map(|field| self.field_setter(ident, field));
        let has_build = fields.iter().any(|field| field.name == "build");
        let build = (!has_build).then(|| {
            let docs = docs([
                "Returns the value.",
                "# Errors",
                "A required member is not set, or a value is not valid. The error names the member.",
                &example,
            ]);
            quote! {
                #docs
                pub fn build(self) -> ::std::result::Result<super::#ident, super::error::ConversionError> {
                    self.try_into()
                }
            }
        });
        let value = format_ident!("{}", if fields.is_empty() { "_value" } else { "value" });
        quote! {
            #builder_docs
            #[derive(Clone, Debug)]
            #[must_use = "a builder is not a value: call `build`, or hand it to `body`"]
            pub struct #builder {
                #(#names: ::std::result::Result<#held, ::std::string::String>,)*
            }

            #alias

            impl ::std::default::Default for #ident {
                fn default() -> Self {
                    Self {
                        #(#names: #initial,)*
                    }
                }
            }

            impl #ident {
                #(#setters)*
                #build
            }

            impl ::std::convert::TryFrom<#ident> for super::#ident {
                type Error = super::error::ConversionError;

                fn try_from(#value: #ident) -> ::std::result::Result<Self, super::error::ConversionError> {
                    Ok(Self {
                        #(#names: value.#names?,)*
                    })
                }
            }

            impl ::std::convert::From<super::#ident> for #ident {
                fn from(#value: super::#ident) -> Self {
                    Self {
                        #(#names: Ok(value.#names),)*
                    }
                }
            }
        }
    }

    /// Writes the setter of a field.
    fn field_setter(&self, owner: &Ident, field: &Field<'_>) -> TokenStream {
        let Field {
            name,
            wire,
            property,
            ..
        } = field;
        // `None` was given, so it is `null`.
        let (given, note) = match field.null {
            Null::Outside => (
                Some(quote!(.map(Some))),
                "`None` is sent as `null`. The member is absent if it is not set at all.",
            ),
            _ => (None, ""),
        };
        let (text, deprecation) = self.words_of_property(wire, *property);
        let others = [note, &self.field_example(owner, field)];
        let (docs, deprecated) = docs_of_part(&text, deprecation.as_ref(), &others);
        let target = in_module(&field.own, "super");
        let message = format!("`{wire}` is not valid: {{e}}");
        if let Some(inner) = argument_of(&target, "Option").filter(|_| field.optional) {
            return quote! {
                #docs
                #deprecated
                pub fn #name<T, M>(mut self, value: T) -> Self
                where
                    T: ::openapi_dropshot_client::generated::IntoOptional<#inner, M>,
                {
                    self.#name = ::openapi_dropshot_client::generated::optional(value)#given.map_err(|e| format!(#message));
                    self
                }
            };
        }
        quote! {
            #docs
            #deprecated
            pub fn #name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<#target>,
                T::Error: ::std::fmt::Display,
            {
                self.#name = value.try_into()#given.map_err(|e| format!(#message));
                self
            }
        }
    }
}
