//! Writes types: the Rust type, and another type for schemars if it would describe the Rust type
//! differently from the document.

use super::metadata::{implementation, keyword};
use crate::{
    names::{Names, ident, pascal},
    plan::ir::{Base, Direction, Scalar, Ty},
};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

/// Writes a type as it is named in the models.
pub(super) fn rust(ty: &Ty) -> String {
    write(ty, "")
}

/// Writes a type as it is named in the API, where the models crate is called `models`.
pub(crate) fn in_api(ty: &Ty) -> TokenStream {
    tokens(&write(ty, "models::"))
}

/// Writes a type; `models` is the path of the models.
fn write(ty: &Ty, models: &str) -> String {
    match ty {
        Ty::Scalar(Scalar::Format(format)) => format!("{models}{}", format),
        Ty::Scalar(scalar) => plain(scalar).to_owned(),
        Ty::Named(name) => format!("{models}{name}"),
        Ty::List(of) => format!("Vec<{}>", write(of, models)),
        Ty::Map(of) => format!("BTreeMap<String, {}>", write(of, models)),
        Ty::AnyMap => "Map<String, Value>".to_owned(),
        Ty::Any | Ty::Invalid => "Value".to_owned(),
        Ty::Nullable(inner) => format!("Option<{}>", write(inner, models)),
        Ty::Boxed(inner) => format!("Box<{}>", write(inner, models)),
        Ty::Null => "()".to_owned(),
        Ty::Never => "openapi_dropshot_types::Never".to_owned(),
    }
}

/// Parses the text of a type or path that one of the functions here wrote.
pub(super) fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// Returns the Rust type for a scalar.
pub(super) fn plain(scalar: &Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Integer { base, .. } => base.name,
        Scalar::Number { .. } => "f64",
        Scalar::Text { .. } => "String",
        Scalar::Format(format) => format,
    }
}

/// The types of scalars that exist only for schemas, as far as they are used.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    names: Names,
    /// The names of the types, by instance type and format.
    scalars: BTreeMap<(&'static str, Option<String>), String>,
    /// The names of the functions that return defaults of members.
    defaults: Names,
}

impl Shapes {
    /// Claims a name for a function that returns a default. The name is made from a type and its
    /// member, and two such pairs can give the same name.
    pub(super) fn default_function(&mut self, wanted: &str) -> String {
        self.defaults.claim(wanted)
    }

    /// Returns the type that has the schema in the document.
    pub(super) fn schema(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(scalar) => self
                .scalar(scalar)
                .unwrap_or_else(|| plain(scalar).to_owned()),
            Ty::List(of) => format!("Vec<{}>", self.schema(of)),
            Ty::Map(of) => format!("BTreeMap<String, {}>", self.schema(of)),
            Ty::Nullable(inner) => format!("Option<{}>", self.schema(inner)),
            Ty::Boxed(inner) => self.schema(inner),
            Ty::Null => shape("Null"),
            Ty::Named(_) | Ty::AnyMap | Ty::Any | Ty::Invalid | Ty::Never => rust(ty),
        }
    }

    /// Does the same for a required member.
    pub(super) fn required(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Nullable(inner) => shape(&format!("Nullable<{}>", self.schema(inner))),
            ty => self.schema(ty),
        }
    }

    fn scalar(&mut self, scalar: &Scalar) -> Option<String> {
        let (instance, format) = scalar.shape()?;
        let wanted = match format {
            Some(format) => format!("{instance}{}", pascal(format)),
            None => format!("Any{instance}"),
        };
        let (names, key) = (&mut self.names, (instance, format.clone()));
        let known = self.scalars.entry(key);
        let name = known.or_insert_with(|| names.claim(&wanted));
        Some(format!("super::shapes::{name}"))
    }

    /// Writes the module with these types, if any of them is used.
    pub(super) fn module(&self) -> Option<TokenStream> {
        let types = self.scalars.iter().map(|((instance, format), name)| {
            let kind = match *instance {
                "Integer" => "An integer",
                "Number" => "A number",
                _ => "A string",
            };
            let about = match format {
                Some(format) => format!(" {kind} of the format `{format}`."),
                None => format!(" {kind} without a format."),
            };
            let json_type = instance.to_ascii_lowercase();
            let mut keywords = vec![keyword("type", json_type)];
            keywords.extend(format.as_ref().map(|format| keyword("format", format)));
            // schemars also adds this to the unsigned types of Rust.
            if *instance == "Integer" && Base::of_format(format.as_deref()).least == 0 {
                keywords.push(keyword("minimum", quote!(0)));
            }
            let schema = implementation(name, None, &keywords);
            let name = ident(name);
            quote! {
                #[doc = #about]
                pub(super) enum #name {}

                #schema
            }
        });
        let types = quote!(#(#types)*);
        (!types.is_empty()).then(|| {
            quote! {
                #[doc = " Types whose schemas contain rules that the types of Rust cannot express."]
                mod shapes {
                    use super::*;

                    #types
                }
            }
        })
    }
}

/// Writes a type with a deprecated schema.
pub(super) fn deprecated(schema: &str) -> String {
    shape(&format!("Deprecated<{schema}>"))
}

/// Marks the schema of a type that is sent in only one direction.
pub(super) fn directed(direction: Direction, schema: String) -> String {
    match direction {
        Direction::Both => schema,
        Direction::Responses => shape(&format!("ReadOnly<{schema}>")),
        Direction::Requests => shape(&format!("WriteOnly<{schema}>")),
    }
}

/// Writes a type of `openapi_dropshot_types::shapes`.
fn shape(name: &str) -> String {
    format!("openapi_dropshot_types::shapes::{name}")
}
