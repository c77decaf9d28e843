//! Strings with a length or a pattern.

use super::{escape_braces, format_part, rule_docs};
use crate::{
    models::{metadata, types::plain},
    names::ident,
    plan::ir::{Item, Scalar, TextRule},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// A string with rules.
pub(super) fn text(item: &Item, scalar: &Scalar, rule: &TextRule) -> TokenStream {
    let name = ident(&item.name);
    let words = length_words(rule)
        .map(|words| format!("a text that {}", words.replacen("must have", "has", 1)));
    let words = words.unwrap_or_else(|| "a text".to_owned());
    let docs = rule_docs(
        item,
        &match &rule.pattern {
            Some((pattern, _)) if !pattern.contains(['`', '\n']) => {
                format!("{words}, of the pattern `{pattern}`")
            }
            _ => words,
        },
    );

    let inner = plain(scalar);
    let (statics, checks) = text_checks(rule);
    let some = |bound: Option<u64>| match bound.and_then(|bound| u32::try_from(bound).ok()) {
        Some(bound) => {
            let bound = Literal::u32_unsuffixed(bound);
            quote!(Some(#bound))
        }
        None => quote!(None),
    };
    let (min, max) = (some(rule.min), some(rule.max));
    let pattern = match &rule.pattern {
        Some((pattern, _)) => quote!(Some(#pattern.to_owned())),
        None => quote!(None),
    };
    let format = match scalar {
        Scalar::Text { format } => format_part(format.as_deref()),
        _ => TokenStream::new(),
    };
    let schema = metadata::leaf(
        item,
        quote!(_),
        quote! {
            instance_type: Some(InstanceType::String.into()),
            #format
            string: Some(Box::new(StringValidation { min_length: #min, max_length: #max, pattern: #pattern })),
        },
    );
    quote! {
        #docs
        #[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        #[serde(try_from = #inner)]
        pub struct #name(pub(super) String);

        impl #name {
            #[doc = " The text."]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for #name {
            type Error = Violation;

            fn try_from(value: String) -> Result<Self, Violation> {
                #statics
                #checks
                Ok(#name(value))
            }
        }

        impl From<#name> for String {
            fn from(value: #name) -> String {
                value.0
            }
        }

        impl FromStr for #name {
            type Err = Violation;

            fn from_str(text: &str) -> Result<Self, Violation> {
                text.to_owned().try_into()
            }
        }

        impl FromText for #name {
            fn from_text(text: &str) -> Result<Self, Violation> {
                text.parse()
            }
        }

        #schema
    }
}

/// The rule of the length in words.
fn length_words(rule: &TextRule) -> Option<String> {
    match (rule.min, rule.max) {
        (Some(min), Some(max)) if min == max => Some(format!("must have {min} characters")),
        (Some(min), Some(max)) => Some(format!("must have {min} to {max} characters")),
        (Some(min), None) => Some(format!("must have at least {min} characters")),
        (None, Some(max)) => Some(format!("must have at most {max} characters")),
        (None, None) => None,
    }
}

/// What checks the length and the pattern of a text.
fn text_checks(rule: &TextRule) -> (TokenStream, TokenStream) {
    let words = length_words(rule);
    let length = words.map(|words| {
        let message = format!("{words}, found {{length}}");
        let low = rule.min.map(Literal::u64_unsuffixed);
        let high = rule.max.map(Literal::u64_unsuffixed);
        let wrong = match (low, high) {
            (Some(low), Some(high)) => quote!(!(#low..=#high).contains(&length)),
            (Some(low), None) => quote!(length < #low),
            (_, Some(high)) => quote!(length > #high),
            (None, None) => quote!(false),
        };
        quote! {
            let length = value.chars().count();
            if #wrong {
                return Err(Violation::new(format!(#message)));
            }
        }
    });
    let Some((pattern, flags)) = &rule.pattern else {
        return (TokenStream::new(), quote!(#length));
    };
    let message = format!("must match `{}`, found `{{}}`", escape_braces(pattern));
    let statics = quote! {
        static PATTERN: LazyLock<regress::Regex> = LazyLock::new(|| {
            regress::Regex::with_flags(#pattern, #flags).expect("compiled when this file was generated")
        });
    };
    let checks = quote! {
        #length
        if PATTERN.find(&value).is_none() {
            return Err(Violation::new(format!(#message, support::shortened(&value))));
        }
    };
    (statics, checks)
}
