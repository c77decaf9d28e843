//! `content` and what belongs to it: media types, encodings, examples, links.

use super::Reader;
use super::object::Object;
use super::reference::{Section, Target};
use crate::model::{MediaType, Node, Spanned};

impl Reader<'_> {
    /// `content` of a body, a parameter or a header.
    pub(super) fn content(&mut self, object: &Object<'_>) -> Vec<MediaType> {
        let Some(node) = object.get("content") else {
            return Vec::new();
        };
        let Some(map) = self.map(node, "`content`") else {
            return Vec::new();
        };
        map.members()
            .filter_map(|(name, member)| {
                self.media_type(Spanned::new(name.clone(), &member.key_at), &member.value)
            })
            .collect()
    }

    fn media_type(&mut self, name: Spanned<String>, node: &Node) -> Option<MediaType> {
        if !is_media_type(&name.value) {
            let message = format!("`{}` is no media type", name.value.escape_debug());
            self.error(
                "media-type",
                &name.at,
                message,
                "write `type/subtype`, such as `application/json`",
            );
        }
        let object = self.object(
            node,
            "a media type",
            &["schema", "example", "examples", "encoding"],
        )?;
        let schema = object.get("schema").and_then(|node| self.schema(node));
        let examples = self.examples(&object);
        if let Some(node) = object.get("encoding")
            && let Some(map) = self.map(node, "`encoding`")
        {
            for (_, member) in map.members() {
                self.check_encoding(&member.value);
            }
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
        let allowed = [
            "contentType",
            "headers",
            "style",
            "explode",
            "allowReserved",
        ];
        if let Some(object) = self.object(node, "an encoding", &allowed) {
            object.text("contentType", &mut self.problems);
            object.text("style", &mut self.problems);
            object.flag("explode", &mut self.problems);
            object.flag("allowReserved", &mut self.problems);
            self.headers(&object);
        }
    }

    /// The values of `example` or `examples`; those that stand elsewhere
    /// (`externalValue`) are left out.
    pub(super) fn examples(&mut self, object: &Object<'_>) -> Vec<Node> {
        let single = object.get("example");
        let Some(node) = object.get("examples") else {
            return single.cloned().into_iter().collect();
        };
        if single.is_some() {
            self.error(
                "exclusive-members",
                &node.at,
                "`examples` stands beside `example`",
                "keep one of them",
            );
        }
        let Some(map) = self.map(node, "`examples`") else {
            return Vec::new();
        };
        let values: Vec<_> = map
            .members()
            .filter_map(|(_, member)| self.example(&member.value))
            .collect();
        values.into_iter().flatten().collect()
    }

    /// The value of an example object, `Some(None)` where it stands elsewhere.
    pub(super) fn example(&mut self, node: &Node) -> Option<Option<Node>> {
        match self.target(node, Section::Examples) {
            Target::Inline => {}
            Target::Component(name) => return self.components.examples.get(&name).cloned(),
            Target::Broken => return None,
        }
        let object = self.object(
            node,
            "an example",
            &["summary", "description", "value", "externalValue"],
        )?;
        object.text("summary", &mut self.problems);
        object.text("description", &mut self.problems);
        let elsewhere = object.text("externalValue", &mut self.problems);
        let value = object.get("value");
        if let Some(value) = value
            && elsewhere.is_some()
        {
            self.error(
                "exclusive-members",
                &value.at,
                "`value` stands beside `externalValue`",
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
        let allowed = [
            "operationRef",
            "operationId",
            "parameters",
            "requestBody",
            "description",
            "server",
        ];
        let Some(object) = self.object(node, "a link", &allowed) else {
            return;
        };
        let by_reference = object.text("operationRef", &mut self.problems);
        let by_id = object.spanned_text("operationId", &mut self.problems);
        object.text("description", &mut self.problems);
        if let Some(node) = object.get("parameters") {
            self.map(node, "`parameters` of a link");
        }
        if let Some(node) = object.get("server") {
            self.server(node);
        }
        if let (Some(_), Some(id)) = (by_reference, by_id) {
            self.error(
                "exclusive-members",
                &id.at,
                "`operationId` stands beside `operationRef`",
                "keep one of them",
            );
        }
    }
}

/// Whether this is `type/subtype`, with or without parameters; ranges such as
/// `image/*` are allowed.
fn is_media_type(name: &str) -> bool {
    let essence = name
        .split_once(';')
        .map_or(name, |(essence, _)| essence)
        .trim_end();
    let is_token = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
    };
    essence
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}
