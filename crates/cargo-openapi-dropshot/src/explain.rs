//! Task `explain`: describes the rules that the other tasks report, with their meaning, examples,
//! remedy and configuration.

mod example;
mod page;
#[cfg(test)]
mod tests;

use crate::rules::{is_fixed, is_raised};
use anyhow::{Result, bail};
use openapi_dropshot_contract::{
    Profile, Rule, Severity,
    rules::{self, ChangeRule, DifferenceRule, Level, differences},
    suggest::did_you_mean,
};
use std::process::ExitCode;

/// Describe a rule: its meaning, examples, the remedy and its configuration
///
/// Exits with 0, or with 1 if the rule does not exist.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The id of the rule, as messages show it in brackets; without an id, all rules are listed
    rule: Option<String>,

    /// Print the descriptions of all rules as a Markdown page
    #[arg(long, conflicts_with = "rule")]
    all: bool,
}

/// The tool that reports a rule, in the order in which the rules are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reporter {
    /// The reader and the linter of one document.
    Linter,
    /// The comparison of two documents.
    Comparison,
    Generator,
    /// The gates themselves, and the code that reads the configuration.
    Gates,
    RoundTrip,
}

impl Reporter {
    pub(crate) const ALL: [Reporter; 5] = [
        Reporter::Linter,
        Reporter::Comparison,
        Reporter::Generator,
        Reporter::Gates,
        Reporter::RoundTrip,
    ];

    /// The heading for its rules, and a sentence about them.
    pub(crate) fn about(self) -> (&'static str, &'static str) {
        match self {
            Reporter::Linter => (
                "Rules for one document",
                "The gates `document` and `lifecycle` report these rules, and so does `generate`.",
            ),
            Reporter::Comparison => (
                "Rules for changes",
                "`diff` and the gates `breaking` and `lifecycle` report these rules. Each level applies to stable operations; for `beta` \
                 and `experimental` ones, `ERR` becomes `WARN`, except for promises about sunsets and stability.",
            ),
            Reporter::Generator => (
                "Rules of the generator",
                "`generate`, `roundtrip` and the gate `generated` report these rules. They are about parts of a document that Rust, dropshot or progenitor cannot express.",
            ),
            Reporter::Gates => (
                "Rules of the gates",
                "`check` and `release` report these rules. They are about files other than the document.",
            ),
            Reporter::RoundTrip => (
                "Differences of the round trip",
                "`roundtrip` and the gate of the same name report these differences between a document and the code generated from it.",
            ),
        }
    }
}

/// The description of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Explanation {
    pub(crate) id: &'static str,
    pub(crate) reporter: Reporter,
    /// How serious a violation is, such as `error` or `ERR`.
    pub(crate) severity: String,
    /// When a document or project breaks the rule, as a sentence.
    pub(crate) meaning: String,
    /// What the user can do about it, as a sentence.
    pub(crate) remedy: String,
    /// What the examples are, such as `members of an operation`.
    pub(crate) part: &'static str,
    /// An example that breaks the rule.
    pub(crate) breaks: String,
    /// An example that follows the rule.
    pub(crate) keeps: String,
    /// How to configure the rule, as sentences.
    pub(crate) configuration: String,
}

/// The rules other than the rules for changes and differences, each with the tool that reports it.
fn declared() -> impl Iterator<Item = (Reporter, &'static Rule)> {
    let of =
        |reporter, rules: &'static [&'static Rule]| rules.iter().map(move |rule| (reporter, *rule));
    of(Reporter::Linter, rules::document::ALL)
        .chain(of(Reporter::Generator, openapi_dropshot::rules::ALL))
        .chain(of(Reporter::Gates, crate::rules::ALL))
}

/// Finds the description of a rule.
pub(crate) fn find(id: &str) -> Option<Explanation> {
    if let Some(rule) = rules::change(id) {
        return Some(of_comparison(rule));
    }
    let rule = declared().find(|(_, rule)| rule.id == id);
    let difference = differences::ALL.iter().find(|rule| rule.id == id);
    match (rule, difference) {
        (Some((reporter, rule)), difference) => {
            let mut explanation = of_rule(reporter, rule);
            // One id is used both by a rule and by a difference.
            if let Some(difference) = difference {
                explanation.meaning += &format!(" In the round trip: {}", difference.meaning);
            }
            Some(explanation)
        }
        (None, difference) => difference.map(|rule| of_difference(rule)),
    }
}

/// Returns all rules, each once, grouped by reporter: the reporter, the id and the severity.
pub(crate) fn all() -> Vec<(Reporter, &'static str, String)> {
    let changes =
        rules::all_changes().map(|rule| (Reporter::Comparison, rule.id, rule.level.to_string()));
    let rules =
        declared().map(|(reporter, rule)| (reporter, rule.id, rule.severity.word().to_owned()));
    let differences = differences::ALL.iter();
    let differences =
        differences.map(|rule| (Reporter::RoundTrip, rule.id, severity_of(rule).to_owned()));
    let mut all: Vec<_> = rules.chain(changes).collect();
    let others = differences.filter(|(_, id, _)| !all.iter().any(|(_, other, _)| other == id));
    let others: Vec<_> = others.collect();
    all.extend(others);
    all.sort_by_key(|(reporter, ..)| *reporter);
    all
}

fn of_rule(reporter: Reporter, rule: &'static Rule) -> Explanation {
    Explanation {
        id: rule.id,
        reporter,
        severity: rule.severity.word().to_owned(),
        meaning: rule.meaning.to_owned(),
        remedy: rule.remedy.to_owned(),
        part: rule.part.name(),
        breaks: rule.breaks.to_owned(),
        keeps: rule.keeps.to_owned(),
        configuration: match (rule.configuration, reporter) {
            (Some(configuration), _) => configuration.to_owned(),
            (None, Reporter::Linter) => of_linter(rule),
            (None, Reporter::Generator) if rule.id.starts_with("client-") => {
                "The rule cannot be switched off. `skip-in-client` in `[document.generate]` skips operations in the client, and `generate \
                 --skip-unsupported` adds all operations that break the rule to this list. Without the table `client`, no client is generated, and the rule does not apply."
                    .to_owned()
            }
            (None, Reporter::Generator) => {
                "The rule cannot be switched off. `generate --skip-unsupported` skips the operations that break it, and lists them in `[document.skip]` of \
                 `openapi-dropshot.toml`, so that the other commands skip them, too.".to_owned()
            }
            (None, _) => "The rule cannot be switched off.".to_owned(),
        },
    }
}

/// Describes how to configure a rule of the linter.
fn of_linter(rule: &Rule) -> String {
    let mut configuration = match is_fixed(rule) {
        true => "The severity cannot be changed, because OpenAPI itself has this rule.".to_owned(),
        false => configured(rule.id),
    };
    if rule.severity == Severity::Error {
        configuration += "\nWith `--skip-unsupported`, `init` and `generate` skip the operations and components that break it, and list them in `[document.skip]` of \
                          `openapi-dropshot.toml`.";
    }
    if rule.profile == Profile::Strict {
        configuration += "\nWith `profile = \"general\"`, the linter does not apply this rule.";
    }
    configuration
}

/// Describes how to change the severity of a rule.
fn configured(id: &str) -> String {
    format!(
        "In `openapi-dropshot.toml`, `level` is `off`, `warn` or `error`:\n\n\
         ```toml\n[document.rules]\n{id} = {{ level = \"warn\", reason = \"Why this document is an exception.\" }}\n```\n"
    )
}

fn of_comparison(rule: &'static ChangeRule) -> Explanation {
    let (part, base, revision) = example::of_change(rule);
    let is_about_days = rule.id.contains("sunset-date-too-small")
        || rule.id.contains("deprecated-sunset")
        || rule.id.contains("without-sunset");
    let mut configuration = match rule.level {
        Level::Err => {
            "The level is fixed. Accept a single change in `accepted-breaks.toml`, with the entry that `check` prints and a reason."
        }
        Level::Warn => "The level is fixed. A warning does not fail a gate.",
        Level::Info if is_raised(rule.id) => {
            "`diff` reports it as INFO, as oasdiff does. The gate `breaking` fails for a stable operation; accept a single change in \
             `accepted-breaks.toml`, with the entry that `check` prints and a reason."
        }
        Level::Info => "The level is fixed. The gates do not report it.",
    }
    .to_owned();
    if is_about_days {
        configuration +=
            " `deprecation-days` in `openapi-dropshot.toml` sets the days that are required.";
    }
    let mut meaning = rule.meaning.to_owned();
    if let Some(first) = meaning.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Explanation {
        id: rule.id,
        reporter: Reporter::Comparison,
        severity: rule.level.to_string(),
        meaning: meaning + ".",
        remedy: match is_raised(rule.id) {
            true => "Keep the status, or accept the change: clients that recognise the error by its status no longer recognise it.",
            false => rule.remedy(),
        }
        .to_owned(),
        part,
        breaks: format!("{} became {}", shown(base), shown(revision)),
        keeps: format!("{} stays {}", shown(base), shown(base)),
        configuration,
    }
}

/// Formats text of a document as code.
fn shown(text: &str) -> String {
    match text {
        "" => "nothing".to_owned(),
        text => format!("`{text}`"),
    }
}

fn of_difference(rule: &'static DifferenceRule) -> Explanation {
    let (remedy, configuration) = match rule.accepted {
        Some(reason) => (
            "Nothing: the difference does not fail the round trip.",
            format!("The difference is accepted: {reason}."),
        ),
        None => (
            "Report the document: this is a bug in the generator. Until it is fixed, write this part of the document differently.",
            "The rule cannot be switched off. `check --gate` runs only the gates that you name."
                .to_owned(),
        ),
    };
    Explanation {
        id: rule.id,
        reporter: Reporter::RoundTrip,
        severity: severity_of(rule).to_owned(),
        meaning: rule.meaning.to_owned(),
        remedy: remedy.to_owned(),
        part: "in words",
        breaks: "the generated code does not behave as the document says".to_owned(),
        keeps: "the generated code behaves as the document says; no document can show the difference, because only a bug in the generator causes it".to_owned(),
        configuration,
    }
}

fn severity_of(rule: &DifferenceRule) -> &'static str {
    match rule.accepted {
        Some(_) => "accepted",
        None => "error",
    }
}

/// Prints the description of a rule, the descriptions of all rules, or a list of all rules.
///
/// # Errors
///
/// The rule does not exist.
pub fn run(options: &Options) -> Result<ExitCode> {
    if options.all {
        print!("{}", page::markdown());
        return Ok(ExitCode::SUCCESS);
    }
    let Some(id) = &options.rule else {
        let mut last = None;
        for (reporter, id, severity) in all() {
            if last != Some(reporter) {
                println!("{}:", reporter.about().0);
                last = Some(reporter);
            }
            println!("  {severity:<8} {id}");
        }
        return Ok(ExitCode::SUCCESS);
    };
    let id = id.trim_matches(['[', ']', '`']);
    let Some(rule) = find(id) else {
        let otherwise = "`explain` without an id lists all rules";
        // Only the first thousand candidates are compared, but there are more rules than that.
        let mut candidates: Vec<&str> = all().into_iter().map(|(_, id, _)| id).collect();
        candidates.sort_by_key(|rule| rule.len().abs_diff(id.len()));
        let help = did_you_mean(id, candidates, otherwise);
        bail!("there is no rule `{id}`: {help}");
    };
    print!("{}", page::text(&rule));
    Ok(ExitCode::SUCCESS)
}
