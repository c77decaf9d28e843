//! Compares the security requirements of operations and of the document, and the
//! security schemes.

use super::context::Context;
use super::view::{array, members};
use crate::model::Node;
use crate::rules::{ChangeRule, changes as rules};

/// The rules for the security requirements of an operation or of the document.
struct RequirementRules {
    added: &'static ChangeRule,
    removed: &'static ChangeRule,
    scope_added: &'static ChangeRule,
    scope_removed: &'static ChangeRule,
}

static OPERATION: RequirementRules = RequirementRules {
    added: &rules::API_SECURITY_ADDED,
    removed: &rules::API_SECURITY_REMOVED,
    scope_added: &rules::API_SECURITY_SCOPE_ADDED,
    scope_removed: &rules::API_SECURITY_SCOPE_REMOVED,
};

static DOCUMENT: RequirementRules = RequirementRules {
    added: &rules::API_GLOBAL_SECURITY_ADDED,
    removed: &rules::API_GLOBAL_SECURITY_REMOVED,
    scope_added: &rules::API_GLOBAL_SECURITY_SCOPE_ADDED,
    scope_removed: &rules::API_GLOBAL_SECURITY_SCOPE_REMOVED,
};

/// Compares the requirements of an operation. Those of the document are compared
/// once, in [`compare_components`].
pub(super) fn compare<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let (old, new) = (base.get("security"), revision.get("security"));
    if old.is_some() || new.is_some() {
        requirements(context, &OPERATION, (old, base), (new, revision));
    }
    let (old_root, new_root) = (context.base.root, context.revision.root);
    let old = old.or(old_root.get("security"));
    let new = new.or(new_root.get("security"));
    if is_open(old) && !is_open(new) {
        let text = "it cannot be called without credentials any more";
        let place = new.or(Some(revision));
        context.report(
            &rules::API_SECURITY_BECAME_REQUIRED,
            Some(base),
            place,
            text,
        );
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

fn requirements<'a>(
    context: &mut Context<'a>,
    rules: &RequirementRules,
    (old, old_owner): (Option<&'a Node>, &'a Node),
    (new, new_owner): (Option<&'a Node>, &'a Node),
) {
    let list = |node: Option<&'a Node>| node.and_then(Node::as_array).unwrap_or_default();
    let (before, after) = (list(old), list(new));
    for from in before {
        let name = name_of(from);
        match after.iter().find(|other| name_of(other) == name) {
            Some(to) => scopes(context, rules, from, to),
            None if name.is_empty() => {}
            None => {
                let text = format!("the security requirement `{name}` was removed");
                let place = new.or(Some(new_owner));
                context.report(rules.removed, Some(from), place, text);
            }
        }
    }
    for to in after {
        let name = name_of(to);
        if !name.is_empty() && !before.iter().any(|other| name_of(other) == name) {
            let text = format!("the security requirement `{name}` was added");
            let place = old.or(Some(old_owner));
            context.report(rules.added, place, Some(to), text);
        }
    }
}

fn scopes(context: &mut Context<'_>, rules: &RequirementRules, from: &Node, to: &Node) {
    for (scheme, member) in from.as_object().into_iter().flatten() {
        let (before, after) = (array(from, scheme), array(to, scheme));
        let place = to.get(scheme);
        for scope in before {
            if !after.iter().any(|other| other.same_value(scope)) {
                let text = format!("`{scheme}`: the scope {} was removed", scope.to_json());
                context.report(rules.scope_removed, Some(scope), place, text);
            }
        }
        for scope in after {
            if !before.iter().any(|other| other.same_value(scope)) {
                let text = format!("`{scheme}`: the scope {} was added", scope.to_json());
                let place = Some(&member.value);
                context.report(rules.scope_added, place, Some(scope), text);
            }
        }
    }
}

/// Compares the requirements of the document and its security schemes.
pub(super) fn compare_components(context: &mut Context<'_>) {
    let (base, revision) = (context.base, context.revision);
    let (old, new) = (base.root.get("security"), revision.root.get("security"));
    let (old, new) = ((old, base.root), (new, revision.root));
    requirements(context, &DOCUMENT, old, new);
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
                context.report(
                    &rules::API_SECURITY_COMPONENT_REMOVED,
                    Some(old),
                    None,
                    text,
                );
            }
        }
    }
    for (name, new) in &after {
        if !before.iter().any(|(other, _)| other == name) {
            let text = format!("the security scheme `{name}` was added");
            context.report(&rules::API_SECURITY_COMPONENT_ADDED, None, Some(new), text);
        }
    }
}

fn scheme(context: &mut Context<'_>, name: &str, old: &Node, new: &Node) {
    let differs = |from: Option<&Node>, to: Option<&Node>| match (from, to) {
        (Some(from), Some(to)) => !from.same_value(to),
        (from, to) => from.is_some() != to.is_some(),
    };
    if differs(old.get("type"), new.get("type")) || differs(old.get("scheme"), new.get("scheme")) {
        let text = format!("the type of the security scheme `{name}` changed");
        let rule = &rules::API_SECURITY_COMPONENT_TYPE_CHANGED;
        context.report(rule, Some(old), Some(new), text);
    }
    for (flow, from) in members(old, "flows") {
        let Some(to) = new.get("flows").and_then(|flows| flows.get(flow)) else {
            continue;
        };
        for (keyword, rule) in [
            (
                "authorizationUrl",
                &rules::API_SECURITY_COMPONENT_OAUTH_URL_CHANGED,
            ),
            (
                "tokenUrl",
                &rules::API_SECURITY_COMPONENT_OAUTH_TOKEN_URL_CHANGED,
            ),
        ] {
            if differs(from.get(keyword), to.get(keyword)) {
                let text = format!("`{keyword}` of the security scheme `{name}` changed");
                context.report(rule, Some(from), Some(to), text);
            }
        }
        flow_scopes(context, name, from, to);
    }
}

fn flow_scopes(context: &mut Context<'_>, name: &str, from: &Node, to: &Node) {
    let (before, after) = (members(from, "scopes"), members(to, "scopes"));
    for (scope, old) in &before {
        let (rule, verb, place) = match after.iter().find(|(other, _)| other == scope) {
            None => (
                &rules::API_SECURITY_COMPONENT_OAUTH_SCOPE_REMOVED,
                "removed",
                to,
            ),
            Some((_, new)) if !old.same_value(new) => {
                let rule = &rules::API_SECURITY_COMPONENT_OAUTH_SCOPE_CHANGED;
                (rule, "changed", *new)
            }
            Some(_) => continue,
        };
        let text = format!("the scope `{scope}` of the security scheme `{name}` was {verb}");
        context.report(rule, Some(old), Some(place), text);
    }
    for (scope, new) in &after {
        if !before.iter().any(|(other, _)| other == scope) {
            let text = format!("the scope `{scope}` of the security scheme `{name}` was added");
            let rule = &rules::API_SECURITY_COMPONENT_OAUTH_SCOPE_ADDED;
            context.report(rule, Some(from), Some(new), text);
        }
    }
}
