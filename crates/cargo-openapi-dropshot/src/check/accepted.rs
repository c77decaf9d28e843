//! Reads the file of accepted breaking changes. It lists each change with its rule, its place, a
//! reason and a date. An entry that matches no change is an error, because it would hide a later
//! breaking change.

use crate::repository::Finding;
use crate::{
    Project,
    files::if_exists,
    rules::{ACCEPTED_BREAK, is_raised},
};
use anyhow::{Context, Result};
use chrono::NaiveDate;
use openapi_dropshot_contract::{
    diff::{Change, Level, level},
    model::Location,
};
use serde::Deserialize;
use std::{fs, ops::Range, sync::Arc};
use toml::{Spanned, de::DeTable, value::Datetime};

/// The first line of an entry that the gate proposes.
const ENTRY: &str = "[[accepted]]";

/// The content of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default)]
    accepted: Vec<Spanned<Entry>>,
}

/// An accepted breaking change.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The rule id, such as `request-parameter-removed`.
    rule: Spanned<String>,
    /// The place of the change: a JSON pointer into the document that contains the changed part.
    at: String,
    /// Why this change is worth breaking clients.
    reason: Spanned<String>,
    /// The day of the decision.
    date: Spanned<Datetime>,
}

/// The entries, and what is wrong with them.
pub(super) struct Accepted {
    /// The name of the file, relative to the root.
    file: String,
    text: Arc<str>,
    entries: Vec<Spanned<Entry>>,
    /// Findings about the entries themselves.
    pub(super) findings: Vec<Finding>,
}

impl Accepted {
    /// Reads the file of the project. The file does not have to exist.
    pub(super) fn read(project: &Project, today: NaiveDate) -> Result<Self> {
        let file = project.accepted_breaks.clone();
        let text = if_exists(fs::read_to_string(project.path(&file)));
        let text = text.with_context(|| format!("cannot read {file}"))?;
        let mut accepted = Accepted {
            entries: Vec::new(),
            findings: Vec::new(),
            file,
            text: Arc::from(text.unwrap_or_default()),
        };
        match toml::from_str::<Content>(&accepted.text) {
            Ok(content) => accepted.entries = content.accepted,
            Err(error) => {
                let help =
                    "an entry must have `rule`, `at`, `reason` and `date`, and no other keys";
                let span = error.span().unwrap_or_default();
                accepted.findings = vec![accepted.fault(span, error.message(), help)];
            }
        }
        let entries = accepted.entries.iter().map(Spanned::get_ref);
        let faults = entries.filter_map(|entry| accepted.fault_of(entry, project, today));
        let faults: Vec<Finding> = faults.collect();
        accepted.findings.extend(faults);
        Ok(accepted)
    }

    /// Returns what is wrong with an entry, regardless of the changes.
    fn fault_of(&self, entry: &Entry, project: &Project, today: NaiveDate) -> Option<Finding> {
        let rule = entry.rule.get_ref();
        let date = entry.date.get_ref().to_string().parse::<NaiveDate>();
        Some(if level(rule) != Some(Level::Err) && !is_raised(rule) {
            let message = format!("no breaking change has the rule id `{rule}`");
            let command = project.task("check");
            let help = format!("copy the id that `{command}` prints in brackets");
            self.fault(entry.rule.span(), &message, &help)
        } else if entry.reason.get_ref().trim().is_empty() {
            let message = "a breaking change is accepted without a reason";
            let help = "write why the change is worth breaking clients";
            self.fault(entry.reason.span(), message, help)
        } else if date.is_ok_and(|date| date <= today) {
            return None;
        } else {
            let message =
                "the date of an accepted breaking change is not a valid date, or is in the future";
            let help = "write the day of the decision as `2026-11-21`, without quotes";
            self.fault(entry.date.span(), message, help)
        })
    }

    /// Whether an entry accepts a change.
    pub(super) fn covers(&self, change: &Change) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entry| entry.get_ref().covers(change))
    }

    /// Returns all findings about the entries, given the changes that they may accept.
    pub(super) fn faults(&self, changes: &[Change]) -> Vec<Finding> {
        let unused = self.entries.iter().filter_map(|spanned| {
            let entry = spanned.get_ref();
            if changes.iter().any(|change| entry.covers(change)) {
                return None;
            }
            let (rule, at) = (entry.rule.get_ref(), &entry.at);
            let message = format!("no change breaks `{rule}` at {at}");
            Some(self.fault(spanned.span(), &message, "remove the entry"))
        });
        self.findings.iter().cloned().chain(unused).collect()
    }

    fn fault(&self, span: Range<usize>, message: &str, help: &str) -> Finding {
        let at = Location::at_byte(&self.file, &self.text, span.start);
        let problem = ACCEPTED_BREAK.problem(&at, message, help);
        Finding::in_text(problem, &self.text)
    }
}

impl Entry {
    fn covers(&self, change: &Change) -> bool {
        change.level != Level::Info
            && *self.rule.get_ref() == change.id
            && self.at == pointer(change)
    }
}

/// Returns the more specific of the two places of a change: in the older document for a removed
/// part, in the newer document for an added part.
fn pointer(change: &Change) -> &str {
    let places = [&change.at.base, &change.at.revision];
    let pointers = places.into_iter().flatten().map(|at| at.pointer.as_str());
    let longest = pointers.max_by_key(|pointer| pointer.len());
    longest.unwrap_or_default()
}

/// Returns the entry that accepts a change, without a reason.
pub(super) fn entry(change: &Change, today: NaiveDate) -> String {
    let (rule, at) = (change.id, pointer(change));
    format!("{ENTRY}\nrule = '{rule}'\nat = '{at}'\nreason = ''\ndate = {today}")
}

/// Returns the text of the file without its entries, because a release contains the changes that
/// they accepted.
pub(crate) fn without_entries(text: &str) -> String {
    let table = DeTable::parse(text).map(Spanned::into_inner);
    let table = table.unwrap_or_default();
    // The file has no other key, so everything from the first entry on belongs to the entries.
    let keys = table.keys().map(|key| key.span().start);
    let start = keys.min().unwrap_or(text.len());
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let head = if start == text.len() {
        text
    } else {
        &text[..line]
    };
    format!("{}\n", head.trim_end())
}

#[cfg(test)]
mod tests;
