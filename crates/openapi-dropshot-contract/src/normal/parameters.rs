//! Rewrites parameters of a query that are objects: each member is a parameter of its own,
//! as it is sent (`style: form` with `explode`, and `deepObject`).

use super::{
    Kind, LONGEST_CHAIN, Left, components, conjunction::definitions_of, kind_of, steps, target,
};
use crate::dialect::{flag, insert, members, remove, values};
use crate::model::{Node, NodeKind};
use indexmap::IndexMap;

/// Rewrites the parameters of all operations and paths.
pub(super) fn rewrite(root: &mut Node) {
    let known = components(root);
    let shared = root.get("components").and_then(|own| own.get("parameters"));
    let shared = shared.cloned();
    let paths = members(root).and_then(|members| members.get_mut("paths"));
    for item in paths.into_iter().flat_map(|paths| values(&mut paths.value)) {
        expand(item, &known, shared.as_ref());
        for operation in values(item) {
            expand(operation, &known, shared.as_ref());
        }
    }
}

/// Rewrites the parameters in the list of an operation or a path.
fn expand(owner: &mut Node, known: &IndexMap<String, Node>, shared: Option<&Node>) {
    let list = members(owner).and_then(|members| members.get_mut("parameters"));
    let Some(NodeKind::Array(list)) = list.map(|list| &mut list.value.kind) else {
        return;
    };
    let mut expanded = Vec::new();
    for parameter in std::mem::take(list) {
        let target = parameter.get("$ref").and_then(|reference| {
            let name = reference
                .as_str()?
                .strip_prefix("#/components/parameters/")?;
            shared?.get(name)
        });
        match parts(target.unwrap_or(&parameter), known) {
            Some(parts) => expanded.extend(parts),
            None => expanded.push(parameter),
        }
    }
    *list = expanded;
}

/// Returns the parameters that the members of a parameter are; `None` if it is no object, if it
/// is sent in another way, or if single parameters do not mean the same.
fn parts(parameter: &Node, known: &IndexMap<String, Node>) -> Option<Vec<Node>> {
    if parameter.get("in")?.as_str()? != "query" {
        return None;
    }
    let style = parameter.get("style").and_then(Node::as_str);
    let explode = parameter.get("explode").and_then(Node::as_bool);
    let is_deep = match (style.unwrap_or("form"), explode) {
        ("form", None | Some(true)) => false,
        ("deepObject", _) => true,
        _ => return None,
    };
    let own = parameter.get("name")?.as_str()?;
    let schema = parameter.get("schema")?;
    let object = members_of(known, schema)?;
    let is_required = parameter.get("required").and_then(Node::as_bool) == Some(true);
    // One member that is there requires others.
    let is_conditional = !is_required
        && !object.required.is_empty()
        && (object.properties.len() > 1 || object.required.len() > 1);
    // The names `own[…]` are those of this object only.
    if is_conditional || (is_deep && object.is_closed) {
        return None;
    }
    let at = &parameter.at;
    let parts = object.properties.into_iter().map(|(name, property)| {
        let mut part = parameter.clone();
        for keyword in [
            "style",
            "explode",
            "example",
            "examples",
            "required",
            "description",
        ] {
            remove(&mut part, keyword);
        }
        let sent = match is_deep {
            true => format!("{own}[{name}]"),
            false => name.clone(),
        };
        insert(
            &mut part,
            "name",
            Node::of(at.clone(), NodeKind::String(sent)),
        );
        if let Some(description) = property.get("description") {
            insert(&mut part, "description", description.clone());
        }
        if is_required && object.required.contains(&name) {
            insert(&mut part, "required", flag(at));
        }
        insert(&mut part, "schema", property);
        part
    });
    Some(parts.collect())
}

/// The members of an object.
struct Members {
    properties: Vec<(String, Node)>,
    /// The names of those that are required.
    required: Vec<String>,
    /// Whether there are no other members.
    is_closed: bool,
}

/// Returns the members of an object, also of the parts of its `allOf`; `None` if a schema is no
/// object with known members, or if it counts its members.
fn members_of(components: &IndexMap<String, Node>, node: &Node) -> Option<Members> {
    if kind_of(components, node) != Some(Kind::Object) {
        return None;
    }
    let mut definitions = IndexMap::new();
    definitions_of(components, node, &mut definitions, Left::of(&steps()));
    let first = |(name, parts): (&str, Vec<&Node>)| match parts.as_slice() {
        [only] => Some((name.to_owned(), (*only).clone())),
        _ => None,
    };
    let mut members = Members {
        properties: definitions.into_iter().map(first).collect::<Option<_>>()?,
        required: Vec::new(),
        is_closed: false,
    };
    let mut open = vec![node];
    for _ in 0..LONGEST_CHAIN {
        let Some(node) = open.pop() else { break };
        if let Some(reference) = node.get("$ref") {
            open.extend(target(components, reference));
            continue;
        }
        let others = node.get("additionalProperties").map(Node::as_bool);
        let least = node.get("minProperties").and_then(Node::as_u64);
        // Members without a name would be parameters without a name, and parameters are not
        // counted.
        if others == Some(None) || least.is_some_and(|least| least > 0) {
            return None;
        }
        if node.get("maxProperties").is_some() || node.get("unevaluatedProperties").is_some() {
            return None;
        }
        members.is_closed |= others == Some(Some(false));
        let names = node.get("required").and_then(Node::as_array);
        let names = names.into_iter().flatten().filter_map(Node::as_str);
        members.required.extend(names.map(str::to_owned));
        let parts = node.get("allOf").and_then(Node::as_array);
        open.extend(parts.into_iter().flatten());
    }
    (!members.properties.is_empty() && open.is_empty()).then_some(members)
}
