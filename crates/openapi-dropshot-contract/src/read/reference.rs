//! Reads references (`$ref`): checks their form and that they lead to a component of the right section, and follows chains of
//! references. Cycles of schemas are found in `recursion`.

use super::{MAX_COPIED, Reader, too_many_copies};
use crate::grammar::ObjectKind;
use crate::model::{Member, Node, Spanned, unescape_pointer_token};
use crate::rules::document as rules;
use crate::suggest::closest;
use indexmap::{IndexMap, IndexSet};
use percent_encoding::percent_decode_str;
use std::collections::HashMap;

/// The name of a section of the components.
pub(super) type Section = &'static str;

/// What stands at a place where an object or a reference to an object is allowed.
pub(super) enum Target<'a> {
    /// The object itself.
    Inline,
    /// A reference; the name is that of the component at the end of the chain.
    Component(&'a str),
}

/// For each component, the component at the end of its chain of references: the component itself if it is not a reference;
/// `None` if the chain is broken or is a cycle.
pub(super) type Ends<'a> = HashMap<&'a str, Option<&'a str>>;

impl<'a> Reader<'a> {
    /// Returns whether a node is a reference, and its target. `None` means that the reference has no target; this has already
    /// been reported.
    pub(super) fn target(&mut self, node: &'a Node, section: Section) -> Option<Target<'a>> {
        if node.get("$ref").is_none() {
            return Some(Target::Inline);
        }
        let name = self.reference(node, section)?;
        // Problems of other references in the chain are reported at those references.
        let end = (*self.ends.get(section)?.get(name.value.as_str())?)?;
        let component = self.component(section, end)?;
        self.may_copy(node, component)
            .then_some(Target::Component(end))
    }

    /// Returns whether the limit allows one more copy of a component.
    fn may_copy(&mut self, node: &Node, component: &Node) -> bool {
        let was_within = self.copied <= MAX_COPIED;
        if was_within {
            self.copied += component.size();
        }
        let is_within = self.copied <= MAX_COPIED;
        if was_within && !is_within {
            self.report(too_many_copies(&node.at));
        }
        is_within
    }

    /// Checks the reference in a node without following it further, and returns the name of the component to which it refers.
    pub(super) fn reference(&self, node: &Node, section: Section) -> Option<Spanned<String>> {
        let reference = node.get("$ref")?;
        let wanted = format!("write `#/components/{section}/NAME`");
        let Some(text) = reference.as_str() else {
            let message = format!("`$ref` must be a string, found {}", reference.summary());
            self.report(rules::REFERENCE.problem(&reference.at, message, wanted));
            return None;
        };
        let quoted = text.escape_debug();
        let (rule, message, help) = match parse(text) {
            None if !text.starts_with('#') => (
                &rules::EXTERNAL_REFERENCE,
                format!("`{quoted}` refers to another document"),
                format!(
                    "copy the target of the reference into `components.{section}` of this document"
                ),
            ),
            None => (
                &rules::REFERENCE,
                format!("`{quoted}` does not refer to a named component"),
                format!("move the part to `components.{section}`, and {wanted}"),
            ),
            Some((found, _)) if found != section => (
                &rules::REFERENCE,
                format!("expected a reference into `components.{section}`, found `{quoted}`"),
                wanted,
            ),
            Some((_, name)) if self.component(section, &name).is_none() => (
                &rules::DANGLING_REFERENCE,
                format!("`{quoted}` does not exist"),
                match closest(&name, self.section_names(section)) {
                    Some(close) => format!("did you mean `#/components/{section}/{close}`?"),
                    None => format!("define it under `components.{section}`"),
                },
            ),
            Some((_, name)) => return Some(Spanned::new(name, &reference.at)),
        };
        self.report(rule.problem(&reference.at, message, help));
        None
    }

    fn components_of(&self, section: Section) -> Option<&'a IndexMap<String, Member>> {
        self.root.get("components")?.get(section)?.as_object()
    }

    /// Returns the tree of a component.
    pub(super) fn component(&self, section: Section, name: &str) -> Option<&'a Node> {
        Some(&self.components_of(section)?.get(name)?.value)
    }

    fn section_names(&self, section: Section) -> impl Iterator<Item = &'a str> + use<'a> {
        let components = self.components_of(section).into_iter().flatten();
        components.map(|(name, _)| name.as_str())
    }

    /// Follows all chains of references once, and reports the chains that are cycles.
    pub(super) fn follow_chains(&mut self) {
        for (kind, section) in ObjectKind::sections() {
            if kind == ObjectKind::Schema {
                continue;
            }
            let mut ends = Ends::new();
            for start in self.section_names(section) {
                self.follow(section, start, &mut ends);
            }
            self.ends.insert(section, ends);
        }
    }

    fn follow(&self, section: Section, start: &'a str, ends: &mut Ends<'a>) {
        let mut path: IndexSet<&'a str> = IndexSet::new();
        let mut name = start;
        let end = loop {
            if let Some(end) = ends.get(name) {
                break *end;
            }
            let Some(reference) = self
                .component(section, name)
                .and_then(|node| node.get("$ref"))
            else {
                path.insert(name);
                break Some(name);
            };
            path.insert(name);
            // An invalid reference is reported where it is read.
            let Some(next) = self.next_in_chain(section, reference) else {
                break None;
            };
            if let Some(begin) = path.get_index_of(next) {
                let circle = circle(path.iter().skip(begin).copied());
                let message = format!("the reference leads back to itself: {circle}");
                self.report(rules::REFERENCE_CYCLE.violation(&reference.at, message));
                break None;
            }
            name = next;
        };
        ends.extend(path.into_iter().map(|name| (name, end)));
    }

    /// Returns the component of the same section to which a component refers.
    fn next_in_chain(&self, section: Section, reference: &Node) -> Option<&'a str> {
        let (found, next) = parse(reference.as_str()?)?;
        let (name, _) = self.components_of(section)?.get_key_value(&next)?;
        (found == section).then_some(name)
    }
}

/// Splits `#/components/SECTION/NAME` into its section and its name.
fn parse(reference: &str) -> Option<(String, String)> {
    let pointer = percent_decode_str(reference.strip_prefix('#')?);
    let pointer = pointer.decode_utf8().ok()?;
    let (section, name) = pointer.strip_prefix("/components/")?.split_once('/')?;
    let is_section = ObjectKind::sections().any(|(_, known)| known == section);
    // If a `%` remains after decoding, it was not followed by two hexadecimal digits.
    let is_component = is_section && !name.contains(['/', '%']);
    is_component.then(|| (section.to_owned(), unescape_pointer_token(name)))
}

/// Formats a cycle of names for messages: each name once, and the first one again at the end. Only the beginning and the end
/// of a long cycle are shown.
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
