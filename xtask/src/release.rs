//! `cargo xtask release X.Y.Z`: freezes the document, moves every version to
//! X.Y.Z, and turns what is unreleased into the section of the release. Refuses
//! before it changes anything. Whether a release may be is asked of `check`; what
//! stands in which file is left to the parts below.

pub(crate) mod changelog;
pub(crate) mod released;
pub(crate) mod versions;
mod writing;

use crate::{
    check::{self, Inputs},
    generate,
};
use anyhow::{Context, Result, bail, ensure};
use changelog::Changelog;
use chrono::{NaiveDate, Utc};
use openapi_dropshot_contract::{
    Document,
    diff::{Change, Level},
    release::{Bump, Version, needed},
};
use std::{fs, path::Path, process::ExitCode};
use writing::Writing;

/// What `cargo xtask release` takes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The version of the release, such as 1.1.0
    version: String,

    /// The day of the release, if not today (UTC)
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = Utc::now().date_naive(), hide_default_value = true)]
    today: NaiveDate,
}

/// Releases the contract of the workspace at `root`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let version = parsed(&options.version)?;
    let inputs = Inputs::read(root, None, options.today)?;
    let text = read(root, changelog::FILE)?;
    let changelog = Changelog::parse(&text);
    // The cheap refusals first: the gates compile something.
    newer(&inputs, version)?;
    told(&changelog)?;
    large_enough(&inputs, &changelog, version)?;
    green(&inputs)?;
    let writing = prepared(root, &inputs, &changelog, version)?;
    let paths = writing.finish(root)?;
    println!("released {version}:");
    for path in paths {
        println!("wrote   {path}");
    }
    println!("next: cargo xtask check, then commit all of it together");
    Ok(ExitCode::SUCCESS)
}

/// A version with its three numbers, as the files will have it.
fn parsed(text: &str) -> Result<Version> {
    Version::parse(text)
        .filter(|version| version.to_string() == text)
        .with_context(|| {
            format!(
                "`{text}` is no version: write three numbers without leading zeros, such as 1.1.0"
            )
        })
}

/// The version is greater than that of the newest release.
fn newer(inputs: &Inputs, version: Version) -> Result<()> {
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

/// There is something to tell the readers of the release.
fn told(changelog: &Changelog) -> Result<()> {
    let unreleased = changelog.unreleased().with_context(|| {
        format!(
            "{} does not begin with the section `## {}`: add it, with what the release brings",
            changelog::FILE,
            changelog::UNRELEASED
        )
    })?;
    ensure!(
        changelog.has_entries(unreleased),
        "{}:{}: nothing stands under `## {}`: write what the release brings",
        changelog::FILE,
        unreleased.line,
        changelog::UNRELEASED
    );
    Ok(())
}

/// The step to the version allows what changed.
fn large_enough(inputs: &Inputs, changelog: &Changelog, version: Version) -> Result<()> {
    let Some(newest) = inputs.newest() else {
        return Ok(());
    };
    let changes = inputs.changes.as_deref().unwrap_or_default();
    let added = (changelog.unreleased())
        .is_some_and(|unreleased| changelog.body(unreleased).contains("### Added"));
    let told = if added { Bump::Minor } else { Bump::Patch };
    let asked = needed(changes).max(told);
    let step = newest.version.bump_to(version);
    if step.is_some_and(|step| step >= asked) {
        return Ok(());
    }
    let least = match asked {
        Bump::Major => format!("{}.0.0", newest.version.major + 1),
        _ => format!("{}.{}.0", newest.version.major, newest.version.minor + 1),
    };
    let reasons = reasons(changes, asked, added);
    bail!(
        "{version} is too small a step from {}: it needs a {asked} version, {least} at least, because of\n{reasons}",
        newest.version
    )
}

/// What asks for a step of this size, a line each.
fn reasons(changes: &[Change], asked: Bump, added: bool) -> String {
    let asks = |change: &&Change| needed(std::slice::from_ref(change)) == asked;
    let mut lines: Vec<String> = (changes.iter())
        .filter(asks)
        .map(|change| {
            let operation = change.operation.as_deref().unwrap_or("the contract");
            let at = change.at.revision.as_ref().or(change.at.base.as_ref());
            let at = at.map_or(String::new(), |at| format!(" ({at})"));
            let word = if change.level == Level::Err {
                "a break of"
            } else {
                "a change of"
            };
            format!("  {word} {operation}: {} [{}]{at}", change.text, change.id)
        })
        .collect();
    if asked == Bump::Minor && added {
        lines.push(format!("  `### Added` in {}", changelog::FILE));
    }
    lines.join("\n")
}

/// No gate is red.
fn green(inputs: &Inputs) -> Result<()> {
    let failed = check::red(inputs);
    ensure!(
        failed.is_empty(),
        "nothing was released, because gates failed: {}; mend what is shown above",
        failed.join(", ")
    );
    Ok(())
}

/// All files of the release, with what they will hold.
fn prepared(
    root: &Path,
    inputs: &Inputs,
    changelog: &Changelog,
    version: Version,
) -> Result<Writing> {
    let document = inputs.document().context("the document cannot be read")?;
    let new = version.to_string();
    let text = with_version(document, &new)?;
    let mut writing = Writing::default();

    let frozen = released::path_of(version);
    ensure!(
        !root.join(&frozen).exists(),
        "{frozen} is there already: a released document is never written over"
    );
    writing.add(frozen, text.clone());
    let document = openapi_dropshot_contract::read(generate::DOCUMENT, &text)
        .map_err(|problems| anyhow::anyhow!("the new version spoils the document:\n{problems}"))?;
    let files = generate::files_of(&document)?.map_err(|_| {
        anyhow::anyhow!("the document of the new version is refused by the generator")
    })?;
    for change in generate::changes(root, files)? {
        let expected = change.expected.with_context(|| {
            format!(
                "{} is generated no more: run `cargo xtask generate`",
                change.path
            )
        })?;
        writing.add(change.path, expected);
    }
    writing.add(generate::DOCUMENT.to_owned(), text);

    let manifest = read(root, versions::MANIFEST)?;
    let mentions = versions::of_manifest(&manifest)?;
    let mentions: Vec<_> = mentions.iter().collect();
    writing.add(
        versions::MANIFEST.to_owned(),
        versions::set(&manifest, &mentions, &new),
    );
    let locks = versions::locks(root)?;
    for path in locks.paths {
        let lock = read(root, &path)?;
        let mentions = versions::of_lock(&path, &lock)?;
        // A crate with a version of its own keeps it.
        let moves = |mention: &&versions::Mention| locks.crates.contains(&mention.of);
        let mentions: Vec<_> = mentions.iter().filter(moves).collect();
        let text = versions::set(&lock, &mentions, &new);
        writing.add(path, text);
    }

    let section = changelog.released(version, inputs.today);
    let section = section.context("the changelog has no section of what is not released")?;
    writing.add(changelog::FILE.to_owned(), section);
    if root.join(check::ACCEPTED).exists() {
        // What was accepted is released, and breaks nobody a second time.
        let accepted = read(root, check::ACCEPTED)?;
        writing.add(
            check::ACCEPTED.to_owned(),
            check::without_entries(&accepted),
        );
    }
    Ok(writing)
}

/// The text of the document with another version.
fn with_version(document: &Document, version: &str) -> Result<String> {
    let old = &document.info.version;
    let mut lines: Vec<&str> = document.text.split_inclusive('\n').collect();
    let line = (lines.get_mut(old.at.line - 1)).context("the version stands on no line")?;
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

fn read(root: &Path, path: &str) -> Result<String> {
    fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
}
