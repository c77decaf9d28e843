//! Schemas that schemars cannot derive from a Rust type: types without values that only provide a
//! schema, and [`schema`].

use schemars::{
    JsonSchema,
    r#gen::SchemaGenerator,
    schema::{Metadata, Schema, SchemaObject},
};
use serde_json::{Value, json};
use std::marker::PhantomData;

/// Creates a schema from keywords of JSON Schema, in the form in which schemars serializes them.
///
/// # Panics
///
/// Panics if a value is not valid for its keyword. The generator only writes valid values.
pub fn schema<const N: usize>(keywords: [(&str, Value); N]) -> Schema {
    let keywords = keywords.map(|(name, value)| (name.to_owned(), value));
    serde_json::from_value(Value::Object(keywords.into_iter().collect()))
        .expect("the generator writes schemas")
}

/// Wraps a reference so that keywords can be added, because a reference cannot have other keywords.
pub(crate) fn extensible(schema: Schema) -> SchemaObject {
    let mut object = SchemaObject::default();
    if schema.is_ref() {
        object.subschemas().all_of = Some(vec![schema]);
    } else {
        object = schema.into_object();
    }
    object
}

/// Implements `JsonSchema` for a type whose schema is inlined where the type is used.
macro_rules! inline_schema {
    ($type:ty $(where $parameter:ident: $bound:path)? => $name:expr, |$generator:ident| $schema:expr) => {
        impl$(<$parameter: $bound>)? JsonSchema for $type {
            fn schema_name() -> String {
                $name.into()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

pub(crate) use inline_schema;

/// A value that may be `null`, but not absent. `Option` alone allows both.
#[derive(Debug)]
pub struct Nullable<T>(PhantomData<T>);

inline_schema!(Nullable<T> where T: JsonSchema => Option::<T>::schema_name(), |generator| {
    Option::<T>::json_schema(generator)
});

/// `null` and nothing else.
#[derive(Debug)]
pub enum Null {}

inline_schema!(Null => "Null", |_generator| {
    schema([("type", json!("null")), ("nullable", json!(true))])
});

/// The extension with the schema of a parameter that is not a single text; dropshot has no schema
/// for it.
pub const PARAMETER: &str = "x-parameter-schema";

/// A parameter of a type whose schema dropshot does not support. dropshot sees a string, and the
/// extension [`PARAMETER`] contains the schema.
#[derive(Debug)]
pub struct Parameter<T>(PhantomData<T>);

inline_schema!(Parameter<T> where T: JsonSchema => T::schema_name(), |generator| {
    let own = generator.subschema_for::<T>();
    let mut object = schema([("type", json!("string"))]).into_object();
    object.extensions.insert(PARAMETER.to_owned(), json!(own));
    object.into()
});

/// The extension with the media type of a parameter that has one.
pub const CONTENT: &str = "x-parameter-content";

/// The extension with the place of a parameter, if dropshot has no such place.
pub const PLACE: &str = "x-parameter-in";

/// A [`Parameter`] whose text is JSON.
#[derive(Debug)]
pub struct Json<P>(PhantomData<P>);

/// A [`Parameter`] that is a cookie; dropshot sees a header.
#[derive(Debug)]
pub struct Cookie<P>(PhantomData<P>);

inline_schema!(Json<P> where P: JsonSchema => P::schema_name(), |generator| {
    extended::<P>(generator, CONTENT, "application/json")
});
inline_schema!(Cookie<P> where P: JsonSchema => P::schema_name(), |generator| {
    extended::<P>(generator, PLACE, "cookie")
});

/// Returns the schema of a type with one more extension.
fn extended<T: JsonSchema>(generator: &mut SchemaGenerator, name: &str, value: &str) -> Schema {
    let mut object = T::json_schema(generator).into_object();
    object.extensions.insert(name.to_owned(), json!(value));
    object.into()
}

/// A deprecated property. A `#[deprecated]` attribute would cause a warning wherever the struct is
/// created.
#[derive(Debug)]
pub struct Deprecated<T>(PhantomData<T>);

/// A property that is only sent in responses.
#[derive(Debug)]
pub struct ReadOnly<T>(PhantomData<T>);

/// A property that is only sent in requests.
#[derive(Debug)]
pub struct WriteOnly<T>(PhantomData<T>);

inline_schema!(Deprecated<T> where T: JsonSchema => T::schema_name(), |generator| {
    marked::<T>(generator, |metadata| metadata.deprecated = true)
});
inline_schema!(ReadOnly<T> where T: JsonSchema => T::schema_name(), |generator| {
    marked::<T>(generator, |metadata| metadata.read_only = true)
});
inline_schema!(WriteOnly<T> where T: JsonSchema => T::schema_name(), |generator| {
    marked::<T>(generator, |metadata| metadata.write_only = true)
});

/// Returns the schema of a type with one more mark in its metadata.
fn marked<T: JsonSchema>(generator: &mut SchemaGenerator, mark: fn(&mut Metadata)) -> Schema {
    let mut schema = extensible(generator.subschema_for::<T>());
    mark(schema.metadata());
    schema.into()
}
