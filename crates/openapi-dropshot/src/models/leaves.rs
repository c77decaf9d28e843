//! Writes enumerations of strings, and scalars with rules. They check their value when they are
//! created, and their implementation of `JsonSchema` contains the rules.

use super::{
    metadata::{bounds, json_schema, keyword},
    numbers,
    structs::default_impl,
    types::plain,
};
use crate::{
    docs::{code, harmless, one_line},
    names::ident,
    plan::{
        Plan,
        ir::{Checked, Item, Part, Rule, Scalar, TextRule, Word},
    },
    render::option,
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// An enumeration of strings.
pub(super) fn words(plan: &Plan<'_>, item: &Item, words: &[Word]) -> TokenStream {
    let (name, docs) = (ident(&item.name), item.docs.attributes());
    let variants: Vec<Ident> = words.iter().map(|word| ident(&word.variant)).collect();
    let values: Vec<&str> = words.iter().map(|word| word.value.as_str()).collect();
    let about = words.iter().map(|word| {
        let part = word.part.as_ref();
        match part.and_then(|part| part.description.as_deref()) {
            Some(text) => format!(" {}: {}", code(&word.value), harmless(&one_line(text))),
            None => format!(" {}", code(&word.value)),
        }
    });
    let default = default_impl(plan, item);
    let schema = json_schema(item, word_schema(&name, words));
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

/// Returns the values as they are in the document: all in one `enum`, or in the parts of `oneOf`,
/// each with its description.
fn word_schema(name: &Ident, words: &[Word]) -> Vec<TokenStream> {
    let parts: Vec<&Part> = words.iter().filter_map(|word| word.part.as_ref()).collect();
    if parts.is_empty() {
        return vec![
            keyword("type", "string"),
            keyword("enum", quote!(#name::ALL)),
        ];
    }
    let mut seen = std::collections::BTreeSet::new();
    let parts = parts.into_iter().filter(|part| seen.insert(part.index));
    let alternatives = parts.map(|part| {
        let is_own = |word: &&Word| {
            word.part
                .as_ref()
                .is_some_and(|own| own.index == part.index)
        };
        let values = words.iter().filter(is_own).map(|word| &word.value);
        let title = part.title.as_ref().map(|text| quote!("title": #text,));
        let description = part.description.as_ref();
        let description = description.map(|text| quote!("description": #text,));
        quote!({ "type": "string", "enum": [#(#values),*], #title #description })
    });
    vec![keyword("oneOf", quote!([#(#alternatives),*]))]
}

/// A scalar with rules.
pub(super) fn checked(plan: &Plan<'_>, item: &Item, checked: &Checked) -> TokenStream {
    let default = default_impl(plan, item);
    let scalar = &checked.scalar;
    let own = match (&checked.rule, scalar) {
        (Rule::Integer(rule), Scalar::Integer { base, .. }) => {
            numbers::integer(item, scalar, *base, rule)
        }
        (Rule::OneOf(values), _) => numbers::one_of(item, scalar, values),
        (Rule::Number(rule), _) => numbers::number(item, scalar, rule),
        (Rule::Text(rule), _) => text(item, scalar, rule),
        // The planner creates no other combination.
        (Rule::Integer(_), _) => TokenStream::new(),
    };
    quote!(#own #default)
}

/// Writes the type of a string with rules.
fn text(item: &Item, scalar: &Scalar, rule: &TextRule) -> TokenStream {
    let length = match (rule.min, rule.max) {
        (Some(min), Some(max)) if min == max => format!(" that has {min} characters"),
        (Some(min), Some(max)) => format!(" that has {min} to {max} characters"),
        (Some(min), None) => format!(" that has at least {min} characters"),
        (None, Some(max)) => format!(" that has at most {max} characters"),
        (None, None) => String::new(),
    };
    let pattern = match &rule.pattern {
        Some((pattern, _)) if !pattern.contains(['`', '\n']) => {
            format!(", of the pattern `{pattern}`")
        }
        _ => String::new(),
    };
    let docs = rule_docs(item, &format!("a text{length}{pattern}"));
    let (name, inner) = (ident(&item.name), plain(scalar));
    let least = option(rule.min.map(Literal::u64_unsuffixed));
    let greatest = option(rule.max.map(Literal::u64_unsuffixed));
    let compiled = option(rule.pattern.as_ref().map(
        |(pattern, flags)| quote!(openapi_dropshot_types::rules::Pattern::new(#pattern, #flags)),
    ));
    let format = rule.format.map(|format| {
        let format = ident(format);
        quote! {
            fn check_format(text: &str) -> Result<(), Violation> {
                <#format as FromText>::from_text(text).map(drop)
            }
        }
    });
    let mut schema = typed(scalar);
    schema.extend(bounds(&[("minLength", rule.min), ("maxLength", rule.max)]));
    let pattern = rule.pattern.as_ref();
    schema.extend(pattern.map(|(pattern, _)| keyword("pattern", pattern)));
    let schema = json_schema(item, schema);
    quote! {
        #docs
        #[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        #[serde(try_from = #inner)]
        pub struct #name(pub(super) String);

        impl openapi_dropshot_types::CheckedString for #name {
            fn rules() -> &'static openapi_dropshot_types::rules::TextRules {
                static RULES: openapi_dropshot_types::rules::TextRules =
                    openapi_dropshot_types::rules::TextRules {
                        min: #least,
                        max: #greatest,
                        pattern: #compiled,
                    };
                &RULES
            }

            #format
        }

        #schema
    }
}

/// Returns the keyword `type` of a scalar, and `format` unless the generated type checks it.
pub(super) fn typed(scalar: &Scalar) -> Vec<TokenStream> {
    let (json_type, format) = match scalar {
        Scalar::Bool => ("boolean", None),
        Scalar::Integer { format, .. } => ("integer", format.as_ref()),
        Scalar::Number { format } => ("number", format.as_ref()),
        Scalar::Text { format } => ("string", format.as_ref()),
        Scalar::Format(_) => ("string", None),
    };
    let format = format.map(|format| keyword("format", format));
    std::iter::once(keyword("type", json_type))
        .chain(format)
        .collect()
}

/// The documentation of a checked scalar, including its rule and its default.
pub(super) fn rule_docs(item: &Item, rule: &str) -> TokenStream {
    let (first, rest) = rule.split_at(1);
    let default = match &item.default {
        Some(default) => format!("; by default {}", default.summary()),
        None => String::new(),
    };
    let note = format!("{}{rest}{default}.", first.to_uppercase());
    item.docs.clone().with_note(note).attributes()
}
