//! Compares the security requirements of operations and of the document, and the
//! security schemes.

use super::context::Context;
use super::view::{differs, missing, pairs_by_name};
use crate::model::Node;
use crate::pairs::pairs;
use crate::rules::changes as rules;

/// The schemes that a client may use for an operation or for the document.
#[derive(Clone, Copy)]
struct Requirements<'a> {
    /// The place of the list. If there is no list, the place of the operation or of the document.
    at: &'a Node,
    list: &'a [Node],
    /// Whether an operation has no list, so that the list of the document applies.
    is_inherited: bool,
}

impl<'a> Requirements<'a> {
    fn of_owner(owner: &'a Node) -> Self {
        Requirements {
            at: owner.get("security").unwrap_or(owner),
            list: owner.items("security"),
            is_inherited: false,
        }
    }

    /// The requirements of an operation, or of the document if the operation has none of its own.
    fn effective(operation: &'a Node, root: &'a Node) -> Self {
        if operation.get("security").is_some() || root.get("security").is_none() {
            return Requirements::of_owner(operation);
        }
        Requirements {
            is_inherited: true,
            ..Requirements::of_owner(root)
        }
    }

    /// Whether a request without credentials is allowed.
    fn is_open(self) -> bool {
        let needs_none = |one: &Node| one.as_object().is_some_and(|schemes| schemes.is_empty());
        self.list.is_empty() || self.list.iter().any(needs_none)
    }
}

/// Compares the requirements of an operation. If the operation has no requirements of its own in
/// both documents, the requirements of the document apply; [`compare_components`] compares these
/// once.
pub(super) fn compare<'a>(context: &mut Context<'a>, base: &'a Node, revision: &'a Node) {
    let old = Requirements::effective(base, context.base.root);
    let new = Requirements::effective(revision, context.revision.root);
    if !(old.is_inherited && new.is_inherited) {
        requirements(context, "api", old, new);
    }
    if old.is_open() && !new.is_open() {
        let text = "the operation can no longer be called without credentials";
        let rule = &rules::API_SECURITY_BECAME_REQUIRED;
        context.report(rule, Some(base), Some(new.at), text);
    }
}

/// The name of a requirement: the names of its schemes in alphabetical order.
fn name_of(requirement: &Node) -> String {
    let mut names: Vec<&str> = requirement.members().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.join(" and ")
}

/// Compares the requirements of an operation or of the document.
fn requirements(
    context: &mut Context<'_>,
    place: &str,
    old: Requirements<'_>,
    new: Requirements<'_>,
) {
    // oasdiff compares only the lists of operations, and reports a removed requirement even if a
    // credential is no longer needed.
    let is_opened = new.is_open() && (old.is_inherited || new.is_inherited);
    for pair in pairs(old.list, new.list, |from, to| name_of(from) == name_of(to)) {
        let (family, verb, from, to) = match pair {
            (Some(from), Some(to)) => {
                scopes(context, place, from, to);
                continue;
            }
            (Some(_), None) if is_opened => continue,
            (Some(from), None) => (&rules::SECURITY_REMOVED, "removed", from, new.at),
            (None, Some(to)) => (&rules::SECURITY_ADDED, "added", old.at, to),
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
    for (scheme, listed) in from.members() {
        let (before, after) = (from.items(scheme), to.items(scheme));
        for scope in missing(before, after) {
            let text = format!("`{scheme}`: the scope {} was removed", scope.to_json());
            let (family, revision) = (&rules::SECURITY_SCOPE_REMOVED, to.get(scheme));
            context.report_at(family, &[place], Some(scope), revision, text);
        }
        for scope in missing(after, before) {
            let text = format!("`{scheme}`: the scope {} was added", scope.to_json());
            let (family, base) = (&rules::SECURITY_SCOPE_ADDED, Some(listed));
            context.report_at(family, &[place], base, Some(scope), text);
        }
    }
}

/// Compares the requirements of the document and its security schemes.
pub(super) fn compare_components(context: &mut Context<'_>) {
    let (base, revision) = (context.base, context.revision);
    let old = Requirements::of_owner(base.root);
    let new = Requirements::of_owner(revision.root);
    requirements(context, "api-global", old, new);
    let before = base.root.components("securitySchemes");
    let after = revision.root.components("securitySchemes");
    for part in pairs_by_name(before, after, str::eq) {
        let name = part.name;
        let (rule, verb) = match (part.base, part.revision) {
            (Some(old), Some(new)) => {
                scheme(context, name, base.resolve(old), revision.resolve(new));
                continue;
            }
            (_, None) => (&rules::SECURITY_COMPONENT_REMOVED, "removed"),
            (None, _) => (&rules::SECURITY_COMPONENT_ADDED, "added"),
        };
        let text = format!("the security scheme `{name}` was {verb}");
        let old = part.base.map(|old| base.resolve(old));
        context.report(rule, old, part.revision, text);
    }
}

/// Describes the credential that a scheme requires.
fn credential(scheme: &Node) -> String {
    let text = |keyword| scheme.word(keyword).unwrap_or_default();
    match (text("type"), text("scheme").to_ascii_lowercase().as_str()) {
        ("apiKey", _) => format!("{} `{}`", text("in"), text("name")),
        ("http", "bearer") | ("oauth2" | "openIdConnect", _) => "a bearer token".to_owned(),
        ("http", other) | (other, _) => format!("a credential of `{other}`"),
    }
}

fn scheme<'a>(context: &mut Context<'a>, name: &str, old: &'a Node, new: &'a Node) {
    let is_other = |from: &Node, to: &Node, keyword| differs(from.get(keyword), to.get(keyword));
    if is_other(old, new, "type") || is_other(old, new, "scheme") {
        let text = format!("the type of the security scheme `{name}` changed");
        let rule = &rules::SECURITY_COMPONENT_TYPE_CHANGED;
        context.report(rule, Some(old), Some(new), text);
        let (from, to) = (credential(old), credential(new));
        if from != to {
            let text = format!("the security scheme `{name}` needs {to} instead of {from}");
            let rule = &rules::SECURITY_COMPONENT_CREDENTIAL_CHANGED;
            context.report(rule, Some(old), Some(new), text);
        }
    } else if is_other(old, new, "in") || is_other(old, new, "name") {
        let (from, to) = (credential(old), credential(new));
        let text = format!("the key of the security scheme `{name}` moved: from {from} to {to}");
        let rule = &rules::SECURITY_COMPONENT_KEY_MOVED;
        context.report(rule, Some(old), Some(new), text);
    }
    let urls = [
        ("authorizationUrl", &rules::OAUTH_URL_CHANGED),
        ("tokenUrl", &rules::OAUTH_TOKEN_URL_CHANGED),
    ];
    let moved = &rules::SECURITY_COMPONENT_URL_MOVED;
    let (from, to) = (old.get("openIdConnectUrl"), new.get("openIdConnectUrl"));
    if from.is_some() && to.is_some() && differs(from, to) {
        let text = format!("`openIdConnectUrl` of the security scheme `{name}` changed");
        context.report(moved, from, to, text);
    }
    let Some(flows) = new.get("flows") else {
        return;
    };
    for (flow, from) in old.entries("flows") {
        let Some(to) = flows.get(flow) else {
            let text = format!("the flow `{flow}` of the security scheme `{name}` was removed");
            let rule = &rules::SECURITY_COMPONENT_FLOW_REMOVED;
            context.report(rule, Some(from), Some(flows), text);
            continue;
        };
        for (keyword, rule) in urls {
            if is_other(from, to, keyword) {
                let text = format!("`{keyword}` of the security scheme `{name}` changed");
                context.report(rule, Some(from), Some(to), text.clone());
                context.report(moved, Some(from), Some(to), text);
            }
        }
        flow_scopes(context, name, from, to);
    }
}

fn flow_scopes<'a>(context: &mut Context<'a>, name: &str, from: &'a Node, to: &'a Node) {
    let rules = [
        &rules::OAUTH_SCOPE_ADDED,
        &rules::OAUTH_SCOPE_REMOVED,
        &rules::OAUTH_SCOPE_CHANGED,
    ];
    for part in context.by_name("scopes", from, to) {
        if let Some((rule, verb)) = part.change(rules, |old, new| !old.same_value(new)) {
            let (scope, verb) = (part.name, verb.trim_start_matches("was "));
            let text = format!("the scope `{scope}` of the security scheme `{name}` was {verb}");
            let (old, new) = (part.base.unwrap_or(from), part.revision.unwrap_or(to));
            context.report(rule, Some(old), Some(new), text);
        }
    }
}
