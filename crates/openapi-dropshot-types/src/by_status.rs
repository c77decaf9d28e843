//! Describes the bodies of several responses of one operation in dropshot's document. dropshot
//! itself can only describe one success response and one type for all errors.

use schemars::{
    r#gen::SchemaGenerator,
    schema::{Schema, SchemaObject},
};
use serde_json::{Map, json};

/// The extension that says which body a response has: an object with a property for each response,
/// named as in the document (`404`, `4XX`, `default`). Each property has `body`, the index of the
/// schema in `anyOf`, and `mediaType`. Both are `null` for a response without a body; only `body`
/// is `null` for a body that is not JSON.
pub const EXTENSION: &str = "x-bodies-by-status";

/// The body of one response: the name of the response in the document, the media type of the body,
/// and its schema if it is JSON.
pub type ByStatus = (
    &'static str,
    Option<&'static str>,
    Option<fn(&mut SchemaGenerator) -> Schema>,
);

/// Returns a schema that allows each of the bodies. Its [`EXTENSION`] says which body belongs to
/// which response.
pub fn schema(generator: &mut SchemaGenerator, responses: &[ByStatus]) -> Schema {
    let mut alternatives: Vec<Schema> = Vec::new();
    let mut bodies = Map::new();
    for (status, media_type, body) in responses {
        let body = body.map(|body| {
            let body = body(generator);
            let known = alternatives.iter().position(|other| *other == body);
            known.unwrap_or_else(|| {
                alternatives.push(body);
                alternatives.len() - 1
            })
        });
        let entry = json!({ "body": body, "mediaType": media_type });
        bodies.insert((*status).to_owned(), entry);
    }
    let mut schema = SchemaObject::default();
    if !alternatives.is_empty() {
        schema.subschemas().any_of = Some(alternatives);
    }
    schema
        .extensions
        .insert(EXTENSION.to_owned(), bodies.into());
    schema.into()
}

/// Declares a type without values whose schema describes the bodies of several responses.
/// Each entry is the response, its media type, and the type of its JSON body in brackets,
/// such as `"404" => Some("application/json"), [models::Problem]`.
#[macro_export]
macro_rules! bodies_by_status {
    ($(#[$meta:meta])* $name:ident: $($status:literal => $media_type:expr, [$($body:ty)?];)*) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub enum $name {}

        impl $crate::private::serde::Serialize for $name {
            fn serialize<S: $crate::private::serde::Serializer>(
                &self,
                _: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                match *self {}
            }
        }

        impl $crate::private::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::string::String {
                ::core::stringify!($name).to_owned()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(
                generator: &mut $crate::private::schemars::r#gen::SchemaGenerator,
            ) -> $crate::private::schemars::schema::Schema {
                $crate::by_status::schema(generator, &[
                    $(($status, $media_type, $crate::bodies_by_status!(@schema $($body)?)),)*
                ])
            }
        }
    };
    (@schema) => {
        ::core::option::Option::None
    };
    (@schema $body:ty) => {
        ::core::option::Option::Some(
            |generator| generator.subschema_for::<$body>()
        )
    };
}
