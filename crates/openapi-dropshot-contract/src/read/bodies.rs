//! Reads request bodies and responses, and their contents: media types,
//! encodings, examples and links.

use super::reference::Target;
use super::{Reader, entries, structure};
use crate::grammar::{Holds, ObjectKind, Since};
use crate::model::{MediaType, Member, Node, RequestBody, Response, Spanned, StatusCode, is_token};
use crate::rules::document as rules;
use indexmap::IndexMap;

impl<'a> Reader<'a> {
    /// Reads a request body, or the target of a reference to a request body.
    pub(super) fn request_body(&mut self, node: &'a Node) -> Option<RequestBody> {
        if let Target::Component(name) = self.target(node, "requestBodies")? {
            return self.document.request_bodies.get(name).cloned();
        }
        Some(RequestBody {
            at: node.at.clone(),
            description: node.string("description"),
            required: node.is_set("required"),
            content: self.content(node),
            extensions: node.extensions(),
        })
    }

    pub(super) fn responses(&mut self, operation: &'a Node) -> Vec<Response> {
        let mut responses = Vec::new();
        let mut listed = entries(operation, "responses")
            .filter(|(key, _)| !key.starts_with("x-"))
            .peekable();
        if let Some(node) = operation
            .get("responses")
            .filter(|node| node.as_object().is_some())
            && listed.peek().is_none()
        {
            // Some services stream by other means, and their documents have such operations.
            let message = "the operation has no response";
            self.report(rules::NO_RESPONSE.violation(&node.at, message));
        }
        for (key, member) in listed {
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
        responses
    }

    /// Reads a response, or the target of a reference to a response. The operation that contains
    /// the response sets its status.
    pub(super) fn response(&mut self, node: &'a Node) -> Option<Response> {
        if let Target::Component(name) = self.target(node, "responses")? {
            return self.document.responses.get(name).cloned();
        }
        for (_, link) in node.entries("links") {
            self.check_link(link);
        }
        self.checked(node, "x-error-codes", Holds::TextList);
        let description = node.string("description");
        if self.version < Since::V32 && node.get("description").is_none() {
            structure::report_absent(node, ObjectKind::Response, "description", self.log);
        }
        Some(Response {
            at: node.at.clone(),
            status: Spanned::new(StatusCode::Default, &node.at),
            headers: self.headers(node),
            content: self.content(node),
            error_codes: node.strings_at("x-error-codes"),
            extensions: node.extensions(),
            description: description
                .or_else(|| node.string("summary"))
                .unwrap_or_default(),
        })
    }

    /// `content` of a body, a parameter or a header.
    pub(super) fn content(&mut self, node: &'a Node) -> Vec<MediaType> {
        let content = entries(node, "content");
        content
            .map(|(name, member)| self.media_type(name, member))
            .collect()
    }

    fn media_type(&mut self, name: &str, member: &'a Member) -> MediaType {
        let name = Spanned::new(name.to_owned(), &member.key_at);
        if !is_media_type(&name.value) {
            let message = format!("`{name}` is not a media type");
            self.report(rules::MEDIA_TYPE.violation(&name.at, message));
        }
        let node = &member.value;
        if self.version >= Since::V32 {
            // The target of the reference has already been copied here, unless the reference is
            // wrong.
            self.target(node, "mediaTypes");
        }
        let mut encodings = IndexMap::new();
        for (name, encoding) in node.entries("encoding") {
            self.headers(encoding);
            if let Some(content_type) = encoding.string("contentType") {
                encodings.insert(name.to_owned(), content_type);
            }
        }
        let item_schema = node.get("itemSchema").or_else(|| node.get("x-item-schema"));
        MediaType {
            at: node.at.clone(),
            name,
            schema: node.get("schema").and_then(|node| self.schema(node)),
            item_schema: item_schema.and_then(|node| self.schema(node)),
            encoding: encodings,
            examples: self.examples(node),
            extensions: node.extensions(),
        }
    }

    /// The values of `example` or `examples`, without those in other files
    /// (`externalValue`).
    pub(super) fn examples(&mut self, node: &'a Node) -> Vec<Node> {
        let single = node.get("example");
        let Some(examples) = node.get("examples") else {
            return single.cloned().into_iter().collect();
        };
        self.check_exclusive(node, "examples", "example");
        let examples = examples.members();
        examples
            .filter_map(|(_, example)| self.example(example)?)
            .collect()
    }

    /// Returns the value of an example object; `Some(None)` if the value is in another file.
    pub(super) fn example(&mut self, node: &'a Node) -> Option<Option<Node>> {
        if let Target::Component(name) = self.target(node, "examples")? {
            return self.examples.get(name).cloned();
        }
        self.check_exclusive(node, "dataValue", "value");
        self.check_exclusive(node, "value", "externalValue");
        Some(node.get("dataValue").or(node.get("value")).cloned())
    }

    /// Reports a member that is written beside a member that excludes it.
    fn check_exclusive(&self, node: &Node, name: &str, other: &str) {
        if let (Some(own), Some(_)) = (node.get(name), node.get(other)) {
            let message = format!("`{name}` is written beside `{other}`");
            self.report(rules::EXCLUSIVE_MEMBERS.violation(&own.at, message));
        }
    }

    /// Checks a link. The model does not contain links; they stay in the tree.
    pub(super) fn check_link(&mut self, node: &'a Node) {
        if !matches!(self.target(node, "links"), Some(Target::Inline)) {
            return;
        }
        if let Some(node) = node.get("server") {
            self.server(node);
        }
        self.check_exclusive(node, "operationId", "operationRef");
    }
}

/// Returns whether this has the form `type/subtype`, with or without parameters. Ranges such as
/// `image/*` are allowed.
fn is_media_type(name: &str) -> bool {
    let essence = name.split(';').next().unwrap_or_default().trim_end();
    let parts = essence.split_once('/');
    parts.is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}
