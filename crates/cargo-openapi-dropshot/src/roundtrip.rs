//! Task `roundtrip`: shows that the code generated from a document means what the
//! document says. Each document becomes a throw-away crate, which is compiled and
//! run: the document that dropshot emits from it is compared with the original by
//! meaning, and values and requests made from the document are sent to it. The
//! file `accepted` lists the differences that are accepted, each with its reason.

mod accepted;
mod instances;
mod program;
mod report;
mod requests;
mod source;
mod tally;
#[cfg(test)]
mod tests;
mod throwaway;
mod validators;
mod values;

use crate::Project;
use anyhow::{Context, Result};
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
use validators::Validators;

/// The options of the task `roundtrip`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Fail also where the generator rejects a part of a document
    #[arg(long)]
    whole: bool,

    /// The documents, YAML or JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The result of one document.
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

/// The differences between one document and its generated code, without printing
/// them. Every part that the generator rejects is a difference, too.
///
/// # Errors
///
/// The document cannot be read or is not usable; the throw-away crate cannot be
/// written, compiled or run.
pub(crate) fn differences_of(project: &Project, document: &Path) -> Result<Vec<Difference>> {
    let name = name_for(&[document.to_path_buf()]);
    let outcomes = outcomes(project, &name, vec![Source::read(project, document)?])?;
    let differences = outcomes.into_iter().flat_map(|outcome| {
        let rejections = outcome.source.rejections.iter().map(lost_part);
        let faults = outcome.faults().cloned();
        rejections.chain(faults).collect::<Vec<_>>()
    });
    Ok(differences.collect())
}

/// A rejection as a difference: the part is lost.
fn lost_part(problem: &Problem) -> Difference {
    Difference {
        rule: problem.rule,
        at: problem.at.clone(),
        part: "document".to_owned(),
        message: format!("{}; {}", problem.message, problem.help),
    }
}

/// Tries the documents and prints the result of each. The exit code is 1 where a
/// document and its generated code differ, and 0 otherwise.
///
/// # Errors
///
/// A document cannot be read or is not usable; the throw-away crates cannot be
/// written, compiled or run.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    let sources = options
        .files
        .iter()
        .map(|file| Source::read(project, file))
        .collect::<Result<Vec<_>>>()?;
    let outcomes = outcomes(project, &name_for(&options.files), sources)?;
    report::print(&outcomes);
    let is_broken = |outcome: &Outcome| {
        outcome.faults().next().is_some()
            || (options.whole && !outcome.source.rejections.is_empty())
    };
    Ok(if outcomes.iter().any(is_broken) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// A name for the throw-away crates that is the same for the same documents, and
/// differs from that of a run with other documents at the same time.
fn name_for(files: &[PathBuf]) -> String {
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    format!("roundtrip-{:08x}", hasher.finish() & 0xffff_ffff)
}

/// Compiles and tries the documents; `name` distinguishes the throw-away crates
/// from those of other runs.
fn outcomes(project: &Project, name: &str, sources: Vec<Source>) -> Result<Vec<Outcome>> {
    let generated: Vec<Generated<'_>> = sources
        .iter()
        .filter(|source| !source.files.is_empty())
        .map(|source| Generated {
            document: &source.document,
            files: source.files.clone(),
        })
        .collect();
    let mut programs = throwaway::compile(project, name, &generated)?.into_iter();
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

/// Compares a document with what its program does.
fn outcome(source: Source, file: String, program: &Path) -> Result<Outcome> {
    let mut program = Program::start(program)?;
    let emitted = emitted(&mut program)?;
    let mut comparison = meaning::compare(&source.document, &emitted);
    let validators = Validators::new(source.document.root.to_json());
    let (values, of_values) =
        values::try_all(&source.document, &validators, &comparison, &mut program)?;
    let (requests, of_requests) = requests::try_all(&source.document, &validators, &mut program)?;
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

/// The document that dropshot emits, with the schemas that no operation uses.
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
        .context("dropshot emits a document that is not valid OpenAPI 3.0")
}
