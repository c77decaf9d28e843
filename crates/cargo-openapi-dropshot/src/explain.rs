//! Task `explain`: describes the rules that the other tasks report.

use anyhow::{Result, bail};
use openapi_dropshot_contract::rules;
use std::process::ExitCode;

/// The options of the task `explain`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The id of the rule; without it, all rules are listed
    rule: Option<String>,
}

/// The description of a rule.
pub struct Explanation {
    /// When the rule is broken, as a sentence.
    pub meaning: &'static str,
    /// What to do about it, as a sentence.
    pub remedy: &'static str,
}

/// Finds the description of a rule.
pub(crate) fn find(id: &str) -> Option<Explanation> {
    let rule = rules::all().find(|rule| rule.id == id)?;
    Some(Explanation {
        meaning: rule.meaning,
        remedy: rule.remedy,
    })
}

/// Prints the description.
pub fn run(options: &Options) -> Result<ExitCode> {
    let Some(found) = options.rule.as_deref().and_then(find) else {
        bail!("no such rule")
    };
    println!("{}\n{}", found.meaning, found.remedy);
    Ok(ExitCode::SUCCESS)
}
