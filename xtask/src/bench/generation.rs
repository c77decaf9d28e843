//! How long reading, linting and generating take: on the contract, and on the
//! largest document of a corpus, where one stands beside the repository.

use super::{
    Bench, Report,
    programs::output,
    table::{self, Table},
};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::{fs, path::PathBuf, process::Command};

const CONTRACT: &str = "spec/openapi.yaml";
/// Beside the repository.
const CORPUS: &str = "../shared/corpus/accept";

#[derive(Deserialize, Serialize)]
pub(super) struct Row {
    document: String,
    bytes: u64,
    read_ms: f64,
    lint_ms: f64,
    generate_ms: f64,
    files: usize,
    refused: usize,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<()> {
    let mut generation = Command::new(&bench.programs.generation);
    generation.arg(bench.root.join(CONTRACT));
    match largest(bench) {
        Some(document) => {
            generation.arg(document);
        }
        None => println!("skipped: no corpus of documents stands at {CORPUS}"),
    }
    report.generation = serde_json::from_str(&output(&mut generation)?)?;
    let mut table = Table::new(&["document", "size", "read", "lint", "generate", "files"]);
    for row in &report.generation {
        let files = match row.refused {
            0 => row.files.to_string(),
            refused => format!("none: {refused} constructs are refused"),
        };
        table.row([
            row.document.clone(),
            format!("{:.0} KiB", row.bytes as f64 / 1024.0),
            table::milliseconds(row.read_ms),
            table::milliseconds(row.lint_ms),
            table::milliseconds(row.generate_ms),
            files,
        ]);
    }
    println!("\n{table}");
    Ok(())
}

fn largest(bench: &Bench<'_>) -> Option<PathBuf> {
    let entries = fs::read_dir(bench.root.join(CORPUS)).ok()?.flatten();
    let entry = entries.max_by_key(|entry| entry.metadata().map_or(0, |found| found.len()))?;
    Some(entry.path())
}
