//! Compares the security requirements of operations and of the document, and the
//! security schemes.

use super::context::Context;
use super::view::{array, differs, members, missing};
use crate::model::Node;
use crate::pairs::pairs;
use crate::rules::changes as rules;

/// Compares the requirements of an operation. Those of the document are compared
/// once, in [`compare_components`].
pub(super) fn compare<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    requirements(context, "api", base, revision);
    let (old_root, new_root) = (context.base.root, context.revision.root);
    let old = base.get("security").or(old_root.get("security"));
    let new = revision.get("security").or(new_root.get("security"));
    if is_open(old) && !is_open(new) {
        let text = "it cannot be called without credentials any more";
        let (rule, place) = (&rules::API_SECURITY_BECAME_REQUIRED, new.or(Some(revision)));
        context.report(rule, Some(base), place, text);
    }
}

/// Whether it can be called without any credential.
fn is_open(security: Option<&Node>) -> bool {
    let list = security.and_then(Node::as_array).unwrap_or_default();
    list.is_empty()
        || (list.iter()).any(|one| one.as_object().is_some_and(|schemes| schemes.is_empty()))
}

/// The name of a requirement: its schemes in the order of their names.
fn name_of(requirement: &Node) -> String {
    let mut names: Vec<&str> = (requirement.as_object().into_iter().flatten())
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    names.join(" and ")
}

/// Compares the requirements of an operation or of the document.
fn requirements(context: &mut Context<'_>, place: &str, base: &Node, revision: &Node) {
    let old = base.get("security").unwrap_or(base);
    let new = revision.get("security").unwrap_or(revision);
    let (before, after) = (array(base, "security"), array(revision, "security"));
    for pair in pairs(before, after, |from, to| name_of(from) == name_of(to)) {
        let (family, verb, from, to) = match pair {
            (Some(from), Some(to)) => {
                scopes(context, place, from, to);
                continue;
            }
            (Some(from), None) => (&rules::SECURITY_REMOVED, "removed", from, new),
            (None, Some(to)) => (&rules::SECURITY_ADDED, "added", old, to),
            (None, None) => continue,
        };
        let name = pair.0.or(pair.1).map(name_of).unwrap_or_default();
        if !name.is_empty() {
            let text = format!("the security requirement `{name}` was {verb}");
            context.report_at(family, &[place], Some(from), Some(to), text);
        }
    }
}

fn scopes(context: &mut Context<'_>, place: &str, from: &Node, to: &Node) {
    for (scheme, member) in from.as_object().into_iter().flatten() {
        let (before, after) = (array(from, scheme), array(to, scheme));
        for scope in missing(before, after) {
            let text = format!("`{scheme}`: the scope {} was removed", scope.to_json());
            let (family, revision) = (&rules::SECURITY_SCOPE_REMOVED, to.get(scheme));
            context.report_at(family, &[place], Some(scope), revision, text);
        }
        for scope in missing(after, before) {
            let text = format!("`{scheme}`: the scope {} was added", scope.to_json());
            let (family, base) = (&rules::SECURITY_SCOPE_ADDED, Some(&member.value));
            context.report_at(family, &[place], base, Some(scope), text);
        }
    }
}

/// Compares the requirements of the document and its security schemes.
pub(super) fn compare_components(context: &mut Context<'_>) {
    let (base, revision) = (context.base, context.revision);
    requirements(context, "api-global", base.root, revision.root);
    let before = base.components("securitySchemes");
    let after = revision.components("securitySchemes");
    for (old, new) in pairs(&before, &after, |(from, _), (to, _)| from == to) {
        let name = old.or(new).map_or("", |(name, _)| *name);
        let old = old.map(|(_, old)| base.resolve(old));
        let (rule, verb, new) = match (old, new) {
            (Some(old), Some((_, new))) => {
                scheme(context, name, old, revision.resolve(new));
                continue;
            }
            (_, None) => (&rules::SECURITY_COMPONENT_REMOVED, "removed", None),
            (None, Some((_, new))) => (&rules::SECURITY_COMPONENT_ADDED, "added", Some(*new)),
        };
        let text = format!("the security scheme `{name}` was {verb}");
        context.report(rule, old, new, text);
    }
}

fn scheme(context: &mut Context<'_>, name: &str, old: &Node, new: &Node) {
    let is_other = |from: &Node, to: &Node, keyword| differs(from.get(keyword), to.get(keyword));
    if is_other(old, new, "type") || is_other(old, new, "scheme") {
        let text = format!("the type of the security scheme `{name}` changed");
        let rule = &rules::SECURITY_COMPONENT_TYPE_CHANGED;
        context.report(rule, Some(old), Some(new), text);
    }
    let urls = [
        ("authorizationUrl", &rules::OAUTH_URL_CHANGED),
        ("tokenUrl", &rules::OAUTH_TOKEN_URL_CHANGED),
    ];
    for (flow, from) in members(old, "flows") {
        let Some(to) = new.get("flows").and_then(|flows| flows.get(flow)) else {
            continue;
        };
        for (keyword, rule) in urls {
            if is_other(from, to, keyword) {
                let text = format!("`{keyword}` of the security scheme `{name}` changed");
                context.report(rule, Some(from), Some(to), text);
            }
        }
        flow_scopes(context, name, from, to);
    }
}

fn flow_scopes(context: &mut Context<'_>, name: &str, from: &Node, to: &Node) {
    let (before, after) = (members(from, "scopes"), members(to, "scopes"));
    for (old, new) in pairs(&before, &after, |(from, _), (to, _)| from == to) {
        let (rule, verb) = match (old, new) {
            (Some((_, old)), Some((_, new))) if old.same_value(new) => continue,
            (Some(_), Some(_)) => (&rules::OAUTH_SCOPE_CHANGED, "changed"),
            (Some(_), None) => (&rules::OAUTH_SCOPE_REMOVED, "removed"),
            (None, _) => (&rules::OAUTH_SCOPE_ADDED, "added"),
        };
        let scope = old.or(new).map_or("", |(scope, _)| *scope);
        let text = format!("the scope `{scope}` of the security scheme `{name}` was {verb}");
        let (old, new) = (
            old.map_or(from, |(_, old)| *old),
            new.map_or(to, |(_, new)| *new),
        );
        context.report(rule, Some(old), Some(new), text);
    }
}
