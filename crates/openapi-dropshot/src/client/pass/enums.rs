//! Keeps enumerations of strings open: a value that a later document adds is kept as it was received, while progenitor's
//! code would reject the whole response.

use std::collections::BTreeMap;
use syn::{Attribute, Fields, Item, ItemEnum, parse_quote};

/// A value of an enumeration.
pub(super) struct Value {
    ident: syn::Ident,
    wire: String,
}

/// The enumerations of strings, by name: unit variants only, with a text form.
pub(super) fn open_enums(items: &[Item]) -> BTreeMap<String, Vec<Value>> {
    let mut enums = BTreeMap::new();
    for item in items {
        let Item::Enum(choice) = item else { continue };
        let plain = choice
            .variants
            .iter()
            .all(|variant| matches!(variant.fields, Fields::Unit));
        let tagged = choice
            .attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("serde"));
        let has_text = items.iter().any(|item| has_display(item, &choice.ident));
        if plain && !tagged && has_text && !choice.variants.is_empty() {
            let values = choice
                .variants
                .iter()
                .map(|variant| Value {
                    ident: variant.ident.clone(),
                    wire: wire_name(&variant.attrs).unwrap_or_else(|| variant.ident.to_string()),
                })
                .collect();
            enums.insert(choice.ident.to_string(), values);
        }
    }
    enums
}

/// The text of each value, and its variant.
pub(super) fn pairs(values: &[Value]) -> Vec<(String, syn::Ident)> {
    let pairs = values
        .iter()
        .map(|value| (value.wire.clone(), value.ident.clone()));
    pairs.collect()
}

fn has_display(item: &Item, ident: &syn::Ident) -> bool {
    let Item::Impl(block) = item else {
        return false;
    };
    let shows = block
        .trait_
        .as_ref()
        .and_then(|(_, path, _)| path.segments.last())
        .is_some_and(|last| last.ident == "Display");
    shows && super::requests::self_ident(block) == Some(ident)
}

/// The name that serde gives a field or a variant.
pub(super) fn wire_name(attributes: &[Attribute]) -> Option<String> {
    let mut name = None;
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("serde"))
    {
        // Arguments of another form end the parsing early, which loses nothing here: a rename comes first.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                name = Some(meta.value()?.parse::<syn::LitStr>()?.value());
            } else if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            }
            Ok(())
        });
    }
    name
}

/// The enumeration with a variant for unknown values, and the code that reads and writes it.
///
/// `text_docs` is the documentation of its `as_str`.
pub(super) fn open(mut choice: ItemEnum, values: &[Value], text_docs: &[Attribute]) -> Vec<Item> {
    let ident = choice.ident.clone();
    let unknown = unused(values);
    for attribute in choice
        .attrs
        .iter_mut()
        .filter(|attribute| attribute.path().is_ident("derive"))
    {
        let Ok(paths) = attribute.parse_args_with(
            syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated,
        ) else {
            continue;
        };
        // An unknown value is owned, so nothing here is `Copy`. `OpenEnum` reads a value without copying a known one,
        // which serde's `untagged` would do.
        let derives = paths.into_iter().filter(|path| {
            let last = path.segments.last();
            last.is_none_or(|last| last.ident != "Copy" && last.ident != "Deserialize")
        });
        *attribute = parse_quote!(#[derive(#(#derives),*)]);
    }
    choice.variants.push(parse_quote! {
        /// A value that this version of the client does not know, as it was received.
        #[serde(untagged)]
        #unknown(::std::string::String)
    });
    let names: Vec<_> = values.iter().map(|value| &value.ident).collect();
    let wires: Vec<_> = values.iter().map(|value| &value.wire).collect();
    vec![
        Item::Enum(choice),
        parse_quote! {
            impl ::openapi_dropshot_client::generated::OpenEnum for #ident {
                const KNOWN: &'static [(&'static str, Self)] = &[#((#wires, Self::#names)),*];
                fn unknown(value: String) -> Self {
                    Self::#unknown(value)
                }
            }
        },
        parse_quote! {
            impl<'de> ::serde::Deserialize<'de> for #ident {
                fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    ::openapi_dropshot_client::generated::OpenEnum::deserialize_open(deserializer)
                }
            }
        },
        parse_quote! {
            impl #ident {
                #(#text_docs)*
                #[must_use]
                pub fn as_str(&self) -> &str {
                    match self {
                        #(Self::#names => #wires,)*
                        Self::#unknown(value) => value,
                    }
                }
            }
        },
        parse_quote! {
            impl ::std::fmt::Display for #ident {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    f.write_str(self.as_str())
                }
            }
        },
        parse_quote! {
            impl ::std::str::FromStr for #ident {
                type Err = self::error::ConversionError;
                fn from_str(value: &str) -> Result<Self, self::error::ConversionError> {
                    ::openapi_dropshot_client::generated::OpenEnum::parse(value).map_err(Into::into)
                }
            }
        },
    ]
}

/// A name for the variant of unknown values that no value has.
fn unused(values: &[Value]) -> syn::Ident {
    let mut name = "Unknown".to_owned();
    while values.iter().any(|value| value.ident == name) {
        name.push_str("Value");
    }
    syn::Ident::new(&name, proc_macro2::Span::call_site())
}
