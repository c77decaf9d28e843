//! Reads request bodies and responses, and their contents: media types,
//! encodings, examples and links.

use super::Reader;
use super::object::Object;
use super::reference::Target;
use crate::grammar::ObjectKind;
use crate::model::{MediaType, Member, Node, RequestBody, Response, Spanned, StatusCode};
use crate::rules::document as rules;

impl<'a> Reader<'a> {
    /// A request body, or what a reference to one leads to.
    pub(super) fn request_body(&mut self, node: &'a Node) -> Option<RequestBody> {
        if let Target::Component(name) = self.target(node, "requestBodies")? {
            return self.document.request_bodies.get(name).cloned();
        }
        let object = self.object(node, ObjectKind::RequestBody)?;
        object.require("content");
        Some(RequestBody {
            at: node.at.clone(),
            description: object.optional("description"),
            required: object.flag("required"),
            content: self.content(&object),
            extensions: object.extensions(),
        })
    }

    /// `responses` of an operation.
    pub(super) fn responses(&mut self, operation: &Object<'a>) -> Vec<Response> {
        let Some(node) = operation.require("responses") else {
            return Vec::new();
        };
        let mut responses = Vec::new();
        let mut is_empty = node.as_object().is_some();
        let entries = self.map(node, "`responses`");
        for (key, member) in entries.filter(|(key, _)| !key.starts_with("x-")) {
            is_empty = false;
            let status = StatusCode::from_key(key);
            if status.is_none() {
                let message = format!("`{}` is not a status code", key.escape_debug());
                self.report(rules::STATUS_CODE.violation(&member.key_at, message));
            }
            let response = self.response(&member.value);
            if let (Some(status), Some(response)) = (status, response) {
                let status = Spanned::new(status, &member.key_at);
                responses.push(Response { status, ..response });
            }
        }
        if is_empty {
            // Documents of services that stream by other means have such operations.
            let message = "the operation has no response";
            self.report(rules::NO_RESPONSE.violation(&node.at, message));
        }
        responses
    }

    /// A response, or what a reference to one leads to. Its status is set by the
    /// operation that refers to it.
    pub(super) fn response(&mut self, node: &'a Node) -> Option<Response> {
        if let Target::Component(name) = self.target(node, "responses")? {
            return self.document.responses.get(name).cloned();
        }
        let object = self.object(node, ObjectKind::Response)?;
        for (_, member) in self.entries(&object, "links") {
            self.check_link(&member.value);
        }
        Some(Response {
            at: node.at.clone(),
            status: Spanned::new(StatusCode::Default, &node.at),
            headers: self.headers(&object),
            content: self.content(&object),
            error_codes: object.texts("x-error-codes"),
            extensions: object.extensions(),
            description: object.required("description")?,
        })
    }

    /// `content` of a body, a parameter or a header.
    pub(super) fn content(&mut self, object: &Object<'a>) -> Vec<MediaType> {
        let entries = self.entries(object, "content");
        entries
            .filter_map(|(name, member)| self.media_type(name, member))
            .collect()
    }

    fn media_type(&mut self, name: &str, member: &'a Member) -> Option<MediaType> {
        let name = Spanned::new(name.to_owned(), &member.key_at);
        if !is_media_type(&name.value) {
            let message = format!("`{name}` is not a media type");
            self.report(rules::MEDIA_TYPE.violation(&name.at, message));
        }
        let node = &member.value;
        let object = self.object(node, ObjectKind::MediaType)?;
        for (_, member) in self.entries(&object, "encoding") {
            self.check_encoding(&member.value);
        }
        Some(MediaType {
            at: node.at.clone(),
            name,
            schema: object.get("schema").and_then(|node| self.schema(node)),
            examples: self.examples(&object),
            extensions: object.extensions(),
        })
    }

    fn check_encoding(&mut self, node: &'a Node) {
        if let Some(object) = self.object(node, ObjectKind::Encoding) {
            object.check_texts(&["contentType", "style"]);
            object.flag("explode");
            object.flag("allowReserved");
            self.headers(&object);
        }
    }

    /// The values of `example` or `examples`, without those in other files
    /// (`externalValue`).
    pub(super) fn examples(&mut self, object: &Object<'a>) -> Vec<Node> {
        let single = object.get("example");
        let Some(node) = object.get("examples") else {
            return single.cloned().into_iter().collect();
        };
        if single.is_some() {
            let message = "`examples` is written beside `example`";
            self.report(rules::EXCLUSIVE_MEMBERS.violation(&node.at, message));
        }
        let entries = self.map(node, "`examples`");
        entries
            .filter_map(|(_, member)| self.example(&member.value)?)
            .collect()
    }

    /// The value of an example object, `Some(None)` if it is in another file.
    pub(super) fn example(&mut self, node: &'a Node) -> Option<Option<Node>> {
        if let Target::Component(name) = self.target(node, "examples")? {
            return self.examples.get(name).cloned();
        }
        let object = self.object(node, ObjectKind::Example)?;
        object.check_texts(&["summary", "description", "externalValue"]);
        let value = object.get("value");
        if let (Some(value), Some(_)) = (value, object.get("externalValue")) {
            let message = "`value` is written beside `externalValue`";
            self.report(rules::EXCLUSIVE_MEMBERS.violation(&value.at, message));
        }
        Some(value.cloned())
    }

    /// A link: checked, and left in the tree.
    pub(super) fn check_link(&mut self, node: &'a Node) {
        if !matches!(self.target(node, "links"), Some(Target::Inline)) {
            return;
        }
        let Some(object) = self.object(node, ObjectKind::Link) else {
            return;
        };
        object.check_texts(&["operationRef", "operationId", "description"]);
        let _ = self.entries(&object, "parameters");
        if let Some(node) = object.get("server") {
            self.server(node);
        }
        if let (Some(_), Some(id)) = (object.get("operationRef"), object.get("operationId")) {
            let message = "`operationId` is written beside `operationRef`";
            self.report(rules::EXCLUSIVE_MEMBERS.violation(&id.at, message));
        }
    }
}

/// Whether this is `type/subtype`, with or without parameters; ranges such as
/// `image/*` are allowed.
fn is_media_type(name: &str) -> bool {
    let essence = name.split(';').next().unwrap_or_default().trim_end();
    let is_token_byte = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(is_token_byte);
    let parts = essence.split_once('/');
    parts.is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}
