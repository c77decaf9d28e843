//! Writes the page about the usage of deprecated operations: HTML with a small chart for each
//! operation, without scripts.

use super::{OperationUsage, QUIET_DAYS, UsageReport, days_of, seconds};
use chrono::{Days, NaiveDate};
use std::{collections::BTreeMap, fmt::Write as _};

/// The number of days in a chart.
const CHART_DAYS: u64 = 90;
/// The measures of a chart, in pixels: the distance of two bars and the height of the highest one.
const BAR: u64 = 8;
const HEIGHT: u64 = 80;

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8888; --bar: #2563ab; --good: #17713a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --bar: #7ab8ff; --good: #6fdc98; --bad: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; }
.verdict { font-weight: 600; color: var(--bad); }
.unused { color: var(--good); }
.wide { overflow-x: auto; }
svg { display: block; max-width: 100%; height: auto; margin: 1rem 0; }
rect { fill: var(--bar); }
line { stroke: var(--line); }
svg text { font-size: 12px; fill: currentColor; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td, th { white-space: nowrap; } td.agent { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
.number { text-align: right; }";

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
        instead => format!(" Instead: {}.", escaped(&in_words(instead))),
    };
    let _ = write!(
        html,
        "<section>\n<h2>{name} <small><code>{path}</code></small></h2>\n<p>{removal}{instead}</p>\n<p class=\"verdict{class}\">{verdict}</p>\n"
    );
    if !usage.callers.is_empty() {
        chart(html, &days_of(usage), usage.operation, today);
        callers(html, usage);
    }
    html.push_str("</section>\n");
}

/// A note of the contract without its Markdown.
fn in_words(note: &str) -> String {
    note.replace('`', "")
}

fn verdict(usage: &OperationUsage) -> (&'static str, String) {
    let ever = if usage.last_seen.is_none() {
        " since the counting began"
    } else {
        ""
    };
    match usage.days_without_calls {
        None => (
            "",
            "No call was counted, but it is not known since when calls are counted.".to_owned(),
        ),
        Some(days) if usage.is_unused => (
            " unused",
            format!("Nobody called it for {days} days{ever}: safe to remove."),
        ),
        Some(days) if usage.last_seen.is_none() => (
            "",
            format!("Nobody called it for {days} days{ever}; wait until it is {QUIET_DAYS}."),
        ),
        Some(days) => {
            let keys = usage.callers.len();
            let keys = if keys == 1 {
                "1 key".to_owned()
            } else {
                format!("{keys} keys")
            };
            let when = match days {
                0 => "in the last 24 hours".to_owned(),
                1 => "1 day ago".to_owned(),
                days => format!("{days} days ago"),
            };
            (
                "",
                format!(
                    "Still in use: {} calls so far by {keys}, the last one {when}. It can be removed after {QUIET_DAYS} days without a call.",
                    usage.calls
                ),
            )
        }
    }
}

/// A bar for each of the last days, the present one at the right.
fn chart(html: &mut String, days: &BTreeMap<NaiveDate, u64>, name: &str, today: NaiveDate) {
    let first = today
        .checked_sub_days(Days::new(CHART_DAYS - 1))
        .unwrap_or(today);
    let highest = days
        .range(first..)
        .map(|(_, calls)| *calls)
        .max()
        .unwrap_or(0);
    let (width, height) = (CHART_DAYS * BAR, HEIGHT + 40);
    let base = HEIGHT + 20;
    let _ = write!(
        html,
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"Calls of {} by day\">\n<text x=\"0\" y=\"12\">at most {highest} calls a day</text>\n",
        escaped(name)
    );
    for (index, day) in first.iter_days().take(CHART_DAYS as usize).enumerate() {
        let Some(calls) = days.get(&day).filter(|calls| **calls > 0) else {
            continue;
        };
        // A day with a single call can be seen, too.
        let bar = (calls * HEIGHT / highest.max(1)).max(2);
        let _ = writeln!(
            html,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{bar}\"><title>{day}: {calls} calls</title></rect>",
            index as u64 * BAR,
            base - bar,
            BAR - 2
        );
    }
    let _ = write!(
        html,
        "<line x1=\"0\" y1=\"{base}\" x2=\"{width}\" y2=\"{base}\"/>\n<text x=\"0\" y=\"{}\">{first}</text>\n<text x=\"{width}\" y=\"{}\" text-anchor=\"end\">{today}</text>\n</svg>\n",
        base + 16,
        base + 16
    );
}

fn callers(html: &mut String, usage: &OperationUsage) {
    html.push_str("<div class=\"wide\"><table>\n<tr><th>key</th><th>name</th><th class=\"number\">calls</th><th>first call</th><th>last call</th><th>last user agent</th></tr>\n");
    for caller in &usage.callers {
        let _ = writeln!(
            html,
            "<tr><td><code>{}</code></td><td>{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td><td class=\"agent\">{}</td></tr>",
            escaped(&caller.key),
            escaped(&caller.name),
            caller.calls,
            caller.first_seen.date_naive(),
            seconds(caller.last_seen),
            escaped(caller.last_user_agent.as_deref().unwrap_or("-"))
        );
    }
    html.push_str("</table></div>\n");
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
