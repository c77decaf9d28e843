//! `cargo xtask roundtrip FILE…`: shows that the code generated of a document
//! means what the document says. Each document becomes a throw-away crate, which
//! is compiled and asked: what dropshot emits is compared by meaning, values and
//! requests made of the document are tried. Generating is left to
//! `openapi-dropshot`, comparing to `openapi_dropshot_contract::meaning`; what is accepted
//! all the same stands in `accepted`. `cargo xtask check` asks [`contract`] for
//! the document of the service alone.

mod accepted;
mod instances;
mod judge;
mod program;
mod report;
mod requests;
mod source;
mod tally;
#[cfg(test)]
mod tests;
mod throwaway;
mod values;

use anyhow::{Context, Result};
use judge::Judge;
use openapi_dropshot_contract::{
    Document, Problem,
    meaning::{self, Comparison, Difference},
};
use program::Program;
use serde_json::Value;
use source::Source;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::ExitCode,
};
use tally::Tally;
use throwaway::Generated;

/// What `cargo xtask roundtrip` takes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Fail also where the generator refuses a part of a document
    #[arg(long)]
    whole: bool,

    /// The documents, YAML or JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What became of one document.
struct Outcome {
    /// The file as the caller named it.
    file: String,
    source: Source,
    comparison: Comparison,
    /// All differences, accepted ones included.
    differences: Vec<Difference>,
    values: Tally,
    requests: Tally,
}

/// Tries the document of the service, which has to come through whole, and
/// prints nothing. Returns what was refused or differs, each with its rule, its
/// place and what it is about; the document comes through where that is empty.
///
/// # Errors
///
/// The document cannot be read, or is no usable one; the throw-away crate cannot
/// be written, compiled or asked.
pub(crate) fn contract(root: &Path, document: &Path) -> Result<Vec<Difference>> {
    let name = name_for(&[document.to_path_buf()]);
    differences(root, &name, Source::read(document)?)
}

/// The same with a generator that is broken on purpose: each change is a file
/// that it writes, a text in it, and what it writes instead.
#[cfg(test)]
pub(crate) fn broken_contract(
    root: &Path,
    document: &Path,
    changes: &[(&str, &str, &str)],
) -> Result<Vec<Difference>> {
    let mut source = Source::read(document)?;
    for (path, old, new) in changes {
        let file = source.files.iter_mut().find(|file| file.path == *path);
        let file = file.with_context(|| format!("nothing is generated as {path}"))?;
        anyhow::ensure!(file.text.contains(old), "{path} has no `{old}` to replace");
        file.text = file.text.replacen(old, new, 1);
    }
    differences(root, "broken-contract", source)
}

/// What was refused of a document, or differs.
fn differences(root: &Path, name: &str, source: Source) -> Result<Vec<Difference>> {
    let outcomes = outcomes(root, name, vec![source])?;
    let differences = outcomes.into_iter().flat_map(|outcome| {
        let refusals = outcome.source.refusals.iter().map(refused);
        let faults = outcome.faults().cloned();
        refusals.chain(faults).collect::<Vec<_>>()
    });
    Ok(differences.collect())
}

/// A refusal as a difference: the part is lost.
fn refused(problem: &Problem) -> Difference {
    Difference {
        rule: problem.rule,
        at: problem.at.clone(),
        part: "document".to_owned(),
        message: format!("{}; {}", problem.message, problem.help),
    }
}

/// Tries the documents with the dependencies of the workspace at `root`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let sources = options
        .files
        .iter()
        .map(|file| Source::read(file))
        .collect::<Result<Vec<_>>>()?;
    let outcomes = outcomes(root, &name_for(&options.files), sources)?;
    report::print(&outcomes);
    let is_broken = |outcome: &Outcome| {
        outcome.faults().next().is_some() || (options.whole && !outcome.source.refusals.is_empty())
    };
    Ok(if outcomes.iter().any(is_broken) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// A name of the throw-away crates that is the same for the same documents, and
/// that no other run in another terminal has.
fn name_for(files: &[PathBuf]) -> String {
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    format!("roundtrip-{:08x}", hasher.finish() & 0xffff_ffff)
}

/// What becomes of each document. `name` tells the throw-away crates from those
/// of somebody else who does the same at the same time.
fn outcomes(root: &Path, name: &str, sources: Vec<Source>) -> Result<Vec<Outcome>> {
    let generated: Vec<Generated<'_>> = sources
        .iter()
        .filter(|source| !source.files.is_empty())
        .map(|source| Generated {
            document: &source.document,
            files: source.files.clone(),
        })
        .collect();
    let mut programs = throwaway::compile(root, name, &generated)?.into_iter();
    drop(generated);
    let mut outcomes = Vec::new();
    for source in sources {
        let file = source.document.file.to_string();
        outcomes.push(if source.files.is_empty() {
            Outcome::untried(source, file)
        } else {
            match programs.next().context("a program is missing")? {
                Ok(program) => outcome(source, file.clone(), &program)
                    .with_context(|| format!("cannot try {file}"))?,
                Err(why) => Outcome::uncompiled(source, file, why),
            }
        });
    }
    Ok(outcomes)
}

/// Asks the program of a document everything.
fn outcome(source: Source, file: String, program: &Path) -> Result<Outcome> {
    let mut program = Program::start(program)?;
    let emitted = emitted(&mut program)?;
    let mut comparison = meaning::compare(&source.document, &emitted);
    let judge = Judge::new(source.document.root.to_json());
    let (values, of_values) = values::try_all(&source.document, &judge, &comparison, &mut program)?;
    let (requests, of_requests) = requests::try_all(&source.document, &judge, &mut program)?;
    let mut differences = std::mem::take(&mut comparison.differences);
    differences.extend(of_values);
    differences.extend(of_requests);
    Ok(Outcome {
        file,
        source,
        comparison,
        differences,
        values,
        requests,
    })
}

/// The document that dropshot emits, with the schemas that no operation of it
/// leads to.
fn emitted(program: &mut Program) -> Result<Document> {
    let mut document = program.document()?;
    let others = program.schemas()?;
    if let Some(more) = others
        .pointer("/components/schemas")
        .and_then(Value::as_object)
    {
        let known = &mut document["components"]["schemas"];
        for (name, schema) in more {
            if known.get(name).is_none() {
                known[name] = schema.clone();
            }
        }
    }
    openapi_dropshot_contract::read("emitted.json", &document.to_string())
        .context("dropshot emits a document that is none of OpenAPI 3.0")
}
