//! Types without values that only provide a schema: they add to the schema of a
//! member what schemars cannot derive from its Rust type.

use schemars::{
    JsonSchema,
    r#gen::SchemaGenerator,
    schema::{InstanceType, Metadata, Schema, SchemaObject},
};
use std::marker::PhantomData;

/// A value that may be `null`, but not absent. `Option` alone means both.
#[derive(Debug)]
pub struct Nullable<T>(PhantomData<T>);

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

/// `null` and nothing else.
#[derive(Debug)]
pub enum Null {}

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

/// A member that is deprecated. Its own attribute would warn wherever the struct
/// is made.
#[derive(Debug)]
pub struct Deprecated<T>(PhantomData<T>);

/// A member that is sent in responses only.
#[derive(Debug)]
pub struct ReadOnly<T>(PhantomData<T>);

/// A member that is sent in requests only.
#[derive(Debug)]
pub struct WriteOnly<T>(PhantomData<T>);

macro_rules! marked {
    ($($name:ident: $mark:ident;)*) => {$(
        impl<T: JsonSchema> JsonSchema for $name<T> {
            fn schema_name() -> String {
                T::schema_name()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                marked::<T>(generator, |metadata| metadata.$mark = true)
            }
        }
    )*};
}

marked! {
    Deprecated: deprecated;
    ReadOnly: read_only;
    WriteOnly: write_only;
}

/// The schema of a type with one more mark in its metadata.
fn marked<T: JsonSchema>(generator: &mut SchemaGenerator, mark: fn(&mut Metadata)) -> Schema {
    let mut schema = SchemaObject::default();
    let inner = generator.subschema_for::<T>();
    if inner.is_ref() {
        schema.subschemas().all_of = Some(vec![inner]);
    } else {
        schema = inner.into_object();
    }
    mark(schema.metadata());
    schema.into()
}
