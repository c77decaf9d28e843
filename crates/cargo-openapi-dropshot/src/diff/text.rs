//! Prints changes as text: one paragraph for each, the most severe first, and a count.

use openapi_dropshot_contract::diff::{Change, Level};

/// How many changes are of this level.
pub(super) fn count(changes: &[Change], level: Level) -> usize {
    changes
        .iter()
        .filter(|change| change.level == level)
        .count()
}

/// All changes, and a line that counts them.
pub(super) fn render(changes: &[Change]) -> String {
    let mut text: String = changes.iter().map(paragraph).collect();
    let [errors, warnings, notes] =
        [Level::Err, Level::Warn, Level::Info].map(|level| count(changes, level));
    text.push_str(&format!(
        "{} changes: {errors} ERR, {warnings} WARN, {notes} INFO\n",
        changes.len()
    ));
    text
}

fn paragraph(change: &Change) -> String {
    let operation = change
        .operation
        .as_ref()
        .map_or(String::new(), |operation| format!(" {operation}"));
    let mut text = format!(
        "{}[{}]{operation}\n  {}\n",
        change.level, change.id, change.text
    );
    for (name, at) in [("base", &change.at.base), ("revision", &change.at.revision)] {
        if let Some(at) = at {
            text.push_str(&format!("  {name}: {at} at {}\n", at.pointer));
        }
    }
    text.push('\n');
    text
}
