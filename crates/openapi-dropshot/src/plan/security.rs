//! Plans the credentials that operations require.

use super::Planner;
use crate::rules;
use openapi_dropshot_contract::model::{Document, Node, Operation, SecurityScheme};
use openapi_dropshot_types::SchemeKind;

/// The credentials that an operation requires.
#[derive(Debug)]
pub(crate) struct Security {
    /// Whether a request without credentials is accepted.
    pub(crate) is_open: bool,
    /// The alternatives. Each is a list of the schemes that are required together, each scheme with its
    /// index in the document and its scopes.
    pub(crate) alternatives: Vec<Vec<(usize, Vec<String>)>>,
}

/// Returns where a request contains the credential of a scheme; `None` if the server and the client do not support the scheme.
pub(crate) fn scheme_kind(scheme: &SecurityScheme) -> Option<SchemeKind<'_>> {
    let http = scheme.scheme.as_deref().map(str::to_ascii_lowercase);
    match (scheme.kind.as_str(), http.as_deref(), &scheme.api_key) {
        ("http", Some("bearer"), _) => {
            let format = scheme.node.get("bearerFormat").and_then(Node::as_str);
            match format.is_some_and(|format| format.eq_ignore_ascii_case("jwt")) {
                true => Some(SchemeKind::Token),
                false => Some(SchemeKind::Bearer),
            }
        }
        ("http", Some("basic"), _) => Some(SchemeKind::Basic),
        ("oauth2" | "openIdConnect", ..) => Some(SchemeKind::Token),
        ("apiKey", _, Some((name, place))) => match place.as_str() {
            "header" => Some(SchemeKind::Header(name)),
            "query" => Some(SchemeKind::Query(name)),
            "cookie" => Some(SchemeKind::Cookie(name)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the credential is one key or token in a header.
pub(crate) fn is_key(kind: SchemeKind<'_>) -> bool {
    matches!(
        kind,
        SchemeKind::Bearer | SchemeKind::Token | SchemeKind::Header(_)
    )
}

/// Returns the security scheme for a key that the caller of a client gives without naming a scheme: the scheme with a key or token
/// in a header that most operations require alone. Returns `None` if no operation requires such a scheme.
pub fn scheme_of_single_key(document: &Document) -> Option<&str> {
    let alternatives = || document.operations.iter().flat_map(|own| &own.security);
    let uses = |name: &str| {
        let alone = alternatives().filter(|all| all.len() == 1 && all.contains_key(name));
        alone.count()
    };
    let schemes = document.security_schemes.iter().filter(|(name, scheme)| {
        scheme_kind(scheme).is_some_and(is_key) && alternatives().any(|all| all.contains_key(*name))
    });
    // If several schemes are required equally often, the first one is chosen.
    let most = schemes.rev().max_by_key(|(name, _)| uses(name));
    most.map(|(name, _)| name.as_str())
}

impl Planner<'_> {
    /// Plans the credentials that an operation requires, and rejects schemes that the server cannot enforce.
    pub(super) fn security(&mut self, operation: &Operation) -> Security {
        let schemes = &self.document.security_schemes;
        let names = || operation.security.iter().flat_map(|schemes| schemes.keys());
        let unsupported = names().find(|name| {
            let scheme = schemes.get(name.as_str());
            scheme.and_then(scheme_kind).is_none()
        });
        if let Some(name) = unsupported {
            let message = format!(
                "the operation requires the security scheme `{name}`, which the server cannot enforce"
            );
            let help = "use `http` with `bearer` or `basic`, `apiKey`, `oauth2` or `openIdConnect`";
            self.reject(&rules::UNSUPPORTED_SECURITY, &operation.at, message, help);
        }
        let alternatives = operation.security.iter().filter(|all| !all.is_empty());
        let together = |all: &indexmap::IndexMap<String, Vec<String>>| {
            let place = |(name, scopes): (&String, &Vec<String>)| {
                Some((schemes.get_index_of(name)?, scopes.clone()))
            };
            all.iter().filter_map(place).collect()
        };
        Security {
            is_open: operation.is_open(),
            alternatives: alternatives.map(together).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_token_whose_format_is_jwt_is_an_access_token() {
        let text = "openapi: 3.0.3\ninfo: {title: T, version: 1.0.0}\npaths: {}\ncomponents:\n  securitySchemes:\n    key: {type: http, scheme: bearer}\n    jwt: {type: http, scheme: Bearer, bearerFormat: jwt}\n    other: {type: http, scheme: bearer, bearerFormat: opaque}\n    basic: {type: http, scheme: basic}\n";
        let document = openapi_dropshot_contract::read("t.yaml", text).expect("it is valid");
        let kinds = document.security_schemes.values().map(scheme_kind);
        assert_eq!(
            kinds.collect::<Vec<_>>(),
            [
                Some(SchemeKind::Bearer),
                Some(SchemeKind::Token),
                Some(SchemeKind::Bearer),
                Some(SchemeKind::Basic)
            ]
        );
    }
}
