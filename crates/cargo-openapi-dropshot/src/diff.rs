//! Task `diff`: compares two documents and prints the changes, as text or as JSON.

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

/// The options of the task `diff`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The older document
    base: String,

    /// The newer document
    revision: String,

    /// How to print the changes
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// The least number of days between the deprecation and the sunset of a beta operation
    #[arg(long, value_name = "N", default_value_t = 0)]
    deprecation_days_beta: u32,

    /// The least number of days between the deprecation and the sunset of a stable operation
    #[arg(long, value_name = "N", default_value_t = 0)]
    deprecation_days_stable: u32,

    /// The day for which the documents are compared, if not today (UTC)
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = Utc::now().date_naive(), hide_default_value = true)]
    today: NaiveDate,
}

/// How changes are printed.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// One paragraph for each change
    Text,
    /// One JSON object; the README of `openapi-dropshot-contract` describes it
    Json,
}

/// Compares two documents. The exit code is 1 where a change is an ERR, and 0
/// otherwise.
///
/// # Errors
///
/// A document cannot be read.
pub fn run(options: &Options) -> Result<ExitCode> {
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

/// Reads a document. The faults of an incomplete document are printed as notes;
/// the rest of it is compared.
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
            bail!("{path} cannot be compared; repair the faults above")
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
