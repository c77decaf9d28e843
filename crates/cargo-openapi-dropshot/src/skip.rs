//! Writes the skipped parts of a document into the configuration, which all tasks read.

use crate::{Configuration, Project, supported::Unsupported};
use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// The table of the parts that the service and the client skip.
const TABLE: &str = "[document.skip]";

/// Returns the entries of the table of skipped parts: each name with the reason.
pub(crate) fn entries(skip: &BTreeMap<String, String>) -> String {
    let is_bare = |name: &str| {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        !name.is_empty() && name.chars().all(is_plain)
    };
    let entry = |(name, reason): (&String, &String)| match is_bare(name) {
        true => format!("{name} = {}\n", quoted(reason)),
        false => format!("{} = {}\n", quoted(name), quoted(reason)),
    };
    skip.iter().map(entry).collect()
}

/// Returns the elements of the list of operations that only the client skips.
pub(crate) fn elements<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(quoted).collect();
    names.join(", ")
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Returns the project with the unsupported parts skipped, and the text of its new configuration.
///
/// # Errors
///
/// The configuration cannot be read, or its form does not allow automatic additions.
pub(crate) fn added(project: &Project, found: &Unsupported) -> Result<(Project, String)> {
    let file = &project.configuration;
    let text = project.read(file)?;
    let entries = entries(&found.skip);
    let names = || found.in_client.iter().map(|own| own.configured.as_str());
    let elements = elements(names());
    let changed = with_lines(&text, &project.document, &entries, &elements);
    let read = Configuration::parse(&project.root, file, &changed);
    let projects = read.map_or_else(|_| Vec::new(), |read| read.projects);
    let changed_project = projects.into_iter().find(|own| own.name == project.name);
    if let Some(new) = changed_project
        && let Some(output) = &new.output
        && found.skip.keys().all(|name| output.skip.contains(name))
        && names().all(|name| output.skip_in_client.iter().any(|own| own == name))
    {
        return Ok((new, changed));
    }
    bail!(
        "`--skip-unsupported` cannot add the skipped parts to {file} in its current form; add them by hand, and run the command \
         again without the option:\n\n{TABLE}\n{entries}\n[document.generate]\nskip-in-client = [{elements}]"
    )
}

/// Returns the text of a configuration with more entries for the document with this path.
fn with_lines(text: &str, document: &str, entries: &str, elements: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
        last.push('\n');
    }
    let is_start = |line: &String| line.trim() == "[[document]]";
    let is_path = |line: &String| {
        let path = line.trim_start().strip_prefix("path");
        path.is_some_and(|path| path.contains(&format!("\"{document}\"")))
    };
    let start = lines.iter().position(is_path).unwrap_or_default();
    let rest = lines.split_off(start);
    let end = rest.iter().position(is_start).unwrap_or(rest.len());
    let (mut own, others) = (rest[..end].to_vec(), &rest[end..]);
    let list = (own.iter_mut()).find(|line| line.trim_start().starts_with("skip-in-client"));
    match list {
        _ if elements.is_empty() => {}
        Some(list) => *list = list.replacen('[', &format!("[{elements}, "), 1),
        None => {
            let line = format!("skip-in-client = [{elements}]\n");
            let generate = own
                .iter()
                .position(|line| line.trim() == "[document.generate]");
            own.insert(generate.map_or(own.len(), |at| at + 1), line);
        }
    }
    if !entries.is_empty() {
        match own.iter().position(|line| line.trim() == TABLE) {
            Some(at) => own.insert(at + 1, entries.to_owned()),
            None => {
                let blank = own.iter().rev().take_while(|line| line.trim().is_empty());
                let at = own.len() - blank.count();
                own.insert(at, format!("\n{TABLE}\n{entries}"));
            }
        }
    }
    lines.concat() + &own.concat() + &others.concat()
}
