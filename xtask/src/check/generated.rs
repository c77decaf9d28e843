//! Gate 2: the generated code is what the document says. What belongs into the
//! files is left to `generate`.

use super::{Finding, Inputs, Outcome};
use crate::generate::{self, Change};
use anyhow::Result;
use openapi_dropshot_contract::{Severity, model::Location};

/// How many lines of a difference are shown.
const SHOWN: usize = 40;

pub(super) fn run(inputs: &Inputs) -> Result<Outcome> {
    let Some(document) = inputs.document() else {
        return Ok(Outcome::without_document(inputs));
    };
    let files = match generate::files_of(document)? {
        Ok(files) => files,
        Err(problems) => {
            let findings = (problems.into_iter())
                .map(|problem| Finding::of_problem(problem, &inputs.text))
                .collect();
            return Ok(Outcome {
                summary: "no code can be generated".to_owned(),
                findings,
                fix: Some(format!(
                    "write what the help says into {}, then: cargo xtask generate",
                    inputs.file
                )),
            });
        }
    };
    let count = files.len();
    let changes = generate::changes(&inputs.root, files)?;
    let fix = if inputs.is_own {
        "cargo xtask generate".to_owned()
    } else {
        format!(
            "put {} in the place of {}, then: cargo xtask generate",
            inputs.file,
            generate::DOCUMENT
        )
    };
    let findings: Vec<Finding> = changes
        .iter()
        .map(|change| stale(inputs, change, &fix))
        .collect();
    Ok(Outcome {
        summary: match findings.len() {
            0 => format!("{count} files are what {} says", inputs.file),
            stale => format!("{stale} of {count} files are not what {} says", inputs.file),
        },
        findings,
        fix: Some(fix),
    })
}

/// A file that is not what the document says, at the first line that differs.
fn stale(inputs: &Inputs, change: &Change, fix: &str) -> Finding {
    let (found, expected) = (change.found.as_deref(), change.expected.as_deref());
    let message = match (found, expected) {
        (None, _) => format!("{} is missing", change.path),
        (_, None) => format!("{} is generated no more", change.path),
        _ => format!("{} is not what {} says", change.path, inputs.file),
    };
    let mut lines = found.unwrap_or_default().lines();
    let same = (expected.unwrap_or_default().lines())
        .take_while(|line| lines.next() == Some(line))
        .count();
    let at = Location {
        line: same + 1,
        ..Location::start(&change.path)
    };
    let diff = change.diff();
    let mut shown: String = diff.split_inclusive('\n').take(SHOWN).collect();
    let more = diff.lines().count().saturating_sub(SHOWN);
    if more > 0 {
        shown.push_str(&format!("… {more} more lines\n"));
    }
    let help = format!("never edit it by hand; run: {fix}");
    Finding::new(Severity::Error, "stale-code", at, message, help).showing(&shown)
}
