//! Reads `paths`: path items, their operations, and callbacks, which are path
//! items under another name.

use super::Reader;
use super::object::Object;
use super::parameters::identity;
use super::reference::{Section, Target};
use crate::model::{Method, Node, Operation, Parameter, Spanned};
use crate::rules::document as rules;
use indexmap::IndexMap;
use std::collections::HashSet;

/// Alternatives of schemes, each with its scopes.
pub(super) type Security = Vec<IndexMap<String, Vec<String>>>;

const PATH_ITEM: &str = "$ref summary description servers parameters get put post delete options head \
    patch trace";

const OPERATION: &str = "operationId summary description tags parameters requestBody responses deprecated \
    security servers callbacks externalDocs";

impl Reader<'_> {
    /// All operations of the document.
    pub(super) fn paths(&mut self, root: &Object<'_>, security: &Security) -> Vec<Operation> {
        let mut operations = Vec::new();
        let Some(node) = root.require("paths", &mut self.problems) else {
            return operations;
        };
        let entries = self.map(node, "`paths`");
        for (path, member) in entries.filter(|(path, _)| !path.starts_with("x-")) {
            let path = Spanned::new(path.clone(), &member.key_at);
            self.check_path(&path);
            self.path_item(&path, &member.value, security, &mut operations);
        }
        operations
    }

    /// Checks the form of a path.
    fn check_path(&mut self, path: &Spanned<String>) {
        let quoted = path.value.escape_debug().to_string();
        if !path.value.starts_with('/') {
            let message = format!("the path `{quoted}` does not begin with `/`");
            self.report(
                &rules::PATH_FORM,
                &path.at,
                message,
                format!("write `/{quoted}`"),
            );
        }
        if path.value.contains(['?', '#']) {
            let message = format!("the path `{quoted}` has a query or a fragment");
            let help = "describe what follows `?` by `parameters` with `in: query`";
            self.report(&rules::PATH_FORM, &path.at, message, help);
        }
        if !has_matching_braces(&path.value) {
            let message = format!("the braces of the path `{quoted}` do not match");
            self.report(
                &rules::PATH_FORM,
                &path.at,
                message,
                "write each variable as `{name}`",
            );
        }
    }

    fn path_item(
        &mut self,
        path: &Spanned<String>,
        node: &Node,
        security: &Security,
        operations: &mut Vec<Operation>,
    ) {
        let Some(object) = self.object(node, "a path item", PATH_ITEM) else {
            return;
        };
        if let Some(reference) = object.get("$ref") {
            let message = "a path item cannot be a reference here";
            let help =
                "write its operations out, and share parameters and responses under `components`";
            self.report(&rules::REFERENCE, &reference.at, message, help);
        }
        object.text("summary", &mut self.problems);
        object.text("description", &mut self.problems);
        self.servers(&object);
        let shared = self.parameters(&object);
        for (name, member) in object.members() {
            if let Some(method) = Method::from_key(name) {
                operations.extend(self.operation(path, method, &member.value, &shared, security));
            }
        }
    }

    fn operation(
        &mut self,
        path: &Spanned<String>,
        method: Method,
        node: &Node,
        shared: &[Parameter],
        security: &Security,
    ) -> Option<Operation> {
        let object = self.object(node, "an operation", OPERATION)?;
        let mut parameters = self.parameters(&object);
        let own: HashSet<_> = parameters.iter().map(identity).collect();
        parameters.extend(
            shared
                .iter()
                .filter(|shared| !own.contains(&identity(shared)))
                .cloned(),
        );
        self.check_external_docs(&object);
        self.servers(&object);
        for (_, member) in self.entries(&object, "callbacks") {
            self.check_callback(&member.value);
        }
        Some(Operation {
            at: node.at.clone(),
            id: object.spanned_text("operationId", &mut self.problems),
            method,
            path: path.clone(),
            summary: object.text("summary", &mut self.problems),
            description: object.text("description", &mut self.problems),
            tags: object
                .texts("tags", &mut self.problems)
                .into_iter()
                .map(|tag| tag.value)
                .collect(),
            parameters,
            request_body: object
                .get("requestBody")
                .and_then(|node| self.request_body(node)),
            responses: self.responses(&object),
            deprecated: object.flag("deprecated", &mut self.problems),
            lifecycle: self.lifecycle(&object),
            stability: self.stability(&object),
            security: self
                .security_requirements(&object)
                .unwrap_or_else(|| security.clone()),
            extensions: object.extensions(),
        })
    }

    /// A callback: checked, and left in the tree.
    pub(super) fn check_callback(&mut self, node: &Node) {
        if !matches!(self.target(node, Section::Callbacks), Target::Inline) {
            return;
        }
        let entries = self.map(node, "a callback");
        for (expression, member) in entries.filter(|(name, _)| !name.starts_with("x-")) {
            let path = Spanned::new(expression.clone(), &member.key_at);
            self.path_item(&path, &member.value, &Security::new(), &mut Vec::new());
        }
    }
}

fn has_matching_braces(path: &str) -> bool {
    let mut open = false;
    let mut empty = false;
    for character in path.chars() {
        match (character, open) {
            ('{', false) => (open, empty) = (true, true),
            ('}', true) if !empty => open = false,
            ('{', true) | ('}', _) | ('/', true) => return false,
            _ => empty = false,
        }
    }
    !open
}
