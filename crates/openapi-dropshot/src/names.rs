//! Turns names of the document into names of Rust, without clashes and without
//! reserved words.

use proc_macro2::{Ident, Span};
use std::collections::BTreeSet;

/// Words that cannot be an identifier, not even a raw one in every place.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "Self", "static", "struct", "super", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "_",
];

/// The words of a name: `HTTPServer_id2` is `http`, `server`, `id2`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (index, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
            continue;
        }
        let before = index
            .checked_sub(1)
            .and_then(|before| letters.get(before))
            .copied()
            .unwrap_or(' ');
        let after = letters.get(index + 1).copied().unwrap_or(' ');
        let starts = letter.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || (before.is_uppercase() && after.is_lowercase()));
        if starts {
            words.push(std::mem::take(&mut word));
        }
        word.extend(letter.to_lowercase());
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The name of a type or a variant: `tool-kind` is `ToolKind`.
pub(crate) fn pascal(name: &str) -> String {
    let joined: String = words(name)
        .into_iter()
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_uppercase().chain(letters).collect::<String>())
                .unwrap_or_default()
        })
        .collect();
    identifier(&joined, name, "Value", "V")
}

/// The name of a field, function or module: `categoryId` is `category_id`.
pub(crate) fn snake(name: &str) -> String {
    identifier(&words(name).join("_"), name, "value", "value_")
}

/// Makes an identifier of the remaining characters of a name.
fn identifier(candidate: &str, name: &str, empty: &str, prefix: &str) -> String {
    let mut text: String = candidate
        .chars()
        .filter(|letter| *letter == '_' || unicode(*letter))
        .collect();
    if text.is_empty() {
        text = match name {
            "" => "empty".to_owned(),
            "*" => "any".to_owned(),
            "+" => "plus".to_owned(),
            "-" => "minus".to_owned(),
            _ => empty.to_owned(),
        };
        if prefix == "V" {
            text = pascal_word(&text);
        }
    }
    if text.chars().next().is_some_and(char::is_numeric) {
        text.insert_str(0, prefix);
    }
    if syn::parse_str::<Ident>(&text).is_err() && !KEYWORDS.contains(&text.as_str()) {
        // Letters that Rust does not take: spelled as their numbers.
        text = text
            .chars()
            .map(|letter| {
                if letter.is_ascii() {
                    letter.to_string()
                } else {
                    format!("u{:x}", u32::from(letter))
                }
            })
            .collect();
    }
    if KEYWORDS.contains(&text.as_str()) {
        // A type or a variant has no underscore.
        text.push_str(if prefix == "V" { "Value" } else { "_" });
    }
    text
}

/// A word with a capital.
fn pascal_word(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// Whether a letter may stand in an identifier as far as we let it.
fn unicode(letter: char) -> bool {
    letter.is_alphanumeric()
}

/// An identifier of a text that one of the functions above made.
pub(crate) fn ident(text: &str) -> Ident {
    Ident::new(text, Span::call_site())
}

/// The names of one place, each given out once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// Names of which some are taken from the start.
    pub(crate) fn without(taken: &[&str]) -> Self {
        Names(taken.iter().map(|name| (*name).to_owned()).collect())
    }

    /// The name itself, or with the first number from 2 on that makes it new.
    pub(crate) fn claim(&mut self, wanted: &str) -> String {
        let ends_with_digit = wanted.ends_with(|last: char| last.is_ascii_digit());
        let separator = if ends_with_digit || wanted.starts_with(char::is_lowercase) {
            "_"
        } else {
            ""
        };
        let mut name = wanted.to_owned();
        let mut number = 2_u64;
        while !self.0.insert(name.clone()) {
            name = format!("{wanted}{separator}{number}");
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_rusts_own() {
        for (name, type_name, field) in [
            ("listTools", "ListTools", "list_tools"),
            ("HTTPServer", "HttpServer", "http_server"),
            ("x-request-id", "XRequestId", "x_request_id"),
            ("type", "Type", "type_"),
            ("self", "SelfValue", "self_"),
            ("3d", "V3d", "value_3d"),
            ("", "Empty", "empty"),
            ("@", "Value", "value"),
            ("skos:broader", "SkosBroader", "skos_broader"),
            ("naïve", "Naïve", "naïve"),
            ("id2Name", "Id2Name", "id2_name"),
        ] {
            assert_eq!(pascal(name), type_name, "{name}");
            assert_eq!(snake(name), field, "{name}");
        }
    }

    #[test]
    fn every_name_is_an_identifier() {
        for name in [
            "²", "①", "ǅ", "日本", "a\u{301}", "🦀", "İ", "ß", "_", "__", "Ⅷ", "٣",
        ] {
            for made in [pascal(name), snake(name)] {
                assert!(
                    syn::parse_str::<Ident>(&made).is_ok(),
                    "{name:?} gave {made:?}"
                );
            }
        }
    }

    #[test]
    fn a_name_is_given_out_once() {
        let mut names = Names::without(&["Option"]);
        assert_eq!(names.claim("Tool"), "Tool");
        assert_eq!(names.claim("Tool"), "Tool2");
        assert_eq!(names.claim("Tool2"), "Tool2_2");
        assert_eq!(names.claim("Option"), "Option2");
        assert_eq!(names.claim("name"), "name");
        assert_eq!(names.claim("name"), "name_2");
    }
}
