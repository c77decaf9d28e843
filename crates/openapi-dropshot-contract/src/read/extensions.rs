//! Reads the extensions that the toolkit defines: the lifecycle of an operation
//! (`x-deprecated-since`, `x-sunset`, …), `x-stability-level`, and the catalogue of error codes.
//! The catalogue is `x-error-catalogue` in a property of a component schema; `x-extensible-enum` in
//! the same property must list the same codes.

use super::Reader;
use super::structure::{check_object, check_value, wrong_type};
use crate::grammar::{Holds, ObjectKind};
use crate::model::{ErrorCode, Lifecycle, Node, Replacement, Schema, Spanned, Stability, Waiter};
use crate::rules::document as rules;
use chrono::NaiveDate;
use std::collections::HashSet;

const CATALOGUE: &str = "x-error-catalogue";
const OPEN_ENUM: &str = "x-extensible-enum";

impl<'a> Reader<'a> {
    pub(super) fn lifecycle(&self, node: &'a Node) -> Lifecycle {
        Lifecycle {
            since: self.date(node, "x-deprecated-since"),
            since_version: self.text(node, "x-deprecated-since-version"),
            sunset: self.date(node, "x-sunset"),
            replacement: self.replacement(node),
        }
    }

    /// The text of an extension.
    fn text(&self, node: &'a Node, name: &str) -> Option<Spanned<String>> {
        self.checked(node, name, Holds::Text)?;
        node.string_at(name)
    }

    fn date(&self, node: &'a Node, name: &str) -> Option<Spanned<NaiveDate>> {
        let text = self.text(node, name)?;
        // chrono alone would also accept `2030-1-5` and `+2030-01-05`.
        let date = (text.value.len() == 10)
            .then(|| NaiveDate::parse_from_str(&text.value, "%Y-%m-%d").ok())
            .flatten();
        if date.is_none() {
            let message = format!("`{name}` must be a date, found `{text}`");
            let help = "write an existing day as `YYYY-MM-DD`";
            self.report(rules::DATE.problem(&text.at, message, help));
        }
        date.map(|date| Spanned::new(date, &text.at))
    }

    fn replacement(&self, node: &'a Node) -> Option<Replacement> {
        let node = node.get("x-replacement")?;
        if node.as_object().is_none() {
            let help = "write `x-replacement: {operation: ID, note: TEXT}`, with the `operationId` of the operation that replaces this one and a \
                        sentence that tells clients what to do";
            self.report(wrong_type(node, "x-replacement", "an object", help));
            return None;
        }
        check_object(node, ObjectKind::Replacement, self.version, self.log);
        Some(Replacement {
            at: node.at.clone(),
            operation: node.string_at("operation")?,
            note: node.string("note")?,
        })
    }

    pub(super) fn stability(&self, node: &'a Node) -> Option<Spanned<Stability>> {
        let word = self.text(node, "x-stability-level")?;
        let level = Stability::from_word(&word.value);
        if level.is_none() {
            let message = format!("`{word}` is not a stability level");
            self.report(rules::STABILITY_LEVEL.violation(&word.at, message));
        }
        level.map(|level| Spanned::new(level, &word.at))
    }

    /// Reads `x-waiters`: the states for which clients can wait.
    pub(super) fn waiters(&self, node: &'a Node) -> Vec<Waiter> {
        self.checked(node, "x-waiters", Holds::AnyMap);
        let waiters = node.entries("x-waiters").filter_map(|(name, node)| {
            check_object(node, ObjectKind::Waiter, self.version, self.log);
            Some(Waiter {
                at: node.at.clone(),
                name: name.to_owned(),
                path: node.string_at("path")?,
                success: node.strings_at("success"),
                failure: node.strings_at("failure"),
                retry: node.strings_at("retry"),
            })
        });
        waiters.collect()
    }

    /// The limits of an operation.
    pub(super) fn limits(&self, node: &'a Node) -> Vec<(&'static str, u64)> {
        let Some(limits) = node.get("x-limits") else {
            return Vec::new();
        };
        check_object(limits, ObjectKind::Limits, self.version, self.log);
        let names = ObjectKind::Limits.members().iter();
        let values = names.filter_map(|member| Some((member.name, limits.get(member.name)?)));
        let numbers = values.filter_map(|(name, value)| {
            let number = value.as_u64()?;
            if u32::try_from(number).is_ok_and(|number| number > 0) {
                return Some((name, number));
            }
            let expected = "an integer from 1 to 4294967295";
            let help = "write how much is allowed, or remove it";
            self.report(wrong_type(value, name, expected, help));
            None
        });
        numbers.collect()
    }

    /// Reads the catalogue of the document, if it has one. A document may have only one catalogue.
    pub(super) fn error_catalogue(&self) -> Option<Spanned<Vec<ErrorCode>>> {
        let properties = self.document.schemas.values().flat_map(properties);
        // The extensions in the model are copies, so the original nodes are looked up in the tree.
        let mut catalogues = properties.filter_map(|property| {
            let catalogue = property.extensions.get(CATALOGUE)?;
            let open_enum = property.extensions.get(OPEN_ENUM);
            let in_tree = |node: &Node| self.root.pointer(&node.at.pointer);
            Some((in_tree(catalogue)?, open_enum.and_then(in_tree)))
        });
        let (catalogue, open_enum) = catalogues.next()?;
        for (second, _) in catalogues {
            let line = catalogue.at.line;
            let message =
                format!("this is a second `{CATALOGUE}`; the first one is at line {line}");
            let help = "keep all error codes in one catalogue";
            self.report(rules::ERROR_CATALOGUE.problem(&second.at, message, help));
        }
        self.check_same_codes(catalogue, open_enum);
        check_value(catalogue, CATALOGUE, Holds::AnyMap, self.log);
        let codes = catalogue.members();
        let codes = codes.filter_map(|(code, node)| self.code(code, node));
        Some(Spanned::new(codes.collect(), &catalogue.at))
    }

    fn code(&self, code: &str, node: &'a Node) -> Option<ErrorCode> {
        check_object(node, ObjectKind::ErrorCode, self.version, self.log);
        let status_node = node.get("status")?;
        let status = status_node
            .as_u64()
            .and_then(|status| u16::try_from(status).ok());
        let status = status.filter(|status| (400..600).contains(status));
        if status.is_none() {
            let help = "write the status that this code is sent with";
            let expected = "an HTTP status from 400 to 599";
            self.report(wrong_type(status_node, "status", expected, help));
        }
        Some(ErrorCode {
            at: node.at.clone(),
            code: code.to_owned(),
            status: status?,
            cause: node.string("cause")?,
            cure: node.string("cure")?,
        })
    }

    /// Other tools read the open enum, so it must list the same codes as the catalogue.
    fn check_same_codes(&self, catalogue: &Node, open_enum: Option<&Node>) {
        let Some(open_enum) = open_enum else {
            let message = format!("`{CATALOGUE}` is used without `{OPEN_ENUM}`");
            let help = format!("list the same codes in `{OPEN_ENUM}` beside it");
            self.report(rules::ERROR_CATALOGUE.problem(&catalogue.at, message, help));
            return;
        };
        if open_enum.as_array().is_none() {
            let help = "write it as a list of codes";
            self.report(wrong_type(open_enum, OPEN_ENUM, "an array", help));
            return;
        }
        check_value(open_enum, OPEN_ENUM, Holds::TextList, self.log);
        let codes = open_enum.as_array().into_iter().flatten();
        let codes = codes.filter_map(|code| Some((code.as_str()?, &code.at)));
        let mut listed = HashSet::new();
        for (code, at) in codes {
            listed.insert(code);
            if catalogue.get(code).is_none() {
                let code = code.escape_debug();
                let message = format!("`{code}` is listed here but has no entry in `{CATALOGUE}`");
                let help = "add an entry with `status`, `cause` and `cure`";
                self.report(rules::ERROR_CATALOGUE.problem(at, message, help));
            }
        }
        for (code, member) in catalogue.as_object().into_iter().flatten() {
            if !listed.contains(code.as_str()) {
                let message = format!("`{}` is not listed in `{OPEN_ENUM}`", code.escape_debug());
                let help = "list the code there too";
                self.report(rules::ERROR_CATALOGUE.problem(&member.key_at, message, help));
            }
        }
    }
}

/// The properties of a schema, including the properties of the parts of its `allOf`.
fn properties(schema: &Schema) -> Box<dyn Iterator<Item = &Schema> + '_> {
    let of_parts = schema.all_of.iter().flat_map(properties);
    Box::new(schema.properties.values().chain(of_parts))
}
