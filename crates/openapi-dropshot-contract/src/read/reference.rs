//! Reads references (`$ref`): their form, the members beside them, whether they
//! lead to a component of the right section, and where chains of them end.
//! Cycles of schemas are found in `recursion`.

use super::{MAX_COPIED, Reader};
use crate::model::{Node, Spanned, unescape_pointer_token};
use crate::rules::document as rules;
use crate::suggest::closest;
use indexmap::IndexSet;
use std::collections::HashMap;

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

/// What is written where an object or a reference to one is allowed.
pub(super) enum Target {
    /// The object itself.
    Inline,
    /// A reference; the name is that of the component at the end of the chain.
    Component(String),
    /// A reference that leads nowhere; its problem has been reported.
    Broken,
}

impl<'a> Reader<'a> {
    /// Whether a node is a reference, and where it leads to.
    pub(super) fn target(&mut self, node: &Node, section: Section) -> Target {
        if node.get("$ref").is_none() {
            return Target::Inline;
        }
        let Some(name) = self.reference(node, section) else {
            return Target::Broken;
        };
        // Problems on the way are reported where they are.
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
            let message = format!("references up to here expand to more than {MAX_COPIED} values");
            let help = "split the document, or make the components smaller";
            self.report(&rules::TOO_MANY_REFERENCES, &node.at, message, help);
        }
        is_within
    }

    /// Checks the reference that a node is, one step far, and gives the name
    /// of the component that it refers to.
    pub(super) fn reference(&mut self, node: &Node, section: Section) -> Option<Spanned<String>> {
        let reference = node.get("$ref")?;
        self.check_siblings(node);
        let at = &reference.at;
        let wanted = format!("write `#/components/{}/NAME`", section.as_str());
        let Some(text) = reference.as_str() else {
            let message = format!("`$ref` must be a string, found {}", reference.summary());
            self.report(&rules::REFERENCE, at, message, wanted);
            return None;
        };
        let quoted = text.escape_debug().to_string();
        let (found, name) = match parse(text) {
            Ok(parsed) => parsed,
            Err(Malformed::External) => {
                let message = format!("`{quoted}` refers to another document");
                let help = format!(
                    "copy what it refers to under `components.{}` of this document",
                    section.as_str()
                );
                self.report(&rules::EXTERNAL_REFERENCE, at, message, help);
                return None;
            }
            Err(Malformed::NoComponent) => {
                let message = format!("`{quoted}` does not refer to a named component");
                let help = format!(
                    "move it under `components.{}` and {wanted}",
                    section.as_str()
                );
                self.report(&rules::REFERENCE, at, message, help);
                return None;
            }
        };
        if found != section {
            let message = format!(
                "expected a reference into `components.{}`, found `{quoted}`",
                section.as_str()
            );
            self.report(&rules::REFERENCE, at, message, wanted);
            return None;
        }
        if self.component(section, &name).is_none() {
            let help = self.dangling_help(section, &name);
            let message = format!("`{quoted}` does not exist");
            self.report(&rules::DANGLING_REFERENCE, at, message, help);
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

    /// Tools ignore the members beside a `$ref` (OpenAPI 3.0.3, "Reference
    /// Object"), which authors do not expect.
    fn check_siblings(&mut self, node: &Node) {
        let Some(members) = node.as_object() else {
            return;
        };
        for (name, member) in members.iter().filter(|(name, _)| *name != "$ref") {
            let message = format!("`{}` beside `$ref` is ignored", name.escape_debug());
            let help =
                "move it to the component; in a schema, wrap the reference: `allOf: [{$ref: …}]`";
            self.report(&rules::REFERENCE_SIBLING, &member.key_at, message, help);
        }
    }
}

/// Why a reference names no component.
enum Malformed {
    External,
    NoComponent,
}

/// Takes `#/components/SECTION/NAME` apart.
fn parse(reference: &str) -> Result<(Section, String), Malformed> {
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

/// For each component, the one at the end of its chain: itself where it is no
/// reference, nothing where the chain breaks or runs in a circle.
pub(super) type Ends<'a> = HashMap<&'a str, Option<&'a str>>;

/// What a component refers to.
enum Step<'a> {
    Nowhere,
    Next(&'a str),
    /// A reference that is at fault, which is reported where it is read.
    Broken,
}

impl<'a> Reader<'a> {
    /// Follows all chains once, and reports those that run in a circle.
    pub(super) fn follow_chains(&mut self) {
        for section in Section::ALL
            .into_iter()
            .filter(|section| *section != Section::Schemas)
        {
            let mut ends = Ends::new();
            for start in self.section_names(section) {
                self.follow(section, start, &mut ends);
            }
            self.ends.insert(section, ends);
        }
    }

    fn follow(&mut self, section: Section, start: &'a str, ends: &mut Ends<'a>) {
        let mut path: IndexSet<&'a str> = IndexSet::new();
        let mut name = start;
        let end = loop {
            if let Some(end) = ends.get(name) {
                break *end;
            }
            if let Some(begin) = path.get_index_of(name) {
                self.report_circle(section, path.iter().skip(begin).copied());
                break None;
            }
            path.insert(name);
            match self.step(section, name) {
                Step::Nowhere => break Some(name),
                Step::Next(next) => name = next,
                Step::Broken => break None,
            }
        };
        ends.extend(path.into_iter().map(|name| (name, end)));
    }

    fn step(&self, section: Section, name: &str) -> Step<'a> {
        let Some(reference) = self
            .component(section, name)
            .and_then(|node| node.get("$ref"))
        else {
            return Step::Nowhere;
        };
        match reference.as_str().and_then(|text| parse(text).ok()) {
            Some((found, next)) if found == section => self
                .component_name(section, &next)
                .map_or(Step::Broken, Step::Next),
            _ => Step::Broken,
        }
    }

    fn report_circle(&mut self, section: Section, names: impl Iterator<Item = &'a str> + Clone) {
        let last = names
            .clone()
            .last()
            .and_then(|name| self.component(section, name)?.get("$ref"));
        if let Some(reference) = last {
            let message = format!("the reference leads back to itself: {}", circle(names));
            let help = "write out one of them";
            self.report(&rules::REFERENCE_CYCLE, &reference.at, message, help);
        }
    }
}

/// A circle of names for messages: each once, and the first again at its end. Of
/// a long one only the beginning and the end.
pub(super) fn circle<'n>(names: impl Iterator<Item = &'n str> + Clone) -> String {
    const LONGEST: usize = 8;
    let count = names.clone().count();
    let first = names.clone().next();
    let mut parts: Vec<&str> = names.clone().take(LONGEST).collect();
    if count > LONGEST {
        parts.push("…");
        parts.extend(names.skip(LONGEST.max(count - 1)));
    }
    parts.extend(first);
    parts.join(" -> ")
}
