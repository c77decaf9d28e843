//! Prints the changes between two documents, and fails if a client breaks:
//! `cargo run -p openapi-dropshot-contract --example changes -- old.yaml new.yaml`.

use chrono::NaiveDate;
use openapi_dropshot_contract::{
    Draft,
    diff::{Level, Policy, compare},
    read_draft,
};
use std::{error::Error, fs, process::ExitCode};

/// The rules about deprecation depend on the current date. A real program reads the clock, or takes
/// the date as an argument.
const TODAY: NaiveDate = NaiveDate::from_ymd_opt(2026, 11, 20).expect("a day of the calendar");

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [base, revision] = arguments.as_slice() else {
        return Err("usage: changes BASE REVISION".into());
    };
    let (base, revision) = (draft(base)?, draft(revision)?);
    let changes = compare(&base.root, &revision.root, &Policy::on(TODAY));
    for change in &changes {
        println!("{} {}: {}", change.level, change.id, change.text);
        for place in change.at.base.iter().chain(&change.at.revision) {
            println!("  at {place}");
        }
    }
    let breaks = changes.iter().any(|change| change.level == Level::Err);
    Ok(if breaks {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn draft(file: &str) -> Result<Draft, Box<dyn Error>> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))?;
    Ok(read_draft(file, &text)?)
}
