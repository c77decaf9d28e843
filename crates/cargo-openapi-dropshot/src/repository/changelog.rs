//! Reads the changelog: its sections, with their places.

use super::versions;
use crate::Project;
use anyhow::Result;
use chrono::NaiveDate;
use openapi_dropshot_contract::{model::Location, release::Version};
use std::sync::Arc;

/// The title of the first section.
pub(crate) const UNRELEASED: &str = "Unreleased";

pub(crate) struct Changelog {
    /// The file, relative to the root.
    pub(crate) file: String,
    /// The whole text.
    pub(crate) text: Arc<str>,
    /// The sections in the order of the file, which is the newest first.
    pub(crate) sections: Vec<Section>,
}

/// A heading of the second level with the text below it.
#[derive(Clone)]
pub(crate) struct Section {
    /// The heading without `## `.
    pub(crate) title: String,
    /// The place of the heading.
    pub(crate) at: Location,
    /// The text below the heading.
    pub(crate) body: String,
}

impl Changelog {
    /// Reads the changelog of a project.
    pub(crate) fn read(project: &Project) -> Result<Self> {
        let file = &project.changelog;
        Ok(Self::parse(file, project.read(file)?))
    }

    /// Parses the text of a changelog.
    pub(crate) fn parse(file: &str, text: String) -> Self {
        let mut sections: Vec<Section> = Vec::new();
        let mut is_code = false;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            is_code ^= line.starts_with("```");
            if let (false, Some(title)) = (is_code, line.strip_prefix("## ")) {
                sections.push(Section {
                    title: title.trim().to_owned(),
                    at: Location::line(file, index + 1),
                    body: String::new(),
                });
            } else if let Some(last) = sections.last_mut() {
                last.body += line;
            }
        }
        Changelog {
            file: file.to_owned(),
            text: Arc::from(text),
            sections,
        }
    }

    /// The first section, if it is the section for the unreleased changes.
    pub(crate) fn unreleased(&self) -> Option<&Section> {
        (self.sections.first()).filter(|section| section.title == UNRELEASED)
    }

    /// The place of the first section; the start of the file if there is none.
    pub(crate) fn top(&self) -> Location {
        let start = Location::start(&self.file);
        (self.sections.first()).map_or(start, |section| section.at.clone())
    }

    /// Returns the text with the unreleased changes as the section of a version, and a new, empty
    /// section before it. Returns `None` if there is no section for unreleased changes.
    pub(crate) fn released(&self, version: Version, day: NaiveDate) -> Option<String> {
        let mut lines: Vec<&str> = self.text.split_inclusive('\n').collect();
        let heading = format!("\n## {version} - {day}\n");
        lines.insert(self.unreleased()?.at.line, &heading);
        Some(lines.concat())
    }
}

impl Section {
    /// Returns whether the section contains text other than headings.
    pub(crate) fn has_entries(&self) -> bool {
        let mut lines = self.body.lines().map(str::trim);
        lines.any(|line| !line.is_empty() && !line.starts_with('#'))
    }

    /// Returns the entries: the list items, including their continuation lines.
    pub(crate) fn entries(&self) -> Vec<String> {
        let mut entries: Vec<String> = Vec::new();
        let mut is_open = false;
        for line in self.body.lines() {
            let is_item = line.starts_with("- ") || line.starts_with("* ");
            if is_item {
                entries.push(line[2..].trim().to_owned());
                is_open = true;
            } else if line.starts_with('#') {
                is_open = false;
            } else if let (true, false, Some(last)) =
                (is_open, line.trim().is_empty(), entries.last_mut())
            {
                last.push(' ');
                last.push_str(line.trim());
            }
        }
        entries
    }

    /// Returns the version of a release, from a heading such as `1.0.0 - 2026-11-20`.
    pub(crate) fn version(&self) -> Option<Version> {
        let (text, day) = self.title.split_once(" - ")?;
        day.parse::<NaiveDate>().ok()?;
        versions::parse(text)
    }
}
