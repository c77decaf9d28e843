//! Reads `components`, whether they are used or not. References clone them.

use super::Reader;
use super::reference::Section;
use crate::model::{Header, Node, Parameter, RequestBody, Response, Schema, SecurityScheme};
use crate::rules::document as rules;
use indexmap::IndexMap;

/// The components that could be read, by name.
#[derive(Default)]
pub(super) struct Components {
    pub(super) schemas: IndexMap<String, Schema>,
    /// The values of the examples; `None` for one in another file.
    pub(super) examples: IndexMap<String, Option<Node>>,
    pub(super) headers: IndexMap<String, Header>,
    pub(super) parameters: IndexMap<String, Parameter>,
    pub(super) request_bodies: IndexMap<String, RequestBody>,
    pub(super) responses: IndexMap<String, Response>,
    pub(super) security_schemes: IndexMap<String, SecurityScheme>,
}

impl Reader<'_> {
    /// Reads all components, each section before those that refer to it.
    pub(super) fn components(&mut self) {
        let Some(node) = self.root.get("components") else {
            return;
        };
        let names = Section::ALL.map(Section::as_str).join(" ");
        if self.object(node, "`components`", &names).is_none() {
            return;
        }
        self.follow_chains();
        self.section(node, Section::Schemas, |reader, name, node| {
            if let Some(schema) = reader.schema(node) {
                reader.components.schemas.insert(name.clone(), schema);
            }
        });
        self.section(node, Section::Examples, |reader, name, node| {
            if let Some(example) = reader.example(node) {
                reader.components.examples.insert(name.clone(), example);
            }
        });
        self.section(node, Section::Headers, |reader, name, node| {
            if let Some(header) = reader.header(name, &node.at, node) {
                reader.components.headers.insert(name.clone(), header);
            }
        });
        self.section(node, Section::Parameters, |reader, name, node| {
            if let Some(parameter) = reader.parameter(node) {
                reader.components.parameters.insert(name.clone(), parameter);
            }
        });
        self.section(node, Section::RequestBodies, |reader, name, node| {
            if let Some(body) = reader.request_body(node) {
                reader.components.request_bodies.insert(name.clone(), body);
            }
        });
        self.section(node, Section::Links, |reader, _, node| {
            reader.check_link(node)
        });
        self.section(node, Section::Responses, |reader, name, node| {
            if let Some(response) = reader.response(node) {
                reader.components.responses.insert(name.clone(), response);
            }
        });
        self.section(node, Section::SecuritySchemes, |reader, name, node| {
            if let Some(scheme) = reader.security_scheme(node) {
                reader
                    .components
                    .security_schemes
                    .insert(name.clone(), scheme);
            }
        });
        self.section(node, Section::Callbacks, |reader, _, node| {
            reader.check_callback(node)
        });
    }

    /// Reads one section, and checks the names in it.
    fn section(
        &mut self,
        components: &Node,
        section: Section,
        mut read: impl FnMut(&mut Self, &String, &Node),
    ) {
        let Some(node) = components.get(section.as_str()) else {
            return;
        };
        for (name, member) in self.map(node, "a section of `components`") {
            let fits = !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
            if !fits {
                let message = format!("`{}` cannot name a component", name.escape_debug());
                let help = "use letters, digits, `.`, `-` and `_` only";
                self.report(&rules::COMPONENT_NAME, &member.key_at, message, help);
            }
            read(self, name, &member.value);
        }
    }
}
