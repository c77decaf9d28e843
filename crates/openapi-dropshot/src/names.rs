//! Converts names of the document to Rust names that are unique and are not reserved words.

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};
use proc_macro2::{Ident, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the name of a type or a variant: `tool-kind` becomes `ToolKind`.
pub(crate) fn pascal(name: &str) -> String {
    identifier(name, |name| name.to_upper_camel_case(), "V", "Value")
}

/// Returns the name of a field, function or module: `categoryId` becomes `category_id`.
pub(crate) fn snake(name: &str) -> String {
    identifier(name, |name| name.to_snake_case(), "value_", "_")
}

/// Makes an identifier from a name, with `prefix` before a leading digit and `suffix` after a
/// reserved word.
fn identifier(name: &str, case: fn(&str) -> String, prefix: &str, suffix: &str) -> String {
    let mut text = case(name);
    text.retain(|letter| letter == '_' || letter.is_alphanumeric());
    if text.is_empty() {
        text = case(match name {
            "" => "empty",
            "*" => "any",
            "+" => "plus",
            "-" => "minus",
            _ => "value",
        });
    }
    if text.starts_with(char::is_numeric) {
        text.insert_str(0, prefix);
    }
    // syn does not yet know `gen` as a reserved word.
    let is_identifier = |text: &str| text != "gen" && syn::parse_str::<Ident>(text).is_ok();
    if is_identifier(&text) {
        return text;
    }
    let suffixed = format!("{text}{suffix}");
    if is_identifier(&suffixed) {
        return suffixed;
    }
    // Characters that Rust does not accept are replaced by their numbers.
    let spelled = text.chars().map(|letter| match letter.is_ascii() {
        true => letter.to_string(),
        false => format!("u{:x}", u32::from(letter)),
    });
    spelled.collect()
}

/// Makes an identifier from the result of one of the functions above.
pub(crate) fn ident(text: &str) -> Ident {
    Ident::new(text, Span::call_site())
}

/// The unique names of one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    /// New names for types of inline schemas, by the names that they would have.
    renames: BTreeMap<String, String>,
    /// The names that were replaced, by their new names.
    replaced: BTreeMap<String, String>,
}

impl Names {
    /// A scope in which these names are already used.
    pub(crate) fn without<'n>(taken: impl IntoIterator<Item = &'n str>) -> Self {
        Names {
            taken: taken.into_iter().map(str::to_owned).collect(),
            ..Names::default()
        }
    }

    /// The same scope, with new names for types of inline schemas.
    pub(crate) fn with_renames(self, renames: &BTreeMap<String, String>) -> Self {
        let renames = renames.clone();
        Names { renames, ..self }
    }

    /// Like [`claim`](Self::claim), for the type of an inline schema, which may be renamed.
    pub(crate) fn claim_inline(&mut self, wanted: &str) -> String {
        let name = self.claim(wanted);
        let Some(new) = self.renames.get(&name).cloned() else {
            return name;
        };
        let new = self.claim(&new);
        self.replaced.insert(new.clone(), name);
        new
    }

    /// The name that the type of an inline schema would have without a rename.
    pub(crate) fn before_rename<'n>(&'n self, name: &'n str) -> &'n str {
        self.replaced.get(name).map_or(name, String::as_str)
    }

    /// Returns the name itself, or the name with the lowest number from 2 that makes it unique.
    pub(crate) fn claim(&mut self, wanted: &str) -> String {
        let ends_with_digit = wanted.ends_with(|last: char| last.is_ascii_digit());
        let is_apart = ends_with_digit || wanted.starts_with(char::is_lowercase);
        let separator = if is_apart { "_" } else { "" };
        let mut name = wanted.to_owned();
        let mut number = 2_u64;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}{separator}{number}");
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests;
