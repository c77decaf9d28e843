//! How long it takes to read a document, to lint it and to generate from it:
//! the work of `cargo xtask generate`, without what the files cost. What comes
//! out is held by the tests of `openapi-contract` and `openapi-dropshot`.

use anyhow::Context as _;
use openapi_contract::{Profile, lint, read};
use openapi_dropshot::Options;
use serde::Serialize;
use std::{
    env, fs,
    hint::black_box,
    path::Path,
    time::{Duration, Instant},
};

/// Each is done so often, and the median counts.
const ROUNDS: usize = 11;

/// Milliseconds for each step.
#[derive(Serialize)]
struct Report {
    document: String,
    bytes: usize,
    read_ms: f64,
    lint_ms: f64,
    generate_ms: f64,
    /// Files that were generated; none where the document is refused.
    files: usize,
    /// Constructs for which nothing is generated.
    refused: usize,
}

fn main() -> anyhow::Result<()> {
    let reports: Vec<Report> = env::args()
        .skip(1)
        .map(|path| report(Path::new(&path)))
        .collect::<anyhow::Result<_>>()?;
    println!("{}", serde_json::to_string(&reports)?);
    Ok(())
}

fn report(path: &Path) -> anyhow::Result<Report> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let (read_ms, document) = median(|| read(&name, &text));
    let document = document?;
    let (lint_ms, _) = median(|| lint(&document, Profile::General));
    let options = options();
    let (generate_ms, generated) = median(|| openapi_dropshot::generate(&document, &options));
    let (files, refused) = match generated {
        Ok(files) => (files.len(), 0),
        Err(problems) => (0, problems.len()),
    };
    Ok(Report {
        document: name.into_owned(),
        bytes: text.len(),
        read_ms,
        lint_ms,
        generate_ms,
        files,
        refused,
    })
}

/// The median in milliseconds, and what came of it.
fn median<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut result = work();
    let mut taken: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            result = black_box(work());
            begin.elapsed()
        })
        .collect();
    taken.sort_unstable();
    (taken[ROUNDS / 2].as_secs_f64() * 1e3, result)
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
        trait_name: None,
    }
}
