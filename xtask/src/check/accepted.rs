//! The breaks that are meant, each accepted by name in one file with a reason
//! and a date. An entry that accepts nothing is a fault: it would hide a break
//! of another day.

use super::Finding;
use anyhow::{Context, Result};
use chrono::NaiveDate;
use openapi_dropshot_contract::{
    Problem,
    diff::{Change, Level, level},
    model::Location,
};
use serde::Deserialize;
use std::{fs, io, ops::Range, path::Path, sync::Arc};
use toml::{Spanned, value::Datetime};

/// The file, relative to the root.
pub(crate) const FILE: &str = "spec/accepted-breaks.toml";

/// How an entry begins.
const ENTRY: &str = "[[accepted]]";

/// What the file holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default)]
    accepted: Vec<Spanned<Entry>>,
}

/// A break that is meant.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The rule id, such as `request-parameter-removed`.
    rule: Spanned<String>,
    /// What changed, as a JSON pointer into the document that has it.
    at: Spanned<String>,
    /// Why this is worth breaking clients.
    reason: Spanned<String>,
    /// When that was decided.
    date: Spanned<Datetime>,
}

/// The entries, and what is wrong with them.
pub(super) struct Accepted {
    text: Arc<str>,
    entries: Vec<Spanned<Entry>>,
    /// What is wrong with an entry, whatever changed.
    pub(super) findings: Vec<Finding>,
}

impl Accepted {
    /// Reads the file of the workspace at `root`, which need not be there.
    ///
    /// # Errors
    ///
    /// A file that is there and cannot be read.
    pub(super) fn read(root: &Path, today: NaiveDate) -> Result<Self> {
        let text = match fs::read_to_string(root.join(FILE)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {FILE}")),
        };
        let text: Arc<str> = Arc::from(text);
        let mut accepted = Accepted {
            entries: Vec::new(),
            findings: Vec::new(),
            text,
        };
        match toml::from_str::<Content>(&accepted.text) {
            Ok(content) => accepted.entries = content.accepted,
            Err(error) => {
                let help = "an entry has `rule`, `at`, `reason` and `date`, and nothing else";
                let message = error.message();
                let fault = accepted.fault(&error.span().unwrap_or_default(), message, help);
                accepted.findings.push(fault);
            }
        }
        let faults: Vec<Finding> = (accepted.entries.iter())
            .filter_map(|entry| accepted.fault_of(entry.get_ref(), today))
            .collect();
        accepted.findings.extend(faults);
        Ok(accepted)
    }

    /// What is wrong with an entry, whatever changed.
    fn fault_of(&self, entry: &Entry, today: NaiveDate) -> Option<Finding> {
        let rule = entry.rule.get_ref();
        if level(rule) != Some(Level::Err) {
            let message = format!("no break has the rule id `{rule}`");
            let help = "take the id from what `cargo xtask check` shows in brackets";
            return Some(self.fault(&entry.rule.span(), &message, help));
        }
        if entry.reason.get_ref().trim().is_empty() {
            let message = "a break is accepted without a reason";
            let help = "say why it is worth breaking clients";
            return Some(self.fault(&entry.reason.span(), message, help));
        }
        let date = entry.date.get_ref().to_string().parse::<NaiveDate>();
        match date {
            Ok(date) if date <= today => None,
            _ => {
                let message = "a break is accepted on no day, or on one that is still to come";
                let help =
                    "write the day on which that was decided, as `2026-11-21` without quotes";
                Some(self.fault(&entry.date.span(), message, help))
            }
        }
    }

    /// Whether a change is a break that is meant.
    pub(super) fn covers(&self, change: &Change) -> bool {
        let covers = |entry: &Spanned<Entry>| entry.get_ref().covers(change);
        self.entries.iter().any(covers)
    }

    /// What is wrong with the entries, given what changed.
    pub(super) fn faults(&self, changes: &[Change]) -> Vec<Finding> {
        let idle = (self.entries.iter())
            .filter(|entry| !changes.iter().any(|change| entry.get_ref().covers(change)));
        let idle = idle.map(|entry| {
            let message = format!(
                "nothing breaks `{}` at {}",
                entry.get_ref().rule.get_ref(),
                entry.get_ref().at.get_ref()
            );
            self.fault(&entry.span(), &message, "take the entry out")
        });
        self.findings.iter().cloned().chain(idle).collect()
    }

    fn fault(&self, span: &Range<usize>, message: &str, help: &str) -> Finding {
        let at = place(&self.text, span.start);
        let problem = Problem::error("accepted-break", &at, message, help);
        Finding::of_problem(problem, &self.text)
    }
}

impl Entry {
    fn covers(&self, change: &Change) -> bool {
        change.level != Level::Info
            && *self.rule.get_ref() == change.id
            && self.at.get_ref() == pointer(change)
    }
}

/// What a change is about: of the two places the closer one, as what was removed
/// is named by the older document, and what was added by the newer one.
fn pointer(change: &Change) -> &str {
    let places = [&change.at.revision, &change.at.base];
    (places.into_iter().flatten())
        .map(|at| at.pointer.as_str())
        .rev()
        .max_by_key(|pointer| pointer.len())
        .unwrap_or_default()
}

/// The entry that accepts a break, to be completed with the reason.
pub(super) fn entry(change: &Change, today: NaiveDate) -> String {
    format!(
        "{ENTRY}\nrule = '{}'\nat = '{}'\nreason = ''\ndate = {today}",
        change.id,
        pointer(change)
    )
}

/// The file without its entries: what they accepted is released.
pub(crate) fn without_entries(text: &str) -> String {
    let is_head = |line: &&str| !line.starts_with(ENTRY);
    let head: String = text.split_inclusive('\n').take_while(is_head).collect();
    format!("{}\n", head.trim_end())
}

/// Line and column of an offset into the text.
fn place(text: &str, offset: usize) -> Location {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Location {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        ..Location::start(FILE)
    }
}
