//! `cargo xtask check`: all the gates, so that document, generated code and
//! released contract cannot disagree. Each gate is one file here and says what
//! it found; reading, comparing and generating are left to the `openapi-*`
//! crates, the other tasks to their own files.

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
mod roundtrip;
mod text;

pub(crate) use accepted::{FILE as ACCEPTED, without_entries};
pub(crate) use finding::Finding;
pub(crate) use inputs::Inputs;

use anyhow::Result;
use chrono::{NaiveDate, Utc};
use openapi_dropshot_contract::Severity;
use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

/// What `cargo xtask check` takes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The document, if not spec/openapi.yaml
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// The day on which sunsets are looked at, if not today (UTC)
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = Utc::now().date_naive(), hide_default_value = true)]
    today: NaiveDate,

    /// Run this gate only; may be given more than once
    #[arg(long, value_enum, value_name = "NAME")]
    gate: Vec<Name>,

    /// How to show what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Also write a GitHub annotation for each finding; always done where
    /// GITHUB_ACTIONS is `true`
    #[arg(long)]
    annotations: bool,
}

/// How findings are shown.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A line a gate, then what was found
    Text,
    /// One JSON object; `spec/README.md` describes it
    Json,
}

/// The gates, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Name {
    /// The document is valid and keeps the house rules
    Document,
    /// The generated code is what the document says
    Generated,
    /// The generated code means what the document says
    Roundtrip,
    /// Nothing breaks a client of the newest release
    Breaking,
    /// Deprecations, sunsets and stability keep their promises
    Lifecycle,
    /// The changelog tells what changed, and all versions agree
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

    /// The name as it is typed and shown.
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

/// What a gate found.
struct Outcome {
    /// What was looked at, as a lower-case fragment.
    summary: String,
    /// What is wrong, or worth a look.
    findings: Vec<Finding>,
    /// The command that mends it.
    fix: Option<String>,
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

    /// Whether the change must not be taken.
    fn has_failed(&self) -> bool {
        self.state() == State::Failed
    }
}

/// Runs the gates on the workspace at `root` and shows what they found.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let inputs = Inputs::read(root, options.spec.as_deref(), options.today)?;
    let names: Vec<Name> = (Name::ALL.into_iter())
        .filter(|name| options.gate.is_empty() || options.gate.contains(name))
        .collect();
    let gates = match options.format {
        Format::Text => shown(&inputs, &names),
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

/// Runs the gates before a release, and returns the names of those that failed.
/// The one that compiles something is run where all others are green.
pub(crate) fn red(inputs: &Inputs) -> Vec<&'static str> {
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

fn shown(inputs: &Inputs, names: &[Name]) -> Vec<Gate> {
    let gates = run_gates(inputs, names, |gate| println!("{}", text::line(gate)));
    print!("{}", text::details(&gates));
    gates
}

/// Runs gates, each also where an earlier one failed.
fn run_gates(inputs: &Inputs, names: &[Name], mut through: impl FnMut(&Gate)) -> Vec<Gate> {
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
        through(&gate);
        gates.push(gate);
    }
    gates
}

impl Outcome {
    /// The gate could not do its work, which is a failure like any other.
    fn not_run(inputs: &Inputs, error: &anyhow::Error) -> Self {
        let message = format!("{error:#}");
        Outcome {
            summary: "could not be run".to_owned(),
            findings: vec![Finding::new(
                Severity::Error,
                "not-run",
                inputs.start(),
                message,
                "mend the cause, and run the gates again",
            )],
            fix: None,
        }
    }

    /// There is no document to look at; the gate `document` says why.
    fn without_document(inputs: &Inputs) -> Self {
        Outcome {
            summary: "not looked at: the document cannot be read".to_owned(),
            findings: vec![Finding::new(
                Severity::Error,
                "no-document",
                inputs.start(),
                "there is no document to look at",
                "mend what the gate `document` found first",
            )],
            fix: None,
        }
    }
}
