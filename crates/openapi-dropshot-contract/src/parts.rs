//! Removes parts from a document: operations, webhooks and components, together with everything that refers to them.

use crate::grammar::{ObjectKind, each_reference};
use crate::model::{Document, Node, escape_pointer_token, unescape_pointer_token};
use crate::problem::{Problem, Problems};
use crate::reached::reached;
use std::collections::{BTreeMap, BTreeSet};

/// The security requirements of the document. They apply to operations that have none of their own.
const SECURITY: &str = "/security";

/// The parts of a document that can be removed, by their JSON pointers.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The parts to which each part refers directly.
    targets: BTreeMap<String, BTreeSet<String>>,
    /// The names of each operation: its id, if no other operation has the same id, and a name such as `GET /things`.
    names: BTreeMap<String, [String; 2]>,
}

impl Parts {
    /// Finds the operations, the webhooks and the components in the tree of a document.
    pub fn of(root: &Node) -> Self {
        let mut parts = BTreeMap::new();
        let mut names = BTreeMap::new();
        let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
        for section in ["/paths", "/components/pathItems"] {
            for (pointer, item) in members(root, section) {
                for (method, way, operation) in item.operations() {
                    let mut targets = targets(operation, ObjectKind::Operation);
                    for parameter in item.items("parameters") {
                        targets.append(&mut self::targets(parameter, ObjectKind::Parameter));
                    }
                    targets.extend(match operation.get("security") {
                        Some(security) => schemes(security),
                        None => BTreeSet::from([SECURITY.to_owned()]),
                    });
                    let users = members(root, "/paths").find(|(_, user)| {
                        let target = user.word("$ref").and_then(|own| own.strip_prefix('#'));
                        target == Some(pointer.as_str())
                    });
                    let user = users.map_or_else(|| pointer.clone(), |(user, _)| user);
                    let path = user.rsplit('/').next().unwrap_or_default();
                    let path = format!("{method} {}", unescape_pointer_token(path));
                    let id = operation.word("operationId").unwrap_or(&path).to_owned();
                    let pointer = format!("{pointer}/{way}");
                    if let Some(id) = operation.word("operationId") {
                        *ids.entry(id).or_default() += 1;
                    }
                    names.insert(pointer.clone(), [id, path]);
                    parts.insert(pointer, targets);
                }
            }
        }
        for [id, path] in names.values_mut() {
            if ids.get(id.as_str()).is_some_and(|count| *count > 1) {
                id.clone_from(path);
            }
        }
        if let Some(security) = root.pointer(SECURITY) {
            parts.insert(SECURITY.to_owned(), schemes(security));
        }
        for (pointer, item) in members(root, "/webhooks") {
            parts.insert(pointer, targets(item, ObjectKind::PathItem));
        }
        for (kind, section) in ObjectKind::sections() {
            for (pointer, component) in members(root, &format!("/components/{section}")) {
                parts.insert(pointer, targets(component, kind));
            }
        }
        let mut parts = Parts {
            targets: parts,
            names,
        };
        let known = parts.clone();
        for targets in parts.targets.values_mut() {
            *targets = targets.iter().flat_map(|target| known.at(target)).collect();
        }
        parts
    }

    /// Returns the name of a part in a configuration. An operation is named by its id or, if it has none that is unique, as
    /// `GET /things`; any other part is named by `#` and its pointer.
    pub fn name(&self, pointer: &str) -> String {
        let name = self.names.get(pointer).map(|[id, _]| id.clone());
        name.unwrap_or_else(|| format!("#{pointer}"))
    }

    /// Returns the pointer of the part that a configuration names.
    pub fn named(&self, name: &str) -> Option<&str> {
        let mut parts = self.targets.keys().map(String::as_str);
        match name.strip_prefix('#') {
            Some(pointer) => parts.find(|part| *part == pointer),
            None => parts.find(|part| {
                let names = self.names.get(*part);
                names.is_some_and(|names| names.iter().any(|own| own == name))
            }),
        }
    }

    /// Returns the operation that a configuration names, as `GET /things`; `None` if the name is that of another part.
    pub fn request(&self, name: &str) -> Option<&str> {
        let [_, request] = self.names.get(self.named(name)?)?;
        Some(request)
    }

    /// Returns the names of all operations.
    pub fn operations(&self) -> impl Iterator<Item = &str> {
        self.names.values().flatten().map(String::as_str)
    }

    /// Returns whether a configuration must name this part to remove it. A component that an operation or a webhook uses is removed
    /// together with that operation or webhook, so it is not named itself.
    pub fn is_named(&self, pointer: &str) -> bool {
        let is_component = |part: &String| {
            let is_shared = part.starts_with("/components/") || part == SECURITY;
            is_shared && !self.names.contains_key(part.as_str())
        };
        let part = pointer.to_owned();
        !is_component(&part)
            || self
                .with_users(BTreeSet::from([part]))
                .iter()
                .all(is_component)
    }

    /// Returns what to remove because of the errors of a document: the names of the parts, each with its errors. Returns `None` if
    /// an error is outside of all parts.
    pub fn with_errors<'p>(
        &self,
        problems: &'p [Problem],
    ) -> Option<BTreeMap<String, Vec<&'p Problem>>> {
        let mut faulty: BTreeMap<String, Vec<&Problem>> = BTreeMap::new();
        for problem in problems.iter().filter(|problem| problem.is_error()) {
            let parts = self.at(&problem.at.pointer);
            if parts.is_empty() {
                return None;
            }
            for part in self.with_users(parts) {
                faulty.entry(part).or_default().push(problem);
            }
        }
        let named = faulty.into_iter().filter(|(part, _)| self.is_named(part));
        let named = named.map(|(part, errors)| (self.name(&part), errors));
        Some(named.collect())
    }

    /// Returns the parts at a JSON pointer: the part that contains it or, if it is in a path item outside of the operations, all
    /// parts of that path.
    pub fn at(&self, pointer: &str) -> BTreeSet<String> {
        let mut outer = pointer;
        while !outer.is_empty() {
            if self.targets.contains_key(outer) {
                return BTreeSet::from([outer.to_owned()]);
            }
            outer = outer.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
        let mut tokens = pointer.split('/').skip(1);
        let (Some("paths"), Some(path)) = (tokens.next(), tokens.next()) else {
            return BTreeSet::new();
        };
        let path = format!("/paths/{path}/");
        let operations = self.targets.keys().filter(|part| part.starts_with(&path));
        operations.cloned().collect()
    }

    /// Adds all parts that refer to one of these parts.
    pub fn with_users(&self, mut parts: BTreeSet<String>) -> BTreeSet<String> {
        loop {
            let before = parts.len();
            let all = self.targets.iter();
            let users = all.filter(|(_, targets)| !targets.is_disjoint(&parts));
            let mut users: BTreeSet<String> = users.map(|(part, _)| part.clone()).collect();
            parts.append(&mut users);
            if parts.len() == before {
                return parts;
            }
        }
    }

    /// Adds all parts to which one of these parts refers.
    fn with_targets(&self, parts: BTreeSet<String>) -> BTreeSet<String> {
        reached(parts, |part| {
            self.targets.get(part).into_iter().flatten().cloned()
        })
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

/// The pointers to which an object refers. A plain name in a discriminator is the name of a component schema.
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

/// The pointers of the schemes that security requirements name.
fn schemes(security: &Node) -> BTreeSet<String> {
    let requirements = security.as_array().unwrap_or_default().iter();
    let schemes = requirements.flat_map(Node::members);
    let pointer = |(name, _)| format!("/components/securitySchemes/{}", escape_pointer_token(name));
    schemes.map(pointer).collect()
}

/// Returns a tree without these parts, without everything that refers to them, and without the components that are no longer
/// needed.
pub(crate) fn without(root: &Node, parts: BTreeSet<String>) -> Node {
    let mut rest = root.clone();
    let all = Parts::of(root);
    let left_out = all.with_users(parts);
    let unneeded = all.with_targets(left_out.clone());
    let is_kept = |part: &&String| !unneeded.contains(*part);
    let kept = all.targets.keys().filter(is_kept).cloned().collect();
    let needed = all.with_targets(kept);
    for part in &unneeded {
        if left_out.contains(part) || !needed.contains(part) {
            rest.remove_at(part);
            // A path without operations is removed as well.
            let (path, _) = part.rsplit_once('/').unwrap_or_default();
            let path = path.strip_suffix("/additionalOperations").unwrap_or(path);
            let item = rest.pointer(path).filter(|_| path.starts_with("/paths/"));
            if item.is_some_and(|item| item.operations().next().is_none()) {
                rest.remove_at(path);
            }
        }
    }
    rest
}

impl Document {
    /// Returns the document without these parts, without everything that refers to them, and without the components that are no
    /// longer needed. The parts are JSON pointers in the document as it is written; see [`Parts::with_users`].
    ///
    /// # Errors
    ///
    /// Fails if the rest is not a valid document.
    pub fn without(&self, parts: BTreeSet<String>) -> Result<Document, Problems> {
        let document = self.with_tree(without(self.as_written(), parts))?;
        Ok(Document {
            whole: Some(self.whole().clone()),
            ..document
        })
    }
}
