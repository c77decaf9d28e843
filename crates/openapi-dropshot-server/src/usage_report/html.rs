//! Writes the page about the usage of operations: HTML with a small chart for each operation, without
//! scripts.

use super::{CallerUsage, OperationUsage, QUIET_DAYS, UsageReport, days_of, seconds};
use chrono::{Days, NaiveDate};
use std::{collections::BTreeMap, fmt::Write as _};

/// The number of days in a chart.
const CHART_DAYS: u64 = 90;
/// The dimensions of a chart: the distance between two bars and the height of the highest bar. The
/// chart is stretched to the width of the page.
const BAR: u64 = 8;
const HEIGHT: u64 = 80;
/// The highest number of callers in a table, so that the page stays readable if a service has
/// thousands of keys.
const CALLERS: usize = 100;

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8888; --bar: #2563ab; --good: #17713a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --bar: #7ab8ff; --good: #6fdc98; --bad: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h2 code { font-weight: normal; font-size: .8em; }
section { border-top: 1px solid var(--line); margin-top: 2rem; }
.verdict { font-weight: 600; color: var(--bad); }
.unused { color: var(--good); }
figure { margin: 1rem 0; font-size: .8em; }
svg { display: block; width: 100%; height: 5rem; border-bottom: 1px solid var(--line); }
rect { fill: var(--bar); }
.days { display: flex; justify-content: space-between; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
.text { white-space: normal; overflow-wrap: anywhere; }
.number { text-align: right; }
@media (max-width: 55rem) {
  tr, td { display: block; } th { display: none; }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  td, td.number { border: 0; padding: 0; white-space: normal; overflow-wrap: anywhere; text-align: left; }
  td::before { content: attr(data-label) \": \"; opacity: .7; }
}";

pub(super) fn page(report: &UsageReport) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Usage of deprecated operations</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>Usage of deprecated operations</h1>\n<p>As of {}. The newest calls appear after a few seconds. Days are in UTC.</p>\n",
        seconds(report.created_at)
    );
    if report.operations.is_empty() {
        html.push_str("<p>No operation of this service is deprecated.</p>\n");
    }
    let today = report.created_at.date_naive();
    for operation in &report.operations {
        section(&mut html, operation, today);
    }
    if !report.other_operations.is_empty() {
        html.push_str("<h1>Usage of other operations</h1>\n<p>Only the calls that were made while the setting <code>count-calls</code> was <code>all</code>.</p>\n");
    }
    for usage in &report.other_operations {
        let (name, path) = (escaped(usage.operation), escaped(&usage.path));
        let _ = write!(html, "<section>\n<h2>{name} <code>{path}</code></h2>\n");
        callers(&mut html, usage.operation, &usage.callers, today);
        html.push_str("</section>\n");
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn section(html: &mut String, usage: &OperationUsage, today: NaiveDate) {
    let name = escaped(usage.operation);
    let path = escaped(&usage.path);
    let (class, verdict) = verdict(usage);
    let removal = match (usage.removed_on, usage.days_left) {
        (Some(day), Some(left)) if left >= 0 => {
            format!("Sunset: {day}, {left} days left.")
        }
        (Some(day), Some(left)) => format!("Sunset: {day}, {} days ago.", -left),
        _ => "No sunset.".to_owned(),
    };
    let instead = match usage.instead {
        "" => String::new(),
        instead => format!(" Instead: {}.", with_code(instead)),
    };
    let _ = write!(
        html,
        "<section>\n<h2>{name} <code>{path}</code></h2>\n<p>{removal}{instead}</p>\n<p class=\"verdict{class}\">{verdict}</p>\n"
    );
    callers(html, usage.operation, &usage.callers, today);
    html.push_str("</section>\n");
}

/// Renders a note of the contract. The only Markdown in it is text between backticks.
fn with_code(note: &str) -> String {
    let parts = note.split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    });
    parts.collect()
}

fn verdict(usage: &OperationUsage) -> (&'static str, String) {
    // If a backup was created and restored, the last call may be older than the counting.
    let is_called = usage.last_seen.is_some() && usage.last_seen >= usage.counted_since;
    let ever = match is_called {
        true => "",
        false => " since the counting began",
    };
    match usage.days_without_calls {
        None => (
            "",
            "It is not known when the counting of its calls began.".to_owned(),
        ),
        Some(days) if usage.is_unused => {
            // Clients rely on the announced day, including clients that have not called yet.
            let when = match usage.days_left {
                Some(1..) => " on its sunset",
                _ => "",
            };
            (
                " unused",
                format!("Nobody called it for {days} days{ever}: safe to remove{when}."),
            )
        }
        Some(days) if !is_called => (
            "",
            format!(
                "Nobody called it for {}{ever}. It can be removed after {QUIET_DAYS} days without a call.",
                counted(days, "day")
            ),
        ),
        Some(days) => {
            let keys = i64::try_from(usage.callers.len()).unwrap_or(i64::MAX);
            let keys = counted(keys, "key");
            let calls = i64::try_from(usage.calls).unwrap_or(i64::MAX);
            let calls = counted(calls, "call");
            let when = match days {
                0 => "in the last 24 hours".to_owned(),
                days => format!("{} ago", counted(days, "day")),
            };
            (
                "",
                format!(
                    "Still in use: {calls} by {keys}, the last one {when}. It can be removed after {QUIET_DAYS} days without a call."
                ),
            )
        }
    }
}

fn counted(count: i64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns the first day of the charts.
pub(crate) fn first_day(today: NaiveDate) -> NaiveDate {
    let first = today.checked_sub_days(Days::new(CHART_DAYS - 1));
    first.unwrap_or(today)
}

/// Draws a bar for each of the last days, with the current day on the right.
fn chart(html: &mut String, days: &BTreeMap<NaiveDate, u64>, name: &str, today: NaiveDate) {
    let first = first_day(today);
    let shown = days.range(first..=today);
    let highest = shown.clone().map(|(_, calls)| *calls).max().unwrap_or(0);
    let _ = write!(
        html,
        "<figure>\n<figcaption>Calls by day, at most {highest}</figcaption>\n<svg viewBox=\"0 0 {} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Calls of {} by day\">\n",
        CHART_DAYS * BAR,
        escaped(name)
    );
    for (day, calls) in shown.filter(|(_, calls)| **calls > 0) {
        // A day with a single call must also be visible.
        let bar = (u128::from(*calls) * u128::from(HEIGHT) / u128::from(highest)).max(2);
        let _ = writeln!(
            html,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{bar}\"><title>{day}: {calls}</title></rect>",
            (*day - first).num_days() * BAR as i64,
            u128::from(HEIGHT) - bar,
            BAR - 2
        );
    }
    let _ = write!(
        html,
        "</svg>\n<div class=\"days\"><span>{first}</span><span>{today}</span></div>\n</figure>\n"
    );
}

/// The columns of the table of callers, with the HTML attributes of their cells.
const COLUMNS: [(&str, &str); 6] = [
    ("key", ""),
    ("name", " class=\"text\""),
    ("calls", " class=\"number\""),
    ("first call", ""),
    ("last call", ""),
    ("last user agent", " class=\"text\""),
];

/// Renders the chart and the table of the callers of an operation.
fn callers(html: &mut String, operation: &str, callers: &[CallerUsage], today: NaiveDate) {
    if callers.is_empty() {
        return;
    }
    chart(html, &days_of(callers), operation, today);
    let header = COLUMNS.map(|(name, class)| format!("<th{class}>{name}</th>"));
    let _ = writeln!(html, "<table>\n<tr>{}</tr>", header.concat());
    for caller in callers.iter().take(CALLERS) {
        let values = [
            format!("<code>{}</code>", escaped(&caller.key)),
            escaped(&caller.name),
            caller.calls.to_string(),
            caller.first_seen.date_naive().to_string(),
            seconds(caller.last_seen),
            escaped(caller.last_user_agent.as_deref().unwrap_or("-")),
        ];
        let cells = COLUMNS.iter().zip(values);
        let cells = cells
            .map(|((name, class), value)| format!("<td{class} data-label=\"{name}\">{value}</td>"));
        let _ = writeln!(html, "<tr>{}</tr>", cells.collect::<String>());
    }
    html.push_str("</table>\n");
    if let Some(more @ 1..) = callers.len().checked_sub(CALLERS) {
        let _ = writeln!(
            html,
            "<p>{more} more keys called it before these; the command <code>usage</code> lists all.</p>"
        );
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
