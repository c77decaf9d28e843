//! Reads the extensions that have a meaning: the lifecycle of an operation
//! (`x-deprecated-since`, `x-sunset`, …), `x-stability-level`, and the catalogue
//! of error codes: `x-error-catalogue` at a property of a component schema, with
//! the same codes in `x-extensible-enum` beside it.

use super::Reader;
use super::object::{Object, texts, wrong_type};
use crate::grammar::ObjectKind;
use crate::model::{
    ErrorCode, Lifecycle, Node, NodeKind, Replacement, Schema, Spanned, Stability, Waiter,
};
use crate::rules::document as rules;
use chrono::NaiveDate;
use std::collections::HashSet;

const CATALOGUE: &str = "x-error-catalogue";
const OPEN_ENUM: &str = "x-extensible-enum";

impl<'a> Reader<'a> {
    pub(super) fn lifecycle(&self, object: &Object<'a>) -> Lifecycle {
        Lifecycle {
            since: self.date(object, "x-deprecated-since"),
            since_version: object.optional("x-deprecated-since-version"),
            sunset: self.date(object, "x-sunset"),
            replacement: self.replacement(object),
        }
    }

    fn date(&self, object: &Object<'a>, name: &str) -> Option<Spanned<NaiveDate>> {
        let text: Spanned<String> = object.optional(name)?;
        // chrono alone would take `2030-1-5` and `+2030-01-05`.
        let date = (text.value.len() == 10)
            .then(|| NaiveDate::parse_from_str(&text.value, "%Y-%m-%d").ok())
            .flatten();
        if date.is_none() {
            let message = format!("`{name}` must be a date, found `{text}`");
            let help = "write a day that exists as `YYYY-MM-DD`";
            self.report(rules::DATE.problem(&text.at, message, help));
        }
        date.map(|date| Spanned::new(date, &text.at))
    }

    fn replacement(&self, object: &Object<'a>) -> Option<Replacement> {
        let node = object.get("x-replacement")?;
        if !matches!(node.kind, NodeKind::Object(_)) {
            let help = "write `x-replacement: {operation: ID, note: TEXT}`, with the `operationId` of what replaces the operation and a \
                        sentence about what to do";
            self.report(wrong_type(node, "x-replacement", "an object", help));
            return None;
        }
        let object = self.object(node, ObjectKind::Replacement)?;
        let operation = object.required("operation");
        let note = object.required("note");
        Some(Replacement {
            at: node.at.clone(),
            operation: operation?,
            note: note?,
        })
    }

    pub(super) fn stability(&self, object: &Object<'a>) -> Option<Spanned<Stability>> {
        let word: Spanned<String> = object.optional("x-stability-level")?;
        let level = Stability::from_word(&word.value);
        if level.is_none() {
            let message = format!("`{word}` is not a stability level");
            self.report(rules::STABILITY_LEVEL.violation(&word.at, message));
        }
        level.map(|level| Spanned::new(level, &word.at))
    }

    /// The states for which clients can wait.
    pub(super) fn waiters(&self, object: &Object<'a>) -> Vec<Waiter> {
        let Some(node) = object.get("x-waiters") else {
            return Vec::new();
        };
        let waiters = self.map(node, "`x-waiters`");
        waiters
            .filter_map(|(name, member)| self.waiter(name, &member.value))
            .collect()
    }

    fn waiter(&self, name: &str, node: &'a Node) -> Option<Waiter> {
        let object = self.object(node, ObjectKind::Waiter)?;
        let path: Spanned<String> = object.required("path")?;
        Some(Waiter {
            at: node.at.clone(),
            name: name.to_owned(),
            path,
            success: object.texts("success"),
            failure: object.texts("failure"),
            retry: object.texts("retry"),
        })
    }

    /// The one catalogue of the document, where it has one.
    pub(super) fn error_catalogue(&self) -> Option<Spanned<Vec<ErrorCode>>> {
        let properties = self.document.schemas.values().flat_map(properties);
        // The extensions are copies, so the same nodes are taken from the tree.
        let mut catalogues = properties.filter_map(|property| {
            let catalogue = property.extensions.get(CATALOGUE)?;
            let open_enum = property.extensions.get(OPEN_ENUM);
            let in_tree = |node: &Node| self.root.pointer(&node.at.pointer);
            Some((in_tree(catalogue)?, open_enum.and_then(in_tree)))
        });
        let (catalogue, open_enum) = catalogues.next()?;
        for (second, _) in catalogues {
            let line = catalogue.at.line;
            let message = format!("a second `{CATALOGUE}`; the first is at line {line}");
            let help = "keep all error codes in one catalogue";
            self.report(rules::ERROR_CATALOGUE.problem(&second.at, message, help));
        }
        self.check_same_codes(catalogue, open_enum);
        let codes = self.map(catalogue, "`x-error-catalogue`");
        let codes = codes.filter_map(|(code, member)| self.code(code, &member.value));
        Some(Spanned::new(codes.collect(), &catalogue.at))
    }

    fn code(&self, code: &str, node: &'a Node) -> Option<ErrorCode> {
        let object = self.object(node, ObjectKind::ErrorCode)?;
        let cause = object.required("cause");
        let cure = object.required("cure");
        let status_node = object.require("status")?;
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
            cause: cause?,
            cure: cure?,
        })
    }

    /// Other tools read the open enum, so it must list the same codes.
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
        let listed = texts(open_enum, OPEN_ENUM, self.log);
        for code in &listed {
            if catalogue.get(&code.value).is_none() {
                let message = format!("`{code}` is listed here but has no entry in `{CATALOGUE}`");
                let help = "add an entry with `status`, `cause` and `cure`";
                self.report(rules::ERROR_CATALOGUE.problem(&code.at, message, help));
            }
        }
        let listed: HashSet<_> = listed.iter().map(|code| code.value.as_str()).collect();
        for (code, member) in catalogue.as_object().into_iter().flatten() {
            if !listed.contains(code.as_str()) {
                let message = format!("`{}` is not listed in `{OPEN_ENUM}`", code.escape_debug());
                let help = "list it there too";
                self.report(rules::ERROR_CATALOGUE.problem(&member.key_at, message, help));
            }
        }
    }
}

/// The properties of a schema, those of its `allOf` parts included.
fn properties(schema: &Schema) -> Box<dyn Iterator<Item = &Schema> + '_> {
    let of_parts = schema.all_of.iter().flat_map(properties);
    Box::new(schema.properties.values().chain(of_parts))
}
