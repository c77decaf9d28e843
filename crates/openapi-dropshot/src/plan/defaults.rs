//! Writes a default of the document as a Rust expression of its type, and rejects defaults that
//! cannot be written.

use super::{
    OperationPlan, Planner, find,
    ir::{Base, FORMATS, Field, Item, Kind, Others, Presence, Rule, Scalar, Struct, Ty},
    scalar::integer,
};
use crate::{names::ident, rules};
use openapi_dropshot_contract::{
    Problem,
    model::{Node, NodeKind, ParameterIn},
};
use openapi_dropshot_types::rules::{check_count, check_distinct, is_multiple};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Planner<'_> {
    /// Checks that every default can be written as a value of its type.
    pub(super) fn check_defaults(&mut self, operations: &[OperationPlan<'_>]) {
        let mut fields: Vec<&Field> = Vec::new();
        let mut problems = Vec::new();
        for item in &self.items {
            if let Some(default) = &item.default
                && item_value(&self.items, item, default).is_none()
            {
                problems.push(problem(default, &item.name));
            }
            if let Kind::Struct(object) = &item.kind {
                fields.extend(&object.fields);
            }
        }
        for operation in operations {
            let sets = operation.parameters.iter();
            let sets = sets.filter(|(place, _)| *place != ParameterIn::Cookie);
            fields.extend(sets.flat_map(|(_, set)| &set.fields));
        }
        for field in fields {
            if let Presence::Default(default) = &field.presence
                && value(&self.items, &field.ty, default).is_none()
            {
                problems.push(problem(default, &describe(&field.ty)));
            }
        }
        self.problems.extend(problems);
    }
}

fn problem(default: &Node, what: &str) -> Problem {
    let (message, help) = match &default.kind {
        NodeKind::Object(_) => (
            format!("this default is not an object that {what} can represent completely"),
            "write all required members, and only members that the schema names, or remove the default",
        ),
        _ => (
            format!("the default {} is not a value of {what}", default.summary()),
            "write a value that the schema allows, or remove it",
        ),
    };
    rules::INVALID_DEFAULT.problem(&default.at, message, help)
}

/// Describes a type for messages.
fn describe(ty: &Ty) -> String {
    match ty {
        Ty::Scalar(Scalar::Bool) => "a boolean".to_owned(),
        Ty::Scalar(Scalar::Integer { base, .. }) => format!("an integer ({})", base.name),
        Ty::Scalar(Scalar::Number { .. }) => "a number".to_owned(),
        Ty::Scalar(Scalar::Text { .. }) => "a string".to_owned(),
        Ty::Scalar(Scalar::Format(format)) => {
            format!("`{format}`, or is not supported for it")
        }
        Ty::Named(name) => format!("`{name}`"),
        Ty::List(_) => "this array".to_owned(),
        Ty::Map(_) | Ty::AnyMap => "an object".to_owned(),
        Ty::Null => "`null`".to_owned(),
        Ty::Never => "a schema without values".to_owned(),
        Ty::Any | Ty::Invalid => "this schema, or is not supported for it".to_owned(),
        Ty::Nullable(inner) | Ty::Boxed(inner) => describe(inner),
    }
}

/// Writes a JSON value as an expression of a type. Returns `None` if the value is not valid for the
/// type, or if a literal cannot express it.
pub(crate) fn value(items: &[Item], ty: &Ty, node: &Node) -> Option<TokenStream> {
    match ty {
        Ty::Scalar(scalar) => scalar_value(scalar, node),
        Ty::Named(name) => item_value(items, find(items, name)?, node),
        Ty::List(of) => list(items, of, node),
        Ty::Map(_) | Ty::AnyMap => node
            .as_object()
            .filter(|members| members.is_empty())
            .map(|_| quote!(::std::default::Default::default())),
        // A problem with this type was already reported.
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
        Ty::Never => None,
        Ty::Nullable(_) if node.is_null() => Some(quote!(None)),
        Ty::Nullable(inner) => value(items, inner, node).map(|inner| quote!(Some(#inner))),
        Ty::Boxed(inner) => value(items, inner, node).map(|inner| quote!(Box::new(#inner))),
    }
}

fn list(items: &[Item], of: &Ty, node: &Node) -> Option<TokenStream> {
    let values = (node.as_array()?.iter()).map(|node| value(items, of, node));
    let values: Vec<TokenStream> = values.collect::<Option<_>>()?;
    Some(match values.is_empty() {
        true => quote!(Vec::new()),
        false => quote!(vec![#(#values),*]),
    })
}

/// Writes a value of an item as an expression.
pub(crate) fn item_value(items: &[Item], item: &Item, node: &Node) -> Option<TokenStream> {
    let name = ident(&item.name);
    match &item.kind {
        Kind::Words(words) => {
            let word = (words.iter()).find(|word| node.as_str() == Some(&word.value))?;
            let variant = ident(&word.variant);
            Some(quote!(#name::#variant))
        }
        Kind::Checked(checked) => {
            let inner =
                scalar_value(&checked.scalar, node).filter(|_| keeps(&checked.rule, node))?;
            Some(quote!(#name(#inner)))
        }
        Kind::Wrapper(ty) => value(items, ty, node).map(|inner| quote!(#name(#inner))),
        Kind::Alias(ty) => value(items, ty, node),
        Kind::Items(of, rules) => {
            let elements: Vec<_> = node.as_array()?.iter().map(Node::to_json).collect();
            check_count(elements.len(), rules.min, rules.max, "elements").ok()?;
            if rules.unique {
                check_distinct(&elements).ok()?;
            }
            for (ty, element) in rules.first.iter().zip(node.as_array()?) {
                value(items, ty, element)?;
            }
            list(items, of, node).map(|inner| quote!(#name(#inner)))
        }
        Kind::Union(union) => union.variants.iter().find_map(|variant| {
            let (inner, variant) = (value(items, &variant.ty, node)?, ident(&variant.name));
            Some(quote!(#name::#variant(#inner)))
        }),
        Kind::Struct(object) => object_value(items, item, object, node),
        Kind::Entries(..) => None,
    }
}

/// Writes an object, if the type can represent all of its members.
fn object_value(items: &[Item], item: &Item, object: &Struct, node: &Node) -> Option<TokenStream> {
    let members = node.as_object()?;
    let known = |name: &String| object.fields.iter().any(|field| field.wire == *name);
    if !members.keys().all(known) {
        return None;
    }
    let fields = object.fields.iter().map(|field| {
        let name = ident(&field.name);
        let member = members.get(&field.wire).map(|member| &member.value);
        let value = match (&field.presence, member) {
            (Presence::Required, member) => value(items, &field.ty, member?)?,
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
    });
    let fields: Vec<TokenStream> = fields.collect::<Option<_>>()?;
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

pub(crate) fn scalar_value(scalar: &Scalar, node: &Node) -> Option<TokenStream> {
    match scalar {
        Scalar::Bool => node.as_bool().map(|value| quote!(#value)),
        Scalar::Integer { base, .. } => {
            let value = node.as_number().and_then(integer)?;
            base.contains(value).then(|| number(*base, value))
        }
        Scalar::Number { .. } => node.as_f64().filter(|value| value.is_finite()).map(float),
        Scalar::Text { .. } => node.as_str().map(|text| quote!(#text.to_owned())),
        Scalar::Format(name) => {
            let text = node.as_str()?;
            let (_, _, has_format) = FORMATS.iter().find(|(_, known, _)| known == name)?;
            let name = ident(name);
            has_format(text).then(|| {
                quote!(<#name as ::std::str::FromStr>::from_str(#text).expect("a default of this format"))
            })
        }
    }
}

/// Returns whether a value satisfies the rules of a checked scalar.
fn keeps(rule: &Rule, node: &Node) -> bool {
    let whole = || node.as_number().and_then(integer);
    match rule {
        Rule::Integer(rule) => whole().is_some_and(|value| {
            (rule.least..=rule.greatest).contains(&value)
                && rule.multiple_of.is_none_or(|step| value % step == 0)
        }),
        Rule::OneOf(values) => values.iter().any(|value| value.same_value(node)),
        Rule::Number(bounds) => node.as_f64().is_some_and(|value| {
            bounds.minimum.is_none_or(|least| value >= least)
                && bounds.exclusive_minimum.is_none_or(|least| value > least)
                && bounds.maximum.is_none_or(|most| value <= most)
                && bounds.exclusive_maximum.is_none_or(|most| value < most)
                && bounds
                    .multiple_of
                    .is_none_or(|step| is_multiple(value, step))
        }),
        Rule::Text(rule) => node.as_str().is_some_and(|text| {
            let mut formats = FORMATS.iter();
            let format = formats.find(|(_, name, _)| Some(*name) == rule.format);
            check_count(text.chars().count(), rule.min, rule.max, "characters").is_ok()
                && format.is_none_or(|(_, _, has_format)| has_format(text))
                && rule.pattern.as_ref().is_none_or(|(pattern, flags)| {
                    regress::Regex::with_flags(pattern, *flags)
                        .is_ok_and(|regex| regex.find(text).is_some())
                })
        }),
    }
}

/// Writes an integer as a Rust literal, with `MIN` and `MAX` for the limits of the type.
pub(crate) fn number(base: Base, value: i128) -> TokenStream {
    let name = ident(base.name);
    if value == base.least && value != 0 {
        return quote!(#name::MIN);
    }
    if value == base.greatest {
        return quote!(#name::MAX);
    }
    let sign = (value < 0).then(|| quote!(-));
    let digits = Literal::u128_unsuffixed(value.unsigned_abs());
    quote!(#sign #digits)
}

/// Writes a number as a Rust literal.
pub(crate) fn float(value: f64) -> TokenStream {
    let sign = (value < 0.0).then(|| quote!(-));
    let digits = Literal::f64_unsuffixed(value.abs());
    quote!(#sign #digits)
}
