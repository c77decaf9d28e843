//! Reads request bodies and responses, and their contents: media types,
//! encodings, examples and links.

use super::Reader;
use super::object::Object;
use super::reference::{Section, Target};
use crate::model::{MediaType, Node, RequestBody, Response, Spanned, StatusCode};
use crate::rules::document as rules;

impl Reader<'_> {
    /// A request body, or what a reference to one leads to.
    pub(super) fn request_body(&mut self, node: &Node) -> Option<RequestBody> {
        match self.target(node, Section::RequestBodies) {
            Target::Inline => {}
            Target::Component(name) => return self.components.request_bodies.get(&name).cloned(),
            Target::Broken => return None,
        }
        let object = self.object(node, "a request body", "description required content")?;
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
        let mut responses = Vec::new();
        let mut is_empty = node.as_object().is_some();
        let entries = self.map(node, "`responses`");
        for (key, member) in entries.filter(|(key, _)| !key.starts_with("x-")) {
            is_empty = false;
            let status = StatusCode::from_key(key);
            if status.is_none() {
                let message = format!("`{}` is not a status code", key.escape_debug());
                let help = "write a code such as `'200'`, a range such as `4XX`, or `default`";
                self.report(&rules::STATUS_CODE, &member.key_at, message, help);
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
            // Documents of services that stream by other means have such operations.
            let message = "the operation has no response";
            let help = "add one, such as `'200'`";
            self.report(&rules::NO_RESPONSE, &node.at, message, help);
        }
        responses
    }

    /// A response, or what a reference to one leads to. Its status is set by the
    /// operation that refers to it.
    pub(super) fn response(&mut self, node: &Node) -> Option<Response> {
        match self.target(node, Section::Responses) {
            Target::Inline => {}
            Target::Component(name) => return self.components.responses.get(&name).cloned(),
            Target::Broken => return None,
        }
        let object = self.object(node, "a response", "description headers content links")?;
        let description = object.required_text("description", &mut self.problems);
        let headers = self.headers(&object);
        let content = self.content(&object);
        for (_, member) in self.entries(&object, "links") {
            self.check_link(&member.value);
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

    /// `content` of a body, a parameter or a header.
    pub(super) fn content(&mut self, object: &Object<'_>) -> Vec<MediaType> {
        let entries = self.entries(object, "content");
        entries
            .filter_map(|(name, member)| {
                self.media_type(Spanned::new(name.clone(), &member.key_at), &member.value)
            })
            .collect()
    }

    fn media_type(&mut self, name: Spanned<String>, node: &Node) -> Option<MediaType> {
        if !is_media_type(&name.value) {
            let message = format!("`{}` is not a media type", name.value.escape_debug());
            let help = "write `type/subtype`, such as `application/json`";
            self.report(&rules::MEDIA_TYPE, &name.at, message, help);
        }
        let object = self.object(node, "a media type", "schema example examples encoding")?;
        let schema = object.get("schema").and_then(|node| self.schema(node));
        let examples = self.examples(&object);
        for (_, member) in self.entries(&object, "encoding") {
            self.check_encoding(&member.value);
        }
        Some(MediaType {
            at: node.at.clone(),
            name,
            schema,
            examples,
            extensions: object.extensions(),
        })
    }

    fn check_encoding(&mut self, node: &Node) {
        let allowed = "contentType headers style explode allowReserved";
        if let Some(object) = self.object(node, "an encoding", allowed) {
            object.text("contentType", &mut self.problems);
            object.text("style", &mut self.problems);
            object.flag("explode", &mut self.problems);
            object.flag("allowReserved", &mut self.problems);
            self.headers(&object);
        }
    }

    /// The values of `example` or `examples`, without those in other files
    /// (`externalValue`).
    pub(super) fn examples(&mut self, object: &Object<'_>) -> Vec<Node> {
        let single = object.get("example");
        let Some(node) = object.get("examples") else {
            return single.cloned().into_iter().collect();
        };
        if single.is_some() {
            let message = "`examples` is written beside `example`";
            self.report(
                &rules::EXCLUSIVE_MEMBERS,
                &node.at,
                message,
                "keep one of them",
            );
        }
        let entries = self.map(node, "`examples`");
        entries
            .filter_map(|(_, member)| self.example(&member.value)?)
            .collect()
    }

    /// The value of an example object, `Some(None)` if it is in another file.
    pub(super) fn example(&mut self, node: &Node) -> Option<Option<Node>> {
        match self.target(node, Section::Examples) {
            Target::Inline => {}
            Target::Component(name) => return self.components.examples.get(&name).cloned(),
            Target::Broken => return None,
        }
        let object = self.object(
            node,
            "an example",
            "summary description value externalValue",
        )?;
        object.text("summary", &mut self.problems);
        object.text("description", &mut self.problems);
        let external = object.text("externalValue", &mut self.problems);
        let value = object.get("value");
        if let Some(value) = value
            && external.is_some()
        {
            let message = "`value` is written beside `externalValue`";
            self.report(
                &rules::EXCLUSIVE_MEMBERS,
                &value.at,
                message,
                "keep one of them",
            );
        }
        Some(value.cloned())
    }

    /// A link: checked, and left in the tree.
    pub(super) fn check_link(&mut self, node: &Node) {
        if !matches!(self.target(node, Section::Links), Target::Inline) {
            return;
        }
        let allowed = "operationRef operationId parameters requestBody description server";
        let Some(object) = self.object(node, "a link", allowed) else {
            return;
        };
        let by_reference = object.text("operationRef", &mut self.problems);
        let by_id = object.spanned_text("operationId", &mut self.problems);
        object.text("description", &mut self.problems);
        self.entries(&object, "parameters");
        if let Some(node) = object.get("server") {
            self.server(node);
        }
        if let (Some(_), Some(id)) = (by_reference, by_id) {
            let message = "`operationId` is written beside `operationRef`";
            self.report(
                &rules::EXCLUSIVE_MEMBERS,
                &id.at,
                message,
                "keep one of them",
            );
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
