//! Reads security schemes and security requirements.

use super::Reader;
use super::object::{Object, texts, value};
use super::reference::Target;
use crate::grammar::{ObjectKind, Since};
use crate::model::{Node, SecurityScheme, Spanned};
use crate::rules::document as rules;
use indexmap::IndexMap;

/// The flows of OAuth 2, each with the addresses that it needs.
const FLOWS: [(&str, &[&str]); 4] = [
    ("implicit", &["authorizationUrl"]),
    ("password", &["tokenUrl"]),
    ("clientCredentials", &["tokenUrl"]),
    ("authorizationCode", &["authorizationUrl", "tokenUrl"]),
];

impl<'a> Reader<'a> {
    /// `security` of the document or an operation; `None` where it is absent,
    /// which is not the same as an empty list.
    pub(super) fn security_requirements(
        &self,
        object: &Object<'a>,
    ) -> Option<Vec<IndexMap<String, Vec<String>>>> {
        let alternatives: &[Node] = object.optional("security")?;
        let read = |node: &'a Node| {
            let schemes = self.map(node, "a security requirement");
            let scopes = schemes.map(|(name, member)| {
                let scopes = texts(&member.value, name, self.log).into_iter();
                (name.clone(), scopes.map(|scope| scope.value).collect())
            });
            scopes.collect()
        };
        Some(alternatives.iter().map(read).collect())
    }

    /// One of `components.securitySchemes`.
    pub(super) fn security_scheme(&mut self, node: &'a Node) -> Option<SecurityScheme> {
        if let Target::Component(name) = self.target(node, "securitySchemes")? {
            return self.security_scheme(self.component("securitySchemes", name)?);
        }
        let object = self.object(node, ObjectKind::SecurityScheme)?;
        object.check_texts(&["bearerFormat"]);
        let kind: Spanned<String> = object.required("type")?;
        let mut scheme = None;
        let mut api_key = None;
        match kind.value.as_str() {
            "http" => scheme = Some(object.required("scheme")?),
            "apiKey" => {
                let name = object.required("name");
                let place: Spanned<String> = object.required("in")?;
                if !["query", "header", "cookie"].contains(&place.value.as_str()) {
                    let message = format!("an API key cannot be sent in `{place}`");
                    let help = "write `query`, `header` or `cookie`";
                    self.report(rules::SECURITY_SCHEME.problem(&place.at, message, help));
                }
                api_key = Some((name?, place.value));
            }
            "oauth2" => self.check_flows(&object),
            "openIdConnect" => {
                object.required::<String>("openIdConnectUrl");
            }
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
            description: object.optional("description"),
            node: node.clone(),
        })
    }

    fn check_flows(&self, scheme: &Object<'a>) {
        let Some(node) = scheme.require("flows") else {
            return;
        };
        let Some(flows) = self.object(node, ObjectKind::Flows) else {
            return;
        };
        for (name, addresses) in FLOWS {
            let flow = flows.get(name);
            let Some(flow) = flow.and_then(|node| self.object(node, ObjectKind::Flow)) else {
                continue;
            };
            for address in addresses {
                flow.required::<String>(address);
            }
            flow.check_texts(&["refreshUrl"]);
            flow.require("scopes");
            for (scope, member) in self.entries(&flow, "scopes") {
                value::<String>(&member.value, scope, self.log);
            }
        }
    }
}
