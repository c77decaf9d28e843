//! Task `diff`: compares two documents and prints the changes, as text or as JSON.

use crate::{
    output::{Entry, Format, locate, path_in_revision, place, sarif, workflow_commands},
    revision,
};
use anyhow::{Result, anyhow};
use chrono::{NaiveDate, Utc};
use openapi_dropshot_contract::{
    Draft, Severity,
    diff::{Change, Level, Policy, compare},
    model::{Location, Node},
    read_draft_with_files,
};
use serde_json::{Value, json};
use std::{path::Path, process::ExitCode};

/// List the changes between two documents, and whether they break a client
///
/// Exits with 0 if no change breaks a client, and with 1 if a change does or a
/// document cannot be compared.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The older document: a file, or a file of a git revision, such as
    /// `main:spec/openapi.yaml`
    base: String,

    /// The newer document, in the same form as the older one
    revision: String,

    /// How to print the changes; the book's page about changes describes the JSON
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// The minimum number of days between the deprecation and the sunset of a beta operation
    #[arg(long, value_name = "N", default_value_t = 0)]
    deprecation_days_beta: u32,

    /// The minimum number of days between the deprecation and the sunset of a stable operation
    #[arg(long, value_name = "N", default_value_t = 0)]
    deprecation_days_stable: u32,

    /// The date that counts as today in the comparison [default: today in UTC]
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = Utc::now().date_naive(), hide_default_value = true)]
    today: NaiveDate,
}

/// Compares two documents. The exit code is 1 if a change has the level ERR, and 0 otherwise.
///
/// # Errors
///
/// A document cannot be read.
pub fn run(options: &Options) -> Result<ExitCode> {
    let (base, revision) = (&options.base, &options.revision);
    for (name, other) in [(base, revision), (revision, base)] {
        let file = path_in_revision(Path::new("."), other).unwrap_or(other);
        revision::check_names_file(name, file)?;
    }
    let (base, revision) = (read(base)?, read(revision)?);
    let policy = Policy {
        today: options.today,
        deprecation_days_beta: options.deprecation_days_beta,
        deprecation_days_stable: options.deprecation_days_stable,
    };
    let changes = compare(&base.root, &revision.root, &policy);
    let located = |changes: &[Change]| locate(Path::new("."), entries(changes, &revision.root));
    match options.format {
        Format::Text => print!("{}", as_text(&changes)),
        Format::Json => println!("{:#}", as_json(&changes)),
        Format::Sarif => println!("{:#}", sarif(&located(&changes))),
        Format::Github => print!("{}", workflow_commands(&located(&changes))),
    }
    let breaks = changes.iter().any(|change| change.level == Level::Err);
    Ok(ExitCode::from(u8::from(breaks)))
}

/// Reads a document. The errors of an incomplete document are printed as notes, and its other parts are compared.
fn read(path: &str) -> Result<Draft> {
    let text = revision::read(path)?;
    let mut load = |name: &str| revision::read(name).map_err(|error| format!("{error:#}"));
    let draft = read_draft_with_files(path, &text, &mut load).map_err(|problems| {
        eprintln!("{problems}\n");
        anyhow!("{path} cannot be compared; fix the errors above")
    })?;
    for fault in &draft.faults {
        eprintln!("note: {fault}");
    }
    Ok(draft)
}

/// Returns the changes as JSON: `changes`, each with `id`, `level`, `operation`, `text`, `base` and `revision`, and `count`,
/// the number of changes by level.
fn as_json(changes: &[Change]) -> Value {
    let list = changes.iter().map(|change| {
        json!({
            "id": change.id,
            "level": change.level.to_string(),
            "operation": change.operation,
            "text": change.text,
            "base": change.at.base.as_ref().map(place),
            "revision": change.at.revision.as_ref().map(place),
        })
    });
    let [errors, warnings, notes] = counts(changes);
    json!({
        "changes": list.collect::<Vec<_>>(),
        "count": {"ERR": errors, "WARN": warnings, "INFO": notes},
    })
}

/// Returns the changes for other output formats, at their places in the revision. A change without a place in the revision is
/// at its place in the base.
fn entries(changes: &[Change], revision: &Node) -> Vec<Entry> {
    let entries = changes.iter().map(|change| {
        let base = change.at.base.as_ref();
        let at = change.at.revision.as_ref();
        let at = at.or_else(|| base.and_then(|base| nearest(base, revision)).or(base));
        let operation = change.operation.as_deref().unwrap_or("the contract");
        Entry {
            severity: match change.level {
                Level::Err => Some(Severity::Error),
                Level::Warn => Some(Severity::Warning),
                Level::Info => None,
            },
            rule: change.id,
            title: format!("{} ({})", operation, change.id),
            at: at.cloned().unwrap_or_default(),
            message: format!("{operation}: {}; {}", change.text, change.remedy),
        }
    });
    entries.collect()
}

/// Returns the innermost part of the newer document around this place in the older one. Returns `None` if the older document
/// is a file, because then the place itself can be shown.
fn nearest<'r>(base: &Location, revision: &'r Node) -> Option<&'r Location> {
    path_in_revision(Path::new("."), &base.file)?;
    let mut pointer = base.pointer.as_str();
    while let Some((outer, _)) = pointer.rsplit_once('/') {
        pointer = outer;
        if let Some(node) = revision.pointer(pointer) {
            return Some(&node.at);
        }
    }
    None
}

/// Returns the changes as text: a paragraph for each change, the most severe first, followed by a line with the counts.
fn as_text(changes: &[Change]) -> String {
    let mut text = String::new();
    for change in changes {
        text += &format!("{}[{}]", change.level, change.id);
        if let Some(operation) = &change.operation {
            text += &format!(" {operation}");
        }
        text += &format!("\n  {}\n", change.text);
        for (name, at) in [("base", &change.at.base), ("revision", &change.at.revision)] {
            if let Some(at) = at {
                text += &format!("  {name}: {at} at {}\n", at.pointer);
            }
        }
        text += "\n";
    }
    let [errors, warnings, notes] = counts(changes);
    let all = changes.len();
    text + &format!("{all} changes: {errors} ERR, {warnings} WARN, {notes} INFO\n")
}

/// Counts the changes with the levels error, warning and information.
fn counts(changes: &[Change]) -> [usize; 3] {
    let count = |level| changes.iter().filter(|own| own.level == level).count();
    [Level::Err, Level::Warn, Level::Info].map(count)
}
