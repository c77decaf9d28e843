//! Task `check`: runs the gates. They check that the document, the generated code, the released documents and the changelog
//! agree. Each gate is one file in the folder `check`.

mod accepted;
mod breaking;
pub(crate) mod changelog;
mod changes;
mod document;
mod generated;
mod inputs;
mod lifecycle;
mod outcome;
mod report;
pub(crate) mod roundtrip;
mod usage;

pub(crate) use accepted::without_entries;
pub(crate) use inputs::Inputs;
pub(crate) use outcome::Outcome;

use crate::{
    Project,
    output::{Format, is_in_github_actions, locate, sarif, workflow_commands},
    rules,
};
use anyhow::{Result, bail, ensure};
use chrono::{NaiveDate, Utc};
use clap::ValueEnum;
use outcome::Gate;
use report::Report;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};
use usage::Usage;

/// Check that the document, the generated code, the releases and the changelog agree
///
/// Runs all gates. Exits with 0 if no gate failed, and with 1 if a gate failed.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The document to check [default: the document in the configuration]
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// The date that counts as today when sunsets are checked [default: today in UTC]
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = Utc::now().date_naive(), hide_default_value = true)]
    today: NaiveDate,

    /// The usage of deprecated operations as JSON, as the command `usage --format json` of the service prints it: an
    /// operation that was called in the last 30 days must not be removed
    #[arg(long, value_name = "FILE")]
    usage: Option<PathBuf>,

    /// The git revision whose changelog entries and released documents must not be lost [default: HEAD]
    #[arg(long, value_name = "REVISION")]
    since: Option<String>,

    /// Run only this gate; may be given more than once
    #[arg(long, value_enum, value_name = "NAME")]
    gate: Vec<Name>,

    /// Do not run this gate; may be given more than once
    #[arg(long, value_enum, value_name = "NAME")]
    skip: Vec<Name>,

    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Also write a GitHub annotation for each finding; always done if
    /// GITHUB_ACTIONS is `true`
    #[arg(long)]
    annotations: bool,
}

/// The gates, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// The document is valid and follows the project rules
    Document,
    /// The generated code matches the document
    Generated,
    /// The generated code behaves as the document says
    Roundtrip,
    /// No breaking change since the newest release
    Breaking,
    /// Deprecations, sunsets and stability levels follow their rules
    Lifecycle,
    /// The changelog names all changes for clients, and all versions agree
    Changelog,
}

impl Name {
    /// The name in the command line and in the report.
    fn id(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Runs the gates of the projects and prints their findings. The exit code is 1 if a gate failed, and 0 otherwise.
///
/// # Errors
///
/// A file that all gates need cannot be read, or the options do not match the projects.
pub fn run(projects: &[Project], options: &Options) -> Result<ExitCode> {
    ensure!(
        options.spec.is_none() || projects.len() == 1,
        "`--spec` replaces one document: choose the document with `--document NAME`"
    );
    ensure!(
        options.usage.is_none() || projects.len() == 1,
        "`--usage` is about the operations of one document: choose the document with `--document NAME`"
    );
    let mut usage = options.usage.as_deref().map(Usage::read).transpose()?;
    let is_text = options.format == Format::Text;
    let print = |gate: &Gate| {
        if is_text {
            print_line(gate);
        }
    };
    let mut reports = Vec::new();
    for project in projects {
        let mut names = wanted_gates(project, &options.gate)?;
        names.retain(|name| !options.skip.contains(name));
        let mut inputs = Inputs::read(project, options.spec.as_deref(), options.today)?;
        inputs.since = options.since.clone();
        inputs.usage = usage.take();
        if is_text && projects.len() > 1 {
            let line = if reports.is_empty() { "" } else { "\n" };
            println!("{line}{} ({}):", project.name, inputs.file);
        }
        let gates = run_gates(&inputs, &names, print);
        if is_text {
            print!("{}", report::details(&gates));
        }
        reports.push(Report {
            document: project.name.clone(),
            gates,
        });
    }
    let root = projects
        .first()
        .map_or(Path::new("."), |project| project.root.as_path());
    let entries = || locate(root, report::entries(&reports));
    let mut annotations = String::new();
    if options.annotations || is_in_github_actions() || options.format == Format::Github {
        annotations = workflow_commands(&entries());
    }
    match options.format {
        Format::Text | Format::Github => print!("{annotations}"),
        // Standard output must contain exactly one JSON object.
        Format::Json => println!("{:#}", report::json(&reports, options.today)),
        Format::Sarif => println!("{:#}", sarif(&entries())),
    }
    if matches!(options.format, Format::Json | Format::Sarif) {
        eprint!("{annotations}");
    }
    let mut gates = reports.iter().flat_map(|report| &report.gates);
    let has_failed = gates.any(Gate::has_failed);
    Ok(ExitCode::from(u8::from(has_failed)))
}

/// The gates that compare the document with generated code.
const OF_GENERATED_CODE: [Name; 2] = [Name::Generated, Name::Roundtrip];

/// Returns the gates to run: the gates that the user named, or else all gates that apply to the project.
fn wanted_gates(project: &Project, asked: &[Name]) -> Result<Vec<Name>> {
    let mut names = Name::value_variants().to_vec();
    names.retain(|name| asked.is_empty() || asked.contains(name));
    if project.output.is_none() {
        let asked_in_vain = asked.iter().find(|name| OF_GENERATED_CODE.contains(name));
        if let Some(name) = asked_in_vain {
            bail!(
                "the gate `{}` needs generated code: add a table `[document.generate]` for {}",
                name.id(),
                project.document
            );
        }
        names.retain(|name| !OF_GENERATED_CODE.contains(name));
    }
    Ok(names)
}

/// Runs all gates before a release, and returns the names of the gates that failed. The gate that compiles code runs only if all
/// other gates passed.
pub(crate) fn failed_gates(inputs: &Inputs<'_>) -> Result<Vec<String>> {
    let (slow, quick): (Vec<Name>, Vec<Name>) = wanted_gates(inputs.project, &[])?
        .into_iter()
        .partition(|name| *name == Name::Roundtrip);
    let mut gates = run_gates(inputs, &quick, print_line);
    if !gates.iter().any(Gate::has_failed) {
        gates.extend(run_gates(inputs, &slow, print_line));
    }
    print!("{}", report::details(&gates));
    gates.retain(Gate::has_failed);
    Ok(gates.into_iter().map(|gate| gate.name).collect())
}

/// Runs the gates on projects that were just created, and returns the findings if a gate failed. The gate that compiles code runs
/// only if `compiles` is true.
///
/// # Errors
///
/// A file cannot be read.
pub(crate) fn findings_of_new(projects: &[Project], compiles: bool) -> Result<Option<String>> {
    let mut findings = None;
    for project in projects {
        let mut names = wanted_gates(project, &[])?;
        names.retain(|name| compiles || *name != Name::Roundtrip);
        let inputs = Inputs::read(project, None, Utc::now().date_naive())?;
        let gates = run_gates(&inputs, &names, |_| {});
        if gates.iter().any(Gate::has_failed) {
            findings
                .get_or_insert_with(String::new)
                .push_str(&report::details(&gates));
        }
    }
    Ok(findings)
}

fn print_line(gate: &Gate) {
    println!("{}", report::line(gate));
}

/// Runs the gates one after another, even if an earlier gate failed, and passes each result to `report`.
fn run_gates(inputs: &Inputs<'_>, names: &[Name], mut report: impl FnMut(&Gate)) -> Vec<Gate> {
    let mut gates = Vec::new();
    for &name in names {
        let started = Instant::now();
        let outcome = match (name, &inputs.document) {
            (Name::Document, _) => Ok(document::run(inputs)),
            (Name::Breaking, _) => breaking::run(inputs),
            (Name::Changelog, _) => changelog::run(inputs),
            (Name::Generated, Ok(document)) => match &inputs.project.output {
                Some(output) => generated::run(inputs, output, document),
                None => continue,
            },
            (Name::Roundtrip, Ok(document)) => roundtrip::run(inputs, document),
            (Name::Lifecycle, Ok(document)) => Ok(lifecycle::run(inputs, document)),
            (_, Err(_)) => Ok(Outcome::without_document(inputs)),
        };
        let gate = Gate {
            name: name.id(),
            outcome: outcome.unwrap_or_else(|error| {
                let help = "fix the cause, and run the gates again";
                let message = format!("{error:#}");
                Outcome::failed(inputs, "could not be run", &rules::NOT_RUN, &message, help)
            }),
            took: started.elapsed(),
        };
        report(&gate);
        gates.push(gate);
    }
    gates
}
