//! Leaves: enumerations of strings and scalars with rules. They check what they
//! are made of, and write their schema by hand, so that it says the rules too.

mod numbers;
mod texts;

use super::{metadata, structs::default_impl};
use crate::{
    docs::code,
    names::ident,
    plan::{
        Plan,
        ir::{Checked, Item, Rule, Scalar, Word},
    },
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// An enumeration of strings.
pub(super) fn words(plan: &Plan<'_>, item: &Item, words: &[Word]) -> TokenStream {
    let (name, docs) = (ident(&item.name), item.docs.attributes());
    let variants: Vec<Ident> = words.iter().map(|word| ident(&word.variant)).collect();
    let values: Vec<&str> = words.iter().map(|word| word.value.as_str()).collect();
    let about = values.iter().map(|value| format!(" {}", code(value)));
    let expected = values
        .iter()
        .map(|value| format!("`{value}`"))
        .collect::<Vec<_>>()
        .join(", ");
    let expected = match values.as_slice() {
        [_] => format!(
            "must be {expected}, found `{{}}`",
            expected = escape_braces(&expected)
        ),
        _ => format!(
            "must be one of {expected}, found `{{}}`",
            expected = escape_braces(&expected)
        ),
    };
    let schema = metadata::leaf(
        item,
        quote!(_),
        quote! {
            instance_type: Some(InstanceType::String.into()),
            enum_values: Some(#name::ALL.iter().map(|value| value.as_str().into()).collect()),
        },
    );
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

        impl FromStr for #name {
            type Err = Violation;

            fn from_str(text: &str) -> Result<Self, Violation> {
                match text {
                    #(#values => Ok(#name::#variants),)*
                    other => Err(Violation::new(format!(#expected, support::shortened(other)))),
                }
            }
        }

        #schema
    }
}

fn escape_braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
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
    let name = ident(&item.name);
    quote! {
        #own
        #default
        impl fmt::Display for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    }
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
