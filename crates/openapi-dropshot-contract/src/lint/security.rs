//! Checks that the schemes and scopes named by security requirements exist.

use crate::grammar::Since;
use crate::model::{Document, Member, Node};
use crate::problem::Problem;
use crate::rules::document as rules;
use crate::suggest::did_you_mean;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    let root = &document.root;
    let paths = root.get("paths").and_then(Node::as_object);
    let operations = paths.into_iter().flatten().flat_map(|(_, path)| {
        let operations = path.value.operations();
        operations.filter_map(|(.., operation)| operation.get("security"))
    });
    for security in root.get("security").into_iter().chain(operations) {
        let alternatives = security.as_array().unwrap_or_default();
        for (name, scopes) in alternatives.iter().filter_map(Node::as_object).flatten() {
            check_scheme(document, name, scopes, problems);
        }
    }
}

fn check_scheme(document: &Document, name: &str, scopes: &Member, problems: &mut Vec<Problem>) {
    let Some(scheme) = document.security_schemes.get(name) else {
        let known = document.security_schemes.keys().map(String::as_str);
        let help = did_you_mean(name, known, "define it under `components.securitySchemes`");
        let message = format!(
            "the security scheme `{}` is not defined",
            name.escape_debug()
        );
        problems.push(rules::UNKNOWN_SECURITY_SCHEME.problem(&scopes.key_at, message, help));
        return;
    };
    let listed = scopes.value.as_array().unwrap_or_default();
    match (scheme.kind.as_str(), listed) {
        ("openIdConnect", _) | (_, []) => {}
        ("oauth2", _) => check_scopes(name, &scheme.node, listed, problems),
        // Since OpenAPI 3.1, schemes of other types may have roles. The document does not declare roles
        // anywhere else.
        _ if Since::of_document(document.as_written()) > Since::V30 => {}
        (kind, [scope, ..]) => {
            let message = format!("the scheme `{name}` is of type `{kind}`, which has no scopes");
            problems.push(rules::SECURITY_SCOPE.problem(&scope.at, message, "write `[]`"));
        }
    }
}

fn check_scopes(name: &str, scheme: &Node, listed: &[Node], problems: &mut Vec<Problem>) {
    let flows = scheme.get("flows").and_then(Node::as_object);
    for scope in listed {
        let text = scope.as_str().unwrap_or_default();
        let is_known = flows.into_iter().flatten().any(|(_, flow)| {
            let scopes = flow.value.get("scopes");
            scopes.is_some_and(|scopes| scopes.get(text).is_some())
        });
        if !is_known {
            let message = format!("the scheme `{name}` has no scope `{}`", text.escape_debug());
            let help = "list the scope in `scopes` of a flow of the scheme";
            problems.push(rules::SECURITY_SCOPE.problem(&scope.at, message, help));
        }
    }
}
