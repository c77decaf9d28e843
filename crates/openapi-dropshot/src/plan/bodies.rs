//! Plans request bodies: JSON and forms become types; bytes are read by the handler. Also plans the types of bodies in both
//! directions.

use super::{
    OperationPlan, Planner,
    ir::{Item, Kind, Others, Rule, Scalar, Ty},
    is_text,
    parts::Parts,
    responses::EVENTS,
    target,
};
use crate::{docs::Docs, rules};
use openapi_dropshot_contract::{
    Problem, Severity,
    model::{MediaType, Method, Node, Operation, RequestBody, Schema, is_json},
};

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const PARTS: &str = "multipart/form-data";

/// What to write instead of a form that the service does not parse.
const FORM_HELP: &str = "write an object with `properties` that are strings, numbers, booleans or enumerations; \
                         if there are `additionalProperties`, they must be strings";

/// The body of a request.
pub(crate) enum Body {
    /// JSON with this media type.
    Json(Ty, String),
    /// A form, whose fields are written as in a query.
    Form(Ty),
    /// Lines of JSON with this media type. The handler reads the lines as they arrive.
    Lines(Ty, String),
    /// Bytes, which the handler reads. They have this media type, or one of several media types, separated by commas.
    Bytes(String),
    /// A form in parts. The parts are checked as they arrive, or the handler reads the form itself; `Err` then contains the keyword
    /// because of which a streamed form cannot be checked.
    Parts(Result<Parts, Option<&'static str>>),
}

impl Body {
    pub(crate) fn media_type(&self) -> &str {
        match self {
            Body::Json(_, media_type) | Body::Lines(_, media_type) => media_type,
            Body::Form(_) => FORM,
            Body::Bytes(media_type) => media_type,
            Body::Parts(_) => PARTS,
        }
    }
}

impl<'a> Planner<'a> {
    /// Plans the body of a request.
    pub(super) fn request_body(
        &mut self,
        operation: &'a Operation,
        type_name: &str,
    ) -> Option<Body> {
        let body = operation.request_body.as_ref()?;
        if operation.method == Method::Head {
            let message = "a body has no meaning for HEAD";
            let help = "use POST or PUT, or query parameters";
            self.reject(&rules::UNSUPPORTED_BODY, &body.at, message, help);
        }
        let read = body.read();
        let [only] = read else {
            let names: Vec<String> = read.iter().map(MediaType::essence).collect();
            return Some(Body::Bytes(names.join(", ")));
        };
        let essence = only.essence();
        if let Some(items) = streamed_lines(body, only) {
            let ty = self.body_type(items, &format!("{type_name}BodyItem"));
            return Some(Body::Lines(ty, essence));
        }
        Some(match essence.as_str() {
            FORM => match self.form(only, type_name) {
                Some(form) => Body::Form(form),
                None => Body::Bytes(essence),
            },
            PARTS => Body::Parts(match streamed(body) {
                Some(true) => self.parts(only, type_name),
                _ => Err(None),
            }),
            _ if !only.is_json() => Body::Bytes(essence),
            _ => {
                let schema = only.schema.as_ref();
                let wanted = format!("{type_name}Body");
                let ty = schema.map_or(Ty::Any, |schema| self.body_type(schema, &wanted));
                Body::Json(ty, essence)
            }
        })
    }

    /// Returns whether the handler gets the request body as it arrives (`x-streamed`).
    pub(super) fn is_streamed(&mut self, operation: &Operation, planned: Option<&Body>) -> bool {
        let body = operation.request_body.as_ref();
        let Some(streamed) = body.and_then(|body| body.extensions.get("x-streamed")) else {
            return false;
        };
        let is_streamed = streamed.as_bool();
        let message = match (is_streamed, planned) {
            (None, _) => "`x-streamed` must be `true` or `false`",
            (Some(true), Some(Body::Json(..) | Body::Form(_))) => {
                "this body cannot be streamed: the service reads JSON and forms before the handler runs"
            }
            _ => return is_streamed == Some(true),
        };
        let help = "write `true` only for a body of bytes, of parts or of JSON lines, or remove `x-streamed`";
        self.reject(&rules::UNSUPPORTED_BODY, &streamed.at, message, help);
        false
    }

    /// Plans the type of a body. Dropshot emits the schema of the type, so a type whose own schema would be incomplete gets a name
    /// and a complete schema.
    pub(super) fn body_type(&mut self, schema: &'a Schema, wanted: &str) -> Ty {
        let ty = self.use_of(schema, wanted);
        if !is_shaped(&ty) {
            return ty;
        }
        let name = self.names.claim(wanted);
        let about = "A body.".to_owned();
        let item = self.item(name.clone(), schema, about, Kind::Wrapper(ty));
        self.items.push(Item {
            docs: Docs::new(schema.description.as_deref(), "A body."),
            deprecated: false,
            default: None,
            ..item
        });
        Ty::Named(name)
    }

    /// Plans a form, which is an object whose members are sent as strings. Returns `None` if a member cannot be sent as one string:
    /// the handler then reads the form itself, as it does with parts.
    fn form(&mut self, media_type: &'a MediaType, type_name: &str) -> Option<Ty> {
        let Some(schema) = &media_type.schema else {
            let message = "the form has no schema";
            let help = "add a `schema` of `type: object`, with a property for each field";
            self.reject(&rules::MISSING_SCHEMA, &media_type.at, message, help);
            return None;
        };
        let ty = self.use_of(schema, &format!("{type_name}Body"));
        let kind = |ty: &Ty| target(&self.items, ty).map(|item| &item.kind);
        let is_plain_object = |ty: &Ty, is_plain: fn(&[Item], &Ty) -> bool| match kind(ty) {
            Some(Kind::Struct(object)) => {
                let mut fields = object.fields.iter();
                fields.all(|field| is_plain(&self.items, &field.ty))
                    && has_strings(&self.items, &object.others)
            }
            _ => *ty == Ty::Invalid,
        };
        let is_plain = match kind(&ty) {
            // Alternatives are read as in JSON, where a string is not a number.
            Some(Kind::Union(union)) => {
                let mut variants = union.variants.iter();
                variants.all(|variant| is_plain_object(&variant.ty, is_string))
            }
            _ => is_plain_object(&ty, is_text),
        };
        let is_object = match kind(&ty) {
            Some(Kind::Struct(object)) => has_strings(&self.items, &object.others),
            _ => false,
        };
        if !is_plain && !is_object {
            let message =
                "this form is not supported: each field is read as one string, as in a query";
            let help = FORM_HELP;
            self.reject(&rules::UNSUPPORTED_FORM, &schema.at, message, help);
        }
        is_plain.then_some(ty)
    }
}

/// Returns the schema of the lines of a body, if the handler gets the lines as they arrive.
pub(crate) fn streamed_lines<'a>(body: &RequestBody, media: &'a MediaType) -> Option<&'a Schema> {
    let is_streamed = streamed(body) == Some(true);
    let is_lines = media.essence() != EVENTS && !media.is_sequence();
    media.items().filter(|_| is_streamed && is_lines)
}

/// Returns `x-streamed`.
fn streamed(body: &RequestBody) -> Option<bool> {
    body.extensions.get("x-streamed").and_then(Node::as_bool)
}

/// Warns about a form that the handler reads itself.
pub(crate) fn warning(operation: &OperationPlan<'_>) -> Option<Problem> {
    let body = operation.operation.request_body.as_ref()?;
    if let Some(Body::Parts(Err(Some(keyword)))) = &operation.body {
        let message = format!(
            "the parts of this streamed form are not checked, because its schema has `{keyword}`: the handler gets the parts as they arrive"
        );
        let help = format!(
            "write an object with `properties` and without `{keyword}`, or check the parts in the handler"
        );
        let problem = rules::UNSUPPORTED_FORM.problem(&body.at, message, help);
        return Some(problem.with_severity(Severity::Warning));
    }
    let is_form = |body: &Body| matches!(body, Body::Bytes(media_type) if media_type == FORM);
    operation.body.as_ref().is_some_and(is_form).then(|| {
        let message = "a field of this form cannot be sent as one string: the service does not parse the form, and the handler gets the bytes";
        let problem = rules::UNSUPPORTED_FORM.problem(&body.at, message, FORM_HELP);
        problem.with_severity(Severity::Warning)
    })
}

/// The body of a response: JSON, or the text of an error that is not JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JsonBody<'a> {
    pub(crate) ty: Ty,
    /// The media type, such as `application/problem+json`.
    pub(crate) media_type: &'a str,
}

impl JsonBody<'_> {
    /// Returns whether the body is sent as JSON.
    pub(crate) fn is_json(&self) -> bool {
        is_json(self.media_type)
    }

    /// Returns the media type, unless it is the one that dropshot sends for JSON anyway.
    pub(crate) fn own_media_type(&self) -> Option<&str> {
        (self.media_type != JSON).then_some(self.media_type)
    }
}

/// Returns whether form fields that the document does not name can be read. Serde keeps them as strings, which it can convert only
/// to strings.
fn has_strings(items: &[Item], others: &Others) -> bool {
    match others {
        Others::Ignored | Others::Rejected | Others::Collected(_, Ty::Any | Ty::Invalid) => true,
        Others::Collected(_, of) => is_string(items, of),
    }
}

/// Returns whether the values of a type are JSON strings.
pub(super) fn is_string(items: &[Item], ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => matches!(scalar, Scalar::Text { .. } | Scalar::Format(_)),
        Ty::Named(_) => match target(items, ty).map(|item| &item.kind) {
            Some(Kind::Words(_)) => true,
            Some(Kind::Checked(checked)) => matches!(checked.rule, Rule::Text(_)),
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether the Rust type has a less exact schema than the document.
fn is_shaped(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => scalar.shape().is_some(),
        Ty::List(of) | Ty::Map(of) | Ty::Nullable(of) | Ty::Boxed(of) => is_shaped(of),
        Ty::Null => true,
        Ty::Named(_) | Ty::AnyMap | Ty::Any | Ty::Invalid | Ty::Never => false,
    }
}
