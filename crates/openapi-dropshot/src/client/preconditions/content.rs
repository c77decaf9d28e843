//! Checks bodies and responses: media types and schemas that progenitor has a type for.

use super::Check;
use crate::client::document::{essence, is_type, successes};
use openapi_dropshot_contract::{
    Problem,
    model::{MediaType, Response, Schema, Type},
};

impl Check<'_, '_> {
    pub(super) fn body(&mut self) {
        let Some(body) = &self.operation.request_body else {
            return;
        };
        if !body.required {
            self.reject(
                "unsupported-optional-body",
                &body.at,
                "always sends its body, but the document lets it be absent",
                "write `required: true`",
            );
        }
        let count = body.content.len();
        if count != 1 {
            self.reject(
                "client-request-media-types",
                &body.at,
                format!("needs exactly one media type for its body, found {count}"),
                "keep one entry in `content`",
            );
        }
        for media in &body.content {
            self.request_media(media);
        }
    }

    fn request_media(&mut self, media: &MediaType) {
        let name = &media.name.value;
        let encoding = format!("{}/encoding", media.at.pointer);
        if let Some(encoding) = self.document.root.pointer(&encoding) {
            self.reject(
                "client-encoding",
                &encoding.at,
                "ignores `encoding`",
                "remove it",
            );
        }
        let Some(schema) = &media.schema else {
            self.reject(
                "client-body-without-schema",
                &media.at,
                format!("does not know what `{name}` holds"),
                "add a `schema`",
            );
            return;
        };
        let resolved = self.document.resolve(schema).unwrap_or(schema);
        match essence(media) {
            "application/json" | "application/x-www-form-urlencoded" => {}
            "application/octet-stream" if is_plain_text(resolved, Some("binary")) => {}
            "text/plain" | "text/x-markdown" if is_plain_text(resolved, None) => {}
            "application/octet-stream" => self.reject(
                "client-raw-body",
                &schema.at,
                "sends `application/octet-stream` only as plain bytes",
                "write `type: string` and `format: binary`",
            ),
            "text/plain" | "text/x-markdown" => self.reject(
                "client-raw-body",
                &schema.at,
                format!("sends `{}` only as plain text", essence(media)),
                "write `type: string` and nothing else",
            ),
            _ => self.reject(
                "client-request-media-types",
                &media.name.at,
                format!("cannot send `{name}`"),
                "use `application/json`, `application/x-www-form-urlencoded`, `application/octet-stream` or `text/plain`",
            ),
        }
    }

    /// One operation has one type for its success.
    pub(super) fn responses(&mut self) {
        let operation = self.operation;
        if operation.extensions.contains_key("x-dropshot-websocket") {
            self.reject(
                "client-websocket",
                &operation.at,
                "cannot upgrade to a websocket",
                "serve the channel outside of this document",
            );
        }
        let mut first = None;
        for response in successes(operation) {
            let status = &response.status;
            let content = match Content::of(response) {
                Ok(content) => content,
                Err(media) => {
                    self.reject(
                        "client-response-without-schema",
                        &media.at,
                        format!("does not know what its response `{}` holds", status.value),
                        "add a `schema`",
                    );
                    continue;
                }
            };
            let (other, same) = first.get_or_insert((status, content));
            if *same != content {
                let message = format!(
                    "the client of {} needs one type for all successes: `{}` and `{}` differ",
                    operation.label(),
                    other.value,
                    status.value
                );
                let help =
                    "refer to the same schema in all of them, or make operations of their own";
                let problem = Problem::error("client-success-types", &status.at, message, help);
                self.problems
                    .push(problem.with_related(&other.at, "the other success"));
            }
        }
    }
}

/// The form in which progenitor reads a response.
#[derive(Clone, Copy, PartialEq)]
enum Content<'a> {
    /// JSON of this component, or of the inline schema at this place.
    Json(&'a str),
    Raw,
    Empty,
}

impl<'a> Content<'a> {
    /// Returns how progenitor reads a response; the error is a JSON content without a schema.
    fn of(response: &'a Response) -> Result<Self, &'a MediaType> {
        let mut content = response.content.iter();
        match content.find(|media| essence(media) == "application/json") {
            Some(media) => {
                let schema = media.schema.as_ref().ok_or(media)?;
                let component = schema.reference.as_ref().map(|name| &name.value);
                Ok(Content::Json(component.unwrap_or(&schema.at.pointer)))
            }
            None if response.content.is_empty() => Ok(Content::Empty),
            None => Ok(Content::Raw),
        }
    }
}

/// Whether this is `type: string` with this format and no other rule.
fn is_plain_text(schema: &Schema, format: Option<&str>) -> bool {
    is_type(schema, Type::String)
        && schema.format.as_ref().map(|format| format.value.as_str()) == format
        && !schema.nullable
        && schema.default.is_none()
        && schema.enumeration.is_none()
        && schema.pattern.is_none()
        && schema.min_length.is_none()
        && schema.max_length.is_none()
}
