//! Task `check`: runs the gates, which compare the document, the generated code,
//! the released documents and the changelog with each other. Each gate is one
//! file of this folder.

mod accepted;
mod annotations;
mod breaking;
mod changelog;
mod document;
mod finding;
mod generated;
mod inputs;
mod json;
mod lifecycle;
pub(crate) mod roundtrip;
mod text;

pub(crate) use accepted::without_entries;
pub(crate) use finding::Finding;
pub(crate) use inputs::Inputs;

use crate::Project;
use anyhow::Result;
use chrono::{NaiveDate, Utc};
use openapi_dropshot_contract::Severity;
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

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One line for each gate, then the findings
    Text,
    /// One JSON object
    Json,
}

/// The gates, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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

impl Name {
    const ALL: [Name; 6] = [
        Name::Document,
        Name::Generated,
        Name::Roundtrip,
        Name::Breaking,
        Name::Lifecycle,
        Name::Changelog,
    ];

    /// The name as it is typed and printed.
    fn as_str(self) -> &'static str {
        match self {
            Name::Document => "document",
            Name::Generated => "generated",
            Name::Roundtrip => "roundtrip",
            Name::Breaking => "breaking",
            Name::Lifecycle => "lifecycle",
            Name::Changelog => "changelog",
        }
    }
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
    name: Name,
    outcome: Outcome,
    took: Duration,
}

/// How a gate ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Passed,
    Warned,
    Failed,
}

impl Gate {
    fn state(&self) -> State {
        let worst = self.outcome.findings.iter().map(|found| found.severity);
        match worst.max() {
            None => State::Passed,
            Some(Severity::Warning) => State::Warned,
            Some(Severity::Error) => State::Failed,
        }
    }

    /// Whether one of the findings is an error.
    fn has_failed(&self) -> bool {
        self.state() == State::Failed
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
    let names: Vec<Name> = (Name::ALL.into_iter())
        .filter(|name| options.gate.is_empty() || options.gate.contains(name))
        .collect();
    let gates = match options.format {
        Format::Text => run_and_print(&inputs, &names),
        Format::Json => {
            let gates = run_gates(&inputs, &names, |_| {});
            println!("{:#}", json::render(&gates, options.today));
            gates
        }
    };
    if options.annotations || env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        let lines = annotations::render(&gates);
        match options.format {
            Format::Text => print!("{lines}"),
            // Standard output is one JSON object, nothing else.
            Format::Json => eprint!("{lines}"),
        }
    }
    Ok(if gates.iter().any(Gate::has_failed) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Runs all gates before a release, and returns the names of those that failed.
/// The gate that compiles something runs only where all others passed.
pub(crate) fn failed_gates(inputs: &Inputs<'_>) -> Vec<&'static str> {
    let (slow, quick): (Vec<Name>, Vec<Name>) =
        (Name::ALL.into_iter()).partition(|name| *name == Name::Roundtrip);
    let line = |gate: &Gate| println!("{}", text::line(gate));
    let mut gates = run_gates(inputs, &quick, line);
    if !gates.iter().any(Gate::has_failed) {
        gates.append(&mut run_gates(inputs, &slow, line));
    }
    print!("{}", text::details(&gates));
    let failed = gates.iter().filter(|gate| gate.has_failed());
    failed.map(|gate| gate.name.as_str()).collect()
}

fn run_and_print(inputs: &Inputs<'_>, names: &[Name]) -> Vec<Gate> {
    let gates = run_gates(inputs, names, |gate| println!("{}", text::line(gate)));
    print!("{}", text::details(&gates));
    gates
}

/// Runs the gates one after the other, whether or not an earlier one failed, and
/// passes each result to `report`.
fn run_gates(inputs: &Inputs<'_>, names: &[Name], mut report: impl FnMut(&Gate)) -> Vec<Gate> {
    let mut gates = Vec::new();
    for &name in names {
        let started = Instant::now();
        let outcome = match name {
            Name::Document => Ok(document::run(inputs)),
            Name::Generated => generated::run(inputs),
            Name::Roundtrip => roundtrip::run(inputs),
            Name::Breaking => Ok(breaking::run(inputs)),
            Name::Lifecycle => Ok(lifecycle::run(inputs)),
            Name::Changelog => changelog::run(inputs),
        };
        let gate = Gate {
            name,
            outcome: outcome.unwrap_or_else(|error| Outcome::not_run(inputs, &error)),
            took: started.elapsed(),
        };
        report(&gate);
        gates.push(gate);
    }
    gates
}

impl Outcome {
    /// The gate ended with an error, which fails it.
    fn not_run(inputs: &Inputs<'_>, error: &anyhow::Error) -> Self {
        let message = format!("{error:#}");
        Outcome {
            summary: "could not be run".to_owned(),
            findings: vec![Finding::new(
                Severity::Error,
                "not-run",
                inputs.start(),
                message,
                "repair the cause, and run the gates again",
            )],
            fix: None,
        }
    }

    /// The document cannot be read; the gate `document` says why.
    fn without_document(inputs: &Inputs<'_>) -> Self {
        Outcome {
            summary: "not checked: the document cannot be read".to_owned(),
            findings: vec![Finding::new(
                Severity::Error,
                "no-document",
                inputs.start(),
                "the document cannot be read",
                "repair what the gate `document` found first",
            )],
            fix: None,
        }
    }
}
