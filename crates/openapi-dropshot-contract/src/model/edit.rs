//! Creates and changes nodes of the untyped tree.

use super::{Location, Member, Node, NodeKind, escape_pointer_token, unescape_pointer_token};
use indexmap::IndexMap;

impl Node {
    pub(crate) fn new(at: &Location, kind: NodeKind) -> Self {
        let at = at.clone();
        Node { at, kind }
    }

    /// Makes an object without members.
    pub(crate) fn object(at: &Location) -> Self {
        Node::new(at, NodeKind::Object(IndexMap::new()))
    }

    pub(crate) fn list(at: &Location, items: Vec<Node>) -> Self {
        Node::new(at, NodeKind::Array(items))
    }

    pub(crate) fn text(at: &Location, text: impl Into<String>) -> Self {
        Node::new(at, NodeKind::String(text.into()))
    }

    /// Makes `true`.
    pub(crate) fn flag(at: &Location) -> Self {
        Node::new(at, NodeKind::Bool(true))
    }

    pub(crate) fn reference(at: &Location, target: impl Into<String>) -> Self {
        Node::object(at).with("$ref", Node::text(at, target))
    }

    /// Adds or replaces a member.
    pub(crate) fn with(mut self, name: &str, value: Node) -> Self {
        self.set(name, value);
        self
    }

    /// The members of an object, to change them.
    pub(crate) fn members_mut(&mut self) -> Option<&mut IndexMap<String, Member>> {
        match &mut self.kind {
            NodeKind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The elements of an array, to change them.
    pub(crate) fn items_mut(&mut self) -> Option<&mut Vec<Node>> {
        match &mut self.kind {
            NodeKind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The values of the members of an object, to change them.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        let members = self.members_mut().into_iter().flatten();
        members.map(|(_, member)| &mut member.value)
    }

    /// The value of a member, to change it.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        Some(&mut self.members_mut()?.get_mut(name)?.value)
    }

    /// The value of a member, to change it. If an object does not have the member, an empty object is added.
    pub(crate) fn get_or_add(&mut self, name: &str) -> Option<&mut Node> {
        if self.get(name).is_none() {
            self.set(name, Node::object(&self.at.clone()));
        }
        self.get_mut(name)
    }

    /// Adds or replaces a member of an object. The place of the name is the place of the value.
    pub(crate) fn set(&mut self, name: &str, value: Node) {
        if let Some(members) = self.members_mut() {
            let key_at = value.at.clone();
            members.insert(name.to_owned(), Member { key_at, value });
        }
    }

    /// Removes a member of an object.
    pub(crate) fn remove(&mut self, name: &str) -> Option<Node> {
        let member = self.members_mut()?.shift_remove(name)?;
        Some(member.value)
    }

    /// Inserts a schema before the other parts of `allOf`.
    pub(crate) fn add_to_all_of(&mut self, part: Node) {
        let at = part.at.clone();
        let mut parts = vec![part];
        if let Some(NodeKind::Array(others)) = self.remove("allOf").map(|all| all.kind) {
            parts.extend(others);
        }
        self.set("allOf", Node::list(&at, parts));
    }

    /// Removes the member of an object to which a JSON pointer leads.
    pub fn remove_at(&mut self, pointer: &str) {
        if let Some((outer, name)) = pointer.rsplit_once('/')
            && let Some(node) = self.pointer_mut(outer)
        {
            node.remove(&unescape_pointer_token(name));
        }
    }

    /// The part that a JSON pointer leads to, to change it.
    pub(crate) fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Node> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut node = self;
        for token in pointer.strip_prefix('/')?.split('/') {
            node = match &mut node.kind {
                NodeKind::Array(items) => items.get_mut(token.parse::<usize>().ok()?)?,
                NodeKind::Object(members) => {
                    &mut members.get_mut(&unescape_pointer_token(token))?.value
                }
                _ => return None,
            };
        }
        Some(node)
    }

    /// Sets the pointer of every value to its position in the changed tree. Lines, columns and the pointers into the document as it
    /// is written do not change.
    pub(crate) fn update_pointers(&mut self) {
        update_pointers(self, &mut String::new(), true);
    }

    /// Does the same for a tree that counts as the document as it is written.
    pub(crate) fn set_pointers(&mut self) {
        update_pointers(self, &mut String::new(), false);
    }
}

/// Sets the pointer of a value, and of every value inside of it. Returns the length of the longest pointer.
pub(crate) fn update_pointers(node: &mut Node, pointer: &mut String, is_rewritten: bool) -> usize {
    node.at.move_to(pointer, is_rewritten);
    let length = pointer.len();
    let mut longest = length;
    match &mut node.kind {
        NodeKind::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                pointer.push_str(&format!("/{index}"));
                longest = longest.max(update_pointers(item, pointer, is_rewritten));
                pointer.truncate(length);
            }
        }
        NodeKind::Object(members) => {
            for (name, member) in members {
                pointer.push('/');
                pointer.push_str(&escape_pointer_token(name));
                member.key_at.move_to(pointer, is_rewritten);
                longest = longest.max(update_pointers(&mut member.value, pointer, is_rewritten));
                pointer.truncate(length);
            }
        }
        _ => {}
    }
    longest
}
