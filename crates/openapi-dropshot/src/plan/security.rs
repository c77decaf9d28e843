//! Plans the credentials that operations require.

use super::Planner;
use crate::rules;
use openapi_dropshot_contract::model::{Node, Operation, SecurityScheme};
use openapi_dropshot_types::SchemeKind;

/// The credentials that an operation requires.
#[derive(Debug)]
pub(crate) struct Security {
    /// Whether a request without credentials is accepted.
    pub(crate) is_open: bool,
    /// The alternatives: the schemes that belong together, by their places among those of the document, with scopes.
    pub(crate) alternatives: Vec<Vec<(usize, Vec<String>)>>,
}

/// Returns where a request has the credential of a scheme; `None` if neither the server nor the client can read or send it.
pub(crate) fn scheme_kind(scheme: &SecurityScheme) -> Option<SchemeKind<'_>> {
    let http = scheme.scheme.as_deref().map(str::to_ascii_lowercase);
    match (scheme.kind.as_str(), http.as_deref(), &scheme.api_key) {
        ("http", Some("bearer"), _) => {
            let format = scheme.node.get("bearerFormat").and_then(Node::as_str);
            let is_token = format.is_some_and(|format| format.to_ascii_lowercase().contains("jwt"));
            Some(match is_token {
                true => SchemeKind::Token,
                false => SchemeKind::Bearer,
            })
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

impl Planner<'_> {
    /// Plans what an operation requires, and rejects schemes that the server cannot enforce.
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
