//! Reads parameters and headers, which have nearly the same members.

use super::Reader;
use super::object::{Object, wrong_type};
use super::reference::{Section, Target};
use crate::model::{Header, Location, MediaType, Node, Parameter, ParameterIn, Schema, Spanned};
use crate::rules::document as rules;
use std::collections::HashSet;

/// The members of a parameter; a header has all but the first two.
const PARAMETER: &str = "name in description required deprecated allowEmptyValue style explode \
    allowReserved schema example examples content";

impl Reader<'_> {
    /// The `parameters` of a path or an operation. The same parameter twice in
    /// one list is a fault.
    pub(super) fn parameters(&mut self, object: &Object<'_>) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        let mut seen = HashSet::new();
        for node in object
            .list("parameters", &mut self.problems)
            .unwrap_or_default()
        {
            let Some(parameter) = self.parameter(node) else {
                continue;
            };
            if !seen.insert(identity(&parameter)) {
                let message = format!(
                    "the {} parameter `{}` is listed twice",
                    parameter.location, parameter.name.value
                );
                let help = "remove one of them";
                self.report(&rules::DUPLICATE_PARAMETER, &node.at, message, help);
            }
            parameters.push(parameter);
        }
        parameters
    }

    /// A parameter, or what a reference to one leads to.
    pub(super) fn parameter(&mut self, node: &Node) -> Option<Parameter> {
        match self.target(node, Section::Parameters) {
            Target::Inline => {}
            Target::Component(name) => return self.components.parameters.get(&name).cloned(),
            Target::Broken => return None,
        }
        let object = self.object(node, "a parameter", PARAMETER)?;
        let name = object.required_text("name", &mut self.problems);
        let location = self.parameter_place(&object);
        let required = object.spanned_flag("required", &mut self.problems);
        let common = self.common(&object, "a parameter");
        let allow_empty_value = object.flag("allowEmptyValue", &mut self.problems);
        let (name, location) = (name?, location?);
        self.check_required(&object, &name, location, required.as_ref());
        Some(Parameter {
            at: node.at.clone(),
            name,
            location,
            required: required.is_some_and(|flag| flag.value),
            description: common.description,
            deprecated: common.deprecated,
            allow_empty_value,
            style: common.style,
            explode: common.explode,
            schema: common.schema,
            content: common.content,
            examples: common.examples,
            extensions: object.extensions(),
        })
    }

    fn parameter_place(&mut self, object: &Object<'_>) -> Option<ParameterIn> {
        let place = object.required_text("in", &mut self.problems)?;
        let known = ParameterIn::from_word(&place.value);
        if known.is_none() {
            let help = match place.value.as_str() {
                "body" | "formData" => "describe the body by `requestBody`",
                _ => "write `path`, `query`, `header` or `cookie`",
            };
            let message = format!(
                "a parameter cannot be sent in `{}`",
                place.value.escape_debug()
            );
            self.report(&rules::PARAMETER_IN, &place.at, message, help);
        }
        known
    }

    /// A variable of the path is always there, and the document must say so.
    fn check_required(
        &mut self,
        object: &Object<'_>,
        name: &Spanned<String>,
        location: ParameterIn,
        required: Option<&Spanned<bool>>,
    ) {
        if location == ParameterIn::Path && !required.is_some_and(|flag| flag.value) {
            let at = required.map_or(object.at, |flag| &flag.at);
            let message = format!(
                "the path parameter `{}` is not required",
                name.value.escape_debug()
            );
            self.report(
                &rules::PATH_PARAMETER_REQUIRED,
                at,
                message,
                "add `required: true`",
            );
        }
    }

    /// `headers` of a response or an encoding.
    pub(super) fn headers(&mut self, object: &Object<'_>) -> Vec<Header> {
        let entries = self.entries(object, "headers");
        entries
            .filter_map(|(name, member)| self.header(name, &member.key_at, &member.value))
            .collect()
    }

    /// A header under this name, or what a reference to one leads to.
    pub(super) fn header(&mut self, name: &str, name_at: &Location, node: &Node) -> Option<Header> {
        let name = Spanned::new(name.to_owned(), name_at);
        match self.target(node, Section::Headers) {
            Target::Inline => {}
            Target::Component(component) => {
                let header = self.components.headers.get(&component)?.clone();
                return Some(Header { name, ..header });
            }
            Target::Broken => return None,
        }
        let object = self.object(node, "a header", PARAMETER.trim_start_matches("name in "))?;
        let required = object.flag("required", &mut self.problems);
        object.flag("allowEmptyValue", &mut self.problems);
        let common = self.common(&object, "a header");
        Some(Header {
            at: node.at.clone(),
            name,
            description: common.description,
            required,
            deprecated: common.deprecated,
            schema: common.schema,
            examples: common.examples,
            extensions: object.extensions(),
        })
    }

    fn common(&mut self, object: &Object<'_>, what: &str) -> Common {
        let description = object.text("description", &mut self.problems);
        let deprecated = object.flag("deprecated", &mut self.problems);
        let style = object.spanned_text("style", &mut self.problems);
        let explode = object.spanned_flag("explode", &mut self.problems);
        object.flag("allowReserved", &mut self.problems);
        let schema = object.get("schema").and_then(|node| self.schema(node));
        let examples = self.examples(object);
        let content = self.content(object);
        self.check_schema_or_content(object, what);
        Common {
            description,
            deprecated,
            style,
            explode,
            schema,
            content,
            examples,
        }
    }

    fn check_schema_or_content(&mut self, object: &Object<'_>, what: &str) {
        match (object.get("schema"), object.get("content")) {
            (None, None) => {
                let message = format!("{what} has neither `schema` nor `content`");
                self.report(&rules::MISSING_MEMBER, object.at, message, "add `schema`");
            }
            (Some(_), Some(content)) => {
                let message = format!("{what} has `content` beside `schema`");
                self.report(
                    &rules::EXCLUSIVE_MEMBERS,
                    &content.at,
                    message,
                    "keep one of them",
                );
            }
            (None, Some(content)) if content.as_object().is_some_and(|map| map.len() != 1) => {
                let problem = wrong_type(
                    content,
                    "content",
                    "an object of exactly one media type",
                    "keep one of them",
                );
                self.problems.push(problem);
            }
            _ => {}
        }
    }
}

/// What parameters and headers have in common.
struct Common {
    description: Option<String>,
    deprecated: bool,
    style: Option<Spanned<String>>,
    explode: Option<Spanned<bool>>,
    schema: Option<Schema>,
    content: Vec<MediaType>,
    examples: Vec<Node>,
}

/// What identifies a parameter: the place it is sent in, and its name. Names of
/// headers are case-insensitive.
pub(super) fn identity(parameter: &Parameter) -> (ParameterIn, String) {
    let name = &parameter.name.value;
    let name = match parameter.location {
        ParameterIn::Header => name.to_ascii_lowercase(),
        _ => name.clone(),
    };
    (parameter.location, name)
}
