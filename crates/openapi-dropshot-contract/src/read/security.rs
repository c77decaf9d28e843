//! Security schemes and what operations require of them. Whether a required
//! scheme exists is a lint.

use super::Reader;
use super::object::Object;
use super::paths::Security;
use super::reference::{Section, Target};
use crate::model::{Node, SecurityScheme};
use indexmap::IndexMap;

const SCHEME: &[&str] = &[
    "type",
    "description",
    "name",
    "in",
    "scheme",
    "bearerFormat",
    "flows",
    "openIdConnectUrl",
];

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
        let map = self.map(node, "a security requirement")?;
        let mut requirement = IndexMap::new();
        for (name, _) in map.members() {
            let scopes = map.texts(name, &mut self.problems);
            requirement.insert(
                name.clone(),
                scopes.into_iter().map(|scope| scope.value).collect(),
            );
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
                    self.error(
                        "security-scheme",
                        &place.at,
                        message,
                        "write `query`, `header` or `cookie`",
                    );
                }
                api_key = Some((name?.value, place.value));
            }
            "oauth2" => self.check_flows(&object),
            "openIdConnect" => {
                object.required_text("openIdConnectUrl", &mut self.problems);
            }
            other => {
                let message = format!("`{}` is no type of a security scheme", other.escape_debug());
                let help = match other {
                    "basic" => "write `type: http` and `scheme: basic`",
                    _ => "write `http`, `apiKey`, `oauth2` or `openIdConnect`",
                };
                self.error("security-scheme", &kind.at, message, help);
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
        let names = FLOWS.map(|(name, _)| name);
        let Some(flows) = self.object(node, "`flows`", &names) else {
            return;
        };
        for (name, addresses) in FLOWS {
            let Some(node) = flows.get(name) else {
                continue;
            };
            let allowed = ["authorizationUrl", "tokenUrl", "refreshUrl", "scopes"];
            let Some(flow) = self.object(node, "a flow", &allowed) else {
                continue;
            };
            for address in addresses {
                flow.required_text(address, &mut self.problems);
            }
            flow.text("refreshUrl", &mut self.problems);
            if let Some(scopes) = flow.require("scopes", &mut self.problems)
                && let Some(scopes) = self.map(scopes, "`scopes`")
            {
                for (scope, _) in scopes.members() {
                    scopes.text(scope, &mut self.problems);
                }
            }
        }
    }
}
