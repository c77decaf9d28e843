//! Prints how much of each document the generator supports, and which rules reject the rest, as a
//! Markdown table. It reads, plans and generates, but does not compile anything.

use super::source::Source;
use crate::{Project, frequencies};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// One row of the table.
struct Row {
    document: String,
    operations: usize,
    /// How many operations the service has.
    service: usize,
    /// How many operations both the service and the client have.
    client: usize,
    reasons: String,
}

/// Prints the table of the documents. If the differences were counted, it has a column for them.
pub(super) fn print(project: &Project, files: &[PathBuf], differences: Option<&[Option<usize>]>) {
    let cell = |text: &dyn Fn(&[Option<usize>]) -> String| -> String {
        differences.map_or_else(String::new, |counts| format!(" {} |", text(counts)))
    };
    println!(
        "| document | operations | service | with client |{} rejected by |",
        cell(&|_| "differences".to_owned())
    );
    println!(
        "|---|---|---|---|{}---|",
        cell(&|_| "---".to_owned()).replace(' ', "")
    );
    let printed = |(index, file): (usize, &PathBuf)| {
        let row = row(project, file);
        let (document, operations, reasons) = (&row.document, row.operations, &row.reasons);
        let (service, client) = (row.service, row.client);
        let differences =
            cell(&|counts| counts[index].map_or_else(String::new, |count| count.to_string()));
        println!("| {document} | {operations} | {service} | {client} |{differences} {reasons} |");
        row
    };
    let rows: Vec<Row> = files.iter().enumerate().map(printed).collect();
    let sum = |count: fn(&Row) -> usize| rows.iter().map(count).sum::<usize>();
    println!(
        "| all | {} | {} | {} |{} |",
        sum(|row| row.operations),
        sum(|row| row.service),
        sum(|row| row.client),
        cell(&|counts| counts.iter().flatten().sum::<usize>().to_string())
    );
}

fn row(project: &Project, file: &Path) -> Row {
    let document = file.file_name().unwrap_or(file.as_os_str());
    let document = document.to_string_lossy().into_owned();
    let sources = Source::read(project, file)
        .and_then(|service| Ok((service, Source::with_client(project, file)?)));
    if let Ok((service, _)) = &sources
        && !service.rejections.is_empty()
    {
        eprintln!("{}\n", service.rendered_rejections());
    }
    match sources {
        Ok((service, client)) => Row {
            document,
            operations: service.document.operations.len() + service.rejected.len(),
            service: service.document.operations.len(),
            client: client.document.operations.len(),
            reasons: reasons(&service),
        },
        Err(error) => Row {
            document,
            operations: 0,
            service: 0,
            client: 0,
            reasons: format!("the document cannot be read: {}", rules_in(&error)),
        },
    }
}

/// Returns the rules that reject operations of the service, each with the number of operations. The
/// most frequent rule is first.
fn reasons(source: &Source) -> String {
    let rejected = source.rejected.iter();
    let rules = rejected.flat_map(|operation| operation.rules.iter().copied());
    listed(frequencies(rules))
}

/// Returns the rules that an error names, each with the number of problems.
fn rules_in(error: &anyhow::Error) -> String {
    let text = error.to_string();
    let rests = text.split("error[").skip(1);
    let rules = rests.filter_map(|rest| Some(rest.split_once(']')?.0));
    listed(frequencies(rules))
}

fn listed(counts: BTreeMap<&str, usize>) -> String {
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(rule, count)| (std::cmp::Reverse(*count), *rule));
    let counts = counts.into_iter();
    let parts = counts.map(|(rule, count)| format!("`{rule}` {count}"));
    parts.collect::<Vec<_>>().join(", ")
}
