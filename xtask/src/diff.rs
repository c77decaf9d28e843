//! `cargo xtask diff`: what changed between two documents, and whether a client
//! breaks. What a change is, and how much it matters, is left to
//! `openapi-dropshot-contract`; here are the files, the text and the JSON.

mod text;

use anyhow::{Context, Result, bail};
use chrono::{NaiveDate, Utc};
use openapi_dropshot_contract::{
    Draft,
    diff::{Change, Level, Policy, compare},
    model::Location,
};
use serde_json::{Value, json};
use std::{fs, path::Path, process::ExitCode};

/// What `cargo xtask diff` takes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The older document
    base: String,

    /// The newer document
    revision: String,

    /// How to show the changes
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// How many days a beta operation stays at least once it is deprecated
    #[arg(long, value_name = "N", default_value_t = 0)]
    deprecation_days_beta: u32,

    /// How many days a stable operation stays at least once it is deprecated
    #[arg(long, value_name = "N", default_value_t = 0)]
    deprecation_days_stable: u32,

    /// The day on which the documents are compared, if not today (UTC)
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = Utc::now().date_naive(), hide_default_value = true)]
    today: NaiveDate,
}

/// How changes are shown.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// A paragraph a change
    Text,
    /// One JSON object; `crates/openapi-dropshot-contract/README.md` describes it
    Json,
}

/// Compares two documents.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let (base, revision) = (read(&options.base)?, read(&options.revision)?);
    let policy = Policy {
        today: options.today,
        deprecation_days_beta: options.deprecation_days_beta,
        deprecation_days_stable: options.deprecation_days_stable,
    };
    let changes = compare(&base.root, &revision.root, &policy);
    match options.format {
        Format::Text => print!("{}", text::render(&changes)),
        Format::Json => println!("{:#}", as_json(&changes)),
    }
    let breaks = changes.iter().any(|change| change.level == Level::Err);
    Ok(if breaks {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Reads a document. What it lacks is told, and does not keep it from being
/// compared, unless nothing is left to compare.
fn read(path: &str) -> Result<Draft> {
    let text = fs::read_to_string(Path::new(path))
        .with_context(|| format!("cannot read the document {path}"))?;
    match openapi_dropshot_contract::read_draft(path, &text) {
        Ok(draft) => {
            for fault in &draft.faults {
                eprintln!("note: {fault}");
            }
            Ok(draft)
        }
        Err(problems) => {
            eprintln!("{problems}\n");
            bail!("{path} cannot be compared; mend what is shown above")
        }
    }
}

/// The changes as JSON: `changes`, each with `id`, `level`, `operation`,
/// `text`, `base` and `revision`; and `count` by level.
fn as_json(changes: &[Change]) -> Value {
    let place = |at: &Option<Location>| {
        at.as_ref().map(|at| {
            json!({
                "file": &*at.file,
                "line": at.line,
                "column": at.column,
                "pointer": at.pointer,
            })
        })
    };
    let list: Vec<Value> = (changes.iter())
        .map(|change| {
            json!({
                "id": change.id,
                "level": change.level.to_string(),
                "operation": change.operation,
                "text": change.text,
                "base": place(&change.at.base),
                "revision": place(&change.at.revision),
            })
        })
        .collect();
    let count = |level| text::count(changes, level);
    json!({
        "changes": list,
        "count": {"ERR": count(Level::Err), "WARN": count(Level::Warn), "INFO": count(Level::Info)},
    })
}
