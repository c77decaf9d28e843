//! Task `roundtrip`: checks that the code generated from a document behaves as the document says. Each document becomes
//! a temporary program, which is compiled and run. The task compares the meaning of the document that dropshot emits
//! with the original, and sends values and requests made from the document to the program. The rules for differences
//! declare which differences are accepted, and why.

mod coverage;
mod emitted;
mod formats;
pub(crate) mod instances;
mod program;
mod report;
mod requests;
pub(crate) mod schemas;
mod source;
#[cfg(test)]
mod tests;
mod throwaway;
mod values;
mod written;

use crate::Project;
use anyhow::{Context, Result};
use openapi_dropshot_contract::{
    Problem,
    meaning::{self, Comparison, Difference},
    model::Location,
    rules::{DifferenceRule, differences},
};
use program::Program;
use schemas::Schemas;
use source::Source;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};
pub(crate) use throwaway::offline_first;

/// Check that the generated code behaves as its document says
///
/// Generates a temporary crate for each document, compiles it, and compares its emitted document,
/// the values that it accepts and its responses with the document. Exits with 0 if
/// every part passed or was rejected with a reason, and with 1 otherwise.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Also fail if the generator rejects a part of a document
    #[arg(long)]
    whole: bool,

    /// Print only how many operations of each document can be generated, and which
    /// rules reject the others; compile nothing
    #[arg(long, conflicts_with = "whole")]
    plan: bool,

    /// Print a Markdown table with the operations of each document, the supported ones, the differences, and
    /// the rules that reject the others
    #[arg(long, conflicts_with_all = ["whole", "plan"])]
    table: bool,

    /// The folder of the toolkit's repository; required if this project does not depend on the toolkit and the registry
    /// does not have the version of this command
    #[arg(long, value_name = "FOLDER")]
    toolkit: Option<PathBuf>,

    /// The documents, YAML or JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The result for one document.
struct Outcome {
    source: Source,
    comparison: Comparison,
    values: Trials,
    requests: Trials,
}

/// The number of tested values or requests, and the differences that were found.
#[derive(Default)]
struct Trials {
    valid: usize,
    invalid: usize,
    differences: Vec<Difference>,
}

impl Trials {
    fn count(&mut self, is_valid: bool) {
        if is_valid {
            self.valid += 1;
        } else {
            self.invalid += 1;
        }
    }

    fn differ(
        &mut self,
        rule: &'static DifferenceRule,
        at: &Location,
        part: &str,
        message: impl Into<String>,
    ) {
        self.differences.push(Difference {
            rule,
            at: at.clone(),
            part: part.to_owned(),
            message: message.into(),
        });
    }
}

/// Returns the problems of one document without printing them: its differences from the generated code, and every part
/// that the generator rejects.
pub(crate) fn problems_of(project: &Project, document: &Path) -> Result<Vec<Problem>> {
    let name = name_for(&[document.to_path_buf()]);
    let outcomes = outcomes(project, &name, vec![Source::read(project, document)?])?;
    Ok(outcomes.iter().flat_map(Outcome::problems).collect())
}

/// Tests the documents and prints the result for each. The exit code is 1 if a document and its generated code differ,
/// and 0 otherwise.
///
/// # Errors
///
/// A document cannot be read or is not usable, or the temporary programs cannot be written, compiled or run.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    let mut project = project.clone();
    if let Some(toolkit) = &options.toolkit {
        project.types_crate = Some(throwaway::types_in(toolkit)?);
    }
    let project = &project;
    if options.plan {
        coverage::print(project, &options.files, None);
        return Ok(ExitCode::SUCCESS);
    }
    if options.table {
        return table(project, options);
    }
    let read = |file: &PathBuf| Source::read(project, file);
    let sources = options.files.iter().map(read).collect::<Result<_>>()?;
    let outcomes = outcomes(project, &name_for(&options.files), sources)?;
    report::print(&outcomes);
    let is_broken = |outcome: &Outcome| {
        outcome.faults().next().is_some()
            || (options.whole && !outcome.source.rejections.is_empty())
    };
    let has_failed = outcomes.iter().any(is_broken);
    Ok(ExitCode::from(u8::from(has_failed)))
}

/// Tests the documents that can be read, and prints a table of all of them.
fn table(project: &Project, options: &Options) -> Result<ExitCode> {
    let files = &options.files;
    let mut differences = vec![None; files.len()];
    let read = |(index, file): (usize, &PathBuf)| Some((index, Source::read(project, file).ok()?));
    let sources = files.iter().enumerate().filter_map(read);
    let (indices, sources): (Vec<usize>, Vec<Source>) = sources.unzip();
    let name = name_for(files);
    for (index, outcome) in indices.into_iter().zip(outcomes(project, &name, sources)?) {
        differences[index] = Some(outcome.faults().count());
    }
    coverage::print(project, files, Some(&differences));
    Ok(ExitCode::SUCCESS)
}

/// Returns a name for the temporary programs that depends only on the documents, so that simultaneous runs with
/// different documents do not conflict.
fn name_for(files: &[PathBuf]) -> String {
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    format!("roundtrip-{:08x}", hasher.finish() & 0xffff_ffff)
}

/// Compiles and tests the documents. `name` distinguishes the temporary programs from those of other runs.
fn outcomes(project: &Project, name: &str, sources: Vec<Source>) -> Result<Vec<Outcome>> {
    let programs = throwaway::compile(project, name, &sources)?;
    let outcomes = sources.into_iter().zip(programs).map(|(source, program)| {
        let file = Arc::clone(&source.document.file);
        match program {
            // Every part of the document was rejected.
            _ if source.generated.files.is_empty() => Ok(Outcome::untried(source, None)),
            Err(errors) => {
                let reason = Difference {
                    rule: &differences::DOES_NOT_COMPILE,
                    at: source.document.root.at.clone(),
                    part: "document".to_owned(),
                    message: errors,
                };
                Ok(Outcome::untried(source, Some(reason)))
            }
            Ok(program) => {
                Outcome::of(source, &program).with_context(|| format!("cannot try {file}"))
            }
        }
    });
    outcomes.collect()
}

impl Outcome {
    /// Compares a document with the behaviour of its program.
    fn of(source: Source, program: &Path) -> Result<Self> {
        let mut program = Program::start(program)?;
        let document = &source.document;
        let comparison = meaning::compare(document, &emitted::read(&mut program, document)?);
        let schemas = Schemas::new(document.root.to_json());
        let values = values::try_all(document, &schemas, &comparison.pairs, &mut program)?;
        let requests = requests::try_all(document, &schemas, &mut program)?;
        Ok(Outcome {
            source,
            comparison,
            values,
            requests,
        })
    }

    /// Returns the result for a document whose code was not compiled, with the reason.
    fn untried(source: Source, reason: Option<Difference>) -> Self {
        Outcome {
            source,
            comparison: Comparison {
                differences: Vec::from_iter(reason),
                ..Comparison::default()
            },
            values: Trials::default(),
            requests: Trials::default(),
        }
    }

    /// Returns all differences, including accepted ones.
    fn differences(&self) -> impl Iterator<Item = &Difference> {
        let differences = self.comparison.differences.iter();
        let differences = differences.chain(&self.values.differences);
        differences.chain(&self.requests.differences)
    }

    /// Returns the differences that are not accepted.
    fn faults(&self) -> impl Iterator<Item = &Difference> {
        let is_fault = |difference: &&Difference| difference.rule.accepted.is_none();
        self.differences().filter(is_fault)
    }

    /// Returns the problems that the gate reports: the parts that the generator rejects, and the differences that are
    /// not accepted.
    fn problems(&self) -> Vec<Problem> {
        const HELP: &str = "the service would not behave as its document says: report this bug in the generator; until it is \
                            fixed, write this part of the document differently";
        let rejections = self.source.rejections.iter().map(|rejection| {
            let mut problem = rejection.clone();
            problem.message = format!("document: {}; {}", rejection.message, rejection.help);
            problem.help = HELP.to_owned();
            problem
        });
        let faults = self.faults().map(|fault| {
            let message = format!("{}: {}", fault.part, fault.message);
            fault.rule.problem(&fault.at, message, HELP)
        });
        rejections.chain(faults).collect()
    }
}
