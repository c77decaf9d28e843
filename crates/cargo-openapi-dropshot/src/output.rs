//! Output formats for other programs: SARIF and the workflow commands of GitHub Actions. Each task converts its results
//! to [`Entry`]s.

use crate::revision;
use openapi_dropshot_contract::{Severity, model::Location};
use serde_json::{Value, json};
use std::{collections::BTreeMap, env, path::Path};

/// How the tasks print their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Text,
    /// One JSON object
    Json,
    /// One JSON object in the form SARIF 2.1.0, which code scanning services read
    Sarif,
    /// A workflow command of GitHub Actions for each finding
    Github,
}

/// A result with its place.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The severity; `None` for a note.
    pub(crate) severity: Option<Severity>,
    pub(crate) rule: &'static str,
    /// The title of a workflow command.
    pub(crate) title: String,
    pub(crate) at: Location,
    /// What is wrong, and what the user can do about it.
    pub(crate) message: String,
}

impl Entry {
    /// The name of the severity in the formats of other programs. `note` is the name of the lowest severity.
    fn level(&self, note: &'static str) -> &'static str {
        self.severity.map_or(note, Severity::word)
    }
}

/// Returns the entries as a log of SARIF 2.1.0
/// (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>).
pub(crate) fn sarif(entries: &[Entry]) -> Value {
    let ids = entries.iter().map(|entry| entry.rule);
    let used: BTreeMap<&str, Value> = ids.map(|id| (id, rule(id))).collect();
    let results = entries.iter().map(|entry| {
        json!({
            "ruleId": entry.rule,
            "ruleIndex": used.keys().position(|id| *id == entry.rule),
            "level": entry.level("note"),
            "message": {"text": entry.message},
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": {"uri": uri(&entry.at.file)},
                    "region": {"startLine": entry.at.line, "startColumn": entry.at.column},
                },
                "logicalLocations": logical(&entry.at),
            }],
        })
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "cargo-openapi-dropshot",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": used.values().collect::<Vec<_>>(),
            }},
            // Columns are counted in characters, not in UTF-16 units.
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

/// Describes a rule for SARIF.
fn rule(id: &str) -> Value {
    let Some(explanation) = crate::explain::find(id) else {
        return json!({"id": id});
    };
    json!({
        "id": id,
        "shortDescription": {"text": explanation.meaning},
        "help": {"text": explanation.remedy},
    })
}

/// Returns the JSON pointer of a place, if it has one.
fn logical(at: &Location) -> Value {
    match at.pointer.as_str() {
        "" => json!([]),
        pointer => json!([{"fullyQualifiedName": pointer}]),
    }
}

/// Returns a place as JSON.
pub(crate) fn place(at: &Location) -> Value {
    json!({
        "file": &*at.file,
        "line": at.line,
        "column": at.column,
        "pointer": at.pointer,
    })
}

/// Returns a relative path as a URI.
fn uri(path: &str) -> String {
    const KEPT: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'.')
        .remove(b'-')
        .remove(b'_')
        .remove(b'~');
    percent_encoding::utf8_percent_encode(path, KEPT).to_string()
}

/// Whether the program runs as a step of GitHub Actions.
pub(crate) fn is_in_github_actions() -> bool {
    env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// The path after the git revision in a name such as `main:spec/openapi.yaml`; `None` if there is no revision, or if a
/// file has this name.
pub(crate) fn path_in_revision<'n>(folder: &Path, name: &'n str) -> Option<&'n str> {
    let (_, path) = name.split_once(':')?;
    (!folder.join(name).exists()).then_some(path)
}

/// Converts the names of files in entries to paths with which other programs find the files. The paths are relative to a
/// folder. In GitHub Actions they are relative to the git repository, because GitHub requires that.
pub(crate) fn locate(folder: &Path, mut entries: Vec<Entry>) -> Vec<Entry> {
    let is_of_repository = is_in_github_actions();
    let mut prefix = None;
    for entry in &mut entries {
        let name = entry.at.file.clone();
        let (path, is_from_top) = match path_in_revision(folder, &name) {
            // `main:./openapi.yaml` is relative to the folder, `main:spec/openapi.yaml` to the repository.
            Some(path) => match path.strip_prefix("./") {
                Some(path) => (path, false),
                None => (path, true),
            },
            None => (&*name, false),
        };
        let is_relative = !path.is_empty() && Path::new(path).is_relative();
        if is_relative && is_of_repository != is_from_top {
            let prefix = prefix.get_or_insert_with(|| revision::prefix_of(folder));
            entry.at.file = match is_from_top {
                true => path.strip_prefix(prefix.as_str()).unwrap_or(path).into(),
                false => format!("{prefix}{path}").into(),
            };
        } else if path != &*name {
            entry.at.file = path.into();
        }
    }
    entries
}

/// Returns a workflow command for each entry
/// (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).
pub(crate) fn workflow_commands(entries: &[Entry]) -> String {
    // `data` is the text after the second `::`; a comma or a colon would end a property.
    let data = |text: &str| {
        text.replace('%', "%25")
            .replace('\r', "%0D")
            .replace('\n', "%0A")
    };
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let mut lines = String::new();
    for entry in entries {
        let command = entry.level("notice");
        let (file, line, column) = (property(&entry.at.file), entry.at.line, entry.at.column);
        let (title, message) = (property(&entry.title), data(&entry.message));
        let place = format!("file={file},line={line},col={column}");
        lines += &format!("::{command} {place},title={title}::{message}\n");
    }
    lines
}
