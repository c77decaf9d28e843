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
        .find_map(|link| {
            let is_it = link
                .relations
                .split_ascii_whitespace()
                .any(|rel| rel.eq_ignore_ascii_case(relation));
            // A link with an anchor belongs to another resource than this response.
            (is_it && !link.anchored).then(|| link.target.to_owned())
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

/// A link in the header.
struct Link<'a> {
    target: &'a str,
    /// The value of the first `rel`; further ones are ignored (section 3.3).
    relations: Cow<'a, str>,
    anchored: bool,
}

/// The links of one field value. The list ends at the first part that is not well-formed (appendix B.2).
fn links(value: &str) -> impl Iterator<Item = Link<'_>> {
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
        Some(Link {
            target,
            relations: relations.unwrap_or_default(),
            anchored,
        })
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
