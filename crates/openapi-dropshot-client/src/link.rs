//! Reads the links of a response (RFC 8288): to the next page, and to the successor of a deprecated operation. Links
//! with an anchor are ignored.

use http::{HeaderMap, header::LINK};
use reqwest::Url;
use std::borrow::Cow;

/// Returns the target of the first link with `rel="next"`, unchanged.
pub(crate) fn next(headers: &HeaderMap) -> Option<String> {
    target(headers, "next")
}

/// Returns the target of the first link with this relation, unchanged.
pub(crate) fn target(headers: &HeaderMap, relation: &str) -> Option<String> {
    headers
        .get_all(LINK)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(links)
        .find_map(|(target, relations)| {
            let mut relations = relations.split_ascii_whitespace();
            let is_it = relations.any(|other| other.eq_ignore_ascii_case(relation));
            is_it.then(|| target.to_owned())
        })
}

/// Returns the cursor in the query of a link's target. The target may be relative.
pub(crate) fn cursor(target: &str) -> Option<String> {
    let anywhere = Url::parse("http://localhost/").ok()?;
    query_value(&anywhere.join(target).ok()?, "cursor")
}

/// Returns a value from the query of a URL, decoded.
pub(crate) fn query_value(url: &Url, name: &str) -> Option<String> {
    let mut pairs = url.query_pairs();
    let (_, value) = pairs.find(|(key, _)| key == name)?;
    Some(value.into_owned())
}

/// The links of one field value, each with its target and the value of its first `rel`; further ones are ignored (section 3.3). A link
/// with an anchor belongs to another resource than the response, so it has no relations here. The list ends at the first part that is
/// not well-formed (appendix B.2).
fn links(value: &str) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
    let mut left = Some(value);
    std::iter::from_fn(move || {
        let rest = left.take()?.trim_start_matches([' ', '\t', ',']);
        let (target, after) = rest.strip_prefix('<')?.split_once('>')?;
        let mut relations = None;
        let mut anchored = false;
        let mut rest = after.trim_start();
        while let Some(after) = rest.strip_prefix(';') {
            let (name, value, after) = parameter(after.trim_start());
            if name.eq_ignore_ascii_case("rel") {
                relations.get_or_insert(value);
            } else if name.eq_ignore_ascii_case("anchor") {
                anchored = true;
            }
            rest = after.trim_start();
        }
        // A comma continues the list; anything else ends it.
        left = rest.strip_prefix(',');
        let relations = relations.filter(|_| !anchored);
        Some((target, relations.unwrap_or_default()))
    })
}

/// Parses a parameter of a link: its name, its value, and the remaining text.
fn parameter(text: &str) -> (&str, Cow<'_, str>, &str) {
    let end = text.find(['=', ';', ',']).unwrap_or(text.len());
    let name = text[..end].trim_end();
    let Some(value) = text[end..].strip_prefix('=').map(str::trim_start) else {
        return (name, Cow::default(), &text[end..]);
    };
    if let Some(quoted) = value.strip_prefix('"') {
        let (value, rest) = unquoted(quoted);
        return (name, value.into(), rest);
    }
    let end = value.find([';', ',']).unwrap_or(value.len());
    (name, value[..end].trim_end().into(), &value[end..])
}

/// Parses a quoted string (RFC 9110, section 5.6.4): its content, and the remaining text.
fn unquoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => value.extend(characters.next()),
            other => value.push(other),
        }
    }
    (value, characters.as_str())
}

#[cfg(test)]
mod tests;
