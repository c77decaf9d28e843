//! Prints the result: the rejections and differences of each document, then a table
//! with the counts of all documents.

use super::{
    Outcome,
    accepted::{ACCEPTED, is_accepted},
    tally::Tally,
};
use openapi_dropshot_contract::meaning::{Comparison, Difference};
use std::collections::{BTreeMap, BTreeSet};

/// How many came through, of how many.
#[derive(Clone, Copy)]
struct Through(usize, usize);

impl std::fmt::Display for Through {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}/{}", self.0, self.1))
    }
}

/// Prints what became of each document, and the table.
pub(super) fn print(outcomes: &[Outcome]) {
    for outcome in outcomes {
        details(outcome);
    }
    println!(
        "{:<40} {:>11} {:>9} {:>11} {:>10} {:>13} {:>12} {:>8} {:>12}",
        "document",
        "operations",
        "schemas",
        "parameters",
        "statuses",
        "values",
        "requests",
        "rejected",
        "differences"
    );
    for outcome in outcomes {
        let counts = counts(outcome);
        println!(
            "{:<40} {:>11} {:>9} {:>11} {:>10} {:>13} {:>12} {:>8} {:>12}",
            outcome.file,
            counts[0],
            counts[1],
            counts[2],
            counts[3],
            outcome.values,
            outcome.requests,
            outcome.source.rejected.len(),
            outcome.faults().count(),
        );
    }
    println!("\nvalues and requests: valid+invalid ones that were tried; rejected: operations");
}

fn details(outcome: &Outcome) {
    if !outcome.source.rejections.is_empty() {
        println!("{}\n", outcome.source.rendered_rejections());
        println!(
            "{}: rejected for the reasons above: {}\n",
            outcome.file,
            outcome.source.rejected.join(", ")
        );
    }
    for difference in outcome.faults() {
        println!("{}", rendered(difference));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for difference in &outcome.differences {
        *counts.entry(difference.rule).or_default() += 1;
    }
    let accepted = ACCEPTED
        .iter()
        .filter_map(|accepted| Some((accepted, counts.get(accepted.rule)?)));
    for (accepted, count) in accepted {
        println!(
            "{}: accepted {} ({count}): {}",
            outcome.file, accepted.rule, accepted.reason
        );
    }
}

/// A difference as compilers write them.
pub(super) fn rendered(difference: &Difference) -> String {
    let Difference {
        rule,
        at,
        part,
        message,
    } = difference;
    format!(
        "{at}: error[{rule}]: {part}: {message}\n  at {}",
        at.pointer
    )
}

/// Operations, schemas, parameters and statuses that came through.
fn counts(outcome: &Outcome) -> [Through; 4] {
    let broken: BTreeSet<&str> = outcome
        .faults()
        .map(|difference| difference.part.as_str())
        .collect();
    let Comparison {
        operations,
        schemas,
        parameters,
        statuses,
        ..
    } = &outcome.comparison;
    let whole = |part: &String| !broken.contains(part.as_str());
    let of_operation = |operation: &String, parts: &[(String, String)]| {
        parts
            .iter()
            .all(|(owner, part)| owner != operation || whole(part))
    };
    let operations_through = operations
        .iter()
        .filter(|operation| {
            whole(operation)
                && of_operation(operation, parameters)
                && of_operation(operation, statuses)
        })
        .count();
    [
        Through(
            operations_through,
            operations.len() + outcome.source.rejected.len(),
        ),
        Through(
            schemas.iter().filter(|name| whole(name)).count(),
            schemas.len() + outcome.source.rejected_schemas.len(),
        ),
        Through(
            parameters.iter().filter(|(_, part)| whole(part)).count(),
            parameters.len(),
        ),
        Through(
            statuses.iter().filter(|(_, part)| whole(part)).count(),
            statuses.len(),
        ),
    ]
}

impl Outcome {
    /// The differences that are not accepted.
    pub(super) fn faults(&self) -> impl Iterator<Item = &Difference> {
        self.differences
            .iter()
            .filter(|difference| !is_accepted(difference.rule))
    }

    /// What could not be compiled.
    pub(super) fn uncompiled(source: super::Source, file: String, why: String) -> Self {
        let difference = Difference {
            rule: "does-not-compile",
            at: source.document.root.at.clone(),
            part: "document".to_owned(),
            message: why,
        };
        Outcome {
            differences: vec![difference],
            ..Outcome::untried(source, file)
        }
    }

    /// What was not tried.
    pub(super) fn untried(source: super::Source, file: String) -> Self {
        Outcome {
            file,
            source,
            comparison: Comparison::default(),
            differences: Vec::new(),
            values: Tally::default(),
            requests: Tally::default(),
        }
    }
}
