//! Writes enumerations of strings and scalars with rules. They check their value
//! when they are made, and implement their schema by hand, with the rules.

mod numbers;
mod texts;

use super::{metadata, structs::default_impl};
use crate::{
    docs::{code, harmless, one_line},
    names::ident,
    plan::{
        Plan,
        ir::{Checked, Item, Part, Rule, Scalar, Word},
    },
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// An enumeration of strings.
pub(super) fn words(plan: &Plan<'_>, item: &Item, words: &[Word]) -> TokenStream {
    let (name, docs) = (ident(&item.name), item.docs.attributes());
    let variants: Vec<Ident> = words.iter().map(|word| ident(&word.variant)).collect();
    let values: Vec<&str> = words.iter().map(|word| word.value.as_str()).collect();
    let about = words.iter().map(|word| {
        let description = word
            .part
            .as_ref()
            .and_then(|part| part.description.as_deref());
        match description.map(one_line) {
            Some(words) => format!(" {}: {}", code(&word.value), harmless(&words)),
            None => format!(" {}", code(&word.value)),
        }
    });
    let schema = metadata::leaf(item, quote!(_), word_schema(&name, words));
    let default = default_impl(plan, item);
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum #name {
            #(#[doc = #about] #variants,)*
        }

        impl #name {
            #[doc = " All values, in the order of the document."]
            pub const ALL: &'static [#name] = &[#(#name::#variants),*];

            #[doc = " The value as it is sent."]
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(#name::#variants => #values,)*
                }
            }
        }

        #default

        #schema
    }
}

/// The values as the document has them: all in one `enum`, or in the parts of
/// `oneOf`, each with its words.
fn word_schema(name: &Ident, words: &[Word]) -> TokenStream {
    let parts: Vec<&Part> = words.iter().filter_map(|word| word.part.as_ref()).collect();
    if parts.is_empty() {
        return quote! {
            instance_type: Some(InstanceType::String.into()),
            enum_values: Some(#name::ALL.iter().map(|value| value.as_str().into()).collect()),
        };
    }
    let mut seen = std::collections::BTreeSet::new();
    let alternatives = parts
        .into_iter()
        .filter(|part| seen.insert(part.index))
        .map(|part| {
            let values = words
                .iter()
                .filter(|word| word.part.as_ref().is_some_and(|own| own.index == part.index))
                .map(|word| &word.value);
            let text = |name: &str, text: &Option<String>| {
                let name = ident(name);
                text.as_ref().map(|text| quote!(#name: Some(#text.to_owned()),))
            };
            let (title, description) =
                (text("title", &part.title), text("description", &part.description));
            let metadata = (title.is_some() || description.is_some()).then(|| {
                quote!(metadata: Some(Box::new(Metadata { #title #description ..Default::default() })),)
            });
            quote! {
                SchemaObject {
                    instance_type: Some(InstanceType::String.into()),
                    enum_values: Some(vec![#(#values.into()),*]),
                    #metadata
                    ..Default::default()
                }
                .into()
            }
        });
    quote! {
        subschemas: Some(Box::new(SubschemaValidation {
            one_of: Some(vec![#(#alternatives),*]),
            ..Default::default()
        })),
    }
}

/// A scalar with rules.
pub(super) fn checked(plan: &Plan<'_>, item: &Item, checked: &Checked) -> TokenStream {
    let default = default_impl(plan, item);
    let own = match (&checked.rule, &checked.scalar) {
        (Rule::Integer(rule), Scalar::Integer { base, format }) => {
            numbers::integer(item, *base, format.as_deref(), rule)
        }
        (Rule::OneOf(values), Scalar::Integer { base, format }) => {
            numbers::one_of(item, *base, format.as_deref(), values)
        }
        (Rule::Number(rule), scalar) => numbers::number(item, scalar, rule),
        (Rule::Text(rule), scalar) => texts::text(item, scalar, rule),
        // The planner makes no other pair.
        (Rule::Integer(_) | Rule::OneOf(_), _) => TokenStream::new(),
    };
    quote!(#own #default)
}

/// `format:` of a schema.
fn format_part(format: Option<&str>) -> TokenStream {
    match format {
        Some(format) => quote!(format: Some(#format.to_owned()),),
        None => TokenStream::new(),
    }
}

/// The documentation of a checked scalar: its rule and its default too.
fn rule_docs(item: &Item, rule: &str) -> TokenStream {
    let mut letters = rule.chars();
    let capital = letters
        .next()
        .map(char::to_uppercase)
        .into_iter()
        .flatten()
        .chain(letters)
        .collect::<String>();
    let default = item
        .default
        .as_ref()
        .map(|default| format!("; by default {}", default.summary()));
    item.docs
        .clone()
        .with_note(format!("{capital}{}.", default.unwrap_or_default()))
        .attributes()
}
