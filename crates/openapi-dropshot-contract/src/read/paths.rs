//! Reads `paths`: path items, their operations, and callbacks, which are path
//! items under another name.

use super::Reader;
use super::object::Object;
use super::parameters::identity;
use super::reference::Target;
use crate::grammar::ObjectKind;
use crate::model::{Callback, Member, Method, Node, Operation, Parameter, Spanned};
use crate::rules::document as rules;
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Matches a path whose variables have names, with both braces in the same segment.
static MATCHING_BRACES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:[^{}]|\{[^{}/]+\})*$").expect("the pattern is valid"));

impl<'a> Reader<'a> {
    /// All operations of the document.
    pub(super) fn paths(&mut self, root: &Object<'a>) -> Vec<Operation> {
        let Some(node) = root.require("paths") else {
            return Vec::new();
        };
        let mut operations = Vec::new();
        let entries = self.map(node, "`paths`");
        for (path, member) in entries.filter(|(path, _)| !path.starts_with("x-")) {
            let path = Spanned::new(path.clone(), &member.key_at);
            self.check_path(&path);
            operations.extend(self.path_item(&path, &member.value));
        }
        operations
    }

    /// Checks the form of a path.
    fn check_path(&self, path: &Spanned<String>) {
        if !path.value.starts_with('/') {
            let message = format!("the path `{path}` does not begin with `/`");
            let help = format!("write `/{path}`");
            self.report(rules::PATH_FORM.problem(&path.at, message, help));
        }
        if path.value.contains(['?', '#']) {
            let message = format!("the path `{path}` has a query or a fragment");
            let help = "describe what follows `?` by `parameters` with `in: query`";
            self.report(rules::PATH_FORM.problem(&path.at, message, help));
        }
        if !MATCHING_BRACES.is_match(&path.value) {
            let message = format!("the braces of the path `{path}` do not match");
            let help = "write each variable as `{name}`";
            self.report(rules::PATH_FORM.problem(&path.at, message, help));
        }
    }

    fn path_item(&mut self, path: &Spanned<String>, node: &'a Node) -> Vec<Operation> {
        let Some(object) = self.object(node, ObjectKind::PathItem) else {
            return Vec::new();
        };
        if let Some(reference) = object.get("$ref") {
            let message = "a path item cannot be a reference here";
            let help =
                "write its operations out, and share parameters and responses under `components`";
            let is_local = |text: &str| text.starts_with('#');
            let rule = match reference.as_str() {
                Some(text) if !is_local(text) => &rules::EXTERNAL_REFERENCE,
                _ => &rules::REFERENCE,
            };
            self.report(rule.problem(&reference.at, message, help));
        }
        object.check_texts(&["summary", "description"]);
        self.servers(&object);
        let shared = self.parameters(&object);
        let read = |(name, member): (&String, &'a Member)| {
            let method = Method::from_key(name)?;
            self.operation(path, method, &member.value, &shared)
        };
        object.members().filter_map(read).collect()
    }

    fn operation(
        &mut self,
        path: &Spanned<String>,
        method: Method,
        node: &'a Node,
        shared: &[Parameter],
    ) -> Option<Operation> {
        let object = self.object(node, ObjectKind::Operation)?;
        let mut parameters = self.parameters(&object);
        let own: HashSet<_> = parameters.iter().map(identity).collect();
        let shared = shared
            .iter()
            .filter(|shared| !own.contains(&identity(shared)));
        parameters.extend(shared.cloned());
        self.check_external_docs(&object);
        self.servers(&object);
        let mut callbacks = Vec::new();
        for (name, member) in self.entries(&object, "callbacks") {
            let requests = self.callback(&member.value);
            callbacks.extend(requests.map(|requests| Callback {
                name: name.clone(),
                requests,
            }));
        }
        let security = self.security_requirements(&object);
        Some(Operation {
            at: node.at.clone(),
            id: object.optional("operationId"),
            method,
            path: path.clone(),
            summary: object.optional("summary"),
            description: object.optional("description"),
            tags: object.plain_texts("tags"),
            parameters,
            request_body: (object.get("requestBody")).and_then(|node| self.request_body(node)),
            responses: self.responses(&object),
            deprecated: object.flag("deprecated"),
            lifecycle: self.lifecycle(&object),
            stability: self.stability(&object),
            security: security.unwrap_or_else(|| self.security.clone()),
            waiters: self.waiters(&object),
            callbacks,
            extensions: object.extensions(),
        })
    }

    /// The requests of a callback, or of what a reference to one leads to.
    pub(super) fn callback(&mut self, node: &'a Node) -> Option<Vec<Operation>> {
        if let Target::Component(name) = self.target(node, "callbacks")? {
            return self.document.callbacks.get(name).cloned();
        }
        let mut requests = Vec::new();
        let entries = self.map(node, "a callback");
        for (expression, member) in entries.filter(|(name, _)| !name.starts_with("x-")) {
            let path = Spanned::new(expression.clone(), &member.key_at);
            requests.extend(self.path_item(&path, &member.value));
        }
        Some(requests)
    }

    /// The webhooks of a document of OpenAPI 3.1.
    pub(super) fn webhooks(&mut self, root: &Object<'a>) -> Vec<Callback> {
        let mut webhooks = Vec::new();
        let entries = self.entries(root, "webhooks");
        for (name, member) in entries.filter(|(name, _)| !name.starts_with("x-")) {
            let path = Spanned::new(name.clone(), &member.key_at);
            webhooks.push(Callback {
                name: name.clone(),
                requests: self.path_item(&path, &member.value),
            });
        }
        webhooks
    }
}
