//! Measures reading, linting and generating on the contract, and on the largest documents of
//! OpenAPI 3.0 and 3.1 in a corpus, if there is one beside the repository. Also measures how the
//! time for reading and linting grows, on these documents with their operations repeated, and on a
//! document with many problems.

use super::{
    Bench, Report,
    programs::output,
    table::{self, Table},
};
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const CONTRACT: &str = "spec/openapi.yaml";
/// The folders of the corpus, beside the repository: for documents of OpenAPI 3.0 and of 3.1.
const CORPUS: [&str; 2] = ["../shared/corpus/accept", "../shared/corpus/v31"];
/// The size of the document with repeated operations, in bytes.
const REPEATED: usize = 4_000_000;
/// The number of schemas in the document with many problems. It makes the document 3.6 MB large.
const FAULTY: usize = 22_000;
/// The number of repetitions of each step in a quick benchmark.
const ROUNDS_WHEN_QUICK: &str = "1";

#[derive(Deserialize, Serialize)]
pub(super) struct Row {
    document: String,
    bytes: u64,
    read_ms: f64,
    lint_ms: f64,
    problems: usize,
    print_ms: f64,
    generate_ms: Option<f64>,
    files: usize,
    rejected: usize,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<()> {
    let mut generation = Command::new(&bench.programs.generation);
    generation.arg(bench.root.join(CONTRACT));
    for (folder, name) in CORPUS
        .into_iter()
        .zip(["repeated.json", "repeated-3.1.json"])
    {
        match largest(bench, folder) {
            Some(document) => {
                let repeated = bench.folder.join(name);
                repeat(&document, &repeated)?;
                generation.arg(document).arg("--read-only").arg(repeated);
            }
            None => println!("skipped: there is no corpus of documents at {folder}"),
        }
    }
    let faulty = bench.folder.join("faulty-3.1.json");
    let schemas = if report.quick { FAULTY / 20 } else { FAULTY };
    fs::write(&faulty, faulty_text(schemas)?)
        .with_context(|| format!("cannot write {}", faulty.display()))?;
    generation.arg("--read-only").arg(faulty);
    if report.quick {
        generation.args(["--rounds", ROUNDS_WHEN_QUICK]);
    }
    report.generation = serde_json::from_str(&output(&mut generation)?)?;
    let mut table = Table::new(&[
        "document", "size", "read", "lint", "problems", "print", "generate", "files",
    ]);
    for row in &report.generation {
        let files = match (row.generate_ms, row.rejected) {
            (None, _) => table::none(),
            (_, 0) => row.files.to_string(),
            (_, rejected) => format!("none: the generator rejects {rejected} constructs"),
        };
        table.row([
            row.document.clone(),
            format!("{:.0} KiB", row.bytes as f64 / 1024.0),
            table::milliseconds(row.read_ms),
            table::milliseconds(row.lint_ms),
            row.problems.to_string(),
            table::milliseconds(row.print_ms),
            row.generate_ms
                .map_or_else(table::none, table::milliseconds),
            files,
        ]);
    }
    println!("\n{table}");
    Ok(())
}

/// Returns the largest JSON document of the corpus.
fn largest(bench: &Bench<'_>, folder: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(bench.root.join(folder)).ok()?.flatten();
    entries
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "json"))
        .max_by_key(|entry| entry.metadata().map_or(0, |found| found.len()))
        .map(|entry| entry.path())
}

/// Writes a document of the size [`REPEATED`] that contains the same operations many times, with
/// other paths and other ids.
fn repeat(document: &Path, repeated: &Path) -> Result<()> {
    let text = fs::read_to_string(document)
        .with_context(|| format!("cannot read {}", document.display()))?;
    let text = repeated_text(&text).with_context(|| document.display().to_string())?;
    fs::write(repeated, text).with_context(|| format!("cannot write {}", repeated.display()))
}

fn repeated_text(text: &str) -> Result<String> {
    let mut tree: Value = serde_json::from_str(text).context("the document is not valid JSON")?;
    let whole = serde_json::to_string_pretty(&tree)?.len();
    let paths = tree["paths"].as_object_mut();
    let once = std::mem::take(paths.context("a document has `paths`")?);
    let without_paths = serde_json::to_string_pretty(&tree)?.len();
    let copies = REPEATED.saturating_sub(without_paths) / (whole - without_paths).max(1);
    tree["paths"] = (0..copies.max(1))
        .flat_map(|copy| copy_of(&once, copy))
        .collect();
    Ok(serde_json::to_string_pretty(&tree)?)
}

/// Returns a document of OpenAPI 3.1 in which each of many schemas has several problems.
fn faulty_text(schemas: usize) -> Result<String> {
    let schema = json!({
        "type": ["string", "null"],
        "nullable": true,
        "const": 5,
        "examples": [1],
        "exclusiveMinimum": 3,
    });
    let schemas = (0..schemas).map(|index| (format!("S{index}"), schema.clone()));
    let schemas: Map<String, Value> = schemas.collect();
    let document = json!({
        "openapi": "3.1.0",
        "info": { "title": "Faulty", "version": "1.0.0" },
        "paths": {},
        "components": { "schemas": schemas },
    });
    Ok(serde_json::to_string_pretty(&document)?)
}

fn copy_of(paths: &Map<String, Value>, copy: usize) -> impl Iterator<Item = (String, Value)> {
    paths.iter().map(move |(path, item)| {
        let mut item = item.clone();
        for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
            if let Some(Value::String(id)) = operation.get_mut("operationId") {
                id.push_str(&format!("_{copy}"));
            }
        }
        (format!("/copy-{copy}{path}"), item)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use openapi_dropshot_contract::{Profile, lint, read};

    #[test]
    fn each_schema_of_a_faulty_document_has_problems() {
        let text = faulty_text(10).expect("a document");
        let read = read("faulty-3.1.json", &text).expect("it can be read");
        let found = lint(&read, Profile::General).len();
        assert_eq!(found, 50);
    }

    #[test]
    fn a_repeated_document_is_large_and_as_valid_as_before() {
        let operation = |id| {
            serde_json::json!({
                "operationId": id,
                "description": "d".repeat(40_000),
                "responses": { "200": { "description": "Fine." } },
            })
        };
        let document = serde_json::json!({
            "openapi": "3.0.3",
            "info": { "title": "T", "version": "1.0.0" },
            "paths": { "/a": { "get": operation("getA"), "put": operation("putA") } },
        });
        let text = repeated_text(&document.to_string()).expect("a document");
        assert!(text.len() <= REPEATED && text.len() > REPEATED / 10 * 9);
        let read = read("repeated.json", &text).expect("it can be read");
        assert!(lint(&read, Profile::General).is_empty());
        assert!(read.operations.len() > 80, "{}", read.operations.len());
    }
}
