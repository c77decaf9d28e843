//! Reads the extensions that have a meaning: the lifecycle of an operation
//! (`x-deprecated-since`, `x-sunset`, …), `x-stability-level`, and the catalogue
//! of error codes: `x-error-catalogue` at a property of a component schema, with
//! the same codes in `x-extensible-enum` beside it.

use super::Reader;
use super::object::{Object, text, wrong_type};
use crate::model::{ErrorCode, Lifecycle, Node, Replacement, Schema, Spanned, Stability};
use crate::rules::document as rules;
use chrono::NaiveDate;
use std::collections::HashSet;

const CATALOGUE: &str = "x-error-catalogue";
const OPEN_ENUM: &str = "x-extensible-enum";

impl Reader<'_> {
    pub(super) fn lifecycle(&mut self, object: &Object<'_>) -> Lifecycle {
        Lifecycle {
            since: self.date(object, "x-deprecated-since"),
            since_version: object.spanned_text("x-deprecated-since-version", &mut self.problems),
            sunset: self.date(object, "x-sunset"),
            replacement: self.replacement(object),
        }
    }

    fn date(&mut self, object: &Object<'_>, name: &str) -> Option<Spanned<NaiveDate>> {
        let text = object.spanned_text(name, &mut self.problems)?;
        // chrono alone would take `2030-1-5` and `+2030-01-05`.
        let date = (text.value.len() == 10)
            .then(|| NaiveDate::parse_from_str(&text.value, "%Y-%m-%d").ok())
            .flatten();
        if date.is_none() {
            let message = format!(
                "`{name}` must be a date, found `{}`",
                text.value.escape_debug()
            );
            let help = "write a day that exists as `YYYY-MM-DD`";
            self.report(&rules::DATE, &text.at, message, help);
        }
        date.map(|date| Spanned::new(date, &text.at))
    }

    fn replacement(&mut self, object: &Object<'_>) -> Option<Replacement> {
        let node = object.get("x-replacement")?;
        let object = self.object(node, "`x-replacement`", "operation note")?;
        let operation = object.required_text("operation", &mut self.problems);
        let note = object.required_text("note", &mut self.problems);
        Some(Replacement {
            at: node.at.clone(),
            operation: operation?,
            note: note?.value,
        })
    }

    pub(super) fn stability(&mut self, object: &Object<'_>) -> Option<Spanned<Stability>> {
        let word = object.spanned_text("x-stability-level", &mut self.problems)?;
        let level = Stability::from_word(&word.value);
        if level.is_none() {
            let message = format!("`{}` is not a stability level", word.value.escape_debug());
            let help = "write `experimental`, `beta` or `stable`";
            self.report(&rules::STABILITY_LEVEL, &word.at, message, help);
        }
        level.map(|level| Spanned::new(level, &word.at))
    }

    /// The one catalogue of the document, where it has one.
    pub(super) fn error_catalogue(&mut self) -> Option<Spanned<Vec<ErrorCode>>> {
        let holders: Vec<_> = self
            .components
            .schemas
            .values()
            .flat_map(properties)
            .filter_map(|property| {
                let catalogue = property.extensions.get(CATALOGUE)?.clone();
                Some((catalogue, property.extensions.get(OPEN_ENUM).cloned()))
            })
            .collect();
        let mut holders = holders.into_iter();
        let (catalogue, open_enum) = holders.next()?;
        for (second, _) in holders {
            let message = format!(
                "a second `{CATALOGUE}`; the first is at line {}",
                catalogue.at.line
            );
            let help = "keep all error codes in one catalogue";
            self.report(&rules::ERROR_CATALOGUE, &second.at, message, help);
        }
        let codes = self.codes(&catalogue);
        self.check_same_codes(&catalogue, open_enum.as_ref());
        Some(Spanned::new(codes, &catalogue.at))
    }

    fn codes(&mut self, catalogue: &Node) -> Vec<ErrorCode> {
        let entries = self.map(catalogue, "`x-error-catalogue`");
        entries
            .filter_map(|(code, member)| self.code(code, &member.value))
            .collect()
    }

    fn code(&mut self, code: &str, node: &Node) -> Option<ErrorCode> {
        let object = self.object(node, "an entry of `x-error-catalogue`", "status cause cure")?;
        let status = object.require("status", &mut self.problems);
        let cause = object.required_text("cause", &mut self.problems);
        let cure = object.required_text("cure", &mut self.problems);
        let status_node = status?;
        let status = status_node
            .as_u64()
            .and_then(|status| u16::try_from(status).ok());
        let status = status.filter(|status| (400..600).contains(status));
        if status.is_none() {
            let help = "write the status that this code is sent with";
            self.problems.push(wrong_type(
                status_node,
                "status",
                "an HTTP status from 400 to 599",
                help,
            ));
        }
        Some(ErrorCode {
            at: node.at.clone(),
            code: code.to_owned(),
            status: status?,
            cause: cause?.value,
            cure: cure?.value,
        })
    }

    /// Other tools read the open enum, so it must list the same codes.
    fn check_same_codes(&mut self, catalogue: &Node, open_enum: Option<&Node>) {
        let Some(open_enum) = open_enum else {
            let message = format!("`{CATALOGUE}` is used without `{OPEN_ENUM}`");
            let help = format!("list the same codes in `{OPEN_ENUM}` beside it");
            self.report(&rules::ERROR_CATALOGUE, &catalogue.at, message, help);
            return;
        };
        let Some(items) = open_enum.as_array() else {
            let problem = wrong_type(
                open_enum,
                OPEN_ENUM,
                "an array",
                "write it as a list of codes",
            );
            self.problems.push(problem);
            return;
        };
        let listed: Vec<_> = items
            .iter()
            .filter_map(|item| text(item, OPEN_ENUM, &mut self.problems))
            .collect();
        for code in &listed {
            if catalogue.get(&code.value).is_none() {
                let message = format!(
                    "`{}` is listed here but has no entry in `{CATALOGUE}`",
                    code.value.escape_debug()
                );
                let help = "add an entry with `status`, `cause` and `cure`";
                self.report(&rules::ERROR_CATALOGUE, &code.at, message, help);
            }
        }
        let listed: HashSet<_> = listed.iter().map(|code| code.value.as_str()).collect();
        for (code, member) in catalogue.as_object().into_iter().flatten() {
            if !listed.contains(code.as_str()) {
                let message = format!("`{}` is not listed in `{OPEN_ENUM}`", code.escape_debug());
                let help = "list it there too";
                self.report(&rules::ERROR_CATALOGUE, &member.key_at, message, help);
            }
        }
    }
}

/// The properties of a schema, those of its `allOf` parts included.
fn properties(schema: &Schema) -> Box<dyn Iterator<Item = &Schema> + '_> {
    Box::new(
        schema
            .properties
            .values()
            .chain(schema.all_of.iter().flat_map(properties)),
    )
}
