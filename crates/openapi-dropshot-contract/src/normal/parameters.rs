//! Rewrites query parameters that are objects: each member becomes a separate parameter, which is how it is sent (`style: form`
//! with `explode`, and `deepObject`). Also converts parameters that may be one value or a list to lists, and removes header
//! parameters that OpenAPI ignores.

use super::{ValueKind, conjunction::definitions_of, conjuncts, kind_of, single};
use crate::grammar::{ObjectKind, visit};
use crate::model::Node;

/// Rewrites the parameters of all operations and paths.
pub(super) fn rewrite(root: &mut Node) {
    let mut lists = Vec::new();
    visit(root, ObjectKind::Document, &mut |kind, node| {
        let parameters = node.items("parameters");
        let split: Vec<_> = parameters
            .iter()
            .map(|own| {
                let own = root.resolve(own);
                parts(own, root).or_else(|| Some(vec![as_list(own, root)?]))
            })
            .collect();
        if split.iter().any(Option::is_some) {
            let all = parameters.iter().zip(split);
            let all = all.flat_map(|(own, parts)| parts.unwrap_or_else(|| vec![own.clone()]));
            lists.push((node.at.pointer.clone(), Node::list(&node.at, all.collect())));
        }
        matches!(kind, ObjectKind::Document | ObjectKind::PathItem)
    });
    for (pointer, list) in lists {
        if let Some(parameters) = root.pointer_mut(&format!("{pointer}/parameters")) {
            parameters.kind = list.kind;
        }
    }
}

/// Header parameters with these names are ignored (OpenAPI 3.0.3, "Parameter Object").
const IGNORED_HEADERS: [&str; 3] = ["accept", "authorization", "content-type"];

/// Returns the separate parameters for the members of a parameter. Returns `None` if it is not an object, if it is sent in another
/// way, or if separate parameters would have another meaning. The result is empty for a parameter that OpenAPI ignores.
fn parts(parameter: &Node, root: &Node) -> Option<Vec<Node>> {
    match parameter.word("in")? {
        "query" => {}
        "header" => {
            let name = parameter.word("name")?.to_ascii_lowercase();
            return IGNORED_HEADERS.contains(&&*name).then(Vec::new);
        }
        _ => return None,
    }
    let explode = parameter.get("explode").and_then(Node::as_bool);
    let is_deep = match (parameter.word("style").unwrap_or("form"), explode) {
        ("form", None | Some(true)) => false,
        ("deepObject", _) => true,
        _ => return None,
    };
    let own = parameter.word("name")?;
    let object = members_of(root, parameter.get("schema")?)?;
    let is_required = parameter.is_set("required");
    // If one member is present, other members are required.
    let is_conditional = !is_required
        && !object.required.is_empty()
        && (object.properties.len() > 1 || object.required.len() > 1);
    // Names such as `own[…]` belong only to this object.
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
            part.remove(keyword);
        }
        let sent = match is_deep {
            true => format!("{own}[{name}]"),
            false => name.to_owned(),
        };
        part.set("name", Node::text(at, sent));
        if let Some(description) = property.get("description") {
            part.set("description", description.clone());
        }
        if is_required && object.required.contains(&name) {
            part.set("required", Node::flag(at));
        }
        part.with("schema", property.clone())
    });
    Some(parts.collect())
}

/// Returns the parameter as a list, in two cases: its schema is a reference to a list, which then replaces the reference; or its
/// schema allows a list or a single element of it, and both are sent alike (`name=a&name=b`).
fn as_list(parameter: &Node, root: &Node) -> Option<Node> {
    let written = parameter.get("schema")?;
    let schema = root.resolve(written);
    if written.get("$ref").is_some() && single::type_of(schema) == Some("array") {
        return Some(parameter.clone().with("schema", schema.clone()));
    }
    let is_exploded = parameter.word("in")? == "query"
        && parameter.word("style").is_none_or(|style| style == "form")
        && parameter.get("explode").and_then(Node::as_bool) != Some(false);
    let texts = ["title", "description", "deprecated", "examples"];
    let mut others = schema.members().filter(|(name, _)| !texts.contains(name));
    let (Some(("anyOf" | "oneOf", alternatives)), None) = (others.next(), others.next()) else {
        return None;
    };
    let [first, second] = alternatives.as_array()? else {
        return None;
    };
    let is_list = |node| kind_of(root, node) == Some(ValueKind::Array);
    let (one, list) = match is_list(first) {
        true => (second, first),
        false => (first, second),
    };
    let list = root.resolve(list);
    let least = list.get("minItems").and_then(Node::as_u64);
    let has_items = list.get("items").is_some_and(|items| items.same_value(one));
    let is_same = is_exploded && is_list(list) && has_items && least.is_none_or(|least| least < 2);
    is_same.then(|| parameter.clone().with("schema", list.clone()))
}

/// The members of an object.
struct Members<'n> {
    properties: Vec<(&'n str, &'n Node)>,
    /// The names of the required members.
    required: Vec<&'n str>,
    /// Whether the object allows no other members.
    is_closed: bool,
}

/// Returns the members of an object, including those of the parts of its `allOf`. Returns `None` if a schema is not an object with
/// known members, or if it bounds the number of members.
fn members_of<'n>(root: &'n Node, node: &'n Node) -> Option<Members<'n>> {
    if kind_of(root, node) != Some(ValueKind::Object) {
        return None;
    }
    let first = |(name, parts): (&'n str, Vec<&'n Node>)| match parts.as_slice() {
        [only] => Some((name, *only)),
        _ => None,
    };
    let definitions = definitions_of(root, node).into_iter();
    let mut members = Members {
        properties: definitions.map(first).collect::<Option<_>>()?,
        required: Vec::new(),
        is_closed: false,
    };
    for part in conjuncts(root, node) {
        let others = part.get("additionalProperties").map(Node::as_bool);
        let least = part.get("minProperties").and_then(Node::as_u64);
        // Members without a known name cannot be parameters, and the number of parameters is not checked.
        if others == Some(None)
            || least.is_some_and(|least| least > 0)
            || part.get("maxProperties").is_some()
            || part.get("unevaluatedProperties").is_some()
        {
            return None;
        }
        members.is_closed |= others == Some(Some(false));
        members.required.extend(part.words("required"));
    }
    (!members.properties.is_empty()).then_some(members)
}
