//! Reports the callers of deprecated operations, for an owner who wants to remove these operations.
//! Also reports the callers of other operations if their calls are counted. The report is a page of
//! the admin listener, and JSON and CSV for a command of the service. The page and the command
//! `cargo openapi-dropshot check --usage` use the same limit, [`QUIET_DAYS`].

mod html;

pub(crate) use html::first_day as first_day_shown;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use openapi_dropshot_types::{Deprecation, Operation};
use serde::Serialize;
use std::collections::BTreeMap;

/// The number of days without a call after which an operation can be removed.
pub const QUIET_DAYS: i64 = 30;

/// The usage of operations that a service has stored.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct StoredUsage {
    /// The time since when the calls of each deprecated operation are counted, by `operationId`:
    /// the start of the first server that counts them, or the last restore of a backup, which does
    /// not contain later calls. An operation that is missing here is never reported as unused.
    pub since: BTreeMap<String, DateTime<Utc>>,
    /// The callers of each operation.
    pub callers: Vec<CallerUsage>,
}

/// The calls of one operation by one caller.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct CallerUsage {
    /// The `operationId`.
    #[serde(skip)]
    pub operation: String,
    /// The id of the caller, which is not a secret.
    pub key: String,
    /// The name of the caller.
    pub name: String,
    /// The number of calls. It may be greater than the sum of `days`, because old days are not
    /// kept.
    pub calls: u64,
    /// The time of the first call.
    #[serde(serialize_with = "in_seconds")]
    pub first_seen: DateTime<Utc>,
    /// The time of the last call.
    #[serde(serialize_with = "in_seconds")]
    pub last_seen: DateTime<Utc>,
    /// The latest `User-Agent` that a call sent.
    pub last_user_agent: Option<String>,
    /// The calls by day (UTC). Days without calls are missing.
    pub days: BTreeMap<NaiveDate, u64>,
}

/// The usage of all operations at one time.
#[derive(Clone, Debug, Serialize)]
pub struct UsageReport {
    /// The version of the format. A later version may add properties.
    format: u32,
    #[serde(serialize_with = "in_seconds")]
    created_at: DateTime<Utc>,
    operations: Vec<OperationUsage>,
    other_operations: Vec<OtherUsage>,
}

/// The usage of an operation that is not deprecated. Its calls may have been counted only part of
/// the time, so the absence of calls proves nothing.
#[derive(Clone, Debug, Serialize)]
pub struct OtherUsage {
    /// The `operationId`.
    pub operation: &'static str,
    /// The method and the path.
    pub path: String,
    /// The number of counted calls.
    pub calls: u64,
    /// The time of the last call.
    #[serde(serialize_with = "option_in_seconds")]
    pub last_seen: Option<DateTime<Utc>>,
    /// Its callers, the latest first.
    pub callers: Vec<CallerUsage>,
}

/// The usage of one deprecated operation.
#[derive(Clone, Debug, Serialize)]
pub struct OperationUsage {
    /// The `operationId`.
    pub operation: &'static str,
    /// The method and the path.
    pub path: String,
    /// The date of its removal.
    pub removed_on: Option<NaiveDate>,
    /// The number of days until its removal; negative if that date has passed.
    pub days_left: Option<i64>,
    /// What callers should use instead.
    pub instead: &'static str,
    /// The time since when calls are counted, if it is known.
    #[serde(serialize_with = "option_in_seconds")]
    pub counted_since: Option<DateTime<Utc>>,
    /// The number of all calls.
    pub calls: u64,
    /// The time of the last call; `None` if no call was counted.
    #[serde(serialize_with = "option_in_seconds")]
    pub last_seen: Option<DateTime<Utc>>,
    /// The number of counted days without a call; `None` if it is not known.
    pub days_without_calls: Option<i64>,
    /// Whether nobody has called it for [`QUIET_DAYS`] days.
    pub is_unused: bool,
    /// Its callers, the latest first.
    pub callers: Vec<CallerUsage>,
}

fn in_seconds<S: serde::Serializer>(time: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&seconds(*time))
}

fn option_in_seconds<S: serde::Serializer>(
    time: &Option<DateTime<Utc>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    time.map(seconds).serialize(to)
}

fn seconds(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn date(seconds: i64) -> Option<NaiveDate> {
    DateTime::from_timestamp(seconds, 0).map(|time| time.date_naive())
}

impl UsageReport {
    /// Creates the report on the deprecated operations among the given operations, and on the
    /// others that have counted calls.
    #[must_use]
    pub fn new(operations: &'static [Operation], stored: StoredUsage, now: DateTime<Utc>) -> Self {
        let StoredUsage { since, callers } = stored;
        let mut report = UsageReport {
            format: 1,
            created_at: now,
            operations: Vec::new(),
            other_operations: Vec::new(),
        };
        for operation in operations {
            let of_operation = callers.iter().filter(|row| row.operation == operation.name);
            let mut callers: Vec<_> = of_operation.cloned().collect();
            callers.sort_by(|a, b| b.last_seen.cmp(&a.last_seen).then(a.key.cmp(&b.key)));
            if let Some(deprecation) = operation.deprecation {
                let since = since.get(operation.name).copied();
                let usage = usage_of(operation, deprecation, callers, since, now);
                report.operations.push(usage);
            } else if let Some(latest) = callers.first() {
                report.other_operations.push(OtherUsage {
                    operation: operation.name,
                    path: format!("{} {}", operation.method, operation.path),
                    calls: callers.iter().map(|caller| caller.calls).sum(),
                    last_seen: Some(latest.last_seen),
                    callers,
                });
            }
        }
        report
    }

    /// Returns the deprecated operations, in the order of the document.
    #[must_use]
    pub fn operations(&self) -> &[OperationUsage] {
        &self.operations
    }

    /// Returns the report as a JSON object, which `cargo openapi-dropshot check --usage` reads.
    #[must_use]
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self);
        json.expect("all keys of its maps are texts") + "\n"
    }

    /// Returns the report as CSV with a header: a row for each operation, key and day with calls. A
    /// row without a day contains the calls whose day is not kept.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut csv =
            "operation,key,name,day,calls,last_seen,last_user_agent,removed_on,days_left\n"
                .to_owned();
        let deprecated = self.operations.iter();
        let deprecated =
            deprecated.map(|usage| (&usage.callers, usage.removed_on, usage.days_left));
        let others = self.other_operations.iter();
        let others = others.map(|usage| (&usage.callers, None, None));
        for (callers, removed_on, days_left) in deprecated.chain(others) {
            for caller in callers {
                let in_days: u64 = caller.days.values().sum();
                let rest = caller.calls.saturating_sub(in_days);
                let rest = (rest > 0).then_some((None, rest));
                let days = caller.days.iter().map(|(day, calls)| (Some(*day), *calls));
                for (day, calls) in rest.into_iter().chain(days) {
                    let text = |date: Option<NaiveDate>| date.map(|date| date.to_string());
                    let row = [
                        caller.operation.clone(),
                        caller.key.clone(),
                        caller.name.clone(),
                        text(day).unwrap_or_default(),
                        calls.to_string(),
                        seconds(caller.last_seen),
                        caller.last_user_agent.clone().unwrap_or_default(),
                        text(removed_on).unwrap_or_default(),
                        days_left.map_or_else(String::new, |days: i64| days.to_string()),
                    ];
                    csv.push_str(&row.map(|field| csv_field(&field)).join(","));
                    csv.push('\n');
                }
            }
        }
        csv
    }

    /// Returns the report as an HTML page without scripts.
    #[must_use]
    pub fn to_html(&self) -> String {
        html::page(self)
    }
}

fn usage_of(
    operation: &'static Operation,
    deprecation: Deprecation,
    callers: Vec<CallerUsage>,
    counted_since: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> OperationUsage {
    let last_seen = callers.iter().map(|caller| caller.last_seen).max();
    let deprecated_at = DateTime::from_timestamp(deprecation.since, 0);
    // Calls before the counting began may be missing. If there is no call, the operation may have
    // been deprecated twice, with a time between in which it was not counted.
    let quiet_since = counted_since.map(|since| {
        let latest = last_seen.or(deprecated_at);
        latest.map_or(since, |at| at.max(since))
    });
    let days_without_calls = quiet_since.map(|time| (now - time).num_days().max(0));
    let removed_on = date(deprecation.sunset);
    OperationUsage {
        operation: operation.name,
        path: format!("{} {}", operation.method, operation.path),
        removed_on,
        days_left: removed_on.map(|day| (day - now.date_naive()).num_days()),
        instead: deprecation.note,
        counted_since,
        calls: callers.iter().map(|caller| caller.calls).sum(),
        last_seen,
        days_without_calls,
        is_unused: days_without_calls.is_some_and(|days| days >= QUIET_DAYS),
        callers,
    }
}

/// Returns a CSV field, quoted if necessary. A value that a spreadsheet would read as a formula
/// gets an apostrophe, because clients choose their own `User-Agent`.
fn csv_field(text: &str) -> String {
    let is_number = text.parse::<i64>().is_ok();
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number;
    let text = format!("{}{text}", if is_formula { "'" } else { "" });
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// Returns the days on which an operation was called, with the number of calls.
fn days_of(callers: &[CallerUsage]) -> BTreeMap<NaiveDate, u64> {
    let mut days = BTreeMap::new();
    for (day, calls) in callers.iter().flat_map(|caller| &caller.days) {
        *days.entry(*day).or_default() += calls;
    }
    days
}

#[cfg(test)]
mod tests;
