//! Writes integers and numbers with bounds, and enumerations of integers.

use super::{format_part, rule_docs};
use crate::{
    models::{metadata, types::tokens},
    names::ident,
    plan::{
        defaults,
        ir::{Base, Bounds, IntegerRule, Item, Scalar},
    },
};
use proc_macro2::TokenStream;
use quote::quote;

/// The struct of a checked number and its rules. A macro implements the rest.
fn number_type(
    item: &Item,
    inner: &str,
    exact: bool,
    consts: Option<TokenStream>,
    check: TokenStream,
    expected: &str,
) -> TokenStream {
    let (name, inner_type) = (ident(&item.name), tokens(inner));
    let docs = rule_docs(item, expected);
    let exact = exact.then(|| quote!(Eq, Hash, Ord,));
    let consts = consts.map(|consts| quote!(impl #name { #consts }));
    let is_used = check.to_string().contains("value");
    let value = ident(if is_used { "value" } else { "_value" });
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, Deserialize, #exact PartialEq, PartialOrd, Serialize)]
        #[serde(try_from = #inner)]
        pub struct #name(pub(super) #inner_type);

        #consts

        impl openapi_dropshot_types::CheckedNumber for #name {
            type Number = #inner_type;

            const EXPECTED: &'static str = #expected;

            fn is_valid(#value: #inner_type) -> bool {
                #check
            }
        }
    }
}

/// An integer with bounds.
pub(super) fn integer(
    item: &Item,
    base: Base,
    format: Option<&str>,
    rule: &IntegerRule,
) -> TokenStream {
    let name = ident(&item.name);
    // MIN and MAX are values: the bounds moved to multiples.
    let (least, greatest) = match rule.multiple_of {
        Some(step) => (
            rule.least + (-rule.least).rem_euclid(step),
            rule.greatest - rule.greatest.rem_euclid(step),
        ),
        None => (rule.least, rule.greatest),
    };
    let (low, high) = (
        defaults::number(base, least),
        defaults::number(base, greatest),
    );
    let mut expected = format!("an integer from {least} to {greatest}");
    let mut check = match (least == base.least, greatest == base.greatest) {
        (true, true) => quote!(true),
        (false, true) => quote!(value >= #low),
        (true, false) => quote!(value <= #high),
        (false, false) => quote!((#low..=#high).contains(&value)),
    };
    if let Some(step) = rule.multiple_of {
        expected.push_str(&format!(" and a multiple of {step}"));
        let step = defaults::number(base, step.min(base.greatest));
        check = if least == base.least && greatest == base.greatest {
            quote!(value % #step == 0)
        } else {
            quote!(#check && value % #step == 0)
        };
    }
    let consts = quote! {
        #[doc = " The least value."]
        pub const MIN: #name = #name(#low);
        #[doc = " The greatest value."]
        pub const MAX: #name = #name(#high);
    };
    let own = number_type(item, base.name, true, Some(consts), check, &expected);
    let (format, bounds) = (format_part(format), bounds(&rule.written));
    let schema = metadata::leaf(
        item,
        quote!(_),
        quote!(instance_type: Some(InstanceType::Integer.into()), #format #bounds),
    );
    quote!(#own #schema)
}

/// An enumeration of integers.
pub(super) fn one_of(
    item: &Item,
    base: Base,
    format: Option<&str>,
    values: &[i128],
) -> TokenStream {
    let name = ident(&item.name);
    let numbers: Vec<TokenStream> = values
        .iter()
        .map(|value| defaults::number(base, *value))
        .collect();
    let list = values
        .iter()
        .map(i128::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    let expected = format!("one of {list}");
    let consts = quote! {
        #[doc = " All values, in the order of the document."]
        pub const ALL: &'static [#name] = &[#(#name(#numbers)),*];
    };
    let own = number_type(
        item,
        base.name,
        true,
        Some(consts),
        quote!(#name::ALL.contains(&#name(value))),
        &expected,
    );
    let format = format_part(format);
    let schema = metadata::leaf(
        item,
        quote!(_),
        quote! {
            instance_type: Some(InstanceType::Integer.into()),
            #format
            enum_values: Some(#name::ALL.iter().map(|value| value.0.into()).collect()),
        },
    );
    quote!(#own #schema)
}

/// A number with bounds.
pub(super) fn number(item: &Item, scalar: &Scalar, written: &Bounds) -> TokenStream {
    let mut words = Vec::new();
    if let Some(least) = written.minimum {
        words.push(if written.exclusive_minimum {
            format!("above {least}")
        } else {
            format!("from {least}")
        });
    }
    if let Some(greatest) = written.maximum {
        words.push(if written.exclusive_maximum {
            format!("below {greatest}")
        } else {
            format!("to {greatest}")
        });
    }
    let mut checks: Vec<TokenStream> = range_check(written).into_iter().collect();
    let mut expected = format!("a number {}", words.join(" "));
    if let Some(step) = written.multiple_of {
        let bound = defaults::float(step);
        checks.push(quote!(value % #bound == 0.0));
        expected = format!("{} that is a multiple of {step}", expected.trim_end());
    }
    let own = number_type(item, "f64", false, None, quote!(#(#checks)&&*), &expected);
    let format = match scalar {
        Scalar::Number { format } => format_part(format.as_deref()),
        _ => TokenStream::new(),
    };
    let bounds = bounds(written);
    let schema = metadata::leaf(
        item,
        quote!(_),
        quote!(instance_type: Some(InstanceType::Number.into()), #format #bounds),
    );
    quote!(#own #schema)
}

/// The check of `minimum` and `maximum`.
fn range_check(written: &Bounds) -> Option<TokenStream> {
    let (low, high) = (
        written.minimum.map(defaults::float),
        written.maximum.map(defaults::float),
    );
    Some(
        match (
            low,
            high,
            written.exclusive_minimum,
            written.exclusive_maximum,
        ) {
            (Some(low), Some(high), false, false) => quote!((#low..=#high).contains(&value)),
            (Some(low), Some(high), false, true) => quote!((#low..#high).contains(&value)),
            (Some(low), Some(high), true, false) => quote!(value > #low && value <= #high),
            (Some(low), Some(high), true, true) => quote!(value > #low && value < #high),
            (Some(low), None, false, _) => quote!(value >= #low),
            (Some(low), None, true, _) => quote!(value > #low),
            (None, Some(high), _, false) => quote!(value <= #high),
            (None, Some(high), _, true) => quote!(value < #high),
            (None, None, ..) => return None,
        },
    )
}

/// `number:` of a schema.
fn bounds(written: &Bounds) -> TokenStream {
    let part = |name: &str, value: Option<f64>| {
        value.map(|value| {
            let (name, value) = (ident(name), defaults::float(value));
            quote!(#name: Some(#value),)
        })
    };
    let low = part(
        if written.exclusive_minimum {
            "exclusive_minimum"
        } else {
            "minimum"
        },
        written.minimum,
    );
    let high = part(
        if written.exclusive_maximum {
            "exclusive_maximum"
        } else {
            "maximum"
        },
        written.maximum,
    );
    let step = part("multiple_of", written.multiple_of);
    quote!(number: Some(Box::new(NumberValidation { #low #high #step ..Default::default() })),)
}
