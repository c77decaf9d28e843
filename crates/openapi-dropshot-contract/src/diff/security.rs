//! Security: what an operation asks for, what the document asks for by
//! default, and the schemes that are described.

use super::context::Context;
use super::view::{array, members};
use crate::model::Node;

/// What an operation asks for; that of the document is compared once, apart.
pub(super) fn compare<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let (old, new) = (base.get("security"), revision.get("security"));
    if old.is_some() || new.is_some() {
        requirements(context, "api-security", (old, base), (new, revision));
    }
    let (old_root, new_root) = (context.base.root, context.revision.root);
    let old = old.or(old_root.get("security"));
    let new = new.or(new_root.get("security"));
    if is_open(old) && !is_open(new) {
        let text = "nobody can call it without a credential any more";
        let place = new.or(Some(revision));
        context.report("api-security-became-required", Some(base), place, text);
    }
}

/// Whether it can be called without any credential.
fn is_open(security: Option<&Node>) -> bool {
    let list = security.and_then(Node::as_array).unwrap_or_default();
    list.is_empty()
        || (list.iter()).any(|one| one.as_object().is_some_and(|schemes| schemes.is_empty()))
}

/// An alternative: its schemes by name.
fn name_of(requirement: &Node) -> String {
    let mut names: Vec<&str> = (requirement.as_object().into_iter().flatten())
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    names.join(" and ")
}

fn requirements<'a>(
    context: &mut Context<'a>,
    prefix: &str,
    (old, old_owner): (Option<&'a Node>, &'a Node),
    (new, new_owner): (Option<&'a Node>, &'a Node),
) {
    let list = |node: Option<&'a Node>| node.and_then(Node::as_array).unwrap_or_default();
    let (before, after) = (list(old), list(new));
    for from in before {
        let name = name_of(from);
        match after.iter().find(|other| name_of(other) == name) {
            Some(to) => scopes(context, prefix, from, to),
            None if name.is_empty() => {}
            None => {
                let text = format!("the security requirement `{name}` was removed");
                let place = new.or(Some(new_owner));
                context.report(&format!("{prefix}-removed"), Some(from), place, text);
            }
        }
    }
    for to in after {
        let name = name_of(to);
        if !name.is_empty() && !before.iter().any(|other| name_of(other) == name) {
            let text = format!("the security requirement `{name}` was added");
            let place = old.or(Some(old_owner));
            context.report(&format!("{prefix}-added"), place, Some(to), text);
        }
    }
}

fn scopes(context: &mut Context<'_>, prefix: &str, from: &Node, to: &Node) {
    for (scheme, member) in from.as_object().into_iter().flatten() {
        let (before, after) = (array(from, scheme), array(to, scheme));
        let place = to.get(scheme);
        for scope in before {
            if !after.iter().any(|other| other.same_value(scope)) {
                let text = format!("`{scheme}`: the scope {} was removed", scope.to_json());
                context.report(&format!("{prefix}-scope-removed"), Some(scope), place, text);
            }
        }
        for scope in after {
            if !before.iter().any(|other| other.same_value(scope)) {
                let text = format!("`{scheme}`: the scope {} was added", scope.to_json());
                let place = Some(&member.value);
                context.report(&format!("{prefix}-scope-added"), place, Some(scope), text);
            }
        }
    }
}

/// What the document asks for by default, and its security schemes.
pub(super) fn compare_components(context: &mut Context<'_>) {
    let (base, revision) = (context.base, context.revision);
    let (old, new) = (base.root.get("security"), revision.root.get("security"));
    requirements(
        context,
        "api-global-security",
        (old, base.root),
        (new, revision.root),
    );
    let schemes = |root| -> Vec<(&str, &Node)> {
        let components: Option<&Node> = Node::get(root, "components");
        components
            .map(|components| members(components, "securitySchemes"))
            .unwrap_or_default()
    };
    let (before, after) = (schemes(base.root), schemes(revision.root));
    for (name, old) in &before {
        let old = base.resolve(old);
        match after.iter().find(|(other, _)| other == name) {
            Some((_, new)) => scheme(context, name, old, revision.resolve(new)),
            None => {
                let text = format!("the security scheme `{name}` was removed");
                context.report("api-security-component-removed", Some(old), None, text);
            }
        }
    }
    for (name, new) in &after {
        if !before.iter().any(|(other, _)| other == name) {
            let text = format!("the security scheme `{name}` was added");
            context.report("api-security-component-added", None, Some(new), text);
        }
    }
}

fn scheme(context: &mut Context<'_>, name: &str, old: &Node, new: &Node) {
    let differs = |from: Option<&Node>, to: Option<&Node>| match (from, to) {
        (Some(from), Some(to)) => !from.same_value(to),
        (from, to) => from.is_some() != to.is_some(),
    };
    if differs(old.get("type"), new.get("type")) || differs(old.get("scheme"), new.get("scheme")) {
        let text = format!("the security scheme `{name}` is of another type");
        let id = "api-security-component-type-changed";
        context.report(id, Some(old), Some(new), text);
    }
    for (flow, from) in members(old, "flows") {
        let Some(to) = new.get("flows").and_then(|flows| flows.get(flow)) else {
            continue;
        };
        for (keyword, id) in [
            (
                "authorizationUrl",
                "api-security-component-oauth-url-changed",
            ),
            ("tokenUrl", "api-security-component-oauth-token-url-changed"),
        ] {
            if differs(from.get(keyword), to.get(keyword)) {
                let text = format!("`{keyword}` of the security scheme `{name}` changed");
                context.report(id, Some(from), Some(to), text);
            }
        }
        flow_scopes(context, name, from, to);
    }
}

fn flow_scopes(context: &mut Context<'_>, name: &str, from: &Node, to: &Node) {
    const PREFIX: &str = "api-security-component-oauth-scope";
    let (before, after) = (members(from, "scopes"), members(to, "scopes"));
    for (scope, old) in &before {
        let (ending, place) = match after.iter().find(|(other, _)| other == scope) {
            None => ("removed", to),
            Some((_, new)) if !old.same_value(new) => ("changed", *new),
            Some(_) => continue,
        };
        let text = format!("the scope `{scope}` of the security scheme `{name}` was {ending}");
        context.report(&format!("{PREFIX}-{ending}"), Some(old), Some(place), text);
    }
    for (scope, new) in &after {
        if !before.iter().any(|(other, _)| other == scope) {
            let text = format!("the scope `{scope}` of the security scheme `{name}` was added");
            context.report(&format!("{PREFIX}-added"), Some(from), Some(new), text);
        }
    }
}
