//! Gate `generated`: the generated code matches the document.

use super::{Inputs, Outcome};
use crate::repository::Finding;
use crate::{
    Output,
    generate::{self, FOREIGN_HELP, StaleFile},
    rules::STALE_CODE,
};
use anyhow::Result;
use openapi_dropshot_contract::{Document, model::Location};

/// How many lines of a diff are printed.
const DIFF_LINES: usize = 40;

pub(super) fn run(inputs: &Inputs<'_>, output: &Output, document: &Document) -> Result<Outcome> {
    let files = match generate::generated_code(output, document)? {
        Ok(code) => code.files,
        Err(problems) => {
            return Ok(Outcome {
                summary: "no code can be generated".to_owned(),
                findings: inputs.findings(problems),
                fix: Some(inputs.follow_help()),
            });
        }
    };
    let (count, file) = (files.len(), &inputs.file);
    let stale = generate::stale_files(inputs.project, output, files)?;
    let mut fix = inputs.project.task("generate");
    if !inputs.is_own {
        let own = &inputs.project.document;
        fix = format!("replace {own} with {file}, then: {fix}");
    }
    let finding = |stale: &StaleFile| stale_file(inputs, stale, &fix);
    Ok(Outcome {
        summary: match stale.len() {
            0 => format!("{count} files match {file}"),
            stale => format!("{stale} of {count} files do not match {file}"),
        },
        findings: stale.iter().map(finding).collect(),
        fix: match stale.iter().any(|stale| stale.is_foreign) {
            // The command alone would fail, too.
            true => Some(format!("follow the help, then: {fix}")),
            false => Some(fix),
        },
    })
}

/// The finding for a stale file, at the first line that differs.
fn stale_file(inputs: &Inputs<'_>, file: &StaleFile, fix: &str) -> Finding {
    let (actual, expected) = (file.actual.as_deref(), file.expected.as_deref());
    let message = match (actual, expected) {
        _ if file.is_foreign => {
            format!(
                "{} is in a folder of generated code, but is not a generated file",
                file.path
            )
        }
        (None, _) => format!("{} is missing", file.path),
        (_, None) => format!("{} is no longer generated", file.path),
        _ => format!("{} does not match {}", file.path, inputs.file),
    };
    let mut lines = actual.unwrap_or_default().lines();
    let same = (expected.unwrap_or_default().lines())
        .take_while(|line| lines.next() == Some(line))
        .count();
    let at = Location::line(&file.path, same + 1);
    if file.is_foreign {
        let problem = STALE_CODE.problem(&Location::start(&file.path), message, FOREIGN_HELP);
        return Finding::new(problem);
    }
    let diff = file.diff();
    let mut excerpt: String = diff.split_inclusive('\n').take(DIFF_LINES).collect();
    let more = diff.lines().count().saturating_sub(DIFF_LINES);
    if more > 0 {
        excerpt += &format!("… {more} more lines\n");
    }
    let help = format!("never edit it by hand; run: {fix}");
    Finding::new(STALE_CODE.problem(&at, message, help)).with_lines(&excerpt)
}
