//! Reads what describes the document as a whole: `info`, `servers`, `tags`, and
//! links to other documentation.

use super::Reader;
use super::object::Object;
use crate::grammar::ObjectKind;
use crate::model::{Info, Node, Server, Spanned, Tag};
use crate::rules::document as rules;
use crate::template::variables as variables_of;
use std::collections::HashSet;

impl<'a> Reader<'a> {
    /// `info` of the document.
    pub(super) fn info(&self, root: &Object<'a>) -> Option<Info> {
        let node = root.require("info")?;
        let object = self.object(node, ObjectKind::Info)?;
        let title = object.required("title");
        let version = object.required("version");
        object.check_texts(&["termsOfService"]);
        if let Some(contact) = object.get("contact")
            && let Some(contact) = self.object(contact, ObjectKind::Contact)
        {
            contact.check_texts(&["name", "url", "email"]);
        }
        if let Some(license) = object.get("license")
            && let Some(license) = self.object(license, ObjectKind::License)
        {
            license.require("name");
            license.check_texts(&["name", "url"]);
        }
        Some(Info {
            at: node.at.clone(),
            description: object.optional("description"),
            extensions: object.extensions(),
            title: title?,
            version: version?,
        })
    }

    /// `servers` of the document, a path or an operation.
    pub(super) fn servers(&self, object: &Object<'a>) -> Vec<Server> {
        let servers = object.list("servers").iter();
        servers.filter_map(|node| self.server(node)).collect()
    }

    /// One server, in `servers` or in a link.
    pub(super) fn server(&self, node: &'a Node) -> Option<Server> {
        let object = self.object(node, ObjectKind::Server)?;
        let url: Option<Spanned<String>> = object.required("url");
        let description = object.optional("description");
        for (_, member) in self.entries(&object, "variables") {
            self.check_server_variable(&member.value);
        }
        let url = url?;
        for name in variables_of(&url.value) {
            let definition = object.get("variables").and_then(|node| node.get(name));
            if definition.is_none() {
                let name = name.escape_debug();
                let message = format!(
                    "the address has the variable `{{{name}}}`, which `variables` does not define"
                );
                let help = "define it there, with a `default`";
                self.report(rules::SERVER_VARIABLE.problem(&url.at, message, help));
            }
        }
        Some(Server {
            at: node.at.clone(),
            url: url.value,
            description,
        })
    }

    fn check_server_variable(&self, node: &'a Node) {
        let Some(object) = self.object(node, ObjectKind::ServerVariable) else {
            return;
        };
        object.check_texts(&["description"]);
        let values = object.plain_texts("enum");
        let default: Option<Spanned<String>> = object.required("default");
        if let Some(default) = default
            && object.get("enum").is_some()
            && !values.contains(&default.value)
        {
            let message = format!("the default `{default}` is not in `enum`");
            let help = "write one of its values";
            self.report(rules::SERVER_VARIABLE.problem(&default.at, message, help));
        }
    }

    /// `tags` of the document.
    pub(super) fn tags(&self, root: &Object<'a>) -> Vec<Tag> {
        let mut seen = HashSet::new();
        let read = |node: &'a Node| {
            let object = self.object(node, ObjectKind::Tag)?;
            self.check_external_docs(&object);
            let description = object.optional("description");
            let name: Spanned<String> = object.required("name")?;
            if !seen.insert(name.value.clone()) {
                let message = format!("the tag `{name}` is declared twice");
                let help = "remove one of them";
                self.report(rules::DUPLICATE_TAG.problem(&name.at, message, help));
            }
            Some(Tag {
                at: node.at.clone(),
                name: name.value,
                description,
            })
        };
        root.list("tags").iter().filter_map(read).collect()
    }

    /// `externalDocs` of any object: checked, and left in the tree.
    pub(super) fn check_external_docs(&self, object: &Object<'a>) {
        if let Some(node) = object.get("externalDocs")
            && let Some(docs) = self.object(node, ObjectKind::ExternalDocs)
        {
            docs.require("url");
            docs.check_texts(&["url", "description"]);
        }
    }
}
