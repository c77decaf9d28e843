//! Describes the deprecation and the removal of an operation, as text and as header values. The
//! models, the trait and the client use these texts.

use crate::docs::one_line;
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use openapi_dropshot_contract::model::{Operation, Stability};

/// The deprecation of an operation as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeprecationNote {
    /// The version that deprecated the operation, if the document names it.
    pub(crate) since_version: Option<String>,
    /// For `#[deprecated(note = …)]`: "removed on 5 December 2030; use `GET
    /// /tools` with a `status` filter".
    pub(crate) note: String,
    /// For documentation: "Deprecated since 1.0.0 (20 November 2026); removed
    /// on … filter."
    pub(crate) sentence: String,
    /// Whether the description already contains the date of the removal. If so, documentation that
    /// contains the description does not need the sentence.
    pub(crate) is_described: bool,
}

/// The texts of a deprecated operation; `None` if it is not deprecated.
pub(crate) fn deprecation_note(operation: &Operation) -> Option<DeprecationNote> {
    if !operation.deprecated {
        return None;
    }
    let lifecycle = &operation.lifecycle;
    let since_version = lifecycle.since_version.as_ref();
    let since_version = since_version.map(|version| version.value.clone());
    let since_day = lifecycle.since.as_ref().map(|day| in_words(day.value));
    let since = match (&since_version, since_day) {
        (Some(version), Some(day)) => format!("Deprecated since {version} ({day})"),
        (Some(version), None) => format!("Deprecated since {version}"),
        (None, Some(day)) => format!("Deprecated since {day}"),
        (None, None) => "Deprecated".to_owned(),
    };
    let sunset = lifecycle.sunset.as_ref().map(|day| day.value);
    let removed = sunset.map(|day| format!("removed on {}", in_words(day)));
    let replacement = lifecycle.replacement.as_ref();
    let instead = replacement.map(|replacement| one_line(&replacement.note));
    let advice: Vec<String> = removed.into_iter().chain(instead).collect();
    let (note, sentence) = if advice.is_empty() {
        let note = "the document names neither a removal date nor a replacement";
        (note.to_owned(), format!("{since}."))
    } else {
        let note = advice.join("; ");
        let sentence = format!("{since}; {note}.");
        (note, sentence)
    };
    Some(DeprecationNote {
        since_version,
        note,
        sentence,
        is_described: sunset.is_some_and(|day| {
            names_day(operation.description.as_deref().unwrap_or_default(), day)
        }),
    })
}

/// Returns whether a text names a day, such as `5 December 2030` or `2030-12-05`.
fn names_day(text: &str, day: NaiveDate) -> bool {
    let text = one_line(text);
    [in_words(day), day.to_string()].iter().any(|day| {
        let mut places = text.match_indices(day.as_str());
        places.any(|(at, _)| !text[..at].ends_with(|before: char| before.is_ascii_digit()))
    })
}

/// Returns a sentence about a stability level below stable; `None` if the level is stable.
pub(crate) fn stability_sentence(level: Option<Stability>) -> Option<&'static str> {
    match level {
        Some(Stability::Experimental) => Some("Experimental: may change or vanish at any time."),
        Some(Stability::Beta) => Some("Beta: may change, with a warning."),
        Some(Stability::Stable) | None => None,
    }
}

/// Returns a sentence with the limits of an operation; `None` if it has none.
pub(crate) fn limits_sentence(operation: &Operation) -> Option<String> {
    let limits = operation.limits.iter().map(|&(name, number)| match name {
        "body-bytes" => format!("bodies of at most {number} bytes"),
        "deadline-seconds" => format!("at most {number} seconds"),
        "concurrency" => format!("at most {number} requests at the same time"),
        _ => format!("each request counts as {number} requests of the rate limit"),
    });
    let limits: Vec<String> = limits.collect();
    (!limits.is_empty()).then(|| format!("Limits of the service: {}.", limits.join(", ")))
}

/// Formats a date as text: `5 December 2030`.
fn in_words(day: NaiveDate) -> String {
    day.format("%-d %B %Y").to_string()
}

/// The first moment of a day, in UTC.
pub(crate) fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

/// A day as the value of `Sunset` (RFC 8594, an HTTP-date).
pub(crate) fn http_date(day: NaiveDate) -> String {
    midnight(day)
        .format("%a, %d %b %Y %H:%M:%S GMT")
        .to_string()
}

/// Returns the relative reference (RFC 3986, section 4.2) from an address on one path to another
/// path; `None` if the other path has variables that the first one does not have.
pub(crate) fn relative_reference(from: &str, to: &str) -> Option<String> {
    let from: Vec<&str> = from.trim_start_matches('/').split('/').collect();
    let to: Vec<&str> = to.trim_start_matches('/').split('/').collect();
    let folder = &from[..from.len().saturating_sub(1)];
    let last = to.len().saturating_sub(1);
    let both = folder.iter().zip(&to[..last]);
    let shared = both.take_while(|(a, b)| a == b).count();
    let rest = to[shared..].join("/");
    if rest.contains('{') {
        return None;
    }
    let up = "../".repeat(folder.len() - shared);
    // A first segment with a colon would be read as a URI scheme.
    let needs_dot = up.is_empty() && (rest.is_empty() || rest.contains(':'));
    let here = if needs_dot { "./" } else { "" };
    Some(format!("{up}{here}{rest}"))
}

#[cfg(test)]
mod tests;
