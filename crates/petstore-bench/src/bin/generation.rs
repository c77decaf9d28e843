//! Measures how long it takes to read a document, to lint it and to generate code from
//! it. This is the work of `cargo xtask generate` without reading and writing files. The
//! tests of `openapi-dropshot-contract` and `openapi-dropshot` check the results.

use anyhow::Context as _;
use clap::Parser;
use openapi_dropshot::Options;
use openapi_dropshot_contract::{Problems, Profile, lint, read};
use serde::Serialize;
use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// What to measure, and how often.
#[derive(Parser)]
struct Arguments {
    /// Documents that are read and linted, and from which code is generated
    documents: Vec<PathBuf>,
    /// Documents that are only read and linted
    #[arg(long)]
    read_only: Vec<PathBuf>,
    /// Number of repetitions, whose median is reported
    #[arg(long, default_value_t = 11)]
    rounds: usize,
}

/// Milliseconds for each step.
#[derive(Serialize)]
struct Report {
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
    /// Number of generated files; 0 if the generator rejects the document.
    files: usize,
    /// Number of constructs that the generator rejects.
    rejected: usize,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let rounds = arguments.rounds.max(1);
    let documents = arguments.documents.iter().map(|path| (path, true));
    let read_only = arguments.read_only.iter().map(|path| (path, false));
    let reports: Vec<Report> = documents
        .chain(read_only)
        .map(|(path, generates)| report(path, generates, rounds))
        .collect::<anyhow::Result<_>>()?;
    println!("{}", serde_json::to_string(&reports)?);
    Ok(())
}

fn report(path: &Path, generates: bool, rounds: usize) -> anyhow::Result<Report> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let (read_ms, document) = median(rounds, || read(&name, &text));
    let document = document?;
    let (lint_ms, problems) = median(rounds, || lint(&document, Profile::General));
    let (print_ms, _) = median(rounds, || {
        Problems::new(&document.text, problems.clone()).to_string()
    });
    let mut report = Report {
        document: name.into_owned(),
        bytes: text.len(),
        read_ms,
        lint_ms,
        problems: problems.len(),
        print_ms,
        generate_ms: None,
        files: 0,
        rejected: 0,
    };
    if generates {
        let options = options();
        let (generate_ms, generated) =
            median(rounds, || openapi_dropshot::generate(&document, &options));
        report.generate_ms = Some(generate_ms);
        match generated {
            Ok(generated) => report.files = generated.files.len(),
            Err(problems) => report.rejected = problems.len(),
        }
    }
    Ok(report)
}

/// Returns the median in milliseconds, and the last result.
fn median<T>(rounds: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut result = work();
    let mut taken: Vec<Duration> = (0..rounds)
        .map(|_| {
            let begin = Instant::now();
            result = black_box(work());
            begin.elapsed()
        })
        .collect();
    taken.sort_unstable();
    (taken[rounds / 2].as_secs_f64() * 1e3, result)
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
