//! Writes types: for Rust, and for schemars if it would describe the type of Rust in
//! another way than the document does.

use crate::plan::ir::{Direction, Scalar, Ty};
use proc_macro2::TokenStream;
use std::collections::BTreeMap;

/// How a file refers to the types of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// Among the models: names are imported.
    Models,
    /// From outside: all names are paths.
    Outside,
}

/// A type in Rust.
pub(crate) fn rust(ty: &Ty, view: View) -> String {
    let (own, collections, json) = match view {
        View::Models => ("", "", ""),
        View::Outside => ("models::", "std::collections::", "serde_json::"),
    };
    match ty {
        Ty::Scalar(Scalar::Format(format)) => format!("{own}{format}"),
        Ty::Scalar(scalar) => plain(scalar).to_owned(),
        Ty::Named(name) => format!("{own}{name}"),
        Ty::List(of) => format!("Vec<{}>", rust(of, view)),
        Ty::Map(of) => format!("{collections}BTreeMap<String, {}>", rust(of, view)),
        Ty::AnyMap => format!("{json}Map<String, {json}Value>"),
        Ty::Any | Ty::Invalid => format!("{json}Value"),
        Ty::Nullable(inner) => format!("Option<{}>", rust(inner, view)),
        Ty::Boxed(inner) => format!("Box<{}>", rust(inner, view)),
        Ty::Null => "()".to_owned(),
    }
}

/// Tokens of a type or path that one of the functions here wrote.
pub(crate) fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// The type of Rust for a scalar.
pub(crate) fn plain(scalar: &Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Integer { base, .. } => base.name,
        Scalar::Number { .. } => "f64",
        Scalar::Text { .. } => "String",
        Scalar::Format(format) => format,
    }
}

/// The types of scalars that exist for schemas only, as far as they are used.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    /// By name: instance type and format.
    pub(crate) scalars: BTreeMap<String, (&'static str, Option<String>)>,
}

impl Shapes {
    /// The type that has the schema of the document.
    pub(crate) fn schema(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(scalar) => self
                .scalar(scalar)
                .unwrap_or_else(|| plain(scalar).to_owned()),
            Ty::List(of) => format!("Vec<{}>", self.schema(of)),
            Ty::Map(of) => format!("BTreeMap<String, {}>", self.schema(of)),
            Ty::Nullable(inner) => format!("Option<{}>", self.schema(inner)),
            Ty::Boxed(inner) => self.schema(inner),
            Ty::Null => "openapi_dropshot_types::shapes::Null".to_owned(),
            Ty::Named(_) | Ty::AnyMap | Ty::Any | Ty::Invalid => rust(ty, View::Models),
        }
    }

    /// The same for a member that has to be there.
    pub(crate) fn required(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Nullable(inner) => {
                format!(
                    "openapi_dropshot_types::shapes::Nullable<{}>",
                    self.schema(inner)
                )
            }
            ty => self.schema(ty),
        }
    }

    /// A type whose schema says that it is deprecated.
    pub(crate) fn deprecated(&self, schema: &str) -> String {
        format!("openapi_dropshot_types::shapes::Deprecated<{schema}>")
    }

    /// A type whose schema says in which direction it is sent.
    pub(crate) fn directed(&self, direction: Direction, schema: String) -> String {
        match direction {
            Direction::Both => schema,
            Direction::Responses => format!("openapi_dropshot_types::shapes::ReadOnly<{schema}>"),
            Direction::Requests => format!("openapi_dropshot_types::shapes::WriteOnly<{schema}>"),
        }
    }

    fn scalar(&mut self, scalar: &Scalar) -> Option<String> {
        let (instance, format) = scalar.shape()?;
        let known = self
            .scalars
            .iter()
            .find(|(_, known)| **known == (instance, format.clone()));
        if let Some((name, _)) = known {
            return Some(format!("super::shapes::{name}"));
        }
        let wanted = format!(
            "{instance}{}",
            format
                .as_deref()
                .map(crate::names::pascal)
                .unwrap_or_default()
        );
        let mut name = if format.is_some() {
            wanted.clone()
        } else {
            format!("Any{wanted}")
        };
        let mut number = 2_u32;
        while self.scalars.contains_key(&name) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        self.scalars
            .insert(name.clone(), (instance, format.clone()));
        Some(format!("super::shapes::{name}"))
    }
}
