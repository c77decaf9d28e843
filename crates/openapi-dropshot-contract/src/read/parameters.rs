//! Reads parameters and headers, which have nearly the same members.

use super::reference::Target;
use super::structure::wrong_type;
use super::{Reader, entries};
use crate::grammar::ObjectKind;
use crate::model::{Header, Location, Node, Parameter, ParameterIn, Spanned};
use crate::rules::{Severity, document as rules};
use std::collections::HashSet;

impl<'a> Reader<'a> {
    /// Reads the `parameters` of a path or an operation. Listing the same parameter twice in one
    /// list is an error.
    pub(super) fn parameters(&mut self, node: &'a Node) -> Vec<Parameter> {
        let mut seen = HashSet::new();
        let read = |node: &'a Node| {
            let parameter = self.parameter(node)?;
            if !seen.insert(identity(&parameter)) {
                let (location, name) = (parameter.location, &parameter.name.value);
                let message = format!("the {location} parameter `{name}` is listed twice");
                self.report(rules::DUPLICATE_PARAMETER.violation(&node.at, message));
            }
            Some(parameter)
        };
        node.items("parameters").iter().filter_map(read).collect()
    }

    /// Reads a parameter, or the target of a reference to a parameter.
    pub(super) fn parameter(&mut self, node: &'a Node) -> Option<Parameter> {
        if let Target::Component(name) = self.target(node, "parameters")? {
            return self.document.parameters.get(name).cloned();
        }
        let (name, location) = (node.string_at("name"), self.parameter_place(node));
        let parameter = self.parameter_or_header(node, ObjectKind::Parameter, name, location)?;
        // A variable of a path always has a value, so the document must say that it is required.
        if parameter.location == ParameterIn::Path && !parameter.required {
            let at = &node.get("required").unwrap_or(node).at;
            let message = format!("the path parameter `{}` is not required", parameter.name);
            self.report(rules::PATH_PARAMETER_REQUIRED.violation(at, message));
        }
        Some(parameter)
    }

    fn parameter_place(&self, node: &'a Node) -> Option<ParameterIn> {
        let place = node.string_at("in")?;
        let known = ParameterIn::from_word(&place.value);
        if known.is_none() {
            let help = match place.value.as_str() {
                "body" | "formData" => "describe the body by `requestBody`",
                _ => "write `path`, `query`, `header` or `cookie`",
            };
            let message = format!("a parameter cannot be sent in `{place}`");
            self.report(rules::PARAMETER_IN.problem(&place.at, message, help));
        }
        known
    }

    /// `headers` of a response or an encoding.
    pub(super) fn headers(&mut self, node: &'a Node) -> Vec<Header> {
        let headers = entries(node, "headers");
        headers
            .filter_map(|(name, member)| self.header(name, &member.key_at, &member.value))
            .collect()
    }

    /// Reads a header with this name, or the target of a reference to a header.
    pub(super) fn header(
        &mut self,
        name: &str,
        name_at: &Location,
        node: &'a Node,
    ) -> Option<Header> {
        let name = Spanned::new(name.to_owned(), name_at);
        if let Some(parameter) = self.parameter_as_header(node) {
            let location = ParameterIn::Header;
            return Some(Header {
                name,
                location,
                ..parameter
            });
        }
        if let Target::Component(component) = self.target(node, "headers")? {
            let header = self.document.headers.get(component)?.clone();
            return Some(Header { name, ..header });
        }
        let location = Some(ParameterIn::Header);
        self.parameter_or_header(node, ObjectKind::Header, Some(name), location)
    }

    /// Returns the parameter to which a header refers. OpenAPI requires a header there, but
    /// parameters and headers have the same members, and some documents share them.
    fn parameter_as_header(&self, node: &'a Node) -> Option<Parameter> {
        let reference = node.get("$ref")?;
        let name = reference
            .as_str()?
            .strip_prefix("#/components/parameters/")?;
        let parameter = self.document.parameters.get(name)?.clone();
        let message = format!("a header refers to the parameter `{name}`");
        let help = "define it under `components.headers`, and refer to it there";
        let problem = rules::REFERENCE.problem(&reference.at, message, help);
        self.report(problem.with_severity(Severity::Warning));
        Some(parameter)
    }

    /// Reads the members that parameters and headers have in common.
    fn parameter_or_header(
        &mut self,
        node: &'a Node,
        kind: ObjectKind,
        name: Option<Spanned<String>>,
        location: Option<ParameterIn>,
    ) -> Option<Parameter> {
        self.check_schema_or_content(node, kind);
        Some(Parameter {
            at: node.at.clone(),
            required: node.is_set("required"),
            description: node.string("description"),
            deprecated: node.is_set("deprecated"),
            allow_empty_value: node.is_set("allowEmptyValue"),
            style: node.string_at("style"),
            explode: node.value_at("explode", Node::as_bool),
            schema: node.get("schema").and_then(|node| self.schema(node)),
            content: self.content(node),
            examples: self.examples(node),
            extensions: node.extensions(),
            name: name?,
            location: location?,
        })
    }

    fn check_schema_or_content(&self, node: &'a Node, kind: ObjectKind) {
        let what = kind.what();
        match (node.get("schema"), node.get("content")) {
            (None, None) if node.as_object().is_some() => {
                let message = format!("{what} has neither `schema` nor `content`");
                self.report(rules::MISSING_MEMBER.problem(&node.at, message, "add `schema`"));
            }
            (Some(_), Some(content)) => {
                let message = format!("{what} has `content` beside `schema`");
                self.report(rules::EXCLUSIVE_MEMBERS.violation(&content.at, message));
            }
            (None, Some(content)) if content.as_object().is_some_and(|map| map.len() != 1) => {
                let expected = "an object of exactly one media type";
                self.report(wrong_type(content, "content", expected, "keep one of them"));
            }
            _ => {}
        }
    }
}

/// Returns what identifies a parameter: its location and its name. Names of headers are
/// case-insensitive.
pub(super) fn identity(parameter: &Parameter) -> (ParameterIn, String) {
    let name = &parameter.name.value;
    let name = match parameter.location {
        ParameterIn::Header => name.to_ascii_lowercase(),
        _ => name.clone(),
    };
    (parameter.location, name)
}
