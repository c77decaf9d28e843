//! Measures how long it takes to read a document, to lint it and to generate code from it, on the
//! contract, and on the largest documents of OpenAPI 3.0 and 3.1 in a corpus, if there is one beside
//! the repository. This is the work of `cargo xtask generate` without writing files. Also measures how
//! the time for reading and linting grows, on these documents with their operations repeated, and on a
//! document with many problems. The tests of `openapi-dropshot-contract` and `openapi-dropshot` check
//! the results.

use super::{Bench, progress, table};
use anyhow::{Context as _, Result};
use openapi_dropshot::Options;
use openapi_dropshot_contract::{Problems, Profile, lint, read};
use petstore_bench::median;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    time::Instant,
};

const CONTRACT: &str = "spec/openapi.yaml";
/// The folders of the corpus, beside the repository, and the names of the documents with repeated
/// operations: for OpenAPI 3.0 and for 3.1.
const CORPUS: [(&str, &str); 2] = [
    ("../shared/corpus/accept", "repeated.json"),
    ("../shared/corpus/v31", "repeated-3.1.json"),
];
/// The size of the document with repeated operations, in bytes.
const REPEATED: usize = 4_000_000;
/// The number of schemas in the document with many problems. It makes the document 3.6 MB large.
const FAULTY: usize = 22_000;
/// The number of repetitions of each step.
const ROUNDS: usize = 11;

/// The median times for a document in milliseconds.
#[derive(Serialize)]
pub(crate) struct Row {
    document: String,
    bytes: usize,
    read_ms: f64,
    lint_ms: f64,
    /// Number of problems that reading and linting report.
    problems: usize,
    /// The time to write the problems together with the lines of the document.
    print_ms: f64,
    /// `None` if nothing had to be generated.
    generate_ms: Option<f64>,
    /// The number of generated files, or why there are none.
    files: String,
}

pub(crate) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    progress("reading, linting and generating");
    let quick = bench.options.quick;
    let (rounds, schemas) = if quick {
        (1, FAULTY / 20)
    } else {
        (ROUNDS, FAULTY)
    };
    let contract = read_text(&bench.root.join(CONTRACT))?;
    let mut rows = vec![row("openapi.yaml", &contract, true, rounds)?];
    for (folder, repeated) in CORPUS {
        let Some(document) = largest(bench, folder) else {
            println!("skipped: there is no corpus of documents at {folder}");
            continue;
        };
        let text = read_text(&document)?;
        let name = document.file_name().unwrap_or_default().to_string_lossy();
        rows.push(row(&name, &text, true, rounds)?);
        let text = repeated_text(&text).context(document.display().to_string())?;
        rows.push(row(repeated, &text, false, rounds)?);
    }
    rows.push(row(
        "faulty-3.1.json",
        &faulty_text(schemas)?,
        false,
        rounds,
    )?);
    print(&rows);
    Ok(rows)
}

fn row(document: &str, text: &str, generates: bool, rounds: usize) -> Result<Row> {
    let (read_ms, read) = timed(rounds, || read(document, text));
    let read = read?;
    let (lint_ms, problems) = timed(rounds, || lint(&read, Profile::General));
    let (print_ms, _) = timed(rounds, || {
        Problems::new(&read.text, problems.clone()).to_string()
    });
    let options = options();
    let generate = || timed(rounds, || openapi_dropshot::generate(&read, &options));
    let (generate_ms, generated) = generates.then(generate).unzip();
    Ok(Row {
        document: document.to_owned(),
        bytes: text.len(),
        read_ms,
        lint_ms,
        problems: problems.len(),
        print_ms,
        generate_ms,
        files: match generated {
            Some(Ok(generated)) => generated.files.len().to_string(),
            Some(Err(problems)) => {
                format!("none: the generator rejects {} constructs", problems.len())
            }
            None => "-".to_owned(),
        },
    })
}

/// Returns the median time in milliseconds, and the last result. The first repetition is a warm-up.
fn timed<T>(rounds: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut result = work();
    let times = (0..rounds).map(|_| {
        let begin = Instant::now();
        result = black_box(work());
        begin.elapsed().as_secs_f64() * 1e3
    });
    (median(times).unwrap_or_default(), result)
}

fn options() -> Options {
    let folder = |name: &str| format!("crates/{name}/src/generated");
    Options {
        command: "cargo xtask bench".to_owned(),
        source: "a document".to_owned(),
        models: folder("models"),
        api: folder("api"),
        client: folder("client"),
        models_crate: "models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    }
}

fn print(rows: &[Row]) {
    let head = [
        "document", "size", "read", "lint", "problems", "print", "generate", "files",
    ];
    let rows = rows.iter().map(|row| {
        vec![
            row.document.clone(),
            format!("{:.0} KiB", row.bytes as f64 / 1024.0),
            table::milliseconds(row.read_ms),
            table::milliseconds(row.lint_ms),
            row.problems.to_string(),
            table::milliseconds(row.print_ms),
            table::or_none(row.generate_ms, table::milliseconds),
            row.files.clone(),
        ]
    });
    table::print(&head, rows);
}

fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the largest JSON document of the corpus.
fn largest(bench: &Bench, folder: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(bench.root.join(folder)).ok()?.flatten();
    entries
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "json"))
        .max_by_key(|entry| entry.metadata().map_or(0, |found| found.len()))
        .map(|entry| entry.path())
}

/// Returns a document of the size [`REPEATED`] that contains the same operations many times, with
/// other paths and other ids.
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
            json!({
                "operationId": id,
                "description": "d".repeat(40_000),
                "responses": { "200": { "description": "Fine." } },
            })
        };
        let document = json!({
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
