//! Checks parameters: names that a builder can have, and values that progenitor writes as the document says.

use super::Check;
use crate::client::names::folded;
use openapi_dropshot_contract::model::{Parameter, ParameterIn, Type};
use std::collections::BTreeMap;

/// Methods that a builder has already.
const BUILDER_METHODS: [&str; 8] = [
    "body_map",
    "clone",
    "new",
    "pages",
    "send",
    "send_blocking",
    "stream",
    "with",
];

/// Headers that belong to the client (OpenAPI 3.0.3, "Parameter Object").
const OWN_HEADERS: [&str; 3] = ["accept", "authorization", "content-type"];

impl Check<'_, '_> {
    pub(super) fn parameters(&mut self) {
        let mut names: BTreeMap<String, &Parameter> = BTreeMap::new();
        for parameter in &self.operation.parameters {
            let name = &parameter.name;
            let is_body = folded(&name.value) == "body" && self.operation.request_body.is_some();
            if is_body
                || BUILDER_METHODS
                    .iter()
                    .any(|own| folded(own) == folded(&name.value))
            {
                let what = format!(
                    "cannot have a parameter `{}`: its builder has that method already",
                    name.value
                );
                self.reject(
                    "client-name-reserved",
                    &name.at,
                    what,
                    "give the parameter another name",
                );
            }
            if let Some(other) = names.insert(folded(&name.value), parameter) {
                let what = format!(
                    "would have one setter for `{}` and `{}`",
                    other.name.value, name.value
                );
                self.reject(
                    "client-name-clash",
                    &name.at,
                    what,
                    "rename one of the two parameters",
                );
            }
            self.parameter(parameter);
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        let name = &parameter.name.value;
        let at = &parameter.at;
        let place = parameter.location;
        match place {
            ParameterIn::Cookie => {
                let what = format!("cannot send the cookie `{name}`");
                self.reject(
                    "client-cookie",
                    at,
                    what,
                    "send the value in a header or in the query",
                );
            }
            ParameterIn::Header if OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own)) => {
                let what = format!("sets the header `{name}` itself");
                self.reject(
                    "client-header",
                    at,
                    what,
                    "leave it to `security` and `content`",
                );
            }
            ParameterIn::Header if !is_token(name) => {
                let what = format!(
                    "cannot send `{name}`, which is no name of a header (RFC 9110, section 5.1)"
                );
                self.reject(
                    "client-header",
                    &parameter.name.at,
                    what,
                    "use letters, digits and `-`",
                );
            }
            _ => {}
        }
        let simple = if place == ParameterIn::Query {
            "form"
        } else {
            "simple"
        };
        if let Some(style) = parameter
            .style
            .as_ref()
            .filter(|style| style.value != simple)
        {
            let what = format!("cannot write `{name}` in the style `{}`", style.value);
            self.reject("client-style", &style.at, what, "leave `style` out");
        }
        let Some(schema) = &parameter.schema else {
            let what = format!("cannot send `{name}`, which has no `schema`");
            self.reject(
                "client-parameter-content",
                at,
                what,
                "give the parameter a `schema` instead of `content`",
            );
            return;
        };
        let kind = self
            .document
            .resolve(schema)
            .and_then(|schema| schema.types.as_ref())
            .map(|kind| kind.value);
        if kind == Some(Type::Object) || (kind == Some(Type::Array) && place != ParameterIn::Query)
        {
            let what = format!("cannot write the value of `{name}` into a {place}");
            self.reject(
                "client-style",
                &schema.at,
                what,
                "use a string, a number or a boolean",
            );
        }
        if let Some(explode) = parameter.explode.as_ref().filter(|explode| !explode.value)
            && kind == Some(Type::Array)
        {
            let what = format!("repeats `{name}` for each item instead of joining the items");
            self.reject("client-style", &explode.at, what, "leave `explode` out");
        }
    }
}

/// Whether this is a `token` (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
