//! Reads the parts that describe the document as a whole: `info`, `servers` and `tags`.

use super::Reader;
use crate::model::{Info, Node, Server, Spanned, Tag};
use crate::rules::document as rules;
use crate::template::variables as variables_of;
use std::collections::HashSet;

impl<'a> Reader<'a> {
    /// `info` of the document.
    pub(super) fn info(&self) -> Option<Info> {
        let node = self.root.get("info")?;
        // A number counts as a string whose quotes were forgotten.
        let text = |name: &str| {
            let value = node.get(name)?;
            let number = value.as_number().map(ToString::to_string);
            let text = value.as_str().map(str::to_owned).or(number);
            Some(Spanned::new(text.unwrap_or_default(), &value.at))
        };
        Some(Info {
            at: node.at.clone(),
            title: text("title")?.value,
            version: text("version").unwrap_or_else(|| Spanned::new("0.0.0".to_owned(), &node.at)),
            description: node.string("description"),
            extensions: node.extensions(),
        })
    }

    /// `servers` of the document, a path or an operation.
    pub(super) fn servers(&self, node: &'a Node) -> Vec<Server> {
        let servers = node.items("servers").iter();
        servers.filter_map(|node| self.server(node)).collect()
    }

    /// One server, in `servers` or in a link.
    pub(super) fn server(&self, node: &'a Node) -> Option<Server> {
        for (_, variable) in node.entries("variables") {
            self.check_server_variable(variable);
        }
        let url = node.string_at("url")?;
        for name in variables_of(&url.value) {
            let definition = node.get("variables").and_then(|node| node.get(name));
            if definition.is_none() {
                let name = name.escape_debug();
                let message = format!(
                    "the address uses the variable `{{{name}}}`, which `variables` does not define"
                );
                let help = "define it there, with a `default`";
                self.report(rules::SERVER_VARIABLE.problem(&url.at, message, help));
            }
        }
        Some(Server {
            at: node.at.clone(),
            url: url.value,
            description: node.string("description"),
        })
    }

    fn check_server_variable(&self, node: &'a Node) {
        if let Some(default) = node.string_at("default")
            && node.get("enum").is_some()
            && !node.words("enum").any(|value| value == default.value)
        {
            let message = format!("the default `{default}` is not in `enum`");
            let help = "write one of its values";
            self.report(rules::SERVER_VARIABLE.problem(&default.at, message, help));
        }
    }

    /// `tags` of the document.
    pub(super) fn tags(&self) -> Vec<Tag> {
        let mut seen = HashSet::new();
        let read = |node: &'a Node| {
            let name = node.string_at("name")?;
            if !seen.insert(name.value.clone()) {
                let message = format!("the tag `{name}` is declared twice");
                let help = "remove one of them";
                self.report(rules::DUPLICATE_TAG.problem(&name.at, message, help));
            }
            Some(Tag {
                at: node.at.clone(),
                name: name.value,
                description: node.string("description"),
            })
        };
        let tags = self.root.items("tags");
        let read: Vec<Tag> = tags.iter().filter_map(read).collect();
        let parent = |name: &str| {
            let mut own = tags.iter();
            own.find(|tag| tag.word("name") == Some(name))
        };
        for tag in tags {
            // A chain without a cycle is not longer than the number of tags.
            let chain = std::iter::successors(Some(tag), |tag| parent(tag.word("parent")?));
            let last = chain.take(tags.len() + 1).last();
            if let Some(name) = last
                .and_then(|last| last.get("parent"))
                .and(tag.get("parent"))
            {
                let (text, at) = (name.summary(), &name.at);
                let message = format!(
                    "the tag {text}, or one of its parents, is not declared or is its own parent"
                );
                self.report(rules::TAG_PARENT.violation(at, message));
            }
        }
        read
    }
}
