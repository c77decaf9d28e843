//! Reads `paths`: path items, their operations, and callbacks, which have the structure of path
//! items.

use super::parameters::identity;
use super::reference::Target;
use super::{Reader, entries};
use crate::model::{Callback, Member, Method, Node, Operation, Parameter, Spanned, is_token};
use crate::rules::document as rules;
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Matches a path in which every variable has a name and both of its braces are in the same
/// segment.
static MATCHING_BRACES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:[^{}]|\{[^{}/]+\})*$").expect("the pattern is valid"));

impl<'a> Reader<'a> {
    /// All operations of the document.
    pub(super) fn paths(&mut self) -> Vec<Operation> {
        let mut operations = Vec::new();
        let paths = entries(self.root, "paths");
        for (path, member) in paths.filter(|(path, _)| !path.starts_with("x-")) {
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
        if let Some(reference) = node.get("$ref") {
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
        self.servers(node);
        let shared = self.parameters(node);
        let read = |(name, operation): (&str, &'a Node)| {
            let method = Method::from_key(name).filter(|_| operation.as_object().is_some())?;
            Some(self.operation(path, method, operation, &shared))
        };
        let mut operations: Vec<_> = node.members().filter_map(read).collect();
        for (name, operation) in node.entries("additionalOperations") {
            let key = name.to_ascii_lowercase();
            let fault = if Method::from_key(&key).is_some() {
                Some(format!("write it as `{key}` of the path"))
            } else if !is_token(name) {
                Some("write letters, digits and `-` only, such as `COPY`".to_owned())
            } else {
                None
            };
            if let Some(help) = fault {
                let message = format!("`{name}` cannot be a method of `additionalOperations`");
                self.report(rules::UNKNOWN_MEMBER.problem(&operation.at, message, help));
                continue;
            }
            operations.push(self.operation(path, Method::named(name), operation, &shared));
        }
        operations
    }

    fn operation(
        &mut self,
        path: &Spanned<String>,
        method: Method,
        node: &'a Node,
        shared: &[Parameter],
    ) -> Operation {
        let mut parameters = self.parameters(node);
        let own: HashSet<_> = parameters.iter().map(identity).collect();
        let shared = shared
            .iter()
            .filter(|shared| !own.contains(&identity(shared)));
        parameters.extend(shared.cloned());
        self.servers(node);
        let callbacks = node.entries("callbacks").filter_map(|(name, callback)| {
            let (name, requests) = (name.to_owned(), self.callback(callback)?);
            Some(Callback { name, requests })
        });
        let callbacks = callbacks.collect();
        let security = self.security_requirements(node);
        Operation {
            at: node.at.clone(),
            id: node.string_at("operationId"),
            method,
            path: path.clone(),
            summary: node.string("summary"),
            description: node.string("description"),
            tags: node.words("tags").map(str::to_owned).collect(),
            parameters,
            request_body: (node.get("requestBody")).and_then(|body| self.request_body(body)),
            responses: self.responses(node),
            deprecated: node.is_set("deprecated"),
            lifecycle: self.lifecycle(node),
            stability: self.stability(node),
            security: security.unwrap_or_else(|| self.security.clone()),
            waiters: self.waiters(node),
            limits: self.limits(node),
            callbacks,
            extensions: node.extensions(),
        }
    }

    /// Reads the requests of a callback, or of the target of a reference to a callback.
    pub(super) fn callback(&mut self, node: &'a Node) -> Option<Vec<Operation>> {
        if let Target::Component(name) = self.target(node, "callbacks")? {
            return self.document.callbacks.get(name).cloned();
        }
        let mut requests = Vec::new();
        let expressions = node.as_object().into_iter().flatten();
        for (expression, member) in expressions.filter(|(name, _)| !name.starts_with("x-")) {
            let path = Spanned::new(expression.clone(), &member.key_at);
            requests.extend(self.path_item(&path, &member.value));
        }
        Some(requests)
    }

    /// The webhooks of a document of OpenAPI 3.1.
    pub(super) fn webhooks(&mut self) -> Vec<Callback> {
        let webhooks = entries(self.root, "webhooks");
        let webhooks = webhooks.filter(|(name, _)| !name.starts_with("x-"));
        let read = |(name, member): (&String, &'a Member)| {
            let path = Spanned::new(name.clone(), &member.key_at);
            Callback {
                name: name.clone(),
                requests: self.path_item(&path, &member.value),
            }
        };
        webhooks.map(read).collect()
    }
}
