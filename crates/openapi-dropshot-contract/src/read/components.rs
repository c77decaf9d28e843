//! Reads all `components`, including unused ones. References clone them.

use super::reference::Section;
use super::{Reader, entries};
use crate::model::{Node, is_of_component_name};
use crate::rules::document::COMPONENT_NAME;

impl<'a> Reader<'a> {
    /// Reads all components. Each section is read before the sections that refer to it.
    pub(super) fn components(&mut self) {
        self.follow_chains();
        for (name, node) in self.section("schemas") {
            let schema = self.schema(node);
            let schemas = &mut self.document.schemas;
            schemas.extend(schema.map(|schema| (name, schema)));
        }
        for (name, node) in self.section("examples") {
            let example = self.example(node);
            self.examples.extend(example.map(|example| (name, example)));
        }
        for (name, node) in self.section("headers") {
            let header = self.header(&name, &node.at, node);
            let headers = &mut self.document.headers;
            headers.extend(header.map(|header| (name, header)));
        }
        for (name, node) in self.section("parameters") {
            let parameter = self.parameter(node);
            let parameters = &mut self.document.parameters;
            parameters.extend(parameter.map(|parameter| (name, parameter)));
        }
        for (name, node) in self.section("requestBodies") {
            let body = self.request_body(node);
            let bodies = &mut self.document.request_bodies;
            bodies.extend(body.map(|body| (name, body)));
        }
        for (_, node) in self.section("links") {
            self.check_link(node);
        }
        for (name, node) in self.section("responses") {
            let response = self.response(node);
            let responses = &mut self.document.responses;
            responses.extend(response.map(|response| (name, response)));
        }
        for (name, node) in self.section("securitySchemes") {
            let scheme = self.security_scheme(node);
            let schemes = &mut self.document.security_schemes;
            schemes.extend(scheme.map(|scheme| (name, scheme)));
        }
        for (name, node) in self.section("callbacks") {
            let requests = self.callback(node);
            let callbacks = &mut self.document.callbacks;
            callbacks.extend(requests.map(|requests| (name, requests)));
        }
    }

    /// Returns the components of one section with their names, and checks the names.
    fn section(&self, section: Section) -> Vec<(String, &'a Node)> {
        let components = self.root.get("components").into_iter();
        components
            .flat_map(|components| entries(components, section))
            .map(|(name, member)| {
                if name.is_empty() || !name.chars().all(is_of_component_name) {
                    let message = format!("`{}` cannot name a component", name.escape_debug());
                    self.report(COMPONENT_NAME.violation(&member.key_at, message));
                }
                (name.clone(), &member.value)
            })
            .collect()
    }
}
