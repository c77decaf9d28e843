//! Gate `changelog`: the changelog has an entry for each change since the newest
//! release, and all versions are that of the newest release.

use super::{Finding, Inputs, Outcome};
use crate::release::{
    changelog::{Changelog, Section, UNRELEASED},
    versions::{self, MANIFEST},
};
use anyhow::{Context, Result};
use openapi_dropshot_contract::{
    Document, Problem, Severity,
    diff::Change,
    model::{Location, unescape_pointer_token},
    release::Version,
};
use std::{collections::BTreeMap, fs};

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
    let mut findings = form(&changelog);
    findings.extend(versions(inputs, &changelog)?);
    findings.extend(entries(inputs, &changelog));
    let newest = inputs.newest().map_or_else(
        || "nothing is released yet".to_owned(),
        |newest| format!("the newest release is {}", newest.version),
    );
    let summary = match findings.len() {
        0 => format!("names every change; {newest}"),
        1 => format!("1 fault; {newest}"),
        count => format!("{count} faults; {newest}"),
    };
    Ok(Outcome {
        summary,
        findings,
        fix: Some(format!("follow the help in {}", changelog.file)),
    })
}

/// A fault of the changelog, shown with the lines around it.
fn fault(
    changelog: &Changelog,
    rule: &'static str,
    at: &Location,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Finding {
    Finding::of_problem(Problem::error(rule, at, message, help), &changelog.text)
}

/// The section Unreleased is on top, and the releases below it, the newest first.
fn form(changelog: &Changelog) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut below: Option<Version> = None;
    if changelog.unreleased().is_none() {
        findings.push(fault(
            changelog,
            "changelog-form",
            &changelog.sections.first().map_or_else(
                || Location::start(&changelog.file),
                |section| changelog.at(section),
            ),
            format!("the first section is not `## {UNRELEASED}`"),
            format!("put `## {UNRELEASED}` on top, for the changes of the next release"),
        ));
    }
    for section in &changelog.sections {
        findings.extend(groups(changelog, section));
        if section.title == UNRELEASED {
            continue;
        }
        let Some((version, _)) = section.release() else {
            findings.push(fault(
                changelog,
                "changelog-form",
                &changelog.at(section),
                format!("`{}` is not a release", section.title),
                "write version and day, as in `## 1.0.0 - 2026-11-20`",
            ));
            continue;
        };
        if below.is_some_and(|newer| newer <= version) {
            findings.push(fault(
                changelog,
                "changelog-form",
                &changelog.at(section),
                format!("{version} stands below a release that is not newer"),
                "put the newest release first, and each once",
            ));
        }
        below = Some(version);
    }
    findings
}

fn groups(changelog: &Changelog, section: &Section) -> Vec<Finding> {
    let lines = changelog.body(section).lines().enumerate();
    let headings = lines.filter_map(|(index, line)| Some((index, line.strip_prefix("### ")?)));
    headings
        .filter(|(_, group)| !GROUPS.contains(&group.trim()))
        .map(|(index, group)| {
            let at = Location {
                line: section.line + 1 + index,
                ..Location::start(&changelog.file)
            };
            let message = format!("`{}` is not a group of changes", group.trim());
            let help = format!("write one of {}", GROUPS.join(", "));
            fault(changelog, "changelog-form", &at, message, help)
        })
        .collect()
}

/// Document, changelog and manifest have the version of the newest release.
fn versions(inputs: &Inputs<'_>, changelog: &Changelog) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let Some(newest) = inputs.newest() else {
        return Ok(findings);
    };
    let version = newest.version.to_string();
    let help = format!(
        "write {version}; `{}` changes all versions together",
        inputs.project.task("release")
    );
    if let Some(document) = inputs.document() {
        let info = &document.info.version;
        if info.value != version {
            let message = format!(
                "the version is {}, but {version} was released last",
                info.value
            );
            let problem = Problem::error("version", &info.at, message, &help);
            findings.push(Finding::of_problem(problem, &inputs.text));
        }
    }
    for released in &inputs.releases.documents {
        let has_section = (changelog.sections.iter()).any(|section| {
            section
                .release()
                .is_some_and(|(own, _)| own == released.version)
        });
        if !has_section {
            findings.push(fault(
                changelog,
                "release-without-section",
                &Location::start(&changelog.file),
                format!("{} was released, but has no section", released.path),
                format!(
                    "add `## {} - ` with the day, and the changes of that release",
                    released.version
                ),
            ));
        }
    }
    let topmost = changelog
        .sections
        .iter()
        .find_map(|section| Some((section, section.release()?)));
    if let Some((section, (own, _))) = topmost
        && own > newest.version
    {
        findings.push(fault(
            changelog,
            "section-without-release",
            &changelog.at(section),
            format!("{own} has a section, but the newest released document is {version}"),
            format!(
                "leave it under `## {UNRELEASED}`, and run: {} {own}",
                inputs.project.task("release")
            ),
        ));
    }
    let manifest = fs::read_to_string(inputs.project.path(MANIFEST))
        .with_context(|| format!("cannot read {MANIFEST}"))?;
    for mention in versions::of_manifest(&manifest)? {
        if mention.version != version {
            let at = mention.at(MANIFEST, &manifest);
            let message = format!(
                "the version of {} is {}, but {version} was released last",
                mention.of, mention.version
            );
            findings.push(Finding::new(Severity::Error, "version", at, message, &help));
        }
    }
    Ok(findings)
}

/// Every change since the newest release has an entry under Unreleased.
fn entries(inputs: &Inputs<'_>, changelog: &Changelog) -> Vec<Finding> {
    let (Some(newest), Some(document)) = (inputs.newest(), inputs.document()) else {
        return Vec::new();
    };
    let Some(unreleased) = changelog.unreleased() else {
        // `form` has reported this.
        return Vec::new();
    };
    let body = changelog.body(unreleased);
    if !changelog.has_entries(unreleased) {
        if newest.root.same_value(&document.root) {
            return Vec::new();
        }
        return vec![fault(
            changelog,
            "changelog-entry",
            &changelog.at(unreleased),
            format!(
                "{} has changed since {}, but the changelog names no change",
                inputs.file, newest.version
            ),
            "write what the change means for the readers of the next release",
        )];
    }
    let changes = inputs.changes.as_deref().unwrap_or_default();
    (by_place(changes).values())
        .filter(|changes| !is_named_in(document, changes, body))
        .filter_map(|changes| changes.first())
        .map(|change| {
            let what = change.operation.as_deref().unwrap_or("the contract");
            let at = change.at.revision.as_ref().or(change.at.base.as_ref());
            let place = at.map_or(String::new(), |at| format!(" ({at})"));
            fault(
                changelog,
                "changelog-entry",
                &changelog.at(unreleased),
                format!(
                    "this change of {what} has no changelog entry: {}{place}",
                    change.text
                ),
                format!("add an entry that names `{what}`, under `## {UNRELEASED}`"),
            )
        })
        .collect()
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
fn is_named(document: &Document, operation: &str, words: &[&str]) -> bool {
    let (method, path) = operation.split_once(' ').unwrap_or(("", operation));
    let described = document
        .operations
        .iter()
        .find(|described| described.path.value == path && described.method.to_string() == method);
    let id = described.and_then(|described| described.id.as_ref());
    words
        .windows(2)
        .any(|pair| pair[0] == method && pair[1].ends_with(path))
        || id.is_some_and(|id| words.contains(&id.value.as_str()))
}

/// The component that a pointer leads into.
fn component(pointer: &str) -> Option<String> {
    let mut tokens = pointer.strip_prefix("/components/")?.split('/').skip(1);
    tokens.next().map(unescape_pointer_token)
}
