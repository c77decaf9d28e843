//! Writes a default of the document as an expression of its type in Rust. A value that the type does not allow is rejected.

use super::{
    OperationPlan, Planner,
    ir::{Base, Checked, Format, Item, Kind, Others, Presence, Rule, Scalar, Struct, Ty},
    scalar::integer,
};
use crate::names::ident;
use openapi_dropshot_contract::{
    Problem,
    model::{Node, NodeKind},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Planner<'_> {
    /// Checks that every default is a value of its type.
    pub(super) fn check_defaults(&mut self, operations: &[OperationPlan<'_>]) {
        let items = &self.items;
        let mut wrong: Vec<(&Node, &Ty)> = Vec::new();
        let mut problems = Vec::new();
        for item in items {
            if let Some(default) = &item.default
                && item_value(items, item, default).is_none()
            {
                problems.push(default_problem(default, &item.name));
            }
            if let Kind::Struct(object) = &item.kind {
                wrong.extend(
                    object
                        .fields
                        .iter()
                        .filter_map(|field| bad_default(items, &field.presence, &field.ty)),
                );
            }
        }
        for operation in operations {
            for set in [&operation.path, &operation.query, &operation.header]
                .into_iter()
                .flatten()
            {
                wrong.extend(
                    set.fields
                        .iter()
                        .filter_map(|field| bad_default(items, &field.presence, &field.ty)),
                );
            }
        }
        problems.extend(
            wrong
                .into_iter()
                .map(|(default, ty)| default_problem(default, &what(ty))),
        );
        self.problems.extend(problems);
    }
}

fn bad_default<'i>(
    items: &[Item],
    presence: &'i Presence,
    ty: &'i Ty,
) -> Option<(&'i Node, &'i Ty)> {
    match presence {
        Presence::Default(default) if value(items, ty, default).is_none() => Some((default, ty)),
        _ => None,
    }
}

fn default_problem(default: &Node, what: &str) -> Problem {
    let (message, help) = match &default.kind {
        NodeKind::Object(_) => (
            format!("this default is no object that {what} keeps whole"),
            "write all required members and only members that the schema names, or remove the default",
        ),
        _ => (
            format!("the default {} is no value of {what}", default.summary()),
            "write a value that the schema allows, or remove it",
        ),
    };
    Problem::error("invalid-default", &default.at, message, help)
}

/// A type in words.
fn what(ty: &Ty) -> String {
    match ty {
        Ty::Scalar(Scalar::Bool) => "a boolean".to_owned(),
        Ty::Scalar(Scalar::Integer { base, .. }) => format!("an integer ({})", base.name()),
        Ty::Scalar(Scalar::Number { .. }) => "a number".to_owned(),
        Ty::Scalar(Scalar::Text { .. }) => "a string".to_owned(),
        Ty::Scalar(Scalar::Format(format)) => {
            format!("`{}`, or is not supported for it", format.name())
        }
        Ty::Named(name) => format!("`{name}`"),
        Ty::List(_) => "this array".to_owned(),
        Ty::Map(_) | Ty::AnyMap => "an object".to_owned(),
        Ty::Null => "`null`".to_owned(),
        Ty::Any | Ty::Invalid => "this schema, or is not supported for it".to_owned(),
        Ty::Nullable(inner) | Ty::Boxed(inner) => what(inner),
    }
}

/// A JSON value as an expression of a type; `None` where it is not one of its
/// values, or where it takes more than a literal to write it.
pub(crate) fn value(items: &[Item], ty: &Ty, node: &Node) -> Option<TokenStream> {
    match ty {
        Ty::Scalar(scalar) => scalar_value(scalar, node),
        Ty::Named(name) => item_value(items, super::find(items, name)?, node),
        Ty::List(of) => list(items, of, node),
        Ty::Map(_) | Ty::AnyMap => node
            .as_object()
            .filter(|members| members.is_empty())
            .map(|_| quote!(::std::default::Default::default())),
        // A problem of this type is reported already.
        Ty::Invalid => Some(TokenStream::new()),
        Ty::Any => match &node.kind {
            NodeKind::Null => Some(quote!(::serde_json::Value::Null)),
            NodeKind::Bool(value) => Some(quote!(::serde_json::Value::Bool(#value))),
            NodeKind::String(text) => Some(quote!(::serde_json::Value::String(#text.to_owned()))),
            NodeKind::Number(number) => {
                let value = Literal::i64_unsuffixed(number.as_i64()?);
                Some(quote!(::serde_json::Value::from(#value)))
            }
            NodeKind::Array(_) | NodeKind::Object(_) => None,
        },
        Ty::Null => node.is_null().then(|| quote!(())),
        Ty::Nullable(_) if node.is_null() => Some(quote!(None)),
        Ty::Nullable(inner) => value(items, inner, node).map(|inner| quote!(Some(#inner))),
        Ty::Boxed(inner) => value(items, inner, node).map(|inner| quote!(Box::new(#inner))),
    }
}

fn list(items: &[Item], of: &Ty, node: &Node) -> Option<TokenStream> {
    let values: Vec<TokenStream> = node
        .as_array()?
        .iter()
        .map(|node| value(items, of, node))
        .collect::<Option<_>>()?;
    Some(if values.is_empty() {
        quote!(Vec::new())
    } else {
        quote!(vec![#(#values),*])
    })
}

/// A value of an item, as an expression.
pub(crate) fn item_value(items: &[Item], item: &Item, node: &Node) -> Option<TokenStream> {
    let name = ident(&item.name);
    match &item.kind {
        Kind::Words(words) => {
            let word = words
                .iter()
                .find(|word| node.as_str() == Some(&word.value))?;
            let variant = ident(&word.variant);
            Some(quote!(#name::#variant))
        }
        Kind::Checked(checked) => {
            let inner = scalar_value(&checked.scalar, node).filter(|_| keeps(checked, node))?;
            Some(quote!(#name(#inner)))
        }
        Kind::Wrapper(ty) => value(items, ty, node).map(|inner| quote!(#name(#inner))),
        Kind::Alias(ty) => value(items, ty, node),
        Kind::Items(of, rules) => {
            let elements = node.as_array()?;
            let length = elements.len() as u64;
            let distinct = || {
                elements
                    .iter()
                    .enumerate()
                    .all(|(index, a)| elements[..index].iter().all(|b| !a.same_value(b)))
            };
            let is_valid = rules.min.is_none_or(|min| length >= min)
                && rules.max.is_none_or(|max| length <= max)
                && (!rules.unique || distinct());
            list(items, of, node)
                .filter(|_| is_valid)
                .map(|inner| quote!(#name(#inner)))
        }
        Kind::Union(union) => union.variants.iter().find_map(|variant| {
            let (inner, variant) = (value(items, &variant.ty, node)?, ident(&variant.name));
            Some(quote!(#name::#variant(#inner)))
        }),
        Kind::Struct(object) => object_value(items, item, object, node),
        Kind::Entries(..) => None,
    }
}

/// An object, where the type keeps all of its members.
fn object_value(items: &[Item], item: &Item, object: &Struct, node: &Node) -> Option<TokenStream> {
    let members = node.as_object()?;
    let known = |name: &String| object.fields.iter().any(|field| field.wire == *name);
    if !members.keys().all(known) {
        return None;
    }
    let fields: Vec<TokenStream> = object
        .fields
        .iter()
        .map(|field| {
            let name = ident(&field.name);
            let member = members.get(&field.wire).map(|member| &member.value);
            let value = match (&field.presence, member) {
                (Presence::Required, None) => return None,
                (Presence::Required, Some(member)) => value(items, &field.ty, member)?,
                (Presence::Optional, None) => quote!(None),
                (Presence::Optional, Some(member)) => {
                    let inner = value(items, &field.ty, member)?;
                    quote!(Some(#inner))
                }
                (Presence::Default(default), member) => {
                    value(items, &field.ty, member.unwrap_or(default))?
                }
            };
            Some(quote!(#name: #value))
        })
        .collect::<Option<_>>()?;
    let others = match &object.others {
        Others::Ignored | Others::Rejected => None,
        Others::Collected(field, _) => {
            let field = ident(field);
            Some(quote!(#field: ::std::default::Default::default()))
        }
    };
    let name = ident(&item.name);
    Some(quote!(#name { #(#fields,)* #others }))
}

/// A text of a format that is checked: it is read where it is used, and known
/// to be right.
fn format_value(format: Format, text: &str) -> Option<TokenStream> {
    let digits = |shape: &str| {
        text.len() == shape.len()
            && text
                .bytes()
                .zip(shape.bytes())
                .all(|(byte, place)| match place {
                    b'0' => byte.is_ascii_digit(),
                    b'x' => byte.is_ascii_hexdigit(),
                    other => byte == other,
                })
    };
    let right = match format {
        Format::Date => digits("0000-00-00") && text.parse::<chrono::NaiveDate>().is_ok(),
        // One spelling of the many: that of the most frequent defaults.
        Format::DateTime => {
            digits("0000-00-00T00:00:00Z") && chrono::DateTime::parse_from_rfc3339(text).is_ok()
        }
        Format::Uuid => digits("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        Format::Base64 => {
            let symbols = text.trim_end_matches('=');
            text.len().is_multiple_of(4)
                && text.len() - symbols.len() <= 2
                && symbols.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
                // The bits that no byte takes have to be zero.
                && match (symbols.len() % 4, symbols.bytes().last()) {
                    (2, Some(last)) => b"AQgw".contains(&last),
                    (3, Some(last)) => b"AEIMQUYcgkosw048".contains(&last),
                    _ => true,
                }
        }
        Format::Ip => text.parse::<std::net::IpAddr>().is_ok(),
        Format::Ipv4 => text.parse::<std::net::Ipv4Addr>().is_ok(),
        Format::Ipv6 => text.parse::<std::net::Ipv6Addr>().is_ok(),
    };
    let name = ident(format.name());
    right.then(|| {
        quote!(<#name as ::std::str::FromStr>::from_str(#text).expect("a default of this format"))
    })
}

fn scalar_value(scalar: &Scalar, node: &Node) -> Option<TokenStream> {
    match scalar {
        Scalar::Bool => node.as_bool().map(|value| quote!(#value)),
        Scalar::Integer { base, .. } => {
            let value = node.as_number().and_then(integer)?;
            (base.least()..=base.greatest())
                .contains(&value)
                .then(|| number(*base, value))
        }
        Scalar::Number { .. } => node.as_f64().filter(|value| value.is_finite()).map(float),
        Scalar::Text { .. } => node.as_str().map(|text| quote!(#text.to_owned())),
        Scalar::Format(format) => format_value(*format, node.as_str()?),
    }
}

/// Whether a value keeps the rules of a checked scalar.
fn keeps(checked: &Checked, node: &Node) -> bool {
    match &checked.rule {
        Rule::Integer(rule) => node.as_number().and_then(integer).is_some_and(|value| {
            (rule.least..=rule.greatest).contains(&value)
                && rule.multiple_of.is_none_or(|step| value % step == 0)
        }),
        Rule::OneOf(values) => node
            .as_number()
            .and_then(integer)
            .is_some_and(|value| values.contains(&value)),
        Rule::Number(rule) => node.as_f64().is_some_and(|value| {
            let bounds = &rule.written;
            let above = bounds.minimum.is_none_or(|least| {
                if bounds.exclusive_minimum {
                    value > least
                } else {
                    value >= least
                }
            });
            let below = bounds.maximum.is_none_or(|most| {
                if bounds.exclusive_maximum {
                    value < most
                } else {
                    value <= most
                }
            });
            above && below && bounds.multiple_of.is_none_or(|step| value % step == 0.0)
        }),
        Rule::Text(rule) => node.as_str().is_some_and(|text| {
            let length = text.chars().count() as u64;
            rule.min.is_none_or(|min| length >= min)
                && rule.max.is_none_or(|max| length <= max)
                && rule.pattern.as_ref().is_none_or(|(pattern, flags)| {
                    regress::Regex::with_flags(pattern, *flags)
                        .is_ok_and(|regex| regex.find(text).is_some())
                })
        }),
    }
}

/// An integer as Rust writes it, with `MIN` and `MAX` for the limits of the type.
pub(crate) fn number(base: Base, value: i128) -> TokenStream {
    let name = ident(base.name());
    if value == base.least() && value != 0 {
        return quote!(#name::MIN);
    }
    if value == base.greatest() {
        return quote!(#name::MAX);
    }
    let digits = Literal::u128_unsuffixed(value.unsigned_abs());
    if value < 0 {
        quote!(-#digits)
    } else {
        quote!(#digits)
    }
}

/// A number as Rust writes it.
pub(crate) fn float(value: f64) -> TokenStream {
    let digits = Literal::f64_unsuffixed(value.abs());
    if value < 0.0 {
        quote!(-#digits)
    } else {
        quote!(#digits)
    }
}
