//! Security requirements name schemes that exist, with scopes that exist.

use crate::model::{Document, Method, Node};
use crate::problem::Problem;
use crate::read::closest;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    if let Some(security) = document.root.get("security") {
        requirements(document, security, problems);
    }
    let paths = document
        .root
        .get("paths")
        .and_then(Node::as_object)
        .into_iter()
        .flatten();
    for (_, path) in paths {
        for method in Method::ALL {
            if let Some(security) = path
                .value
                .get(method.key())
                .and_then(|operation| operation.get("security"))
            {
                requirements(document, security, problems);
            }
        }
    }
}

fn requirements(document: &Document, security: &Node, problems: &mut Vec<Problem>) {
    let schemes = security
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Node::as_object)
        .flatten();
    for (name, scopes) in schemes {
        let Some(scheme) = document.security_schemes.get(name) else {
            let help = match closest(name, document.security_schemes.keys().map(String::as_str)) {
                Some(close) => format!("did you mean `{close}`?"),
                None => "define it under `components.securitySchemes`".to_owned(),
            };
            let message = format!("there is no security scheme `{}`", name.escape_debug());
            problems.push(Problem::error(
                "unknown-security-scheme",
                &scopes.key_at,
                message,
                help,
            ));
            continue;
        };
        let listed = scopes.value.as_array().unwrap_or_default();
        match scheme.kind.as_str() {
            "oauth2" => unknown_scopes(name, &scheme.node, listed, problems),
            "openIdConnect" => {}
            kind => problems.extend(listed.first().map(|scope| {
                let message =
                    format!("the scheme `{name}` is of type `{kind}`, which has no scopes");
                Problem::error("security-scope", &scope.at, message, "write `[]`")
            })),
        }
    }
}

fn unknown_scopes(name: &str, scheme: &Node, listed: &[Node], problems: &mut Vec<Problem>) {
    let flows: Vec<_> = scheme
        .get("flows")
        .and_then(Node::as_object)
        .into_iter()
        .flatten()
        .collect();
    for scope in listed {
        let text = scope.as_str().unwrap_or_default();
        let known = flows.iter().any(|(_, flow)| {
            flow.value
                .get("scopes")
                .is_some_and(|scopes| scopes.get(text).is_some())
        });
        if !known {
            problems.push(Problem::error(
                "security-scope",
                &scope.at,
                format!("the scheme `{name}` has no scope `{}`", text.escape_debug()),
                "list it in `scopes` of one of its flows",
            ));
        }
    }
}
