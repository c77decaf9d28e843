//! `shapes.rs`: types that never have a value and exist for their schema.

use super::types::Shapes;
use crate::{names::ident, plan::ir::Base, render};
use proc_macro2::TokenStream;
use quote::quote;

impl Shapes {
    /// Whether none is used.
    pub(super) fn is_empty(&self) -> bool {
        let marks = [
            self.nullable,
            self.deprecated,
            self.read_only,
            self.write_only,
            self.null,
        ];
        self.scalars.is_empty() && !marks.contains(&true)
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
    let nullable = shapes.nullable.then(nullable);
    let marked = [
        (shapes.deprecated, "Deprecated", "deprecated", DEPRECATED),
        (shapes.read_only, "ReadOnly", "read_only", READ_ONLY),
        (shapes.write_only, "WriteOnly", "write_only", WRITE_ONLY),
    ];
    let marked = marked
        .into_iter()
        .filter(|(used, ..)| *used)
        .map(|(_, name, mark, about)| marked_type(name, mark, about));
    let null = shapes.null.then(null);
    let code = quote!(#(#scalars)* #nullable #(#marked)* #null);
    let uses = render::imports(&code, super::IMPORTS).unwrap_or_default();
    Some(quote!(#uses #code))
}

fn scalar(name: &str, instance: &str, format: Option<&str>) -> TokenStream {
    let about = match format {
        Some(format) => format!(" {} of the format `{format}`.", kind(instance)),
        None => format!(" {} without a format.", kind(instance)),
    };
    let is_unsigned = instance == "Integer" && Base::of_format(format).least() == 0;
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

fn nullable() -> TokenStream {
    quote! {
        #[doc = " A value that may be `null`, but not absent: `Option` alone says both."]
        pub(super) struct Nullable<T>(std::marker::PhantomData<T>);

        impl<T: JsonSchema> JsonSchema for Nullable<T> {
            fn schema_name() -> String {
                Option::<T>::schema_name()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                Option::<T>::json_schema(generator)
            }
        }
    }
}

fn null() -> TokenStream {
    quote! {
        #[doc = " `null` and nothing else."]
        pub(super) enum Null {}

        impl JsonSchema for Null {
            fn schema_name() -> String {
                "Null".to_owned()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let mut schema = SchemaObject {
                    instance_type: Some(InstanceType::Null.into()),
                    ..Default::default()
                };
                schema.extensions.insert("nullable".to_owned(), true.into());
                schema.into()
            }
        }
    }
}

const DEPRECATED: &[&str] = &[
    " A member that is deprecated. Its own attribute would warn wherever the struct",
    " is made.",
];
const READ_ONLY: &[&str] = &[" A member that is sent in answers."];
const WRITE_ONLY: &[&str] = &[" A member that is sent in requests."];

/// A type around a member whose schema says one thing more of it.
fn marked_type(name: &str, mark: &str, about: &[&str]) -> TokenStream {
    let (name, mark) = (ident(name), ident(mark));
    quote! {
        #(#[doc = #about])*
        pub(super) struct #name<T>(std::marker::PhantomData<T>);

        impl<T: JsonSchema> JsonSchema for #name<T> {
            fn schema_name() -> String {
                T::schema_name()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let mut schema = SchemaObject::default();
                let inner = generator.subschema_for::<T>();
                if inner.is_ref() {
                    schema.subschemas().all_of = Some(vec![inner]);
                } else {
                    schema = inner.into_object();
                }
                schema.metadata().#mark = true;
                schema.into()
            }
        }
    }
}
