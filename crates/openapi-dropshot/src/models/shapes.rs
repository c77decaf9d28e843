//! Writes `shapes.rs`: types that never have a value and exist for the schema of a
//! scalar with a format that has no type in Rust.

use super::types::Shapes;
use crate::{names::ident, plan::ir::Base, render};
use proc_macro2::TokenStream;
use quote::quote;

impl Shapes {
    /// Whether none is used.
    pub(super) fn is_empty(&self) -> bool {
        self.scalars.is_empty()
    }
}

/// The file, where a shape is used.
pub(super) fn file(shapes: &Shapes) -> Option<TokenStream> {
    if shapes.is_empty() {
        return None;
    }
    let scalars: Vec<TokenStream> = shapes
        .scalars
        .iter()
        .map(|(name, (instance, format))| scalar(name, instance, format.as_deref()))
        .collect();
    let code = quote!(#(#scalars)*);
    let uses = render::imports(&code, super::IMPORTS).unwrap_or_default();
    Some(quote!(#uses #code))
}

fn scalar(name: &str, instance: &str, format: Option<&str>) -> TokenStream {
    let about = match format {
        Some(format) => format!(" {} of the format `{format}`.", kind(instance)),
        None => format!(" {} without a format.", kind(instance)),
    };
    let is_unsigned = instance == "Integer" && Base::of_format(format).least == 0;
    let (type_name, instance) = (ident(name), ident(instance));
    let format = match format {
        Some(format) => quote!(format: Some(#format.to_owned()),),
        None => TokenStream::new(),
    };
    // As schemars says of the unsigned types of Rust.
    let unsigned = is_unsigned.then(|| {
        quote! {
            number: Some(Box::new(NumberValidation { minimum: Some(0.0), ..Default::default() })),
        }
    });
    quote! {
        #[doc = #about]
        pub(super) enum #type_name {}

        impl JsonSchema for #type_name {
            fn schema_name() -> String {
                #name.to_owned()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                Schema::Object(SchemaObject {
                    instance_type: Some(InstanceType::#instance.into()),
                    #format
                    #unsigned
                    ..Default::default()
                })
            }
        }
    }
}

fn kind(instance: &str) -> &'static str {
    match instance {
        "Integer" => "An integer",
        "Number" => "A number",
        _ => "A string",
    }
}
