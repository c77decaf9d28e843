//! Reads what describes the document as a whole: `info`, `servers`, `tags`, and
//! links to other documentation.

use super::Reader;
use super::object::Object;
use crate::model::{Info, Node, Server, Tag};
use crate::rules::document as rules;
use crate::template::variables as variables_of;
use indexmap::IndexMap;
use std::collections::HashSet;

const INFO: &str = "title version description termsOfService contact license";

impl Reader<'_> {
    /// `info` of the document.
    pub(super) fn info(&mut self, root: &Object<'_>) -> Option<Info> {
        let node = root.require("info", &mut self.problems)?;
        let object = self.object(node, "`info`", INFO)?;
        let title = object.required_text("title", &mut self.problems);
        let version = object.required_text("version", &mut self.problems);
        let description = object.text("description", &mut self.problems);
        object.text("termsOfService", &mut self.problems);
        if let Some(contact) = object.get("contact")
            && let Some(contact) = self.object(contact, "`contact`", "name url email")
        {
            for name in ["name", "url", "email"] {
                contact.text(name, &mut self.problems);
            }
        }
        if let Some(license) = object.get("license")
            && let Some(license) = self.object(license, "`license`", "name url")
        {
            license.required_text("name", &mut self.problems);
            license.text("url", &mut self.problems);
        }
        Some(Info {
            at: node.at.clone(),
            title: title?.value,
            version: version?,
            description,
            extensions: object.extensions(),
        })
    }

    /// `servers` of the document, a path or an operation.
    pub(super) fn servers(&mut self, object: &Object<'_>) -> Vec<Server> {
        let servers = object
            .list("servers", &mut self.problems)
            .unwrap_or_default();
        servers
            .iter()
            .filter_map(|node| self.server(node))
            .collect()
    }

    /// One server, in `servers` or in a link.
    pub(super) fn server(&mut self, node: &Node) -> Option<Server> {
        let object = self.object(node, "a server", "url description variables")?;
        let url = object.required_text("url", &mut self.problems);
        let description = object.text("description", &mut self.problems);
        let mut variables = IndexMap::new();
        for (name, member) in self.entries(&object, "variables") {
            if let Some(default) = self.server_variable(&member.value) {
                variables.insert(name.clone(), default);
            }
        }
        let url = url?;
        for name in variables_of(&url.value) {
            let definition = object.get("variables").and_then(|node| node.get(name));
            if definition.is_none() {
                let message = format!(
                    "the address has the variable `{{{}}}`, which `variables` does not define",
                    name.escape_debug()
                );
                let help = "define it there, with a `default`";
                self.report(&rules::SERVER_VARIABLE, &url.at, message, help);
            }
        }
        Some(Server {
            at: node.at.clone(),
            url: url.value,
            description,
            variables,
        })
    }

    fn server_variable(&mut self, node: &Node) -> Option<String> {
        let object = self.object(node, "a server variable", "enum default description")?;
        let values = object.texts("enum", &mut self.problems);
        let default = object.required_text("default", &mut self.problems);
        object.text("description", &mut self.problems);
        let default = default?;
        if object.get("enum").is_some() && !values.iter().any(|value| value.value == default.value)
        {
            let message = format!(
                "the default `{}` is not in `enum`",
                default.value.escape_debug()
            );
            let help = "write one of its values";
            self.report(&rules::SERVER_VARIABLE, &default.at, message, help);
        }
        Some(default.value)
    }

    /// `tags` of the document.
    pub(super) fn tags(&mut self, root: &Object<'_>) -> Vec<Tag> {
        let mut tags = Vec::new();
        let mut seen = HashSet::new();
        for node in root.list("tags", &mut self.problems).unwrap_or_default() {
            let Some(object) = self.object(node, "a tag", "name description externalDocs") else {
                continue;
            };
            let name = object.required_text("name", &mut self.problems);
            let description = object.text("description", &mut self.problems);
            self.check_external_docs(&object);
            let Some(name) = name else {
                continue;
            };
            if !seen.insert(name.value.clone()) {
                let message = format!("the tag `{}` is declared twice", name.value.escape_debug());
                self.report(
                    &rules::DUPLICATE_TAG,
                    &name.at,
                    message,
                    "remove one of them",
                );
            }
            tags.push(Tag {
                at: node.at.clone(),
                name: name.value,
                description,
            });
        }
        tags
    }

    /// `externalDocs` of any object: checked, and left in the tree.
    pub(super) fn check_external_docs(&mut self, object: &Object<'_>) {
        if let Some(node) = object.get("externalDocs")
            && let Some(docs) = self.object(node, "`externalDocs`", "url description")
        {
            docs.required_text("url", &mut self.problems);
            docs.text("description", &mut self.problems);
        }
    }
}
