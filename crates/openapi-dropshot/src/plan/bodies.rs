//! Plans the bodies of requests: JSON and forms become types, the handler reads
//! bytes by itself. Also finds the types of bodies in both directions.

use super::{
    Planner,
    ir::{Home, Item, Kind, Ty},
    is_text,
    operations::is_json,
};
use crate::docs::Docs;
use openapi_dropshot_contract::{
    Problem,
    model::{MediaType, Method, Operation, Schema, Type},
};

const FORM: &str = "application/x-www-form-urlencoded";
const BYTES: &str = "application/octet-stream";
const PARTS: &str = "multipart/form-data";

/// The body of a request.
pub(crate) enum Body {
    /// JSON.
    Json(Ty),
    /// A form, its fields in the body as in a query.
    Form(Ty),
    /// Bytes, which the handler reads by itself.
    Bytes,
    /// A form in parts, which the handler reads by itself.
    Parts,
}

impl Body {
    /// Its media type.
    pub(crate) fn media_type(&self) -> &'static str {
        match self {
            Body::Json(_) => "application/json",
            Body::Form(_) => FORM,
            Body::Bytes => BYTES,
            Body::Parts => PARTS,
        }
    }
}

impl<'a> Planner<'a> {
    /// The body of a request.
    pub(super) fn request_body(
        &mut self,
        operation: &'a Operation,
        type_name: &str,
    ) -> Option<Body> {
        let body = operation.request_body.as_ref()?;
        if operation.method == Method::Head {
            self.problems.push(Problem::error(
                "unsupported-body",
                &body.at,
                format!("a body has no meaning for {}", operation.method),
                "use POST or PUT, or query parameters",
            ));
        }
        if let [only] = body.content.as_slice() {
            match essence(only).as_str() {
                FORM => return self.form(only, type_name).map(Body::Form),
                BYTES => return self.binary(only).then_some(Body::Bytes),
                PARTS => return self.binary(only).then_some(Body::Parts),
                _ => {}
            }
        }
        let schema = self.json(&body.content, &body.at, "the body of the request")?;
        Some(Body::Json(
            self.body_type(schema, &format!("{type_name}Body")),
        ))
    }

    /// The type of a body. dropshot emits its schema, so a type whose own schema
    /// would be incomplete gets a name and a complete schema.
    pub(super) fn body_type(&mut self, schema: &'a Schema, wanted: &str) -> Ty {
        let ty = self.use_of(schema, wanted, Home::Schemas);
        if !is_shaped(&ty) {
            return ty;
        }
        let name = self.names.claim(wanted);
        self.items.push(Item {
            name: name.clone(),
            component: None,
            home: Home::Schemas,
            docs: Docs::new(schema.description.as_deref(), "A body.".to_owned()),
            title: schema.title.clone(),
            deprecated: false,
            default: None,
            kind: Kind::Wrapper(ty),
        });
        Ty::Named(name)
    }

    /// A form: an object whose members are sent as text.
    fn form(&mut self, media_type: &'a MediaType, type_name: &str) -> Option<Ty> {
        let Some(schema) = &media_type.schema else {
            self.problems.push(Problem::error(
                "missing-schema",
                &media_type.at,
                "the form has no schema",
                "add a `schema` of `type: object`, with a property for each field",
            ));
            return None;
        };
        let ty = self.use_of(schema, &format!("{type_name}Body"), Home::Schemas);
        let plain = match super::target(&self.items, &ty).map(|item| &item.kind) {
            Some(Kind::Struct(object)) => object
                .fields
                .iter()
                .all(|field| is_text(&self.items, &field.ty)),
            _ => matches!(ty, Ty::Invalid),
        };
        if !plain {
            self.problems.push(Problem::error(
                "unsupported-form",
                &schema.at,
                "this form is not supported: it is read as a query is, each field as one text",
                "write an object with `properties` that are strings, numbers, booleans or enumerations",
            ));
            return None;
        }
        Some(ty)
    }

    /// A body that the handler reads by itself, which dropshot describes as bytes.
    fn binary(&mut self, media_type: &'a MediaType) -> bool {
        let is_bytes = media_type.schema.as_ref().is_some_and(|schema| {
            schema
                .types
                .as_ref()
                .is_some_and(|kind| kind.value == Type::String)
                && schema
                    .format
                    .as_ref()
                    .is_some_and(|format| format.value == "binary")
        });
        match &media_type.schema {
            Some(schema) if is_bytes => {
                self.only(schema, "bytes", &["format"]);
                true
            }
            _ => {
                let name = &media_type.name.value;
                self.problems.push(Problem::error(
                    "unsupported-media-type",
                    &media_type.name.at,
                    format!("`{name}` is supported only as bytes that the handler reads by itself"),
                    "write `schema: {type: string, format: binary}` there, and describe the parts in `description`",
                ));
                false
            }
        }
    }
}

/// A media type without its parameters, in small letters.
pub(super) fn essence(media_type: &MediaType) -> String {
    let name = &media_type.name.value;
    name.split(';')
        .next()
        .unwrap_or(name)
        .trim()
        .to_ascii_lowercase()
}

/// The media type of a response that is sent as the handler gives it: the only
/// one, and not JSON.
pub(super) fn raw(content: &[MediaType]) -> Option<&MediaType> {
    match content {
        [only] if !is_json(&only.name.value) => Some(only),
        _ => None,
    }
}

/// Whether the schema of a type in Rust is less exact than that of the document.
fn is_shaped(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => scalar.shape().is_some(),
        Ty::List(of) | Ty::Map(of) | Ty::Nullable(of) | Ty::Boxed(of) => is_shaped(of),
        Ty::Null => true,
        Ty::Named(_) | Ty::AnyMap | Ty::Any | Ty::Invalid => false,
    }
}
