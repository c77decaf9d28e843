//! Gate `changelog`: the changelog has an entry for each change since the newest
//! release, and all versions are that of the newest release.

use super::{Finding, Inputs, Outcome};
use crate::{
    counted, name_of,
    release::{
        changelog::{Changelog, UNRELEASED},
        versions::{self, MANIFEST},
    },
};
use anyhow::Result;
use openapi_dropshot_contract::{
    Document, Problem,
    diff::Change,
    model::{Location, unescape_pointer_token},
    release::Version,
};
use std::collections::BTreeMap;

/// The groups of a section.
const GROUPS: &[&str] = &[
    "Added",
    "Changed",
    "Deprecated",
    "Removed",
    "Fixed",
    "Security",
];

pub(super) fn run(inputs: &Inputs<'_>) -> Result<Outcome> {
    let changelog = Changelog::read(inputs.project)?;
    let fix = format!("follow the help in {}", changelog.file);
    let mut gate = Gate {
        inputs,
        changelog,
        findings: Vec::new(),
    };
    gate.check_form();
    gate.check_versions()?;
    gate.check_entries();
    let newest = inputs.newest().map_or_else(
        || "nothing is released yet".to_owned(),
        |newest| format!("the newest release is {}", newest.version),
    );
    let summary = match gate.findings.len() {
        0 => format!("names every change; {newest}"),
        count => format!("{}; {newest}", counted(count, "fault")),
    };
    Ok(Outcome {
        summary,
        findings: gate.findings,
        fix: Some(fix),
    })
}

struct Gate<'a> {
    inputs: &'a Inputs<'a>,
    changelog: Changelog,
    findings: Vec<Finding>,
}

impl Gate<'_> {
    /// Reports a fault of the changelog, with the lines around it.
    fn fault(&mut self, rule: &'static str, at: &Location, message: String, help: &str) {
        let problem = Problem::error(rule, at, message, help);
        let finding = Finding::in_text(problem, &self.changelog.text);
        self.findings.push(finding);
    }

    /// Checks that the section Unreleased comes first, and then the releases from the newest on.
    fn check_form(&mut self) {
        const RULE: &str = "changelog-form";
        if self.changelog.unreleased().is_none() {
            let first = self.changelog.sections.first();
            let start = Location::start(&self.changelog.file);
            let at = first.map_or(start, |section| section.at.clone());
            let message = format!("the first section is not `## {UNRELEASED}`");
            let help = format!("put `## {UNRELEASED}` on top, for the changes of the next release");
            self.fault(RULE, &at, message, &help);
        }
        let mut newer: Option<Version> = None;
        for section in self.changelog.sections.clone() {
            for (index, line) in section.body.lines().enumerate() {
                let group = line.strip_prefix("### ").map(str::trim);
                if let Some(group) = group.filter(|group| !GROUPS.contains(group)) {
                    let line = section.at.line + 1 + index;
                    let at = Location {
                        line,
                        ..section.at.clone()
                    };
                    let message = format!("`{group}` is not a group of changes");
                    let help = format!("write one of {}", GROUPS.join(", "));
                    self.fault(RULE, &at, message, &help);
                }
            }
            if section.title == UNRELEASED {
                continue;
            }
            let Some(version) = section.version() else {
                let message = format!("`{}` is not a release", section.title);
                let help = "write version and day, as in `## 1.0.0 - 2026-11-20`";
                self.fault(RULE, &section.at, message, help);
                continue;
            };
            if newer.is_some_and(|newer| newer <= version) {
                let message = format!("{version} stands below a release that is not newer");
                let help = "put the newest release first, and each once";
                self.fault(RULE, &section.at, message, help);
            }
            newer = Some(version);
        }
    }

    /// Checks that document, changelog and manifest have the version of the newest release.
    fn check_versions(&mut self) -> Result<()> {
        let inputs = self.inputs;
        let Some(newest) = inputs.newest().map(|newest| newest.version) else {
            return Ok(());
        };
        let release = inputs.project.task("release");
        let help = format!("write {newest}; `{release}` changes all versions together");
        if let Some(document) = inputs.document() {
            let version = &document.info.version;
            if version.value != newest.to_string() {
                let message = format!(
                    "the version is {}, but {newest} was released last",
                    version.value
                );
                let problem = Problem::error("version", &version.at, message, &help);
                self.findings.push(Finding::in_text(problem, &inputs.text));
            }
        }
        let sections = self.changelog.sections.iter();
        let sections: Vec<(Version, Location)> = sections
            .filter_map(|section| Some((section.version()?, section.at.clone())))
            .collect();
        for released in &inputs.releases.documents {
            let version = released.version;
            if !sections.iter().any(|(own, _)| *own == version) {
                let at = Location::start(&self.changelog.file);
                let message = format!("{} was released, but has no section", released.path);
                let help =
                    format!("add `## {version} - ` with the day, and the changes of that release");
                self.fault("release-without-section", &at, message, &help);
            }
        }
        if let Some((own, at)) = sections.first().filter(|(own, _)| *own > newest) {
            let message =
                format!("{own} has a section, but the newest released document is {newest}");
            let help = format!("leave it under `## {UNRELEASED}`, and run: {release} {own}");
            self.fault("section-without-release", at, message, &help);
        }
        if !inputs.project.cargo_version {
            return Ok(());
        }
        let manifest = inputs.project.read(MANIFEST)?;
        for mention in versions::of_manifest(&manifest)? {
            if mention.version != newest.to_string() {
                let at = mention.at(MANIFEST, &manifest);
                let message = format!(
                    "the version of {} is {}, but {newest} was released last",
                    mention.of, mention.version
                );
                let problem = Problem::error("version", &at, message, &help);
                self.findings.push(Finding::new(problem));
            }
        }
        Ok(())
    }

    /// Checks that every change since the newest release has an entry under Unreleased.
    fn check_entries(&mut self) {
        const RULE: &str = "changelog-entry";
        let inputs = self.inputs;
        // `check_form` has reported a missing section.
        let (Some(newest), Some(document), Some(unreleased)) = (
            inputs.newest(),
            inputs.document(),
            self.changelog.unreleased().cloned(),
        ) else {
            return;
        };
        if !unreleased.has_entries() {
            if !newest.root.same_value(&document.root) {
                let message = format!(
                    "{} has changed since {}, but the changelog names no change",
                    inputs.file, newest.version
                );
                let help = "write what the change means for the readers of the next release";
                self.fault(RULE, &unreleased.at, message, help);
            }
            return;
        }
        for changes in by_place(inputs.changes.as_deref().unwrap_or_default()).values() {
            if is_named_in(document, changes, &unreleased.body) {
                continue;
            }
            let change = changes[0];
            let name = change.operation.as_deref().unwrap_or("the contract");
            let at = change.at.revision.as_ref().or(change.at.base.as_ref());
            let place = at.map_or(String::new(), |at| format!(" ({at})"));
            let message = format!(
                "this change of {name} has no changelog entry: {}{place}",
                change.text
            );
            let help = format!("add an entry that names `{name}`, under `## {UNRELEASED}`");
            self.fault(RULE, &unreleased.at, message, &help);
        }
    }
}

/// The changes of operations, grouped by place: a change of a part that several
/// operations share needs one entry.
fn by_place(changes: &[Change]) -> BTreeMap<(&str, &str), Vec<&Change>> {
    let mut places: BTreeMap<(&str, &str), Vec<&Change>> = BTreeMap::new();
    for change in changes.iter().filter(|change| change.operation.is_some()) {
        let place = (pointer(&change.at.base), pointer(&change.at.revision));
        places.entry(place).or_default().push(change);
    }
    places
}

fn pointer(at: &Option<Location>) -> &str {
    at.as_ref().map_or("", |at| at.pointer.as_str())
}

/// Whether an entry names one of these changes: its operation, by method and path
/// or by its id, or the component that contains it.
fn is_named_in(document: &Document, changes: &[&Change], body: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || "/{}_-.$".contains(c);
    let words: Vec<&str> = (body.split(|c| !is_of_word(c)))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    changes.iter().any(|change| {
        let places = [pointer(&change.at.base), pointer(&change.at.revision)];
        (change.operation.iter()).any(|operation| is_named(document, operation, &words))
            || (places.iter().filter_map(|pointer| component(pointer)))
                .any(|name| body.contains(&format!("`{name}`")))
    })
}

/// Whether an operation, such as `GET /books`, is named. The path may have the
/// prefix under which the service binds it.
fn is_named(document: &Document, name: &str, words: &[&str]) -> bool {
    let (method, path) = name.split_once(' ').unwrap_or(("", name));
    let mut operations = document.operations.iter();
    let operation = operations.find(|operation| name_of(operation) == name);
    let id = operation.and_then(|operation| operation.id.as_ref());
    let mut pairs = words.windows(2);
    pairs.any(|pair| pair[0] == method && pair[1].ends_with(path))
        || id.is_some_and(|id| words.contains(&id.value.as_str()))
}

/// The component that a pointer leads into.
fn component(pointer: &str) -> Option<String> {
    let mut tokens = pointer.strip_prefix("/components/")?.split('/').skip(1);
    tokens.next().map(unescape_pointer_token)
}
