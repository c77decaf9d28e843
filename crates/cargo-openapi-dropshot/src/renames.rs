//! Gives the types of inline schemas the names that the configuration asks for, and lists
//! the names that the generator gave.

use crate::{FILE, Project, files::Files};
use anyhow::{Result, bail, ensure};
use openapi_dropshot_contract::{Document, suggest::did_you_mean};

/// Replaces the names in the generated files.
pub(crate) fn apply(project: &Project, document: &Document, files: &mut Files) -> Result<()> {
    if project.renames.is_empty() {
        return Ok(());
    }
    let inline = openapi_dropshot::inline_types(document).unwrap_or_default();
    for (old, new) in &project.renames {
        if !inline.iter().any(|(_, name)| name == old) {
            let known = inline.iter().map(|(_, name)| name.as_str());
            let otherwise = "run `generate` without the entry: it prints the names that it gives to inline schemas";
            let help = did_you_mean(old, known, otherwise);
            bail!(
                "{FILE}: `[document.rename]` renames `{old}`, but no inline schema of {} has a type with this name: {help}",
                project.document
            );
        }
        ensure!(
            !files.values().any(|text| contains(text, new)),
            "{FILE}: `[document.rename]` renames `{old}` to `{new}`, which the generated code of {} has already: choose another \
             name",
            project.document
        );
        ensure!(
            !contains(&document.text, old),
            "{FILE}: `[document.rename]` renames `{old}`, but {} itself has this word: rename it there, or move the schema to \
             `components.schemas` under the name that you want",
            project.document
        );
        for text in files.values_mut() {
            *text = replaced(text, old, new);
        }
    }
    Ok(())
}

/// Returns a line for each inline schema whose type is new in these files: the name and the
/// place of the schema.
pub(crate) fn new_names(project: &Project, document: &Document, before: &[&str]) -> Vec<String> {
    let inline = openapi_dropshot::inline_types(document).unwrap_or_default();
    let mut lines = Vec::new();
    for (place, name) in inline {
        let renamed = project.renames.iter().find(|(old, _)| *old == name);
        let name = renamed.map_or(name.as_str(), |(_, new)| new);
        if before.iter().any(|text| contains(text, name)) {
            continue;
        }
        let at = document.root.pointer(&place).map(|node| &node.at);
        let line = at.map_or(String::new(), |at| format!("{}:{}: ", at.line, at.column));
        lines.push(format!(
            "named   {name}: the inline schema at {line}{place}"
        ));
    }
    lines
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The places of a word in a text, in bytes.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = text[..*at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            !before.is_some_and(is_of_word) && !after.is_some_and(is_of_word)
        })
}

fn contains(text: &str, word: &str) -> bool {
    places(text, word).next().is_some()
}

fn replaced(text: &str, old: &str, new: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut end = 0;
    for at in places(text, old) {
        result.push_str(&text[end..at]);
        result.push_str(new);
        end = at + old.len();
    }
    result + &text[end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_replaced() {
        let text = "NewNote, NewNoteText, ANewNote, `NewNote` r#NewNote NewNote";
        assert_eq!(
            replaced(text, "NewNote", "Note"),
            "Note, NewNoteText, ANewNote, `Note` r#Note Note"
        );
        assert!(!contains("NewNoteText", "NewNote"));
    }
}
