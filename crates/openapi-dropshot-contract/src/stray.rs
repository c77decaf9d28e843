//! Removes from the tree the members that no version of OpenAPI knows and that do not affect the meaning, and reports them as
//! warnings. The reader rejects all other unknown members: names that look misspelt, and names that have a meaning elsewhere.

use crate::grammar::{Effect, ObjectKind, Since, visit, visit_mut};
use crate::model::{Member, Node};
use crate::problem::Problem;
use crate::rules::{Severity, document as rules};
use crate::suggest::closest;

/// Returns the tree without unknown members, and reports them. Returns `None` if the tree has none.
pub(crate) fn without_stray_members(
    root: &Node,
    version: Since,
    problems: &mut Vec<Problem>,
) -> Option<Node> {
    let name = root.word("openapi").unwrap_or_default();
    let mut known = ["3.0.", "3.1.", "3.2."].iter();
    if !known.any(|minor| name.starts_with(minor)) {
        return None;
    }
    let before = problems.len();
    visit(root, ObjectKind::Document, &mut |kind, node| {
        problems.extend(stray(version, kind, node).map(|(_, problem)| problem));
        true
    });
    if problems.len() == before {
        return None;
    }
    let mut root = root.clone();
    visit_mut(&mut root, ObjectKind::Document, &mut |kind, node| {
        let stray = stray(version, kind, node);
        let names: Vec<String> = stray.map(|(name, _)| name.to_owned()).collect();
        for name in names {
            node.remove(&name);
        }
        true
    });
    Some(root)
}

/// Returns the members of an object that are ignored, each with a warning.
fn stray(version: Since, kind: ObjectKind, object: &Node) -> impl Iterator<Item = (&str, Problem)> {
    // Only schemas of OpenAPI 3.1 and later give members beside a reference a meaning.
    let is_reference =
        (kind != ObjectKind::MediaType || version >= Since::V32) && object.get("$ref").is_some();
    let is_schema = kind == ObjectKind::Schema;
    let is_checked = !is_reference || is_schema && version > Since::V30;
    let members = object.as_object().filter(|_| is_checked);
    let members = members.into_iter().flatten();
    members.filter_map(move |(name, member)| {
        let problem = problem(version, kind, name, member)?;
        Some((name.as_str(), problem.with_severity(Severity::Warning)))
    })
}

/// Returns the problem for a member that is ignored; `None` if the member is known, or if the reader rejects it.
fn problem(version: Since, kind: ObjectKind, name: &str, member: &Member) -> Option<Problem> {
    let is_schema = kind == ObjectKind::Schema;
    if is_schema && name == "required" && member.value.as_bool().is_some() {
        let found = member.value.summary();
        let message = format!("`required` must be an array of names, found {found}: it is ignored");
        let help = "list the property in `required` of the object that has it";
        return Some(rules::WRONG_TYPE.problem(&member.value.at, message, help));
    }
    let known = kind.member(name);
    if known.is_some_and(|known| known.since <= version) || name.starts_with("x-") {
        return None;
    }
    let is_harmless = match known {
        // Other tools would give a meaning to a keyword that restricts values or that contains schemas.
        Some(newer) if is_schema => newer.effect == Effect::Annotation && newer.holds_nothing(),
        // Ignoring some members of 3.2 would change the meaning of an operation, or of the content of a body.
        Some(newer) => {
            let is_other = [ObjectKind::PathItem, ObjectKind::MediaType].contains(&kind);
            newer.since < Since::V32 || !is_other
        }
        None => {
            let is_kept = is_schema && version == Since::V30 && is_keyword(name);
            let allowed = kind.members().iter().map(|known| known.name);
            !is_kept && closest(name, allowed).is_none()
        }
    };
    let name = name.escape_debug();
    is_harmless.then(|| {
        let message = format!("{} has no member `{name}`: it is ignored", kind.what());
        let help = "remove it, or begin its name with `x-` if it is an extension";
        rules::UNKNOWN_MEMBER.problem(&member.key_at, message, help)
    })
}

/// Returns whether an earlier draft of JSON Schema has this keyword, which no version of OpenAPI has.
fn is_keyword(name: &str) -> bool {
    ["additionalItems", "definitions", "dependencies"].contains(&name)
}
