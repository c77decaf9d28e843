//! Writes integers and numbers with bounds, and enumerations of integers.

use super::{
    leaves::{rule_docs, typed},
    metadata::{json_schema, keyword},
    types::{plain, tokens},
};
use crate::{
    names::ident,
    plan::{
        defaults,
        ir::{Base, Bounds, IntegerRule, Item, Scalar},
    },
};
use openapi_dropshot_contract::model::Node;
use proc_macro2::TokenStream;
use quote::quote;

/// Writes the struct of a checked number, its rules and its schema. A macro implements the rest.
fn number_type(
    item: &Item,
    inner: &str,
    consts: Option<TokenStream>,
    check: TokenStream,
    expected: &str,
    schema: Vec<TokenStream>,
) -> TokenStream {
    let (name, inner_type) = (ident(&item.name), tokens(inner));
    let docs = rule_docs(item, expected);
    let exact = (inner != "f64").then(|| quote!(Eq, Hash, Ord,));
    let consts = consts.map(|consts| quote!(impl #name { #consts }));
    let schema = json_schema(item, schema);
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, Deserialize, #exact PartialEq, PartialOrd, Serialize)]
        #[serde(try_from = #inner)]
        pub struct #name(pub(super) #inner_type);

        #consts

        impl openapi_dropshot_types::CheckedNumber for #name {
            type Number = #inner_type;

            const EXPECTED: &'static str = #expected;

            fn is_valid(value: #inner_type) -> bool {
                #check
            }
        }

        #schema
    }
}

/// Combines checks with `&&`.
fn all(checks: impl IntoIterator<Item = Option<TokenStream>>) -> TokenStream {
    let mut checks = checks.into_iter().flatten().peekable();
    match checks.peek() {
        Some(_) => quote!(#(#checks)&&*),
        None => quote!(true),
    }
}

/// Writes the type of an integer with bounds.
pub(super) fn integer(item: &Item, scalar: &Scalar, base: Base, rule: &IntegerRule) -> TokenStream {
    let name = ident(&item.name);
    // MIN and MAX must be valid values, so they are the nearest multiples within the bounds.
    let (least, greatest) = match rule.multiple_of {
        Some(step) => (
            rule.least + (-rule.least).rem_euclid(step),
            rule.greatest - rule.greatest.rem_euclid(step),
        ),
        None => (rule.least, rule.greatest),
    };
    let [low, high] = [least, greatest].map(|bound| defaults::number(base, bound));
    let mut expected = format!("an integer from {least} to {greatest}");
    if let Some(step) = rule.multiple_of {
        expected.push_str(&format!(" and a multiple of {step}"));
    }
    let check = all([
        (least != base.least).then(|| quote!(value >= #low)),
        (greatest != base.greatest).then(|| quote!(value <= #high)),
        rule.multiple_of.map(|step| {
            let step = defaults::number(base, step.min(base.greatest));
            quote!(value % #step == 0)
        }),
    ]);
    let consts = quote! {
        #[doc = " The least value."]
        pub const MIN: #name = #name(#low);
        #[doc = " The greatest value."]
        pub const MAX: #name = #name(#high);
    };
    let mut schema = typed(scalar);
    schema.extend(keywords(&rule.written));
    number_type(item, base.name, Some(consts), check, &expected, schema)
}

/// Writes the type of an enumeration of integers, numbers or booleans.
pub(super) fn one_of(item: &Item, scalar: &Scalar, values: &[Node]) -> TokenStream {
    let name = ident(&item.name);
    let literals = (values.iter()).filter_map(|value| defaults::scalar_value(scalar, value));
    let consts = quote! {
        #[doc = " All values, in the order of the document."]
        pub const ALL: &'static [#name] = &[#(#name(#literals)),*];
    };
    let list = values.iter().map(|value| value.to_json().to_string());
    let list: Vec<String> = list.collect();
    let expected = format!("one of {}", list.join(", "));
    let check = quote!(#name::ALL.contains(&#name(value)));
    let mut schema = typed(scalar);
    schema.push(keyword("enum", quote!(#name::ALL)));
    number_type(item, plain(scalar), Some(consts), check, &expected, schema)
}

/// Writes the type of a number with bounds.
pub(super) fn number(item: &Item, scalar: &Scalar, written: &Bounds) -> TokenStream {
    let mut expected = "a number".to_owned();
    let bounds = [
        ("from", quote!(>=), written.minimum),
        ("above", quote!(>), written.exclusive_minimum),
        ("to", quote!(<=), written.maximum),
        ("below", quote!(<), written.exclusive_maximum),
    ];
    let bounds = bounds.map(|(word, operator, bound)| {
        let bound = bound?;
        expected.push_str(&format!(" {word} {bound}"));
        let bound = defaults::float(bound);
        Some(quote!(value #operator #bound))
    });
    let step = written.multiple_of.map(|step| {
        expected.push_str(&format!(" that is a multiple of {step}"));
        let literal = defaults::float(step);
        match step.fract() == 0.0 {
            true => quote!(value % #literal == 0.0),
            false => quote!(openapi_dropshot_types::rules::is_multiple(value, #literal)),
        }
    });
    let check = all(bounds.into_iter().chain([step]));
    let mut schema = typed(scalar);
    schema.extend(keywords(written));
    number_type(item, "f64", None, check, &expected, schema)
}

/// Returns the keywords of the bounds of a schema.
fn keywords(written: &Bounds) -> impl Iterator<Item = TokenStream> {
    let bounds = [
        ("minimum", written.minimum),
        ("exclusiveMinimum", written.exclusive_minimum),
        ("maximum", written.maximum),
        ("exclusiveMaximum", written.exclusive_maximum),
        ("multipleOf", written.multiple_of),
    ];
    bounds.into_iter().filter_map(|(name, bound)| {
        let bound = defaults::float(bound?);
        Some(keyword(name, bound))
    })
}
