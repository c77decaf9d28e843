//! Rust files as streams of words: no comments, no strings, no tests, and
//! nothing of what the file only quotes. Deciding which words are wrong is
//! left to the rules.

use crate::crates_and_sources::Source;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::str::FromStr;

/// Macros whose input is code of another file.
const QUOTES: [&str; 5] = [
    "quote",
    "quote_spanned",
    "parse_quote",
    "parse_quote_spanned",
    "format_ident",
];

/// The words of a file outside of its tests: names, literals,
/// punctuation, and the brackets of every kind.
pub(crate) fn words(source: &Source) -> Vec<String> {
    let tokens = TokenStream::from_str(&source.text)
        .unwrap_or_else(|error| panic!("{} is not Rust: {error}", source.path));
    let mut words = Vec::new();
    collect(tokens, &mut words);
    words
}

/// Whether a file holds only tests, by its place.
pub(crate) fn is_test(source: &Source) -> bool {
    source
        .path
        .split('/')
        .any(|part| part == "tests" || part == "tests.rs")
}

/// Whether a file is a piece of generated code, which the generator takes in as
/// text, and no module of its own.
pub(crate) fn is_template(source: &Source) -> bool {
    source.path.contains("/templates/")
}

fn collect(tokens: TokenStream, words: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some(end) = end_of_test(&tokens, at).or_else(|| end_of_quote(&tokens, at)) {
            at = end;
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                let (open, close) = delimiters(group.delimiter());
                words.push(open.to_owned());
                collect(group.stream(), words);
                words.push(close.to_owned());
            }
            other => words.push(other.to_string()),
        }
        at += 1;
    }
}

fn delimiters(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::None => ("", ""),
    }
}

/// Where an item that stands at `at` and begins with `#[cfg(test)]` ends.
fn end_of_test(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let attribute = tokens.get(at + 1)?.to_string().replace(' ', "");
    if !is_punct(&tokens[at], '#') || attribute != "[cfg(test)]" {
        return None;
    }
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        other => is_punct(other, ';'),
    };
    tokens[at + 2..]
        .iter()
        .position(is_end)
        .map(|end| at + 2 + end + 1)
}

/// Where a quotation that stands at `at` ends.
fn end_of_quote(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let is_quote =
        matches!(&tokens[at], TokenTree::Ident(name) if QUOTES.iter().any(|quote| name == quote));
    let is_call = is_quote
        && is_punct(tokens.get(at + 1)?, '!')
        && matches!(tokens.get(at + 2), Some(TokenTree::Group(_)));
    is_call.then_some(at + 3)
}

fn is_punct(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}

#[cfg(test)]
mod tests {
    use super::{Source, words};

    #[test]
    fn tests_quotations_comments_and_strings_are_no_words_of_a_file() {
        let text = r#"
            //! fs in a comment
            fn f() { "fs"; quote! { std::fs::read() } }
            #[cfg(test)]
            mod tests { use std::fs; }
            fn last() {}
        "#;
        let source = Source {
            path: "f.rs".to_owned(),
            text: text.to_owned(),
        };
        let found = words(&source);
        assert!(!found.contains(&"fs".to_owned()), "{found:?}");
        assert!(found.contains(&"last".to_owned()), "{found:?}");
    }
}
