//! The catalogue of error codes: `x-error-catalogue` at the property of a
//! component schema, with the same codes in `x-extensible-enum` beside it.

use super::Reader;
use super::object::{text, wrong_type};
use crate::model::{ErrorCode, Node, Schema, Spanned};
use std::collections::HashSet;

const RULE: &str = "error-catalogue";
const CATALOGUE: &str = "x-error-catalogue";
const OPEN_ENUM: &str = "x-extensible-enum";

impl Reader<'_> {
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
            self.error(
                RULE,
                &second.at,
                message,
                "keep all error codes in one catalogue",
            );
        }
        let codes = self.codes(&catalogue);
        self.check_same_codes(&catalogue, open_enum.as_ref());
        Some(Spanned::new(codes, &catalogue.at))
    }

    fn codes(&mut self, catalogue: &Node) -> Vec<ErrorCode> {
        let Some(map) = self.map(catalogue, "`x-error-catalogue`") else {
            return Vec::new();
        };
        map.members()
            .filter_map(|(code, member)| self.code(code, &member.value))
            .collect()
    }

    fn code(&mut self, code: &str, node: &Node) -> Option<ErrorCode> {
        let object = self.object(
            node,
            "an entry of `x-error-catalogue`",
            &["status", "cause", "cure"],
        )?;
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

    /// The open enum is what other tools read, so it must not fall behind.
    fn check_same_codes(&mut self, catalogue: &Node, open_enum: Option<&Node>) {
        let Some(open_enum) = open_enum else {
            let message = format!("`{CATALOGUE}` stands without `{OPEN_ENUM}`");
            let help = format!("list the same codes in `{OPEN_ENUM}` beside it");
            self.error(RULE, &catalogue.at, message, help);
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
                self.error(
                    RULE,
                    &code.at,
                    message,
                    "add an entry with `status`, `cause` and `cure`",
                );
            }
        }
        let listed: HashSet<_> = listed.iter().map(|code| code.value.as_str()).collect();
        for (code, member) in catalogue.as_object().into_iter().flatten() {
            if !listed.contains(code.as_str()) {
                let message = format!("`{}` is not listed in `{OPEN_ENUM}`", code.escape_debug());
                self.error(RULE, &member.key_at, message, "list it there too");
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
