//! Reads the changelog: its sections with their lines.

use crate::Project;
use anyhow::{Context, Result};
use chrono::NaiveDate;
use openapi_dropshot_contract::{model::Location, release::Version};
use std::{fs, ops::Range, sync::Arc};

/// The title of the section on top.
pub(crate) const UNRELEASED: &str = "Unreleased";

/// The changelog.
pub(crate) struct Changelog {
    /// The file, relative to the root.
    pub(crate) file: Arc<str>,
    /// The whole text.
    pub(crate) text: Arc<str>,
    /// Its sections, in the order of the file: the newest first.
    pub(crate) sections: Vec<Section>,
}

/// A heading of the second level with the text below it.
pub(crate) struct Section {
    /// The heading without `## `.
    pub(crate) title: String,
    /// The line of the heading, from 1.
    pub(crate) line: usize,
    /// The text below the heading, in bytes of the file.
    body: Range<usize>,
}

impl Changelog {
    /// Reads the changelog of a project.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub(crate) fn read(project: &Project) -> Result<Self> {
        let file = &project.changelog;
        let text = fs::read_to_string(project.path(file))
            .with_context(|| format!("cannot read {file}"))?;
        Ok(Changelog::parse(file, &text))
    }

    fn parse(file: &str, text: &str) -> Self {
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
            file: Arc::from(file),
            text: Arc::from(text),
            sections,
        }
    }

    /// The section on top, where it is that of the unreleased changes.
    pub(crate) fn unreleased(&self) -> Option<&Section> {
        (self.sections.first()).filter(|section| section.title == UNRELEASED)
    }

    /// The text of a section.
    pub(crate) fn body(&self, section: &Section) -> &str {
        &self.text[section.body.clone()]
    }

    /// Whether a section has text below its headings.
    pub(crate) fn has_entries(&self, section: &Section) -> bool {
        let mut lines = self.body(section).lines().map(str::trim);
        lines.any(|line| !line.is_empty() && !line.starts_with('#'))
    }

    /// The place of a section's heading.
    pub(crate) fn at(&self, section: &Section) -> Location {
        Location {
            line: section.line,
            ..Location::start(&self.file)
        }
    }

    /// The text with the unreleased changes as the section of a version, and a new,
    /// empty section on top; `None` where there is no section of unreleased changes.
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
}
