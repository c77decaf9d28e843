//! Reads security schemes and security requirements.

use super::Reader;
use super::reference::Target;
use super::structure::{check_value, not_an_object};
use crate::grammar::{Holds, ObjectKind, Since};
use crate::model::{Node, SecurityScheme};
use crate::rules::document as rules;
use indexmap::IndexMap;

/// The flows of OAuth 2, each with the addresses that it requires.
const FLOWS: [(&str, &[&str]); 5] = [
    ("implicit", &["authorizationUrl"]),
    ("password", &["tokenUrl"]),
    ("clientCredentials", &["tokenUrl"]),
    ("authorizationCode", &["authorizationUrl", "tokenUrl"]),
    (
        "deviceAuthorization",
        &["deviceAuthorizationUrl", "tokenUrl"],
    ),
];

impl<'a> Reader<'a> {
    /// Reads `security` of the document or an operation. Returns `None` if it is absent, which is
    /// different from an empty list.
    pub(super) fn security_requirements(
        &self,
        node: &'a Node,
    ) -> Option<Vec<IndexMap<String, Vec<String>>>> {
        let alternatives = node.get("security")?.as_array()?;
        let read = |node: &'a Node| {
            if node.as_object().is_none() {
                self.report(not_an_object(node, "a security requirement"));
            }
            let schemes = node.members().map(|(name, scopes)| {
                check_value(scopes, name, Holds::TextList, self.log);
                (
                    name.to_owned(),
                    node.words(name).map(str::to_owned).collect(),
                )
            });
            schemes.collect()
        };
        Some(alternatives.iter().map(read).collect())
    }

    /// One of `components.securitySchemes`.
    pub(super) fn security_scheme(&mut self, node: &'a Node) -> Option<SecurityScheme> {
        if let Target::Component(name) = self.target(node, "securitySchemes")? {
            return self.security_scheme(self.component("securitySchemes", name)?);
        }
        let kind = node.string_at("type")?;
        let text = |name: &str| {
            let value = self.needed(node, ObjectKind::SecurityScheme, name, Holds::Text);
            Some(value?.as_str()?.to_owned())
        };
        let mut scheme = None;
        let mut api_key = None;
        match kind.value.as_str() {
            "http" => scheme = Some(text("scheme")?),
            "apiKey" => {
                let (name, place) = (text("name"), text("in")?);
                if !["query", "header", "cookie"].contains(&place.as_str()) {
                    let at = &node.get("in").unwrap_or(node).at;
                    let place = place.escape_debug();
                    let message = format!("an API key cannot be sent in `{place}`");
                    let help = "write `query`, `header` or `cookie`";
                    self.report(rules::SECURITY_SCHEME.problem(at, message, help));
                }
                api_key = Some((name?, place));
            }
            "oauth2" => self.check_flows(node),
            "openIdConnect" => drop(text("openIdConnectUrl")),
            "mutualTLS" if self.version > Since::V30 => {}
            other => {
                let message = format!("`{kind}` is not a type of a security scheme");
                let help = match other {
                    "basic" => "write `type: http` and `scheme: basic`",
                    _ => "write `http`, `apiKey`, `oauth2` or `openIdConnect`",
                };
                self.report(rules::SECURITY_SCHEME.problem(&kind.at, message, help));
            }
        }
        Some(SecurityScheme {
            at: node.at.clone(),
            kind: kind.value,
            scheme,
            api_key,
            description: node.string("description"),
            node: node.clone(),
        })
    }

    fn check_flows(&self, scheme: &'a Node) {
        let flows = self.needed(scheme, ObjectKind::SecurityScheme, "flows", Holds::Any);
        for (name, addresses) in FLOWS {
            let flow = flows.and_then(|flows| flows.get(name));
            if let Some(flow) = flow.filter(|flow| flow.as_object().is_some()) {
                for address in addresses {
                    self.needed(flow, ObjectKind::Flow, address, Holds::Text);
                }
            }
        }
    }
}
