//! `CHANGELOG.md` as data: its sections, with their lines. What must stand in
//! them is left to the gates, a new section to `release`.

use chrono::NaiveDate;
use openapi_dropshot_contract::{model::Location, release::Version};
use std::{ops::Range, sync::Arc};

/// The file, relative to the root.
pub(crate) const FILE: &str = "CHANGELOG.md";

/// The title of the section on top.
pub(crate) const UNRELEASED: &str = "Unreleased";

/// The changelog.
pub(crate) struct Changelog {
    /// All of it.
    pub(crate) text: Arc<str>,
    /// Its sections, in the order of the file: the newest first.
    pub(crate) sections: Vec<Section>,
}

/// What stands between two headings of the second level.
pub(crate) struct Section {
    /// The heading without `## `.
    pub(crate) title: String,
    /// The line of the heading, from 1.
    pub(crate) line: usize,
    /// Where the heading ends and the text begins, in bytes.
    body: Range<usize>,
}

impl Changelog {
    /// Finds the sections. Any text has some, or none.
    pub(crate) fn parse(text: &str) -> Self {
        let mut sections: Vec<Section> = Vec::new();
        let (mut offset, mut is_code) = (0, false);
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let end = offset + line.len();
            is_code ^= line.starts_with("```");
            if let (false, Some(title)) = (is_code, line.strip_prefix("## ")) {
                sections.push(Section {
                    title: title.trim().to_owned(),
                    line: index + 1,
                    body: end..end,
                });
            } else if let Some(last) = sections.last_mut() {
                last.body.end = end;
            }
            offset = end;
        }
        Changelog {
            text: Arc::from(text),
            sections,
        }
    }

    /// The section on top, where it is the one of what is not released.
    pub(crate) fn unreleased(&self) -> Option<&Section> {
        (self.sections.first()).filter(|section| section.title == UNRELEASED)
    }

    /// The text of a section.
    pub(crate) fn body(&self, section: &Section) -> &str {
        &self.text[section.body.clone()]
    }

    /// Whether a section says anything below its headings.
    pub(crate) fn has_entries(&self, section: &Section) -> bool {
        let mut lines = self.body(section).lines().map(str::trim);
        lines.any(|line| !line.is_empty() && !line.starts_with('#'))
    }

    /// The text with what was not released as the section of a version, and a
    /// new, empty section on top; `None` where there is no such section.
    pub(crate) fn released(&self, version: Version, day: NaiveDate) -> Option<String> {
        let body = &self.unreleased()?.body;
        let (before, after) = self.text.split_at(body.start);
        Some(format!("{before}\n## {version} - {day}\n{after}"))
    }
}

impl Section {
    /// Version and day of a release, from a heading such as `1.0.0 - 2026-11-20`.
    pub(crate) fn release(&self) -> Option<(Version, NaiveDate)> {
        let (version, day) = self.title.split_once(" - ")?;
        let parsed = Version::parse(version)?;
        (parsed.to_string() == version).then_some(())?;
        Some((parsed, day.parse().ok()?))
    }

    /// Where the heading stands.
    pub(crate) fn at(&self) -> Location {
        Location {
            line: self.line,
            ..Location::start(FILE)
        }
    }
}
