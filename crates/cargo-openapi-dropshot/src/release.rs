//! Task `release`: freezes the document as the release X.Y.Z, sets every version to X.Y.Z, and converts the unreleased section of
//! the changelog to the section of the release. It runs all gates first, and changes nothing if a check fails.

use crate::{
    Project,
    check::{self, Inputs},
    files, generate,
    repository::{
        changelog::{Changelog, UNRELEASED},
        frozen, released, versions,
    },
};
use anyhow::{Context, Result, anyhow, bail, ensure};
use chrono::{NaiveDate, Utc};
use openapi_dropshot_contract::{
    Document,
    diff::{Change, Level},
    read_without,
    release::{Bump, Version, needed},
};
use std::process::ExitCode;

/// Release the contract: freeze the document and set all versions
///
/// Exits with 0 if the release is created. Otherwise exits with 1 and changes
/// nothing.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The version of the release, such as 1.1.0; a version such as 1.2.0-dev only sets the versions of the crates, for builds between releases
    version: String,

    /// The day of the release [default: today in UTC]
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = Utc::now().date_naive(), hide_default_value = true)]
    today: NaiveDate,
}

/// Releases the project's document.
///
/// # Errors
///
/// The version is too small or not greater than the newest release, the changelog has no entries, a gate fails, or a file cannot be
/// read or written. In these cases nothing has changed.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    let text = &options.version;
    if let Some(next) = versions::parse_development(text) {
        return begin_development(project, text, next);
    }
    let version = versions::parse(text).with_context(|| {
        format!(
            "`{text}` is not a version: write three numbers without leading zeros, such as 1.1.0"
        )
    })?;
    let inputs = Inputs::read(project, None, options.today)?;
    let changelog = Changelog::read(project)?;
    // The fast checks come first, because the gates compile code.
    if let Some(newest) = inputs.newest() {
        ensure!(
            version > newest.version,
            "{} was already released ({}), and {version} is not newer: choose a greater version",
            newest.version,
            newest.path
        );
    }
    check_has_entries(&changelog)?;
    check_step(&inputs, &changelog, version)?;
    let failed = check::failed_gates(&inputs)?;
    ensure!(
        failed.is_empty(),
        "nothing was released, because these gates failed: {}; fix the findings above",
        failed.join(", ")
    );
    let files = prepare(&inputs, &changelog, version)?;
    let paths = files::write_all(&project.root, files)?;
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

/// Sets an unreleased version in the crates, so that programs built after a release can be distinguished from the release.
fn begin_development(project: &Project, text: &str, next: Version) -> Result<ExitCode> {
    ensure!(
        project.cargo_version,
        "Cargo.toml does not use the version of the document: set the versions by hand, or set `cargo-version = true` in openapi-dropshot.toml"
    );
    let releases = released::read_all(project)?.texts;
    let newest = releases.iter().map(|released| released.version).max();
    if let Some(newest) = newest.filter(|newest| next <= *newest) {
        bail!(
            "{newest} was already released, and {text} is a lower version: choose a greater version"
        );
    }
    let paths = files::write_all(&project.root, versions::updated_files(project, text)?)?;
    for path in paths {
        println!("wrote   {path}");
    }
    println!("next: commit these files together");
    Ok(ExitCode::SUCCESS)
}

/// Returns the text of a changelog after converting its unreleased section to the section of a release.
///
/// # Errors
///
/// The changelog does not begin with that section, the section has no entries, or the version is not a valid release version.
pub fn released_changelog(
    file: &str,
    text: String,
    version: &str,
    today: NaiveDate,
) -> Result<String> {
    let changelog = Changelog::parse(file, text);
    check_has_entries(&changelog)?;
    let version = versions::parse(version)
        .with_context(|| format!("`{version}` is not a valid release version"))?;
    let released = changelog.released(version, today);
    released.context("the changelog has no section for unreleased changes")
}

/// Checks that the changelog has entries for the release.
fn check_has_entries(changelog: &Changelog) -> Result<()> {
    let file = &changelog.file;
    let unreleased = changelog.unreleased().with_context(|| {
        format!(
            "{file} does not begin with the section `## {UNRELEASED}`: add it, with the changes of the release"
        )
    })?;
    ensure!(
        unreleased.has_entries(),
        "{file}:{}: `## {UNRELEASED}` has no entries: write the changes of the release",
        unreleased.at.line
    );
    Ok(())
}

/// Checks that the version is increased as much as the changes require.
fn check_step(inputs: &Inputs<'_>, changelog: &Changelog, version: Version) -> Result<()> {
    let Some(newest) = inputs.newest() else {
        return Ok(());
    };
    let changes = inputs.changes.as_deref().unwrap_or_default();
    let added =
        (changelog.unreleased()).is_some_and(|unreleased| unreleased.body.contains("### Added"));
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
    let requires = |change: &&Change| needed(std::slice::from_ref(change)) == required;
    let mut reasons: Vec<String> = changes.iter().filter(requires).map(reason).collect();
    if required == Bump::Minor && added {
        reasons.push(format!("  `### Added` in {}", changelog.file));
    }
    bail!(
        "the step from {} to {version} is too small: these changes need a {required} version, at least {least}:\n{}",
        newest.version,
        reasons.join("\n")
    )
}

/// Describes in one line why a change requires a larger version.
fn reason(change: &Change) -> String {
    let operation = change.operation.as_deref().unwrap_or("the contract");
    let at = change.at.revision.as_ref().or(change.at.base.as_ref());
    let at = at.map_or(String::new(), |at| format!(" ({at})"));
    let kind = match change.level {
        Level::Err => "a breaking change",
        Level::Warn | Level::Info => "a change",
    };
    let (text, id) = (&change.text, change.id);
    format!("  {kind} of {operation}: {text} [{id}]{at}")
}

/// Returns all files of the release with their new texts.
fn prepare(
    inputs: &Inputs<'_>,
    changelog: &Changelog,
    version: Version,
) -> Result<Vec<(String, String)>> {
    let project = inputs.project;
    let document = inputs.document().context("the document cannot be read")?;
    let new = version.to_string();
    let text = with_version(document, &new)?;

    let frozen = released::path_of(project, version);
    ensure!(
        !project.path(&frozen).exists(),
        "{frozen} already exists, and a released document is never overwritten"
    );
    let mut load = files::loader(&project.root);
    let document = read_without(&project.document, &text, &mut load, project.skip());
    let document = document.map_err(|problems| {
        anyhow!("the document is not valid with the new version:\n{problems}")
    })?;
    let mut texts = released::read_all(project)?.texts;
    texts.push(frozen::Text {
        version,
        name: format!("{version}.yaml"),
        path: frozen.clone(),
        text: document.whole_text().into_owned(),
    });
    let mut changed = vec![
        (frozen, document.whole_text().into_owned()),
        (frozen::path(project), frozen::record(&texts)),
    ];
    if let Some(output) = &project.output {
        let generated = generate::generated_code(output, &document)?
            .map_err(|_| anyhow!("the generator rejects the document with the new version"))?;
        let files = generated.files.into_iter();
        changed.extend(files.map(|file| (file.path, file.text)));
    }
    changed.push((project.document.clone(), text));

    if project.cargo_version {
        changed.extend(versions::updated_files(project, &new)?);
    }
    let section = changelog.released(version, inputs.today);
    let section = section.context("the changelog has no section for unreleased changes")?;
    changed.push((changelog.file.clone(), section));
    let accepted = &project.accepted_breaks;
    if project.path(accepted).exists() {
        // The release contains the accepted changes, so the entries are no longer needed.
        let text = check::without_entries(&project.read(accepted)?);
        changed.push((accepted.clone(), text));
    }
    Ok(changed)
}

/// Returns the text of the document with another version.
fn with_version(document: &Document, version: &str) -> Result<String> {
    let old = &document.info.version;
    let mut lines: Vec<&str> = document.text.split_inclusive('\n').collect();
    let line =
        (lines.get_mut(old.at.line - 1)).context("no line of the document contains the version")?;
    let column = (line.char_indices().nth(old.at.column - 1)).map_or(line.len(), |(at, _)| at);
    let (before, after) = line.split_at(column);
    ensure!(
        after
            .trim_start_matches(['"', '\''])
            .starts_with(&old.value),
        "{}: the version cannot be replaced in this form: write it as `version: {}` on one line",
        old.at,
        old.value
    );
    let changed = format!("{before}{}", after.replacen(&old.value, version, 1));
    *line = &changed;
    Ok(lines.concat())
}
