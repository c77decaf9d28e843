//! Gate `generated`: the generated code is fresh.

use super::{Finding, Inputs, Outcome};
use crate::generate::{self, StaleFile};
use anyhow::Result;
use openapi_dropshot_contract::{Severity, model::Location};

/// How many lines of a diff are printed.
const DIFF_LINES: usize = 40;

pub(super) fn run(inputs: &Inputs<'_>) -> Result<Outcome> {
    let Some(document) = inputs.document() else {
        return Ok(Outcome::without_document(inputs));
    };
    let command = inputs.project.task("generate");
    let files = match generate::generated_files(inputs.project, document)? {
        Ok(files) => files,
        Err(problems) => {
            let findings = (problems.into_iter())
                .map(|problem| Finding::of_problem(problem, &inputs.text))
                .collect();
            return Ok(Outcome {
                summary: "no code can be generated".to_owned(),
                findings,
                fix: Some(format!(
                    "follow the help in {}, then: {command}",
                    inputs.file
                )),
            });
        }
    };
    let count = files.len();
    let stale = generate::stale_files(inputs.project, files)?;
    let fix = if inputs.is_own {
        command
    } else {
        format!(
            "put {} in the place of {}, then: {command}",
            inputs.file, inputs.project.document
        )
    };
    let findings: Vec<Finding> = stale
        .iter()
        .map(|file| stale_file(inputs, file, &fix))
        .collect();
    Ok(Outcome {
        summary: match findings.len() {
            0 => format!("{count} files match {}", inputs.file),
            stale => format!("{stale} of {count} files do not match {}", inputs.file),
        },
        findings,
        fix: Some(fix),
    })
}

/// The finding of a stale file, at the first line that differs.
fn stale_file(inputs: &Inputs<'_>, file: &StaleFile, fix: &str) -> Finding {
    let (actual, expected) = (file.actual.as_deref(), file.expected.as_deref());
    let message = match (actual, expected) {
        (None, _) => format!("{} is missing", file.path),
        (_, None) => format!("{} is no longer generated", file.path),
        _ => format!("{} does not match {}", file.path, inputs.file),
    };
    let mut lines = actual.unwrap_or_default().lines();
    let same = (expected.unwrap_or_default().lines())
        .take_while(|line| lines.next() == Some(line))
        .count();
    let at = Location {
        line: same + 1,
        ..Location::start(&file.path)
    };
    let diff = file.diff();
    let mut excerpt: String = diff.split_inclusive('\n').take(DIFF_LINES).collect();
    let more = diff.lines().count().saturating_sub(DIFF_LINES);
    if more > 0 {
        excerpt.push_str(&format!("… {more} more lines\n"));
    }
    let help = format!("never edit it by hand; run: {fix}");
    Finding::new(Severity::Error, "stale-code", at, message, help).with_lines(&excerpt)
}
