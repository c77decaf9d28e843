//! Task `check`: runs the gates, which compare the document, the generated code,
//! the released documents and the changelog with each other. Each gate is one
//! file of this folder.

mod accepted;
mod breaking;
mod changelog;
mod document;
mod finding;
mod generated;
mod inputs;
mod lifecycle;
mod report;
pub(crate) mod roundtrip;

pub(crate) use accepted::without_entries;
pub(crate) use finding::Finding;
pub(crate) use inputs::Inputs;

use crate::{Format, Project};
use anyhow::Result;
use chrono::{NaiveDate, Utc};
use clap::ValueEnum;
use openapi_dropshot_contract::{Problem, Severity, model::Location};
use std::{
    env,
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

/// The options of the task `check`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The document, if not the project's own
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// The day for which sunsets are checked, if not today (UTC)
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = Utc::now().date_naive(), hide_default_value = true)]
    today: NaiveDate,

    /// Run this gate only; may be given more than once
    #[arg(long, value_enum, value_name = "NAME")]
    gate: Vec<Name>,

    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Also write a GitHub annotation for each finding; always done where
    /// GITHUB_ACTIONS is `true`
    #[arg(long)]
    annotations: bool,
}

/// The gates, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// The document is valid and keeps the project rules
    Document,
    /// The generated code is fresh
    Generated,
    /// The generated code means what the document says
    Roundtrip,
    /// No breaking change since the newest release
    Breaking,
    /// Deprecations, sunsets and stability levels keep their rules
    Lifecycle,
    /// The changelog names every change, and all versions agree
    Changelog,
}

/// The result of a gate.
pub(crate) struct Outcome {
    /// What was checked, as a lower-case fragment.
    summary: String,
    /// The faults and warnings.
    pub(crate) findings: Vec<Finding>,
    /// The command that repairs them.
    pub(crate) fix: Option<String>,
}

/// A gate that was run.
struct Gate {
    /// The name in the command line and in the report.
    name: String,
    outcome: Outcome,
    took: Duration,
}

impl Gate {
    /// The greatest severity of its findings.
    fn severity(&self) -> Option<Severity> {
        let findings = self.outcome.findings.iter();
        findings.map(|finding| finding.problem.severity).max()
    }

    fn has_failed(&self) -> bool {
        self.severity() == Some(Severity::Error)
    }
}

/// Runs the gates and prints what they found. The exit code is 1 where a gate
/// failed, and 0 otherwise.
///
/// # Errors
///
/// A file that all gates need cannot be read at all.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    let inputs = Inputs::read(project, options.spec.as_deref(), options.today)?;
    let mut names = Name::value_variants().to_vec();
    names.retain(|name| options.gate.is_empty() || options.gate.contains(name));
    let is_text = options.format == Format::Text;
    let print = |gate: &Gate| {
        if is_text {
            print_line(gate);
        }
    };
    let gates = run_gates(&inputs, &names, print);
    let mut annotations = String::new();
    if options.annotations || env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        annotations = report::annotations(&gates);
    }
    if is_text {
        print!("{}{annotations}", report::details(&gates));
    } else {
        // Standard output must contain one JSON object and nothing else.
        println!("{:#}", report::json(&gates, options.today));
        eprint!("{annotations}");
    }
    let has_failed = gates.iter().any(Gate::has_failed);
    Ok(ExitCode::from(u8::from(has_failed)))
}

/// Runs all gates before a release, and returns the names of those that failed.
/// The gate that compiles something runs only where all others passed.
pub(crate) fn failed_gates(inputs: &Inputs<'_>) -> Vec<String> {
    let mut quick = Name::value_variants().to_vec();
    quick.retain(|name| *name != Name::Roundtrip);
    let mut gates = run_gates(inputs, &quick, print_line);
    if !gates.iter().any(Gate::has_failed) {
        gates.extend(run_gates(inputs, &[Name::Roundtrip], print_line));
    }
    print!("{}", report::details(&gates));
    gates.retain(Gate::has_failed);
    gates.into_iter().map(|gate| gate.name).collect()
}

fn print_line(gate: &Gate) {
    println!("{}", report::line(gate));
}

/// Runs the gates one after the other, whether or not an earlier one failed, and
/// passes each result to `report`.
fn run_gates(inputs: &Inputs<'_>, names: &[Name], mut report: impl FnMut(&Gate)) -> Vec<Gate> {
    let mut gates = Vec::new();
    for &name in names {
        let started = Instant::now();
        let outcome = match (name, &inputs.document) {
            (Name::Document, _) => Ok(document::run(inputs)),
            (Name::Breaking, _) => Ok(breaking::run(inputs)),
            (Name::Changelog, _) => changelog::run(inputs),
            (Name::Generated, Ok(document)) => generated::run(inputs, document),
            (Name::Roundtrip, Ok(document)) => roundtrip::run(inputs, document),
            (Name::Lifecycle, Ok(document)) => Ok(lifecycle::run(inputs, document)),
            (_, Err(_)) => Ok(Outcome::without_document(inputs)),
        };
        let name = name.to_possible_value();
        let gate = Gate {
            name: name.map_or_else(String::new, |name| name.get_name().to_owned()),
            outcome: outcome.unwrap_or_else(|error| {
                let help = "repair the cause, and run the gates again";
                let message = format!("{error:#}");
                Outcome::failed(inputs, "could not be run", "not-run", &message, help)
            }),
            took: started.elapsed(),
        };
        report(&gate);
        gates.push(gate);
    }
    gates
}

impl Outcome {
    /// Makes a failed outcome with one error at the first character of the document.
    fn failed(
        inputs: &Inputs<'_>,
        summary: &str,
        rule: &'static str,
        message: &str,
        help: &str,
    ) -> Self {
        let problem = Problem::error(rule, &Location::start(&inputs.file), message, help);
        Outcome {
            summary: summary.to_owned(),
            findings: vec![Finding::new(problem)],
            fix: None,
        }
    }

    /// The document cannot be read; the gate `document` says why.
    fn without_document(inputs: &Inputs<'_>) -> Self {
        let summary = "not checked: the document cannot be read";
        let help = "repair what the gate `document` found first";
        Outcome::failed(
            inputs,
            summary,
            "no-document",
            "the document cannot be read",
            help,
        )
    }
}
