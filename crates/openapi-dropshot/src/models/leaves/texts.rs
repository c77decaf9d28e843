//! Writes strings with a length or a pattern.

use super::{format_part, rule_docs};
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
    let length = length_range(rule).map(|range| format!("a text that has {range}"));
    let words = length.unwrap_or_else(|| "a text".to_owned());
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
    let bound = |bound: Option<u64>| match bound.map(Literal::u64_unsuffixed) {
        Some(bound) => quote!(Some(#bound)),
        None => quote!(None),
    };
    let (least, greatest) = (bound(rule.min), bound(rule.max));
    let compiled = match &rule.pattern {
        Some((pattern, flags)) => {
            quote!(Some(openapi_dropshot_types::rules::Pattern::new(#pattern, #flags)))
        }
        None => quote!(None),
    };
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
        }

        #schema
    }
}

/// The range of the length in words.
fn length_range(rule: &TextRule) -> Option<String> {
    match (rule.min, rule.max) {
        (Some(min), Some(max)) if min == max => Some(format!("{min} characters")),
        (Some(min), Some(max)) => Some(format!("{min} to {max} characters")),
        (Some(min), None) => Some(format!("at least {min} characters")),
        (None, Some(max)) => Some(format!("at most {max} characters")),
        (None, None) => None,
    }
}
