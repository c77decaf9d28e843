//! Prints the result: the rejections and differences of each document, followed by a table with the
//! counts for all documents.

use super::{Outcome, Trials};
use crate::frequencies;
use openapi_dropshot_contract::meaning::Difference;
use std::collections::BTreeSet;

/// Prints the result for each document, and the table.
pub(super) fn print(outcomes: &[Outcome]) {
    outcomes.iter().for_each(print_details);
    print_row([
        "document",
        "operations",
        "schemas",
        "parameters",
        "statuses",
        "values",
        "requests",
        "rejected",
        "differences",
    ]);
    for outcome in outcomes {
        let [operations, schemas, parameters, statuses] = counts(outcome);
        let tried = |trials: &Trials| format!("{}+{}", trials.valid, trials.invalid);
        print_row([
            &outcome.source.document.file,
            &operations,
            &schemas,
            &parameters,
            &statuses,
            &tried(&outcome.values),
            &tried(&outcome.requests),
            &outcome.source.rejected.len().to_string(),
            &outcome.faults().count().to_string(),
        ]);
    }
    println!("\nvalues and requests: valid+invalid ones that were tried; rejected: operations");
}

fn print_row([document, a, b, c, d, e, f, g, h]: [&str; 9]) {
    println!("{document:<40} {a:>11} {b:>9} {c:>11} {d:>10} {e:>13} {f:>12} {g:>8} {h:>12}");
}

fn print_details(outcome: &Outcome) {
    let (source, file) = (&outcome.source, &outcome.source.document.file);
    if !source.rejections.is_empty() {
        let rejected = source.rejected.iter().map(|operation| &*operation.name);
        let rejected = rejected.collect::<Vec<_>>().join(", ");
        println!("{}\n", source.rendered_rejections());
        println!("{file}: rejected for the reasons above: {rejected}\n");
    }
    for difference in outcome.faults() {
        println!("{}", rendered(difference));
    }
    let rules = outcome.differences().map(|difference| difference.rule);
    let accepted = rules.filter_map(|rule| Some((rule.id, rule.accepted?)));
    for ((rule, reason), count) in frequencies(accepted) {
        println!("{file}: accepted {rule} ({count}): {reason}");
    }
}

/// A difference in the format of compiler messages.
pub(super) fn rendered(difference: &Difference) -> String {
    let (rule, at, part) = (difference.rule.id, &difference.at, &difference.part);
    let message = &difference.message;
    format!(
        "{at}: error[{rule}]: {part}: {message}\n  at {}",
        at.pointer
    )
}

/// Returns how many operations, schemas, parameters and statuses passed, each with the total
/// number.
fn counts(outcome: &Outcome) -> [String; 4] {
    let faults = outcome.faults();
    let broken: BTreeSet<&str> = faults.map(|difference| &*difference.part).collect();
    let passes = |part: &str| !broken.contains(part);
    let comparison = &outcome.comparison;
    let operation_passes = |operation: &&String| {
        let parts = comparison.parameters.iter().chain(&comparison.statuses);
        let mut own = parts.filter(|(owner, _)| owner == *operation);
        passes(operation) && own.all(|(_, part)| passes(part))
    };
    let of_parts = |parts: &[(String, String)]| {
        let passed = parts.iter().filter(|(_, part)| passes(part));
        format!("{}/{}", passed.count(), parts.len())
    };
    let (operations, schemas) = (&comparison.operations, &comparison.schemas);
    let passed = operations.iter().filter(operation_passes).count();
    let all = operations.len() + outcome.source.rejected.len();
    let passed_schemas = schemas.iter().filter(|name| passes(name)).count();
    let all_schemas = schemas.len() + outcome.source.rejected_schemas;
    [
        format!("{passed}/{all}"),
        format!("{passed_schemas}/{all_schemas}"),
        of_parts(&comparison.parameters),
        of_parts(&comparison.statuses),
    ]
}
