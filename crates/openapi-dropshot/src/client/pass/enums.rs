//! Keeps enumerations of strings open: a value that a later document adds is kept as it was received. progenitor's code
//! would reject the whole response.

use super::{Pass, docs};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, ItemEnum, parse_quote};

impl Pass<'_> {
    /// Writes an enumeration with a variant for unknown values, and the strings of its values. A macro implements the
    /// rest.
    pub(super) fn open_enum(
        &self,
        mut choice: ItemEnum,
        values: &[(String, Ident)],
    ) -> TokenStream {
        let ident = &choice.ident;
        let unknown = unused(values);
        // An unknown value owns its text, so the enum cannot be `Copy`. `OpenEnum` reads a known value without copying its
        // text, unlike serde's `untagged`.
        let mut attributes = choice.attrs.iter_mut();
        if let Some(derives) = attributes.find(|attribute| attribute.path().is_ident("derive")) {
            *derives = parse_quote!(#[derive(::serde::Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]);
        }
        choice.variants.push(parse_quote! {
            /// A value that this version of the client does not know, as it was received.
            #[serde(untagged)]
            #unknown(::std::string::String)
        });
        let (wires, names): (Vec<_>, Vec<_>) =
            values.iter().map(|(wire, name)| (wire, name)).unzip();
        let checks = values.iter().take(1);
        let checks = checks
            .map(|(text, variant)| quote!(assert_eq!(types::#ident::#variant.as_str(), #text);));
        let example = self.example_code("", &checks.collect(), "");
        let text_docs = docs(["The value as it is sent.", &example]);
        quote! {
            #choice

            impl ::openapi_dropshot_client::generated::OpenEnum for #ident {
                const KNOWN: &'static [(&'static str, Self)] = &[#((#wires, Self::#names)),*];
                fn unknown(value: String) -> Self {
                    Self::#unknown(value)
                }
            }

            impl #ident {
                #text_docs
                #[must_use]
                pub fn as_str(&self) -> &str {
                    match self {
                        #(Self::#names => #wires,)*
                        Self::#unknown(value) => value,
                    }
                }
            }
        }
    }
}

/// Returns a name for the variant of unknown values that is not the name of a known value.
fn unused(values: &[(String, Ident)]) -> Ident {
    let mut name = "Unknown".to_owned();
    while values.iter().any(|(_, ident)| *ident == name) {
        name.push_str("Value");
    }
    crate::names::ident(&name)
}
