//! Keeps enumerations of strings open: a value that a later document adds is kept as it was received, while progenitor's
//! code would reject the whole response.

use proc_macro2::TokenStream;
use syn::{Ident, Item, ItemEnum, parse_quote};

/// The enumeration with a variant for unknown values, and the code that reads and writes it.
///
/// `text_docs` is the documentation of its `as_str`.
pub(super) fn open(
    mut choice: ItemEnum,
    values: &[(String, Ident)],
    text_docs: &TokenStream,
) -> Vec<Item> {
    let ident = choice.ident.clone();
    let unknown = unused(values);
    // An unknown value owns its text, so the enum cannot be `Copy`. `OpenEnum` reads a known value without copying its
    // text, which serde's `untagged` would copy.
    let derives = choice
        .attrs
        .iter_mut()
        .find(|attribute| attribute.path().is_ident("derive"));
    if let Some(derives) = derives {
        *derives = parse_quote!(#[derive(::serde::Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]);
    }
    choice.variants.push(parse_quote! {
        /// A value that this version of the client does not know, as it was received.
        #[serde(untagged)]
        #unknown(::std::string::String)
    });
    let (wires, names): (Vec<_>, Vec<_>) = values.iter().map(|(wire, name)| (wire, name)).unzip();
    let code: syn::File = parse_quote! {
            #choice

            impl ::openapi_dropshot_client::generated::OpenEnum for #ident {
                const KNOWN: &'static [(&'static str, Self)] = &[#((#wires, Self::#names)),*];
                fn unknown(value: String) -> Self {
                    Self::#unknown(value)
                }
            }

            impl<'de> ::serde::Deserialize<'de> for #ident {
                fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    ::openapi_dropshot_client::generated::OpenEnum::deserialize_open(deserializer)
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

            impl ::std::fmt::Display for #ident {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    f.write_str(self.as_str())
                }
            }

            impl ::std::str::FromStr for #ident {
                type Err = self::error::ConversionError;
                fn from_str(value: &str) -> Result<Self, self::error::ConversionError> {
                    ::openapi_dropshot_client::generated::OpenEnum::parse(value).map_err(Into::into)
                }
            }
    };
    code.items
}

/// A name for the variant of unknown values that no value has.
fn unused(values: &[(String, Ident)]) -> Ident {
    let mut name = "Unknown".to_owned();
    while values.iter().any(|(_, ident)| *ident == name) {
        name.push_str("Value");
    }
    crate::names::ident(&name)
}
