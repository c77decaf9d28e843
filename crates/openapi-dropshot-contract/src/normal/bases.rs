//! Rewrites components that have a `discriminator` but no `oneOf` or `anyOf`. Other schemas refer
//! to them in `allOf`. Where such a component is used as the schema of a value, the value is one of
//! these other schemas.

use super::{component_schemas_mut, name_in, rename, single::has_alternatives};
use crate::grammar::{ObjectKind, each_part, each_part_mut};
use crate::model::{Member, Node, SCHEMAS, free_name};
use indexmap::{IndexMap, IndexSet};

/// Rewrites all such components.
pub(super) fn rewrite(root: &mut Node) {
    let is_base = |node: &Node| {
        node.get("discriminator").is_some() && !has_alternatives(node) && node.get("$ref").is_none()
    };
    let is_taken = |name: &str| root.components("schemas").any(|(own, _)| own == name);
    let bases = root.components("schemas");
    let mut bases = bases.filter(|(_, node)| is_base(node)).peekable();
    if bases.peek().is_none() {
        return;
    }
    let mut used = IndexSet::new();
    uses(root, ObjectKind::Document, &mut used);
    let mut renamed = IndexMap::new();
    let mut added = Vec::new();
    for (base, node) in bases.filter(|(base, _)| used.contains(*base)) {
        let subtypes = subtypes(root, base, node);
        if subtypes.is_empty() {
            continue;
        }
        let name = free_name(format!("{base}Base"), is_taken);
        let mut own = node.clone();
        let discriminator = own.remove("discriminator");
        let union = alternatives(node, discriminator, &subtypes);
        renamed.insert(base.to_owned(), name.clone());
        added.push((base.to_owned(), name, own, union));
    }
    if added.is_empty() {
        return;
    }
    rename_parts(root, ObjectKind::Document, &renamed);
    let Some(schemas) = component_schemas_mut(root) else {
        return;
    };
    for (base, name, mut own, union) in added {
        rename_parts(&mut own, ObjectKind::Schema, &renamed);
        for (name, value) in [(name, own), (base, union)] {
            let key_at = value.at.clone();
            schemas.insert(name, Member { key_at, value });
        }
    }
}

/// Builds the alternatives, with the title, the description and `deprecated` of the component.
fn alternatives(node: &Node, discriminator: Option<Node>, subtypes: &IndexSet<String>) -> Node {
    let at = &node.at;
    let mut union = Node::object(at);
    for text in ["title", "description", "deprecated"] {
        if let Some(value) = node.get(text) {
            union.set(text, value.clone());
        }
    }
    let reference = |name: &String| Node::reference(at, format!("{SCHEMAS}{name}"));
    let parts = subtypes.iter().map(reference);
    union.set("oneOf", Node::list(at, parts.collect()));
    if let Some(discriminator) = discriminator {
        union.set("discriminator", discriminator);
    }
    // If the component allows `null`, every use of it as the schema of a value allows `null`.
    if let Some(null) = node.null() {
        union.allow_null(&null.at);
    }
    union
}

/// Returns the components that the mapping names, and the components that refer to the base in
/// `allOf`, directly or through others. A mapping does not have to name all of them.
fn subtypes(root: &Node, base: &str, node: &Node) -> IndexSet<String> {
    let known = root.components("schemas");
    let mapped = node.get("discriminator").into_iter();
    let mapped = mapped.flat_map(|own| own.entries("mapping"));
    let mapped = mapped.filter_map(|(_, target)| name_in(target));
    let is_other = |name: &String| name != base && known.clone().any(|(own, _)| own == name);
    let mut found: IndexSet<String> = mapped.filter(is_other).collect();
    // A component whose `allOf` has only the reference is a subtype only if the mapping names no
    // subtypes.
    let is_mapped = !found.is_empty();
    let mut open = vec![base.to_owned()];
    let mut seen = IndexSet::from([base.to_owned()]);
    while let Some(base) = open.pop() {
        for (name, node) in known.clone() {
            if is_mapped && !is_inheritance(node) {
                continue;
            }
            let parts = node.items("allOf").iter();
            let mut references = parts.filter_map(|part| name_in(part.get("$ref")?));
            if references.any(|reference| reference == base) && seen.insert(name.to_owned()) {
                found.insert(name.to_owned());
                open.push(name.to_owned());
            }
        }
    }
    found
}

/// Adds the components to which references lead, except references in the `allOf` of a schema that
/// inherits.
fn uses(node: &Node, kind: ObjectKind, used: &mut IndexSet<String>) {
    used.extend(node.get("$ref").and_then(name_in));
    let inherits = is_inheritance(node);
    each_part(node, kind, &mut |member, kind, part| {
        if !(inherits && member.name == "allOf" && part.get("$ref").is_some()) {
            uses(part, kind, used);
        }
    });
}

/// Returns whether `allOf` adds something to the target of a reference. If not, it is only another
/// notation of the reference.
fn is_inheritance(node: &Node) -> bool {
    let keywords = ["properties", "required", "additionalProperties", "type"];
    let parts = node.items("allOf").len();
    parts > 1 || keywords.iter().any(|keyword| node.get(keyword).is_some())
}

/// Renames the references that are parts of `allOf`.
fn rename_parts(node: &mut Node, kind: ObjectKind, names: &IndexMap<String, String>) {
    let inherits = is_inheritance(node);
    each_part_mut(node, kind, &mut |member, kind, part| match inherits
        && member.name == "allOf"
        && part.get("$ref").is_some()
    {
        true => rename(part, kind, names),
        false => rename_parts(part, kind, names),
    });
}
