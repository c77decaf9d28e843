//! Plans the parameters of requests and the headers of responses, whose values are
//! sent as text.

use super::{
    Planner,
    ir::{Direction, Field, Home, Presence, Ty},
    is_text,
    pages::Pages,
    uses::nullable,
};
use crate::{
    docs::Docs,
    names::{Names, pascal, snake},
};
use openapi_dropshot_contract::{
    Problem,
    model::{Header, Operation, Parameter, ParameterIn, Schema},
};
use std::collections::BTreeSet;

/// Parameters of one place, or headers of one response: a struct.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// The name of the struct.
    pub(crate) name: String,
    /// Its documentation.
    pub(crate) docs: Docs,
    /// The kind of values in the struct.
    pub(crate) wire: Wire,
    /// Its fields.
    pub(crate) fields: Vec<Field>,
    /// The pages, if the operation returns a list in pages.
    pub(crate) pages: Option<Pages>,
}

/// Whether the values are read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Parameters, which are read.
    Read,
    /// Headers of responses, which are written.
    Written,
}

impl<'a> Planner<'a> {
    /// The parameters of an operation in one place.
    pub(super) fn parameters(
        &mut self,
        operation: &'a Operation,
        place: ParameterIn,
        type_name: &str,
    ) -> Option<Fields> {
        if place == ParameterIn::Path {
            self.reject_cookies(operation);
        }
        let parameters: Vec<&'a Parameter> = operation
            .parameters
            .iter()
            .filter(|parameter| parameter.location == place)
            .collect();
        let (what, suffix) = match place {
            ParameterIn::Path => ("Path parameters", "Path"),
            ParameterIn::Query => ("Query parameters", "Query"),
            _ => ("Header parameters", "Headers"),
        };
        if parameters.is_empty() {
            return None;
        }
        let name = self.names.claim(&format!("{type_name}{suffix}"));
        let mut names = Names::default();
        let mut wires = BTreeSet::new();
        let mut fields = Vec::new();
        for parameter in parameters {
            let same = match place {
                ParameterIn::Header => parameter.name.value.to_ascii_lowercase(),
                _ => parameter.name.value.clone(),
            };
            if !wires.insert(same) {
                self.problems.push(Problem::error(
                    "duplicate-parameter",
                    &parameter.name.at,
                    format!(
                        "{} has two parameters `{}` in its {place}",
                        operation.label(),
                        parameter.name.value
                    ),
                    "remove one of them",
                ));
                continue;
            }
            fields.extend(self.parameter(&mut names, parameter, type_name));
        }
        let docs = Docs::own(format!(
            "{what} of `{}`.",
            operation.id.as_ref().map_or("", |id| &id.value)
        ));
        Some(Fields {
            pages: (place == ParameterIn::Query)
                .then(|| self.pages(operation))
                .flatten()
                .map(|first| Pages {
                    described: self.names.claim(&format!("{name}Described")),
                    first,
                }),
            name,
            docs,
            wire: Wire::Read,
            fields,
        })
    }

    fn reject_cookies(&mut self, operation: &Operation) {
        for parameter in operation
            .parameters
            .iter()
            .filter(|parameter| parameter.location == ParameterIn::Cookie)
        {
            self.problems.push(Problem::error(
                "unsupported-parameter",
                &parameter.at,
                format!(
                    "the cookie `{}` is not supported: dropshot has no extractor for cookies",
                    parameter.name.value
                ),
                "send it as a header or in the query",
            ));
        }
    }

    fn parameter(
        &mut self,
        names: &mut Names,
        parameter: &'a Parameter,
        type_name: &str,
    ) -> Option<Field> {
        let wire = &parameter.name.value;
        self.check_form(parameter);
        let Some(schema) = &parameter.schema else {
            self.problems.push(Problem::error(
                "unsupported-parameter",
                &parameter.at,
                format!("the parameter `{wire}` has no `schema`"),
                "describe it with `schema`; a `content` is not supported",
            ));
            return None;
        };
        // A component gives its name to the type, so that operations share it.
        let component = parameter.at.pointer.strip_prefix("/components/parameters/");
        let ty = match component.filter(|name| !name.contains('/')) {
            Some(component) => self.component_parameter(component, schema, parameter),
            None => self.described(
                schema,
                &format!("{type_name}{}", pascal(wire)),
                parameter.description.as_deref(),
            ),
        };
        self.check_text(wire, schema, &ty);
        let default = self.default_of(schema);
        let mut docs = Docs::new(parameter.description.as_deref(), format!("`{wire}`"));
        if parameter.description.is_none() {
            docs = self.member_docs(schema, format!("`{wire}`"));
        }
        if parameter.deprecated {
            docs = docs.with_note("Deprecated.");
        }
        if let Some(level) = parameter
            .extensions
            .get("x-stability-level")
            .and_then(|level| level.as_str())
        {
            docs = docs.with_note(format!("Stability: {level}."));
        }
        Some(Field {
            name: names.claim(&snake(wire)),
            wire: wire.clone(),
            docs,
            title: None,
            deprecated: false,
            null_text: matches!(ty, Ty::Nullable(_)),
            direction: Direction::Both,
            ty: without_null(ty),
            presence: match default {
                _ if parameter.required => Presence::Required,
                Some(default) => Presence::Default(default.clone()),
                None => Presence::Optional,
            },
        })
    }

    /// The type of a component of parameters, planned at its first use.
    fn component_parameter(
        &mut self,
        component: &str,
        schema: &'a Schema,
        parameter: &'a Parameter,
    ) -> Ty {
        if let Some(ty) = self.shared.get(component) {
            return ty.clone();
        }
        let ty = self.described(schema, &pascal(component), parameter.description.as_deref());
        self.shared.insert(component.to_owned(), ty.clone());
        ty
    }

    /// The type of a schema that is described from outside.
    fn described(&mut self, schema: &'a Schema, wanted: &str, description: Option<&str>) -> Ty {
        let before = self.items.len();
        let ty = self.use_of(schema, wanted, Home::Parameters);
        if schema.description.is_none()
            && let (Some(item), Some(description)) = (self.items.get_mut(before), description)
        {
            item.docs = Docs::new(Some(description), String::new());
        }
        ty
    }

    /// Only a text can be read from a path, a query or a header.
    fn check_text(&mut self, wire: &str, schema: &Schema, ty: &Ty) {
        if is_text(&self.items, &without_null(ty.clone())) {
            return;
        }
        let at = &schema.at;
        self.problems.push(Problem::error(
            "unsupported-parameter",
            at,
            format!("`{wire}` is not supported: an array, an object or a value of any type has no single text"),
            "use a string, an integer, a number, a boolean or an enumeration",
        ));
    }

    fn check_form(&mut self, parameter: &Parameter) {
        let plain = match parameter.location {
            ParameterIn::Query | ParameterIn::Cookie => "form",
            ParameterIn::Path | ParameterIn::Header => "simple",
        };
        if let Some(style) = parameter
            .style
            .as_ref()
            .filter(|style| style.value != plain)
        {
            self.problems.push(Problem::error(
                "unsupported-parameter",
                &style.at,
                format!("`style: {}` is not supported", style.value),
                format!("write `style: {plain}`, or nothing"),
            ));
        }
        if parameter.allow_empty_value {
            self.problems.push(Problem::error(
                "unsupported-parameter",
                &parameter.at,
                "`allowEmptyValue` is not supported: whether a value may be empty is for its schema to say",
                "remove it; a string without `minLength` may be empty",
            ));
        }
        let reserved = ["accept", "content-type", "authorization"];
        if parameter.location == ParameterIn::Header
            && reserved.contains(&parameter.name.value.to_ascii_lowercase().as_str())
        {
            self.problems.push(Problem::error(
                "reserved-header",
                &parameter.name.at,
                format!(
                    "OpenAPI ignores a parameter named `{}`",
                    parameter.name.value
                ),
                "describe it by the media type of the body, or by a security scheme",
            ));
        }
        if parameter.location == ParameterIn::Header && !is_token(&parameter.name.value) {
            self.problems.push(Problem::error(
                "header-name",
                &parameter.name.at,
                format!("`{}` is not a valid header name", parameter.name.value),
                "use letters, digits and hyphens",
            ));
        }
    }

    /// The headers of a response.
    pub(super) fn headers(
        &mut self,
        headers: &'a [Header],
        name: &str,
        docs: Docs,
    ) -> Option<Fields> {
        if headers.is_empty() {
            return None;
        }
        let struct_name = self.names.claim(name);
        let mut names = Names::default();
        let mut fields = Vec::new();
        for header in headers {
            let wire = &header.name.value;
            if !is_token(wire) {
                self.problems.push(Problem::error(
                    "header-name",
                    &header.name.at,
                    format!("`{wire}` is not a valid header name"),
                    "use letters, digits and hyphens",
                ));
            }
            let Some(schema) = &header.schema else {
                self.problems.push(Problem::error(
                    "missing-schema",
                    &header.at,
                    format!("the header `{wire}` has no schema"),
                    "add a `schema`, such as `type: string`",
                ));
                continue;
            };
            let ty = self.use_of(
                schema,
                &format!("{struct_name}{}", pascal(wire)),
                Home::Parameters,
            );
            self.check_text(wire, schema, &ty);
            let mut docs = Docs::new(header.description.as_deref(), format!("`{wire}`"));
            if header.deprecated {
                docs = docs.with_note("Deprecated.");
            }
            fields.push(Field {
                name: names.claim(&snake(wire)),
                wire: wire.clone(),
                docs,
                title: None,
                deprecated: false,
                null_text: matches!(ty, Ty::Nullable(_)),
                direction: Direction::Both,
                ty: without_null(ty),
                presence: if header.required {
                    Presence::Required
                } else {
                    Presence::Optional
                },
            });
        }
        Some(Fields {
            name: struct_name,
            docs,
            wire: Wire::Written,
            fields,
            pages: None,
        })
    }
}

/// A text is never `null`, so that `nullable` adds nothing to one.
fn without_null(ty: Ty) -> Ty {
    match nullable(ty) {
        Ty::Nullable(inner) => *inner,
        other => other,
    }
}

/// Whether a text can name a header (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
