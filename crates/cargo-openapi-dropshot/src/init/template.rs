//! Fills the templates of new files: `{{name}}` is replaced by a value, and the text between `{{#name}}` and `{{/name}}` is
//! kept only if the value is not empty.

use std::collections::BTreeMap;

/// The values for a template, by name. A name without a value counts as empty.
#[derive(Clone, Default)]
pub(super) struct Values(BTreeMap<String, String>);

impl Values {
    pub(super) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Sets whether the parts with this name are kept.
    pub(super) fn keep(&mut self, name: &str, is_kept: bool) {
        self.set(name, if is_kept { "yes" } else { "" });
    }

    fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Returns the text with the values inserted.
    pub(super) fn fill(&self, text: &str) -> String {
        let Some((before, rest)) = text.split_once("{{") else {
            return text.to_owned();
        };
        let Some((tag, after)) = rest.split_once("}}") else {
            return text.to_owned();
        };
        let Some(name) = tag.strip_prefix('#') else {
            return format!("{before}{}{}", self.get(tag), self.fill(after));
        };
        let end = format!("{{{{/{name}}}}}");
        let (inside, after) = after.split_once(&end).unwrap_or((after, ""));
        // A tag that is alone on its line is removed together with the line.
        let is_line = before.is_empty() || before.ends_with('\n');
        let inside = inside
            .strip_prefix('\n')
            .filter(|_| is_line)
            .unwrap_or(inside);
        let is_line = inside.is_empty() || inside.ends_with('\n');
        let after = after
            .strip_prefix('\n')
            .filter(|_| is_line)
            .unwrap_or(after);
        let inside = match self.get(name) {
            "" => String::new(),
            _ => self.fill(inside),
        };
        format!("{before}{inside}{}", self.fill(after))
    }
}

#[cfg(test)]
mod tests;
