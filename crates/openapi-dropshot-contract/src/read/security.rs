//! Reads security schemes and security requirements.

use super::Reader;
use super::object::{Object, text, texts};
use super::paths::Security;
use super::reference::{Section, Target};
use crate::model::{Node, SecurityScheme};
use crate::rules::document as rules;
use indexmap::IndexMap;

const SCHEME: &str = "type description name in scheme bearerFormat flows openIdConnectUrl";

/// The flows of OAuth 2, each with the addresses that it needs.
const FLOWS: [(&str, &[&str]); 4] = [
    ("implicit", &["authorizationUrl"]),
    ("password", &["tokenUrl"]),
    ("clientCredentials", &["tokenUrl"]),
    ("authorizationCode", &["authorizationUrl", "tokenUrl"]),
];

impl Reader<'_> {
    /// `security` of the document or an operation; `None` where it is absent,
    /// which is not the same as an empty list.
    pub(super) fn security_requirements(&mut self, object: &Object<'_>) -> Option<Security> {
        let alternatives = object.list("security", &mut self.problems)?;
        Some(
            alternatives
                .iter()
                .filter_map(|node| self.security_requirement(node))
                .collect(),
        )
    }

    fn security_requirement(&mut self, node: &Node) -> Option<IndexMap<String, Vec<String>>> {
        let mut requirement = IndexMap::new();
        for (name, member) in self.map(node, "a security requirement") {
            let scopes = texts(&member.value, name, &mut self.problems);
            let scopes = scopes.into_iter().map(|scope| scope.value).collect();
            requirement.insert(name.clone(), scopes);
        }
        Some(requirement)
    }

    /// One of `components.securitySchemes`.
    pub(super) fn security_scheme(&mut self, node: &Node) -> Option<SecurityScheme> {
        match self.target(node, Section::SecuritySchemes) {
            Target::Inline => {}
            Target::Component(name) => {
                let target = self.component(Section::SecuritySchemes, &name)?;
                return self.security_scheme(target);
            }
            Target::Broken => return None,
        }
        let object = self.object(node, "a security scheme", SCHEME)?;
        let description = object.text("description", &mut self.problems);
        object.text("bearerFormat", &mut self.problems);
        let kind = object.required_text("type", &mut self.problems)?;
        let mut scheme = None;
        let mut api_key = None;
        match kind.value.as_str() {
            "http" => scheme = Some(object.required_text("scheme", &mut self.problems)?.value),
            "apiKey" => {
                let name = object.required_text("name", &mut self.problems);
                let place = object.required_text("in", &mut self.problems);
                let place = place?;
                if !["query", "header", "cookie"].contains(&place.value.as_str()) {
                    let message = format!(
                        "an API key cannot be sent in `{}`",
                        place.value.escape_debug()
                    );
                    let help = "write `query`, `header` or `cookie`";
                    self.report(&rules::SECURITY_SCHEME, &place.at, message, help);
                }
                api_key = Some((name?.value, place.value));
            }
            "oauth2" => self.check_flows(&object),
            "openIdConnect" => {
                object.required_text("openIdConnectUrl", &mut self.problems);
            }
            other => {
                let message = format!(
                    "`{}` is not a type of a security scheme",
                    other.escape_debug()
                );
                let help = match other {
                    "basic" => "write `type: http` and `scheme: basic`",
                    _ => "write `http`, `apiKey`, `oauth2` or `openIdConnect`",
                };
                self.report(&rules::SECURITY_SCHEME, &kind.at, message, help);
            }
        }
        Some(SecurityScheme {
            at: node.at.clone(),
            kind: kind.value,
            scheme,
            api_key,
            description,
            node: node.clone(),
        })
    }

    fn check_flows(&mut self, scheme: &Object<'_>) {
        let Some(node) = scheme.require("flows", &mut self.problems) else {
            return;
        };
        let names = FLOWS.map(|(name, _)| name).join(" ");
        let Some(flows) = self.object(node, "`flows`", &names) else {
            return;
        };
        for (name, addresses) in FLOWS {
            let Some(node) = flows.get(name) else {
                continue;
            };
            let allowed = "authorizationUrl tokenUrl refreshUrl scopes";
            let Some(flow) = self.object(node, "a flow", allowed) else {
                continue;
            };
            for address in addresses {
                flow.required_text(address, &mut self.problems);
            }
            flow.text("refreshUrl", &mut self.problems);
            flow.require("scopes", &mut self.problems);
            for (scope, member) in self.entries(&flow, "scopes") {
                text(&member.value, scope, &mut self.problems);
            }
        }
    }
}
