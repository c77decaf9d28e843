//! Task `release`: freezes the document as the release X.Y.Z, sets every version to
//! X.Y.Z, and turns the changelog's unreleased section into that of the release. It
//! runs all gates first, and changes nothing where one of its checks fails.

mod batch;
pub(crate) mod changelog;
pub(crate) mod released;
pub(crate) mod versions;

use crate::{
    Project,
    check::{self, Inputs},
    generate,
};
use anyhow::{Context, Result, bail, ensure};
use batch::Batch;
use changelog::Changelog;
use chrono::{NaiveDate, Utc};
use openapi_dropshot_contract::{
    Document,
    diff::{Change, Level},
    release::{Bump, Version, needed},
};
use std::{fs, process::ExitCode};

/// The options of the task `release`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The version of the release, such as 1.1.0
    version: String,

    /// The day of the release, if not today (UTC)
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = Utc::now().date_naive(), hide_default_value = true)]
    today: NaiveDate,
}

/// Releases the project's document.
///
/// # Errors
///
/// The version is too small or not greater than the newest release, the changelog
/// has no entries, a gate fails, or a file cannot be read or written; then nothing
/// has changed.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    let version = parse_version(&options.version)?;
    let inputs = Inputs::read(project, None, options.today)?;
    let changelog = Changelog::read(project)?;
    // The cheap checks first: the gates compile something.
    check_is_newer(&inputs, version)?;
    check_has_entries(&changelog)?;
    check_step(&inputs, &changelog, version)?;
    check_gates(&inputs)?;
    let batch = prepare(&inputs, &changelog, version)?;
    let paths = batch.write(&project.root)?;
    println!("released {version}:");
    for path in paths {
        println!("wrote   {path}");
    }
    println!(
        "next: {}, then commit all of these files together",
        project.task("check")
    );
    Ok(ExitCode::SUCCESS)
}

/// Parses a version of three numbers without leading zeros.
fn parse_version(text: &str) -> Result<Version> {
    Version::parse(text)
        .filter(|version| version.to_string() == text)
        .with_context(|| {
            format!(
                "`{text}` is not a version: write three numbers without leading zeros, such as 1.1.0"
            )
        })
}

/// The version is greater than that of the newest release.
fn check_is_newer(inputs: &Inputs<'_>, version: Version) -> Result<()> {
    if let Some(newest) = inputs.newest() {
        ensure!(
            version > newest.version,
            "{} was released already ({}); {version} is not newer: choose a greater version",
            newest.version,
            newest.path
        );
    }
    Ok(())
}

/// The changelog has entries for the release.
fn check_has_entries(changelog: &Changelog) -> Result<()> {
    let unreleased = changelog.unreleased().with_context(|| {
        format!(
            "{} does not begin with the section `## {}`: add it, with the changes of the release",
            changelog.file,
            changelog::UNRELEASED
        )
    })?;
    ensure!(
        changelog.has_entries(unreleased),
        "{}:{}: `## {}` has no entries: write the changes of the release",
        changelog.file,
        unreleased.line,
        changelog::UNRELEASED
    );
    Ok(())
}

/// The step from the newest release to the version is large enough for the changes.
fn check_step(inputs: &Inputs<'_>, changelog: &Changelog, version: Version) -> Result<()> {
    let Some(newest) = inputs.newest() else {
        return Ok(());
    };
    let changes = inputs.changes.as_deref().unwrap_or_default();
    let added = (changelog.unreleased())
        .is_some_and(|unreleased| changelog.body(unreleased).contains("### Added"));
    let by_changelog = if added { Bump::Minor } else { Bump::Patch };
    let required = needed(changes).max(by_changelog);
    let step = newest.version.bump_to(version);
    if step.is_some_and(|step| step >= required) {
        return Ok(());
    }
    let least = match required {
        Bump::Major => format!("{}.0.0", newest.version.major + 1),
        _ => format!("{}.{}.0", newest.version.major, newest.version.minor + 1),
    };
    let reasons = reasons(changelog, changes, required, added);
    bail!(
        "{version} is too small a step from {}: it needs a {required} version, {least} at least, because of\n{reasons}",
        newest.version
    )
}

/// The reasons for a step of this size, one line each.
fn reasons(changelog: &Changelog, changes: &[Change], required: Bump, added: bool) -> String {
    let requires = |change: &&Change| needed(std::slice::from_ref(change)) == required;
    let mut lines: Vec<String> = (changes.iter())
        .filter(requires)
        .map(|change| {
            let operation = change.operation.as_deref().unwrap_or("the contract");
            let at = change.at.revision.as_ref().or(change.at.base.as_ref());
            let at = at.map_or(String::new(), |at| format!(" ({at})"));
            let word = if change.level == Level::Err {
                "a breaking change of"
            } else {
                "a change of"
            };
            format!("  {word} {operation}: {} [{}]{at}", change.text, change.id)
        })
        .collect();
    if required == Bump::Minor && added {
        lines.push(format!("  `### Added` in {}", changelog.file));
    }
    lines.join("\n")
}

/// No gate fails.
fn check_gates(inputs: &Inputs<'_>) -> Result<()> {
    let failed = check::failed_gates(inputs);
    ensure!(
        failed.is_empty(),
        "nothing was released, because gates failed: {}; repair the findings above",
        failed.join(", ")
    );
    Ok(())
}

/// All files of the release with their new texts.
fn prepare(inputs: &Inputs<'_>, changelog: &Changelog, version: Version) -> Result<Batch> {
    let project = inputs.project;
    let document = inputs.document().context("the document cannot be read")?;
    let new = version.to_string();
    let text = with_version(document, &new)?;
    let mut batch = Batch::default();

    let frozen = released::path_of(project, version);
    ensure!(
        !project.path(&frozen).exists(),
        "{frozen} exists already, and a released document is never overwritten"
    );
    batch.add(frozen, text.clone());
    let document =
        openapi_dropshot_contract::read(&project.document, &text).map_err(|problems| {
            anyhow::anyhow!("the document is not valid with the new version:\n{problems}")
        })?;
    let files = generate::generated_files(project, &document)?
        .map_err(|_| anyhow::anyhow!("the generator rejects the document with the new version"))?;
    for file in generate::stale_files(project, files)? {
        let expected = file.expected.with_context(|| {
            format!(
                "{} is no longer generated: run `{}`",
                file.path,
                project.task("generate")
            )
        })?;
        batch.add(file.path, expected);
    }
    batch.add(project.document.clone(), text);

    let manifest = read(project, versions::MANIFEST)?;
    let mentions = versions::of_manifest(&manifest)?;
    let mentions: Vec<_> = mentions.iter().collect();
    batch.add(
        versions::MANIFEST.to_owned(),
        versions::set(&manifest, &mentions, &new),
    );
    let locks = versions::locks(&project.root)?;
    for path in locks.paths {
        let lock = read(project, &path)?;
        let mentions = versions::of_lock(&path, &lock)?;
        // A crate with a version of its own keeps it.
        let moves = |mention: &&versions::Mention| locks.crates.contains(&mention.of);
        let mentions: Vec<_> = mentions.iter().filter(moves).collect();
        let text = versions::set(&lock, &mentions, &new);
        batch.add(path, text);
    }

    let section = changelog.released(version, inputs.today);
    let section = section.context("the changelog has no section of unreleased changes")?;
    batch.add(changelog.file.to_string(), section);
    let accepted = &project.accepted_breaks;
    if project.path(accepted).exists() {
        // The release contains the accepted changes, so they break nothing after it.
        let text = read(project, accepted)?;
        batch.add(accepted.clone(), check::without_entries(&text));
    }
    Ok(batch)
}

/// The text of the document with another version.
fn with_version(document: &Document, version: &str) -> Result<String> {
    let old = &document.info.version;
    let mut lines: Vec<&str> = document.text.split_inclusive('\n').collect();
    let line =
        (lines.get_mut(old.at.line - 1)).context("the version is on no line of the document")?;
    let column = (line.char_indices().nth(old.at.column - 1)).map_or(line.len(), |(at, _)| at);
    let (before, after) = line.split_at(column);
    ensure!(
        after
            .trim_start_matches(['"', '\''])
            .starts_with(&old.value),
        "{}: the version is not written here in one piece: write it as `version: {}`",
        old.at,
        old.value
    );
    let changed = format!("{before}{}", after.replacen(&old.value, version, 1));
    *line = &changed;
    Ok(lines.concat())
}

fn read(project: &Project, path: &str) -> Result<String> {
    fs::read_to_string(project.path(path)).with_context(|| format!("cannot read {path}"))
}
