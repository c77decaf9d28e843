//! Leaves: enumerations of strings and scalars with rules. They check what they
//! are made of, and write their schema by hand, so that it says the rules too.

use super::{
    metadata,
    structs::default_impl,
    types::{plain, tokens},
};
use crate::{
    names::ident,
    plan::{
        Plan, defaults,
        ir::{Base, Bounds, Checked, IntegerRule, Item, NumberRule, Rule, Scalar, TextRule, Word},
    },
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// An enumeration of strings.
pub(super) fn words(plan: &Plan<'_>, item: &Item, words: &[Word]) -> TokenStream {
    let (name, docs) = (ident(&item.name), item.docs.attributes());
    let variants: Vec<Ident> = words.iter().map(|word| ident(&word.variant)).collect();
    let values: Vec<&str> = words.iter().map(|word| word.value.as_str()).collect();
    let about = values.iter().map(|value| format!(" {}", quoted(value)));
    let expected = values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    let expected = match values.as_slice() {
        [_] => format!("must be {expected}, found `{{}}`", expected = escape_braces(&expected)),
        _ => format!("must be one of {expected}, found `{{}}`", expected = escape_braces(&expected)),
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

/// A value in code marks, for documentation.
fn quoted(value: &str) -> String {
    let plain: String =
        value.chars().map(|letter| if letter.is_control() || letter == '`' { '\u{fffd}' } else { letter }).collect();
    if plain.trim().is_empty() { format!("{value:?}") } else { format!("`{plain}`") }
}

fn escape_braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// A scalar with rules.
pub(super) fn checked(plan: &Plan<'_>, item: &Item, checked: &Checked) -> TokenStream {
    let default = default_impl(plan, item);
    let own = match (&checked.rule, &checked.scalar) {
        (Rule::Integer(rule), Scalar::Integer { base, format }) => integer(item, *base, format.as_deref(), rule),
        (Rule::OneOf(values), Scalar::Integer { base, format }) => one_of(item, *base, format.as_deref(), values),
        (Rule::Number(rule), scalar) => number(item, scalar, rule),
        (Rule::Text(rule), scalar) => text(item, scalar, rule),
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

/// The struct of a checked copyable scalar, with `TryFrom`, `From`, `FromText`.
fn copied(item: &Item, inner: &str, exact: bool, consts: TokenStream, check: TokenStream, expected: &str) -> TokenStream {
    let (name, docs, inner_type) = (ident(&item.name), item.docs.attributes(), tokens(inner));
    let exact = exact.then(|| quote!(Eq, Hash, Ord,));
    let message = format!("{}, found `{{value}}`", escape_braces(expected));
    let text_message = format!("{}, found `{{}}`", escape_braces(expected));
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, Deserialize, #exact PartialEq, PartialOrd, Serialize)]
        #[serde(try_from = #inner)]
        pub struct #name(pub(super) #inner_type);

        impl #name {
            #consts

            #[doc = " The value."]
            pub const fn get(self) -> #inner_type {
                self.0
            }
        }

        impl TryFrom<#inner_type> for #name {
            type Error = Violation;

            fn try_from(value: #inner_type) -> Result<Self, Violation> {
                if #check {
                    Ok(#name(value))
                } else {
                    Err(Violation::new(format!(#message)))
                }
            }
        }

        impl From<#name> for #inner_type {
            fn from(value: #name) -> #inner_type {
                value.0
            }
        }

        impl FromText for #name {
            fn from_text(text: &str) -> Result<Self, Violation> {
                #inner_type::from_text(text)
                    .ok()
                    .and_then(|value| #name::try_from(value).ok())
                    .ok_or_else(|| Violation::new(format!(#text_message, support::shortened(text))))
            }
        }
    }
}

fn integer(item: &Item, base: Base, format: Option<&str>, rule: &IntegerRule) -> TokenStream {
    let name = ident(&item.name);
    // MIN and MAX are values: the bounds moved to multiples.
    let (least, greatest) = match rule.multiple_of {
        Some(step) => (rule.least + (-rule.least).rem_euclid(step), rule.greatest - rule.greatest.rem_euclid(step)),
        None => (rule.least, rule.greatest),
    };
    let (low, high) = (defaults::number(base, least), defaults::number(base, greatest));
    let range = format!("an integer from {least} to {greatest}");
    let mut expected = format!("must be {range}");
    let mut check = match (least == base.least(), greatest == base.greatest()) {
        (true, true) => quote!(true),
        (false, true) => quote!(value >= #low),
        (true, false) => quote!(value <= #high),
        (false, false) => quote!((#low..=#high).contains(&value)),
    };
    if let Some(step) = rule.multiple_of {
        expected.push_str(&format!(" and a multiple of {step}"));
        let step = defaults::number(base, step.min(base.greatest()));
        check = if least == base.least() && greatest == base.greatest() {
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
    let own = copied(item, base.name(), true, consts, check, &expected);
    let (format, bounds) = (format_part(format), bounds(&rule.written));
    let schema = metadata::leaf(
        item,
        quote!(_),
        quote!(instance_type: Some(InstanceType::Integer.into()), #format #bounds),
    );
    quote!(#own #schema)
}

fn one_of(item: &Item, base: Base, format: Option<&str>, values: &[i128]) -> TokenStream {
    let name = ident(&item.name);
    let numbers: Vec<TokenStream> = values.iter().map(|value| defaults::number(base, *value)).collect();
    let list = values.iter().map(i128::to_string).collect::<Vec<_>>().join(", ");
    let expected = format!("must be one of {list}");
    let consts = quote! {
        #[doc = " All values, in the order of the document."]
        pub const ALL: &'static [#name] = &[#(#name(#numbers)),*];
    };
    let own = copied(item, base.name(), true, consts, quote!(#name::ALL.contains(&#name(value))), &expected);
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

fn number(item: &Item, scalar: &Scalar, rule: &NumberRule) -> TokenStream {
    let written = &rule.written;
    let mut checks = Vec::new();
    let mut words = Vec::new();
    if let Some(least) = written.minimum {
        let bound = defaults::float(least);
        checks.push(if written.exclusive_minimum { quote!(value > #bound) } else { quote!(value >= #bound) });
        words.push(if written.exclusive_minimum { format!("above {least}") } else { format!("from {least}") });
    }
    if let Some(greatest) = written.maximum {
        let bound = defaults::float(greatest);
        checks.push(if written.exclusive_maximum { quote!(value < #bound) } else { quote!(value <= #bound) });
        words.push(if written.exclusive_maximum { format!("below {greatest}") } else { format!("to {greatest}") });
    }
    let mut expected = format!("must be a number {}", words.join(" "));
    if let Some(step) = written.multiple_of {
        let bound = defaults::float(step);
        checks.push(quote!(value % #bound == 0.0));
        expected = format!("{} that is a multiple of {step}", expected.trim_end());
    }
    let own = copied(item, "f64", false, TokenStream::new(), quote!(#(#checks)&&*), &expected);
    let format = match scalar {
        Scalar::Number { format } => format_part(format.as_deref()),
        _ => TokenStream::new(),
    };
    let bounds = bounds(written);
    let schema =
        metadata::leaf(item, quote!(_), quote!(instance_type: Some(InstanceType::Number.into()), #format #bounds));
    quote!(#own #schema)
}

fn text(item: &Item, scalar: &Scalar, rule: &TextRule) -> TokenStream {
    let (name, docs) = (ident(&item.name), item.docs.attributes());
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

/// What checks the length and the pattern of a text.
fn text_checks(rule: &TextRule) -> (TokenStream, TokenStream) {
    let words = match (rule.min, rule.max) {
        (Some(min), Some(max)) if min == max => Some(format!("must have {min} characters")),
        (Some(min), Some(max)) => Some(format!("must have {min} to {max} characters")),
        (Some(min), None) => Some(format!("must have at least {min} characters")),
        (None, Some(max)) => Some(format!("must have at most {max} characters")),
        (None, None) => None,
    };
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
    let Some((pattern, flags)) = &rule.pattern else { return (TokenStream::new(), quote!(#length)) };
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

fn format_part(format: Option<&str>) -> TokenStream {
    match format {
        Some(format) => quote!(format: Some(#format.to_owned()),),
        None => TokenStream::new(),
    }
}

/// `number:` of a schema.
fn bounds(written: &Bounds) -> TokenStream {
    let part = |name: &str, value: Option<f64>| {
        value.map(|value| {
            let (name, value) = (ident(name), defaults::float(value));
            quote!(#name: Some(#value),)
        })
    };
    let low = part(if written.exclusive_minimum { "exclusive_minimum" } else { "minimum" }, written.minimum);
    let high = part(if written.exclusive_maximum { "exclusive_maximum" } else { "maximum" }, written.maximum);
    let step = part("multiple_of", written.multiple_of);
    quote!(number: Some(Box::new(NumberValidation { #low #high #step ..Default::default() })),)
}
