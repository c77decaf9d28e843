//! Leaves parts out of a document: operations, webhooks and components, with everything that refers to them.

use crate::Problems;
use crate::grammar::{ObjectKind, each_reference};
use crate::model::{Document, Method, Node, escape_pointer_token};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a document that can be left out, by their JSON pointers, each with the parts to which it refers directly.
#[derive(Clone, Debug)]
pub struct Parts(BTreeMap<String, BTreeSet<String>>);

impl Parts {
    /// Finds the operations, the webhooks and the components in the tree of a document.
    pub fn of(root: &Node) -> Self {
        let mut parts = BTreeMap::new();
        for section in ["/paths", "/components/pathItems"] {
            for (pointer, item) in members(root, section) {
                for method in Method::ALL.map(Method::key) {
                    if let Some(operation) = item.get(method) {
                        let mut targets = targets(operation, ObjectKind::Operation);
                        for parameter in item.items("parameters") {
                            targets.append(&mut self::targets(parameter, ObjectKind::Parameter));
                        }
                        parts.insert(format!("{pointer}/{method}"), targets);
                    }
                }
            }
        }
        for (pointer, item) in members(root, "/webhooks") {
            parts.insert(pointer, targets(item, ObjectKind::PathItem));
        }
        for (kind, section) in ObjectKind::sections() {
            for (pointer, component) in members(root, &format!("/components/{section}")) {
                parts.insert(pointer, targets(component, kind));
            }
        }
        let mut parts = Parts(parts);
        let known = parts.clone();
        for targets in parts.0.values_mut() {
            *targets = targets.iter().flat_map(|target| known.at(target)).collect();
        }
        parts
    }

    /// Returns the parts at a JSON pointer: the one that contains it, or those of the path that it is in.
    pub fn at(&self, pointer: &str) -> BTreeSet<String> {
        let mut outer = pointer;
        while !outer.is_empty() {
            if self.0.contains_key(outer) {
                return BTreeSet::from([outer.to_owned()]);
            }
            outer = outer.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        let mut tokens = pointer.split('/').skip(1);
        let (Some("paths"), Some(path)) = (tokens.next(), tokens.next()) else {
            return BTreeSet::new();
        };
        let path = format!("/paths/{path}/");
        let operations = self.0.keys().filter(|part| part.starts_with(&path));
        operations.cloned().collect()
    }

    /// Adds all parts that refer to one of these parts.
    pub fn with_users(&self, parts: BTreeSet<String>) -> BTreeSet<String> {
        closure(parts, |found| {
            let users = self
                .0
                .iter()
                .filter(|(_, targets)| !targets.is_disjoint(found));
            users.map(|(part, _)| part.clone()).collect()
        })
    }

    /// Adds all parts to which one of these parts refers.
    fn with_targets(&self, parts: BTreeSet<String>) -> BTreeSet<String> {
        closure(parts, |found| {
            let targets = found.iter().filter_map(|part| self.0.get(part));
            targets.flatten().cloned().collect()
        })
    }
}

/// Adds parts until no other one is found.
fn closure(
    mut parts: BTreeSet<String>,
    next: impl Fn(&BTreeSet<String>) -> BTreeSet<String>,
) -> BTreeSet<String> {
    loop {
        let before = parts.len();
        parts.append(&mut next(&parts));
        if parts.len() == before {
            return parts;
        }
    }
}

/// The values of the members of an object, with their pointers.
fn members<'n>(root: &'n Node, section: &str) -> impl Iterator<Item = (String, &'n Node)> {
    let members = root.pointer(section).and_then(Node::as_object);
    members.into_iter().flatten().map(move |(name, member)| {
        let name = escape_pointer_token(name);
        (format!("{section}/{name}"), &member.value)
    })
}

/// The pointers to which an object refers. A name in a discriminator is that of a component schema.
fn targets(node: &Node, kind: ObjectKind) -> BTreeSet<String> {
    let mut targets = BTreeSet::new();
    each_reference(node, kind, &mut |_, reference| {
        let text = reference.as_str().unwrap_or_default();
        targets.insert(match text.strip_prefix('#') {
            Some(pointer) => pointer.to_owned(),
            None => format!("/components/schemas/{}", escape_pointer_token(text)),
        });
    });
    targets
}

impl Document {
    /// Returns the document without these parts, without what refers to them, and without the components that are then not needed
    /// any more. The parts are JSON pointers in the document as it is written; see [`Parts::with_users`].
    ///
    /// # Errors
    ///
    /// What is left is not a document.
    pub fn without(&self, parts: BTreeSet<String>) -> Result<Document, Problems> {
        let mut root = self.as_written().clone();
        let all = Parts::of(&root);
        let left_out = all.with_users(parts);
        let unneeded = all.with_targets(left_out.clone());
        let is_kept = |part: &&String| !unneeded.contains(*part);
        let kept = all.0.keys().filter(is_kept).cloned().collect();
        let needed = all.with_targets(kept);
        for part in &unneeded {
            if left_out.contains(part) || !needed.contains(part) {
                root.remove_at(part);
                // A path without operations is not a path of the service.
                let (path, _) = part.rsplit_once('/').unwrap_or_default();
                let item = root.pointer(path).filter(|_| path.starts_with("/paths/"));
                if item
                    .is_some_and(|item| Method::ALL.iter().all(|own| item.get(own.key()).is_none()))
                {
                    root.remove_at(path);
                }
            }
        }
        self.with_tree(root)
    }
}
