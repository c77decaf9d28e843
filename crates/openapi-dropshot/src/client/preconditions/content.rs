//! Checks bodies and responses: media types and schemas that progenitor has a type for.

use super::Check;
use crate::client::names::successes;
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
            let what = "always sends its body, but the document lets it be absent";
            self.reject(
                "unsupported-optional-body",
                &body.at,
                what,
                "write `required: true`",
            );
        }
        if body.content.len() != 1 {
            let what = format!(
                "needs exactly one media type for its body, found {}",
                body.content.len()
            );
            self.reject(
                "client-request-media-types",
                &body.at,
                what,
                "keep one entry in `content`",
            );
        }
        for media in &body.content {
            self.request_media(media);
        }
    }

    fn request_media(&mut self, media: &MediaType) {
        let essence = media
            .name
            .value
            .split(';')
            .next()
            .unwrap_or_default()
            .trim();
        let encoding = format!("{}/encoding", media.at.pointer);
        if let Some(encoding) = self.document.root.pointer(&encoding) {
            let at = encoding.at.clone();
            self.reject("client-encoding", &at, "ignores `encoding`", "remove it");
        }
        let Some(schema) = &media.schema else {
            let what = format!("does not know what `{}` holds", media.name.value);
            self.reject(
                "client-body-without-schema",
                &media.at,
                what,
                "add a `schema`",
            );
            return;
        };
        let resolved = self.document.resolve(schema).unwrap_or(schema);
        match essence {
            "application/json" | "application/x-www-form-urlencoded" => {}
            "application/octet-stream" if is_plain_text(resolved, Some("binary")) => {}
            "application/octet-stream" => {
                let what = "sends `application/octet-stream` only as plain bytes";
                self.reject(
                    "client-raw-body",
                    &schema.at,
                    what,
                    "write `type: string` and `format: binary`",
                );
            }
            "text/plain" | "text/x-markdown" if is_plain_text(resolved, None) => {}
            "text/plain" | "text/x-markdown" => {
                let what = format!("sends `{essence}` only as plain text");
                self.reject(
                    "client-raw-body",
                    &schema.at,
                    what,
                    "write `type: string` and nothing else",
                );
            }
            _ => {
                let what = format!("cannot send `{}`", media.name.value);
                let help = "use `application/json`, `application/x-www-form-urlencoded`, `application/octet-stream` \
                            or `text/plain`";
                self.reject("client-request-media-types", &media.name.at, what, help);
            }
        }
    }

    /// One operation has one type for its success.
    pub(super) fn responses(&mut self) {
        if self
            .operation
            .extensions
            .contains_key("x-dropshot-websocket")
        {
            let what = "cannot upgrade to a websocket";
            self.reject(
                "client-websocket",
                &self.operation.at,
                what,
                "serve the channel outside of this document",
            );
        }
        let mut first: Option<(&Response, Content<'_>)> = None;
        for response in successes(self.operation) {
            let content = match Content::of(response) {
                Ok(content) => content,
                Err(media) => {
                    let what = format!(
                        "does not know what its response `{}` holds",
                        response.status.value
                    );
                    self.reject(
                        "client-response-without-schema",
                        &media.at,
                        what,
                        "add a `schema`",
                    );
                    continue;
                }
            };
            match &first {
                None => first = Some((response, content)),
                Some((_, same)) if same.is_same(&content) => {}
                Some((other, _)) => {
                    let message = format!(
                        "the client of {} needs one type for all successes: `{}` and `{}` differ",
                        self.operation.label(),
                        other.status.value,
                        response.status.value
                    );
                    let help =
                        "refer to the same schema in all of them, or make operations of their own";
                    let problem =
                        Problem::error("client-success-types", &response.status.at, message, help)
                            .with_related(&other.status.at, "the other success");
                    self.problems.push(problem);
                }
            }
        }
    }
}

/// The form in which progenitor reads a response.
enum Content<'a> {
    Json(&'a Schema),
    Raw,
    Empty,
}

impl<'a> Content<'a> {
    /// The kind of a response, or the JSON without schema in it.
    fn of(response: &'a Response) -> Result<Self, &'a MediaType> {
        let json = response.content.iter().find(|media| {
            media.name.value == "application/json"
                || media.name.value.starts_with("application/json;")
        });
        match json {
            Some(media) => media.schema.as_ref().map(Content::Json).ok_or(media),
            None if response.content.is_empty() => Ok(Content::Empty),
            None => Ok(Content::Raw),
        }
    }

    fn is_same(&self, other: &Content<'_>) -> bool {
        match (self, other) {
            (Content::Json(one), Content::Json(other)) => {
                one.at == other.at
                    || one.reference.as_ref().is_some_and(|name| {
                        other
                            .reference
                            .as_ref()
                            .is_some_and(|other| other.value == name.value)
                    })
            }
            (Content::Raw, Content::Raw) | (Content::Empty, Content::Empty) => true,
            _ => false,
        }
    }
}

/// Whether this is `type: string` with this format and no other rule.
fn is_plain_text(schema: &Schema, format: Option<&str>) -> bool {
    schema
        .types
        .as_ref()
        .is_some_and(|kind| kind.value == Type::String)
        && schema.format.as_ref().map(|format| format.value.as_str()) == format
        && !schema.nullable
        && schema.default.is_none()
        && schema.enumeration.is_none()
        && schema.pattern.is_none()
        && schema.min_length.is_none()
        && schema.max_length.is_none()
}
