//! Gate `changelog`: the changelog has an entry for each change since the newest release, and all versions are the version of the
//! newest release.

use super::{Inputs, Outcome};
use crate::{
    counted,
    repository::{
        Finding,
        changelog::{Changelog, Section, UNRELEASED},
        versions::{self, MANIFEST},
    },
    revision,
    rules::{
        CHANGELOG_ENTRY, CHANGELOG_ENTRY_LOST, CHANGELOG_FORM, RELEASE_WITHOUT_SECTION,
        SECTION_WITHOUT_RELEASE, VERSION,
    },
};
use anyhow::Result;
use openapi_dropshot_contract::{
    Rule, Severity,
    diff::Change,
    model::{Location, Node, NodeKind, escape_pointer_token, unescape_pointer_token},
    release::Version,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The headings of the groups of changes in a section.
const GROUPS: &[&str] = &[
    "Added",
    "Changed",
    "Deprecated",
    "Removed",
    "Fixed",
    "Security",
];

pub(super) fn run(inputs: &Inputs<'_>) -> Result<Outcome> {
    let file = &inputs.project.changelog;
    if !inputs.project.path(file).exists() {
        return Ok(missing(file));
    }
    let changelog = Changelog::read(inputs.project)?;
    let mut gate = Gate {
        inputs,
        changelog,
        findings: Vec::new(),
    };
    gate.check_form();
    gate.check_versions()?;
    gate.check_entries();
    gate.check_lost()?;
    let newest = inputs.newest().map_or_else(
        || "nothing is released yet".to_owned(),
        |newest| format!("the newest release is {}", newest.version),
    );
    let summary = match gate.findings.len() {
        0 => format!("names what changed for clients; {newest}"),
        count => format!("{}; {newest}", counted(count, "finding")),
    };
    let mut files: Vec<&str> = Vec::new();
    for finding in &gate.findings {
        let file = &*finding.problem.at.file;
        if !files.contains(&file) {
            files.push(file);
        }
    }
    if files.is_empty() {
        files.push(file);
    }
    let files = files.join(" and ");
    Ok(Outcome {
        summary,
        fix: Some(format!("change {files} as the help above describes")),
        findings: gate.findings,
    })
}

/// Returns the result if the changelog is missing.
fn missing(file: &str) -> Outcome {
    let message = "there is no changelog";
    let help =
        format!("create {file} with the heading `# Changelog` and the section `## {UNRELEASED}`");
    let problem = CHANGELOG_FORM.problem(&Location::start(file), message, help);
    Outcome {
        summary: "there is no changelog".to_owned(),
        fix: Some(format!("create {file}")),
        findings: vec![Finding::new(problem)],
    }
}

struct Gate<'a> {
    inputs: &'a Inputs<'a>,
    changelog: Changelog,
    findings: Vec<Finding>,
}

impl Gate<'_> {
    /// Reports a problem of the changelog, with the lines around it.
    fn fault(&mut self, rule: &Rule, at: &Location, message: String, help: &str) {
        let severity = match self.inputs.project.severities.get(rule.id) {
            Some(None) => return,
            Some(Some(severity)) => *severity,
            None => Severity::Error,
        };
        let problem = rule.problem(at, message, help).with_severity(severity);
        let finding = Finding::in_text(problem, &self.changelog.text);
        self.findings.push(finding);
    }

    /// Checks that the section Unreleased comes first, followed by the releases, the newest first.
    fn check_form(&mut self) {
        if self.changelog.unreleased().is_none() {
            let at = self.changelog.top();
            let message = format!("the first section is not `## {UNRELEASED}`");
            let help = format!("put `## {UNRELEASED}` on top, for the changes of the next release");
            self.fault(&CHANGELOG_FORM, &at, message, &help);
        }
        let mut newer: Option<Version> = None;
        for section in self.changelog.sections.clone() {
            for (index, line) in section.body.lines().enumerate() {
                let group = line.strip_prefix("### ").map(str::trim);
                if let Some(group) = group.filter(|group| !GROUPS.contains(group)) {
                    let line = section.at.line + 1 + index;
                    let at = Location::line(&section.at.file, line);
                    let message = format!("`{group}` is not a group of changes");
                    let help = format!("write one of {}", GROUPS.join(", "));
                    self.fault(&CHANGELOG_FORM, &at, message, &help);
                }
            }
            if section.title == UNRELEASED {
                continue;
            }
            let Some(version) = section.version() else {
                let message = format!("`{}` is not a release", section.title);
                let help = "write version and day, as in `## 1.0.0 - 2026-11-20`";
                self.fault(&CHANGELOG_FORM, &section.at, message, help);
                continue;
            };
            if newer.is_some_and(|newer| newer <= version) {
                let message = format!("{version} is listed below a release that is not newer");
                let help = "list each release once, the newest one first";
                self.fault(&CHANGELOG_FORM, &section.at, message, help);
            }
            newer = Some(version);
        }
    }

    /// Checks that the document, the changelog and the manifest have the version of the newest release. The manifest may instead
    /// have the version of the development after that release.
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
                    "the version is {}, but the newest release is {newest}",
                    version.value
                );
                let problem = VERSION.problem(&version.at, message, &help);
                self.findings.push(Finding::in_text(problem, &inputs.texts));
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
                let message = format!(
                    "{} was released, but the changelog has no section for it",
                    released.path
                );
                let help =
                    format!("add `## {version} - ` with the day, and the changes of that release");
                self.fault(&RELEASE_WITHOUT_SECTION, &at, message, &help);
            }
        }
        if let Some((own, at)) = sections.first().filter(|(own, _)| *own > newest) {
            let message =
                format!("{own} has a section, but the newest released document is {newest}");
            let help = format!("move the entries to `## {UNRELEASED}`, and run: {release} {own}");
            self.fault(&SECTION_WITHOUT_RELEASE, at, message, &help);
        }
        if !inputs.project.cargo_version {
            return Ok(());
        }
        let manifest = inputs.project.read(MANIFEST)?;
        for mention in versions::of_manifest(inputs.project, &manifest)? {
            let next = versions::parse_development(&mention.version);
            let is_between = next.is_some_and(|next| next > newest);
            if mention.version != newest.to_string() && !is_between {
                let at = mention.at(MANIFEST, &manifest);
                let message = format!(
                    "the version of {} is {}, but the newest release is {newest}",
                    mention.of, mention.version
                );
                let problem = VERSION.problem(&at, message, &help);
                self.findings.push(Finding::new(problem));
            }
        }
        Ok(())
    }

    /// Checks that every change since the newest release has an entry under Unreleased.
    fn check_entries(&mut self) {
        let inputs = self.inputs;
        // A missing section was already reported by `check_form`.
        let (Some(newest), Some(document), Some(unreleased)) = (
            inputs.newest(),
            inputs.document(),
            self.changelog.unreleased().cloned(),
        ) else {
            return;
        };
        if !unreleased.has_entries() {
            // Changes that `diff` does not report may still matter, such as a changed extension. Changed descriptions do not.
            if without_texts(&newest.root) != without_texts(&document.root) {
                let message = format!(
                    "{} has changed since {}, but the changelog has no entry for the change",
                    inputs.file, newest.version
                );
                let help = "describe what the change means for the clients of the next release";
                self.fault(&CHANGELOG_ENTRY, &unreleased.at, message, help);
            }
            return;
        }
        for changes in by_place(inputs.changes.as_deref().unwrap_or_default()).values() {
            let roots = [&newest.root, &document.root];
            let member = changes.iter().find_map(|change| member(roots, change));
            if is_named_in(roots, changes, member, &unreleased.body) {
                continue;
            }
            let change = changes[0];
            let name = change.operation.as_deref().unwrap_or("the contract");
            let names = match member {
                Some(member) => format!("`{name}` and `{member}`"),
                None => format!("`{name}`"),
            };
            let at = change.at.revision.as_ref().or(change.at.base.as_ref());
            let place = at.map_or(String::new(), |at| format!(" ({at})"));
            let message = format!(
                "this change of {name} has no changelog entry: {}{place}",
                change.text
            );
            let help = format!("add an entry that names {names}, under `## {UNRELEASED}`");
            self.fault(&CHANGELOG_ENTRY, &unreleased.at, message, &help);
        }
    }
}

impl Gate<'_> {
    /// Checks that each unreleased entry of an earlier commit still exists, possibly with other words. The other checks do not
    /// cover entries that are not about the contract.
    fn check_lost(&mut self) -> Result<()> {
        let project = self.inputs.project;
        if project.severities.get(CHANGELOG_ENTRY_LOST.id) == Some(&None) {
            return Ok(());
        }
        let asked = self.inputs.since.as_deref();
        let revision = asked.unwrap_or("HEAD");
        let found = revision::file_at(&project.root, revision, &project.changelog);
        let earlier = match (found, asked) {
            (Ok(Some(text)), _) => Changelog::parse(&self.changelog.file, text),
            (Err(error), Some(_)) => return Err(error),
            // The commit has no changelog, or there is no commit, or no repository.
            (Ok(None), _) | (Err(_), None) => return Ok(()),
        };
        let Some(unreleased) = earlier.unreleased() else {
            return Ok(());
        };
        let known = earlier.sections.iter().map(|own| own.title.as_str());
        let known: Vec<&str> = known.collect();
        let is_new = |title: &str| title == UNRELEASED || !known.contains(&title);
        let sections = self.changelog.sections.iter();
        let new = sections.filter(|section| is_new(&section.title));
        let present: Vec<String> = new.flat_map(Section::entries).collect();
        let at = self.changelog.top();
        for entry in unreleased.entries() {
            if present.iter().any(|other| is_similar(&entry, other)) {
                continue;
            }
            let start: String = entry.chars().take(60).collect();
            let message = format!("the entry `{start}…`, which is in {revision}, is missing");
            let help = format!(
                "put the entry back under `## {UNRELEASED}`; if the change that it describes was undone, set `{}` in `[document.rules]`",
                CHANGELOG_ENTRY_LOST.id
            );
            self.fault(&CHANGELOG_ENTRY_LOST, &at, message, &help);
        }
        Ok(())
    }
}

/// Whether at least half of the words of an entry are also in another entry.
fn is_similar(entry: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (entry, other) = (words(entry), words(other));
    2 * entry.intersection(&other).count() >= entry.len()
}

/// Groups the changes of operations by place, because a change of a part that several operations share needs only one entry.
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

/// Returns the document as JSON, without summaries and descriptions.
fn without_texts(root: &Node) -> Value {
    fn remove(value: &mut Value) {
        match value {
            Value::Object(members) => {
                // A property may have such a name. Its value is then a schema, not a text.
                members.retain(|name, value| {
                    !(["summary", "description"].contains(&name.as_str()) && value.is_string())
                });
                members.values_mut().for_each(remove);
            }
            Value::Array(items) => items.iter_mut().for_each(remove),
            _ => {}
        }
    }
    let mut json = root.to_json();
    remove(&mut json);
    json
}

/// Returns the name of the property or parameter that a change adds or removes; `None` if the change is about something else. The
/// documents are the older one and the newer one.
fn member<'d>([base, revision]: [&'d Node; 2], change: &Change) -> Option<&'d str> {
    let id = change.id;
    let is_member = id.contains("property") || id.contains("parameter");
    let comes_or_goes = ["new-", "-added", "-removed"].map(|part| id.contains(part));
    if !is_member || !comes_or_goes.contains(&true) {
        return None;
    }
    let place = |at: &Option<Location>, root: &'d Node| Some((at.as_ref()?.pointer.clone(), root));
    let (base, revision) = (
        place(&change.at.base, base),
        place(&change.at.revision, revision),
    );
    let places = [base, revision].into_iter().flatten();
    let (pointer, root) = places.max_by_key(|(pointer, _)| pointer.len())?;
    let (outer, last) = pointer.rsplit_once('/')?;
    if outer.ends_with("/properties") {
        let NodeKind::Object(members) = &root.pointer(outer)?.kind else {
            return None;
        };
        let last = unescape_pointer_token(last);
        let mut names = members.keys().map(String::as_str);
        return names.find(|name| *name == last);
    }
    let node = root.pointer(&pointer)?;
    node.get("in")?;
    node.get("name")?.as_str()
}

/// Returns whether an entry names one of these changes: its operation (by method and path, or by its id) or the component that
/// contains it, and also the property or parameter that was added or removed. The documents are the older one and the newer one.
fn is_named_in(roots: [&Node; 2], changes: &[&Change], member: Option<&str>, body: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || "/{}_-.$".contains(c);
    let words: Vec<&str> = (body.split(|c| !is_of_word(c)))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    let is_quoted = |name: &str| body.contains(&format!("`{name}`"));
    // An entry may write `thing.colour` or `/things/{thingId}`.
    let is_word = |name: &str| {
        let variable = format!("{{{name}}}");
        let mut words = words.iter();
        words.any(|word| word.split('.').any(|part| part == name) || word.contains(&variable))
    };
    if member.is_some_and(|name| !is_quoted(name) && !is_word(name)) {
        return false;
    }
    changes.iter().any(|change| {
        let places = [pointer(&change.at.base), pointer(&change.at.revision)];
        (change.operation.iter()).any(|operation| is_named(roots, operation, &words))
            || (places.iter().filter_map(|pointer| component(pointer))).any(|name| is_quoted(&name))
    })
}

/// Returns whether an operation such as `GET /books` is named. The path may have the base path of the service in front. The
/// id is looked up in both documents, because a removed operation is only in the older one.
fn is_named(roots: [&Node; 2], name: &str, words: &[&str]) -> bool {
    let (method, path) = name.split_once(' ').unwrap_or(("", name));
    let key = method.to_lowercase();
    let place = format!("/paths/{}/{key}", escape_pointer_token(path));
    let mut ids = roots
        .into_iter()
        .filter_map(|root| root.pointer(&place)?.get("operationId")?.as_str());
    let mut pairs = words.windows(2);
    pairs.any(|pair| pair[0] == method && pair[1].ends_with(path))
        || ids.any(|id| words.contains(&id))
}

/// Returns the name of the component that contains the target of a pointer.
fn component(pointer: &str) -> Option<String> {
    let mut tokens = pointer.strip_prefix("/components/")?.split('/').skip(1);
    tokens.next().map(unescape_pointer_token)
}
