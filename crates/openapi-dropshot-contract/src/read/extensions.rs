//! The extensions of an operation that have a meaning: its lifecycle
//! (`x-deprecated-since`, `x-sunset`, …) and `x-stability-level`.

use super::Reader;
use super::object::Object;
use crate::model::{Lifecycle, Replacement, Spanned, Stability};
use chrono::NaiveDate;

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
            self.error(
                "date",
                &text.at,
                format!(
                    "`{name}` must be a date, found `{}`",
                    text.value.escape_debug()
                ),
                "write a day that exists as `YYYY-MM-DD`",
            );
        }
        date.map(|date| Spanned::new(date, &text.at))
    }

    fn replacement(&mut self, object: &Object<'_>) -> Option<Replacement> {
        let node = object.get("x-replacement")?;
        let object = self.object(node, "`x-replacement`", &["operation", "note"])?;
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
            self.error(
                "stability-level",
                &word.at,
                format!("`{}` is no stability level", word.value.escape_debug()),
                "write `experimental`, `beta` or `stable`",
            );
        }
        level.map(|level| Spanned::new(level, &word.at))
    }
}
