//! Decides whether values are valid for the document as it is written, not for the form from which
//! code is generated. This is possible where JSON Schema alone defines the meaning of the document.

use super::schemas::{Schema, Schemas};
use openapi_dropshot_contract::{Document, implies_type, model::Node, raised};
use std::{borrow::Cow, collections::BTreeSet, rc::Rc};

/// The prefix of pointers to component schemas.
const SCHEMAS: &str = "/components/schemas/";

/// The schemas of a document as it is written.
pub(super) struct Written<'d> {
    root: Cow<'d, Node>,
    schemas: Schemas,
}

impl<'d> Written<'d> {
    /// Translates the document as it is written; `None` if the code is generated from the written
    /// form.
    pub(super) fn of(document: &'d Document) -> Option<Self> {
        let root = raised(document.as_written());
        (*root != document.root).then(|| Written {
            schemas: Schemas::new(root.to_json()),
            root,
        })
    }

    /// Returns the schema of a component. Returns `None` for other places, and if JSON Schema alone
    /// does not define the meaning of the component: members of one direction, names of
    /// alternatives, assumed types, and dynamic references, which the generator rejects.
    pub(super) fn at(&self, pointer: &str) -> Option<Rc<Schema>> {
        let name = pointer.strip_prefix(SCHEMAS)?;
        let node = self.root.pointer(pointer)?;
        let is_component = !name.contains('/');
        (is_component && self.is_plain(node))
            .then(|| self.schemas.at(pointer).ok())
            .flatten()
    }

    fn is_plain(&self, node: &Node) -> bool {
        let mut open = vec![node];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            if let Some(items) = node.as_array() {
                open.extend(items);
            }
            let Some(members) = node.as_object() else {
                continue;
            };
            if !seen.insert(std::ptr::from_ref(node)) {
                continue;
            }
            let is_set = |name| node.get(name).and_then(Node::as_bool) == Some(true);
            let has_type = ["type", "enum", "const"]
                .iter()
                .any(|keyword| node.get(keyword).is_some());
            if node.get("discriminator").is_some()
                || node.get("$dynamicRef").is_some()
                || is_set("readOnly")
                || is_set("writeOnly")
                || (!has_type && members.keys().any(|keyword| implies_type(keyword)))
            {
                return false;
            }
            if node.get("$ref").is_some() {
                match self.root.target(node) {
                    Some(target) => open.push(target),
                    None => return false,
                }
            }
            let keywords = members.iter().filter(|(name, _)| {
                !["example", "examples", "default", "enum", "const"].contains(&name.as_str())
            });
            open.extend(keywords.map(|(_, member)| &member.value));
        }
        true
    }
}
