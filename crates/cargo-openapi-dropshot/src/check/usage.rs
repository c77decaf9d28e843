//! Reads an export of the usage of deprecated operations (`check --usage`), and reports removed
//! operations that clients still call.

use crate::{
    counted,
    rules::{REMOVED_OPERATION_IN_USE, REMOVED_OPERATION_UNKNOWN_USAGE},
};
use anyhow::{Context, Result, ensure};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use openapi_dropshot_contract::{Problem, diff::Change, model::Location};
use serde::Deserialize;
use std::{fs, path::Path, sync::Arc};

/// An operation that was called in this number of days must not be removed. The page `/usage` of
/// `openapi-dropshot-server` uses the same limit.
const QUIET_DAYS: i64 = 30;

/// An export that is older than this number of days says too little about the current usage.
const FRESH_DAYS: i64 = 7;

/// The export, as `openapi_dropshot_server::usage_report` writes it. Members that are not needed
/// here are ignored.
#[derive(Debug, Deserialize)]
pub(super) struct Usage {
    format: u32,
    created_at: DateTime<Utc>,
    operations: Vec<Operation>,
    #[serde(skip)]
    file: String,
}

#[derive(Debug, Deserialize)]
struct Operation {
    /// The method and the path, as in the document.
    path: String,
    last_seen: Option<DateTime<Utc>>,
    /// The number of days without calls before the export was made.
    days_without_calls: Option<i64>,
    callers: Vec<Caller>,
}

#[derive(Debug, Deserialize)]
struct Caller {
    key: String,
    name: String,
    last_seen: DateTime<Utc>,
}

impl Usage {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let file = path.display().to_string();
        let text = fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read the usage export {file}"))?;
        let usage = serde_json::from_str(&text);
        let mut usage: Usage = usage.with_context(|| {
            format!("{file} is not a JSON export of the usage; create one with `usage --format json` of the service")
        })?;
        ensure!(
            usage.format == 1,
            "{file} has the format {}, but this version of the command reads only the format 1: update the command",
            usage.format
        );
        usage.file = file;
        Ok(usage)
    }

    /// Returns the problem of a removed operation that may still be called. `document` is the name
    /// of the document.
    pub(super) fn problem(
        &self,
        change: &Change,
        document: &Arc<str>,
        today: NaiveDate,
    ) -> Option<Problem> {
        let path = change.operation.as_deref()?;
        let at = change.at.base.clone();
        let at = at.unwrap_or_else(|| Location::start(document));
        let unknown = |why: &str| {
            let message = format!("`{path}` was removed, but {why}");
            let help = format!(
                "export the usage again before you deploy the removal, and remove only operations that nobody has called for {QUIET_DAYS} days"
            );
            Some(REMOVED_OPERATION_UNKNOWN_USAGE.problem(&at, message, help))
        };
        let file = &self.file;
        let mut operations = self.operations.iter();
        let Some(operation) = operations.find(|operation| operation.path == path) else {
            return unknown(&format!(
                "{file} does not contain it: the service counts only the calls of deprecated operations"
            ));
        };
        if let Some(last_seen) = operation.last_seen
            && days_between(last_seen, today) < QUIET_DAYS
        {
            let message = format!(
                "`{path}` was removed, although it was called in the last {QUIET_DAYS} days: {}",
                operation.recent_callers(today)
            );
            let help = format!(
                "keep the operation until nobody has called it for {QUIET_DAYS} days; {file} lists all callers"
            );
            return Some(REMOVED_OPERATION_IN_USE.problem(&at, message, help));
        }
        let age = days_between(self.created_at, today);
        if age > FRESH_DAYS {
            return unknown(&format!("{file} is {} old", counted_days(age)));
        }
        match operation.days_without_calls {
            None => unknown(&format!(
                "{file} does not say since when its calls have been counted"
            )),
            Some(days) if days + age.max(0) < QUIET_DAYS => unknown(&format!(
                "its calls have been counted for only {}",
                counted_days(days)
            )),
            Some(_) => None,
        }
    }
}

impl Operation {
    /// Lists up to three clients that called the operation in the last [`QUIET_DAYS`], the latest
    /// call first, and the number of the others.
    fn recent_callers(&self, today: NaiveDate) -> String {
        let is_recent = |caller: &&Caller| days_between(caller.last_seen, today) < QUIET_DAYS;
        let mut callers: Vec<_> = self.callers.iter().filter(is_recent).collect();
        callers.sort_by_key(|caller| std::cmp::Reverse(caller.last_seen));
        let texts = callers.iter().take(3).map(|caller| {
            let day = caller.last_seen.date_naive();
            format!("{} (`{}`) on {day}", caller.key, caller.name)
        });
        let mut texts: Vec<String> = texts.collect();
        if let Some(more @ 1..) = callers.len().checked_sub(texts.len()) {
            texts.push(format!("and {}", counted(more, "other key")));
        }
        texts.join(", ")
    }
}

fn days_between(time: DateTime<Utc>, today: NaiveDate) -> i64 {
    TimeDelta::num_days(&(today - time.date_naive()))
}

fn counted_days(days: i64) -> String {
    counted(usize::try_from(days).unwrap_or(0), "day")
}
