//! Request bodies and responses.

use super::Reader;
use super::object::Object;
use super::reference::{Section, Target};
use crate::model::{Node, RequestBody, Response, Spanned, StatusCode};

impl Reader<'_> {
    /// A request body, or what a reference to one leads to.
    pub(super) fn request_body(&mut self, node: &Node) -> Option<RequestBody> {
        match self.target(node, Section::RequestBodies) {
            Target::Inline => {}
            Target::Component(name) => return self.components.request_bodies.get(&name).cloned(),
            Target::Broken => return None,
        }
        let object = self.object(
            node,
            "a request body",
            &["description", "required", "content"],
        )?;
        object.require("content", &mut self.problems);
        Some(RequestBody {
            at: node.at.clone(),
            description: object.text("description", &mut self.problems),
            required: object.flag("required", &mut self.problems),
            content: self.content(&object),
            extensions: object.extensions(),
        })
    }

    /// `responses` of an operation.
    pub(super) fn responses(&mut self, operation: &Object<'_>) -> Vec<Response> {
        let Some(node) = operation.require("responses", &mut self.problems) else {
            return Vec::new();
        };
        let Some(map) = self.map(node, "`responses`") else {
            return Vec::new();
        };
        let mut responses = Vec::new();
        let mut is_empty = true;
        for (key, member) in map.members().filter(|(key, _)| !key.starts_with("x-")) {
            is_empty = false;
            let status = StatusCode::from_key(key);
            if status.is_none() {
                self.error(
                    "status-code",
                    &member.key_at,
                    format!("`{}` is no status code", key.escape_debug()),
                    "write a code such as `'200'`, a range such as `4XX`, or `default`",
                );
            }
            let response = self.response(&member.value);
            if let (Some(status), Some(response)) = (status, response) {
                responses.push(Response {
                    status: Spanned::new(status, &member.key_at),
                    ..response
                });
            }
        }
        if is_empty {
            // Documents of services that stream by other means have this.
            self.warning(
                "no-response",
                &node.at,
                "the operation has no response",
                "add one, such as `'200'`",
            );
        }
        responses
    }

    /// A response, or what a reference to one leads to. Its status is not its
    /// own: whoever refers to it sets it.
    pub(super) fn response(&mut self, node: &Node) -> Option<Response> {
        match self.target(node, Section::Responses) {
            Target::Inline => {}
            Target::Component(name) => return self.components.responses.get(&name).cloned(),
            Target::Broken => return None,
        }
        let object = self.object(
            node,
            "a response",
            &["description", "headers", "content", "links"],
        )?;
        let description = object.required_text("description", &mut self.problems);
        let headers = self.headers(&object);
        let content = self.content(&object);
        if let Some(node) = object.get("links")
            && let Some(map) = self.map(node, "`links`")
        {
            for (_, member) in map.members() {
                self.check_link(&member.value);
            }
        }
        let error_codes = object.texts("x-error-codes", &mut self.problems);
        Some(Response {
            at: node.at.clone(),
            status: Spanned::new(StatusCode::Default, &node.at),
            description: description?.value,
            headers,
            content,
            error_codes,
            extensions: object.extensions(),
        })
    }
}
