//! References (`$ref`): their form, their siblings, and whether they lead to
//! a component of the right section. Chains
//! of them are in `chains`, cycles of schemas in `cycles`.

use super::object::closest;
use super::{MAX_COPIED, Reader};
use crate::model::{Node, Spanned, unescape_pointer_token};

/// A section of `components`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Section {
    Schemas,
    Responses,
    Parameters,
    Examples,
    RequestBodies,
    Headers,
    SecuritySchemes,
    Links,
    Callbacks,
}

impl Section {
    pub(super) const ALL: [Section; 9] = [
        Section::Schemas,
        Section::Responses,
        Section::Parameters,
        Section::Examples,
        Section::RequestBodies,
        Section::Headers,
        Section::SecuritySchemes,
        Section::Links,
        Section::Callbacks,
    ];

    /// Its name under `components`.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Section::Schemas => "schemas",
            Section::Responses => "responses",
            Section::Parameters => "parameters",
            Section::Examples => "examples",
            Section::RequestBodies => "requestBodies",
            Section::Headers => "headers",
            Section::SecuritySchemes => "securitySchemes",
            Section::Links => "links",
            Section::Callbacks => "callbacks",
        }
    }
}

/// What stands where an object or a reference to one may stand.
pub(super) enum Target {
    /// The object itself.
    Inline,
    /// A reference; the name is that of the component at the end of the chain.
    Component(String),
    /// A reference that leads nowhere; its problem has been reported.
    Broken,
}

impl<'a> Reader<'a> {
    /// Looks whether a node is a reference, and where it leads to.
    pub(super) fn target(&mut self, node: &Node, section: Section) -> Target {
        if node.get("$ref").is_none() {
            return Target::Inline;
        }
        let Some(name) = self.reference(node, section) else {
            return Target::Broken;
        };
        // Faults on the way are reported where they stand.
        let end = self
            .ends
            .get(&section)
            .and_then(|ends| ends.get(name.value.as_str()).copied().flatten());
        let component = end.and_then(|name| Some((name, self.component(section, name)?)));
        match component {
            Some((name, component)) if self.may_copy(node, component) => {
                Target::Component(name.to_owned())
            }
            _ => Target::Broken,
        }
    }

    /// Whether one more copy of a component is within bounds.
    fn may_copy(&mut self, node: &Node, component: &Node) -> bool {
        let was_within = self.copied <= MAX_COPIED;
        if was_within {
            self.copied += component.size();
        }
        let is_within = self.copied <= MAX_COPIED;
        if was_within && !is_within {
            self.error(
                "too-many-references",
                &node.at,
                format!("references up to here stand for more than {MAX_COPIED} values"),
                "split the document, or make the components smaller",
            );
        }
        is_within
    }

    /// Checks the reference that a node is, one step far, and gives the name
    /// of the component that it refers to.
    pub(super) fn reference(&mut self, node: &Node, section: Section) -> Option<Spanned<String>> {
        const RULE: &str = "reference";
        let reference = node.get("$ref")?;
        self.check_siblings(node);
        let at = &reference.at;
        let wanted = format!("write `#/components/{}/NAME`", section.as_str());
        let Some(text) = reference.as_str() else {
            let message = format!("`$ref` must be a string, found {}", reference.summary());
            self.error(RULE, at, message, wanted);
            return None;
        };
        let shown = text.escape_debug().to_string();
        let (found, name) = match parse(text) {
            Ok(parsed) => parsed,
            Err(Malformed::External) => {
                self.error(
                    "external-reference",
                    at,
                    format!("`{shown}` refers to another document"),
                    format!(
                        "copy what it refers to under `components.{}` of this document",
                        section.as_str()
                    ),
                );
                return None;
            }
            Err(Malformed::NoComponent) => {
                let message = format!("`{shown}` refers to something that is no named component");
                let help = format!(
                    "move it under `components.{}` and {wanted}",
                    section.as_str()
                );
                self.error(RULE, at, message, help);
                return None;
            }
        };
        if found != section {
            let message = format!(
                "expected a reference into `components.{}`, found `{shown}`",
                section.as_str()
            );
            self.error(RULE, at, message, wanted);
            return None;
        }
        if self.component(section, &name).is_none() {
            let help = self.dangling_help(section, &name);
            self.error(
                "dangling-reference",
                at,
                format!("`{shown}` does not exist"),
                help,
            );
            return None;
        }
        Some(Spanned::new(name, at))
    }

    /// The tree of a component.
    pub(super) fn component(&self, section: Section, name: &str) -> Option<&'a Node> {
        self.root
            .get("components")?
            .get(section.as_str())?
            .get(name)
    }

    /// The names of a section of `components`.
    pub(super) fn section_names(
        &self,
        section: Section,
    ) -> impl Iterator<Item = &'a str> + use<'a> {
        let section = self
            .root
            .get("components")
            .and_then(|components| components.get(section.as_str()));
        section
            .and_then(Node::as_object)
            .into_iter()
            .flat_map(|members| members.keys().map(String::as_str))
    }

    /// The name of a component as its section has it, where it is there.
    pub(super) fn component_name(&self, section: Section, name: &str) -> Option<&'a str> {
        let members = self
            .root
            .get("components")?
            .get(section.as_str())?
            .as_object()?;
        members.get_key_value(name).map(|(name, _)| name.as_str())
    }

    fn dangling_help(&self, section: Section, name: &str) -> String {
        match closest(name, self.section_names(section)) {
            Some(close) => format!("did you mean `#/components/{}/{close}`?", section.as_str()),
            None => format!("define it under `components.{}`", section.as_str()),
        }
    }

    /// Tools ignore what stands beside a `$ref` (OpenAPI 3.0.3, "Reference
    /// Object"), so whoever wrote it is in for a surprise.
    fn check_siblings(&mut self, node: &Node) {
        let Some(members) = node.as_object() else {
            return;
        };
        for (name, member) in members.iter().filter(|(name, _)| *name != "$ref") {
            self.warning(
                "reference-sibling",
                &member.key_at,
                format!("`{}` beside `$ref` is ignored", name.escape_debug()),
                "move it to what is referred to; in a schema, wrap the reference: `allOf: [{$ref: …}]`",
            );
        }
    }
}

/// Why a reference names no component.
pub(super) enum Malformed {
    External,
    NoComponent,
}

/// Takes `#/components/SECTION/NAME` apart.
pub(super) fn parse(reference: &str) -> Result<(Section, String), Malformed> {
    let pointer = reference.strip_prefix('#').ok_or(Malformed::External)?;
    let pointer = percent_decode(pointer).ok_or(Malformed::NoComponent)?;
    let mut tokens = pointer
        .strip_prefix("/components/")
        .ok_or(Malformed::NoComponent)?
        .split('/');
    let (Some(section), Some(name), None) = (tokens.next(), tokens.next(), tokens.next()) else {
        return Err(Malformed::NoComponent);
    };
    let section = Section::ALL
        .into_iter()
        .find(|known| known.as_str() == section)
        .ok_or(Malformed::NoComponent)?;
    Ok((section, unescape_pointer_token(name)))
}

/// Decodes `%20` and the like, as a URI fragment may have them.
fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}
