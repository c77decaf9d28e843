//! Task `generate`: writes the code that is generated from the document, or compares it with the existing files.

use crate::{
    FILE, Output, Project, counted,
    files::{self, if_exists},
    fix, print_error, renames, skip,
    supported::{self, SKIPPED, Supported, Unsupported, print_warnings},
};
use anyhow::{Context, Result, bail, ensure};
use openapi_dropshot::{File, Generated};
use openapi_dropshot_contract::{
    Document, Parts, Problem, Problems, read_with_files, read_without, suggest::did_you_mean,
};
use similar::TextDiff;
use std::{collections::BTreeMap, fs, path::Path, process::ExitCode};

/// The exit code if a document has an error, or if a file cannot be read or written.
const FAILED: u8 = 1;

/// The exit code of `--check` if a generated file is stale.
const STALE: u8 = 4;

/// Write all code that is generated from the documents
///
/// Exits with 0 if all files are up to date, with 3 if `--skip-unsupported` skipped
/// an operation, with 4 if `--check` found a stale file, and with 1 if a
/// document cannot be used.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Write nothing; show the differences
    #[arg(long)]
    check: bool,

    /// Skip the operations that the generator does not support: list them, and add them to the configuration, so that the
    /// other commands skip them, too; the exit code is then 3
    #[arg(long)]
    skip_unsupported: bool,

    /// Add to the document the responses that every service sends, if they are missing: `4XX` for requests without credentials
    /// or with an invalid parameter or body, `5XX` for server errors. Comments and formatting are preserved
    #[arg(long, conflicts_with = "check")]
    fix: bool,
}

/// A generated file that differs from the code for the current document.
pub(crate) struct StaleFile {
    pub(crate) path: String,
    /// The existing text; `None` if the file is missing.
    pub(crate) actual: Option<String>,
    /// The text that the file should have; `None` if it is no longer generated.
    pub(crate) expected: Option<String>,
    /// Whether the existing file is not a generated file, so that it must not be changed.
    pub(crate) is_foreign: bool,
}

/// The help for a file that is not a generated file.
pub(crate) const FOREIGN_HELP: &str = "a folder of generated code must not contain other files: correct `folder` in the configuration, or move \
                                       the file, or delete it if you do not need it";

/// Writes or compares all generated code of the projects. The exit code is 0 if everything is up to date or was written, 3 if
/// `--skip-unsupported` skipped an operation, 4 if `--check` found a stale file, and 1 if a document cannot be read or breaks
/// a rule, or if a file cannot be read or written. The error is then printed, and the other projects are still generated.
pub fn run(projects: &[Project], options: &Options) -> ExitCode {
    let mut codes = Vec::new();
    for project in projects {
        codes.push(run_one(project, options).unwrap_or_else(|error| {
            print_error(&error);
            FAILED
        }));
    }
    let first_of = |wanted: u8| codes.contains(&wanted).then_some(wanted);
    let code = [FAILED, STALE, SKIPPED].into_iter().find_map(first_of);
    ExitCode::from(code.unwrap_or_default())
}

/// Writes or compares the generated code of one project, and returns the exit code.
fn run_one(project: &Project, options: &Options) -> Result<u8> {
    let Source { text, fixed, added } = source(project, options)?;
    let Some(output) = &project.output else {
        for path in files::change_all(&project.root, Vec::from_iter(fixed))? {
            println!("wrote   {path}");
        }
        added.iter().for_each(|line| println!("{line}"));
        println!(
            "skipped {}: its configuration has no table `[document.generate]`",
            project.document
        );
        return Ok(0);
    };
    let (document, changed) = match options.skip_unsupported {
        true => without_unsupported(project, output, &text)?,
        false => (read(project, &text)?, None),
    };
    let success = if changed.is_some() { SKIPPED } else { 0 };
    let (project, configuration) = changed
        .as_ref()
        .map_or((project, None), |(project, text)| (project, Some(text)));
    let output = project.output.as_ref().unwrap_or(output);
    let code = generated_code(output, &document)?;
    let code = code.map_err(|problems| rejected(project, &Problems::new(&document, problems)))?;
    let count = code.files.len();
    let stale = stale_files(project, output, code.files)?;
    let foreign: Vec<&str> = (stale.iter().filter(|file| file.is_foreign))
        .map(|file| file.path.as_str())
        .collect();
    if let Some((first, others)) = foreign.split_first() {
        let more = match others.len() {
            0 => String::new(),
            others => format!(", and {} more", counted(others, "such file")),
        };
        bail!(
            "{first} is in a folder of generated code, but is not a generated file{more}; nothing was changed: {FOREIGN_HELP}"
        );
    }
    let source = &project.document;
    if stale.is_empty() && fixed.is_none() && (configuration.is_none() || options.check) {
        println!("fresh: {count} files match {source}");
        return Ok(success);
    }
    if options.check {
        for file in &stale {
            print!("{}", file.diff());
        }
        println!(
            "stale: {} of the generated files do not match {source}",
            stale.len()
        );
        println!("fix: {}", project.task("generate"));
        return Ok(STALE);
    }
    let before = texts_of_models(project, output)?;
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    let names = renames::new_names(&document, &code.inline_types, &before);
    let removed: Vec<String> = (stale.iter().filter(|file| file.expected.is_none()))
        .map(|file| file.path.clone())
        .collect();
    let stale = stale.into_iter().map(|file| (file.path, file.expected));
    let configuration =
        configuration.map(|text| (project.configuration.clone(), Some(text.clone())));
    let changes = fixed.into_iter().chain(configuration).chain(stale);
    for path in files::change_all(&project.root, changes.collect())? {
        let did = if removed.contains(&path) {
            "removed"
        } else {
            "wrote  "
        };
        println!("{did} {path}");
    }
    for line in added.iter().chain(&names) {
        println!("{line}");
    }
    Ok(success)
}

/// Finds and lists what the generator does not support. Returns the project without these parts, and its new configuration.
fn without_unsupported(
    project: &Project,
    output: &Output,
    text: &str,
) -> Result<(Document, Option<(Project, String)>)> {
    let not_in_client = output.has_client().then_some(&*output.skip_in_client);
    let mut load = files::loader(&project.root);
    let lint = |document: &Document| project.lint(document);
    let usable = Supported::of_text(&project.document, text, &mut load, &output.skip, lint)
        .map_err(|problems| rejected(project, &problems))?;
    print_warnings(&usable.document, project.lint(&usable.document));
    let document = usable.document.clone();
    let found = Unsupported::find(usable, &output.options, not_in_client)
        .map_err(|problems| rejected(project, &problems))?;
    for operation in &found.operations {
        println!("skipped {}", operation.name);
    }
    for operation in &found.in_client {
        println!("skipped {} in the client", operation.name);
    }
    let changed = (!found.is_empty()).then(|| skip::added(project, &found));
    Ok((document, changed.transpose()?))
}

/// The text of a document.
#[derive(Default)]
struct Source {
    text: String,
    /// The document as a file to write, if `--fix` changed it.
    fixed: Option<(String, Option<String>)>,
    /// Descriptions of the parts that `--fix` added, one line per part.
    added: Vec<String>,
}

/// Reads the text of the document. With `--fix`, adds the missing responses.
fn source(project: &Project, options: &Options) -> Result<Source> {
    let path = &project.document;
    let text = fs::read_to_string(project.path(path)).with_context(|| {
        format!("cannot read {path}, the document that `path` in {FILE} names; nothing was written")
    })?;
    let unchanged = |text| Source {
        text,
        ..Source::default()
    };
    if !options.fix {
        return Ok(unchanged(text));
    }
    let mut load = files::loader(&project.root);
    let document =
        read_with_files(path, &text, &mut load).map_err(|problems| rejected(project, &problems))?;
    let Some(fixed) = fix::add_missing_responses(&document)? else {
        println!("{path} already has the responses that every service sends");
        return Ok(unchanged(text));
    };
    Ok(Source {
        fixed: Some((path.clone(), Some(fixed.text.clone()))),
        text: fixed.text,
        added: fixed.lines,
    })
}

/// Reads and lints the document, and prints its warnings.
fn read(project: &Project, text: &str) -> Result<Document> {
    let mut load = files::loader(&project.root);
    let document = read_without(&project.document, text, &mut load, project.skip())
        .map_err(|problems| rejected(project, &problems))?;
    let problems = Problems::new(&document, project.lint(&document));
    if problems.has_errors() {
        return Err(rejected(project, &problems));
    }
    print_warnings(&document, problems.into_problems());
    Ok(document)
}

/// Generates the code of a document. The inner error contains the problems for which the generator rejects the document.
pub(crate) fn generated_code(
    output: &Output,
    document: &Document,
) -> Result<Result<Generated, Vec<Problem>>> {
    check_skipped(output, document)?;
    let generated = match output.generate(document) {
        Ok(generated) => generated,
        Err(problems) => return Ok(Err(problems)),
    };
    check_folders(output, &generated.files)?;
    renames::check(&output.options, &generated.inline_types)?;
    Ok(Ok(generated))
}

/// Checks that the operations and components to skip exist.
fn check_skipped(output: &Output, document: &Document) -> Result<()> {
    let parts = Parts::of(document.whole());
    let keys = [
        ("skip", &output.skip),
        ("skip-in-client", &output.skip_in_client),
    ];
    for (key, names) in keys {
        for name in names {
            let is_known = match name.starts_with('#') {
                true => key == "skip" && parts.named(name).is_some(),
                false => parts.named(name).is_some(),
            };
            let otherwise = "write the `operationId` of an operation of this document, or remove it from the list";
            let help = || did_you_mean(name, parts.operations(), otherwise);
            ensure!(
                is_known,
                "`{key}` in {FILE} names `{name}`, which is not an operation of the document: {}",
                help()
            );
        }
    }
    Ok(())
}

/// Returns the texts of the existing generated models.
fn texts_of_models(project: &Project, output: &Output) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for path in project.generated_files_below(&output.options.models)? {
        texts.extend(text_of(project, &path)?);
    }
    Ok(texts)
}

/// Reads a generated file; `None` if another process has removed the file in the meantime.
fn text_of(project: &Project, path: &str) -> Result<Option<String>> {
    let bytes = if_exists(fs::read(project.path(path)));
    let bytes = bytes.with_context(|| format!("cannot read {path}"))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Checks that all files are in the folders of generated code.
fn check_folders(output: &Output, files: &[File]) -> Result<()> {
    let folders = output.folders();
    for File { path, .. } in files {
        let is_around = |folder: &&str| Path::new(path).starts_with(folder);
        ensure!(
            folders.iter().any(is_around),
            "the generator named {path}, which is outside of the folders of generated code ({}): report this bug",
            folders.join(", ")
        );
    }
    Ok(())
}

/// Prints the problems of the document, and returns the error that ends the task.
fn rejected(project: &Project, problems: &Problems) -> anyhow::Error {
    let all = problems.problems().iter();
    let mut errors = all.filter(|problem| problem.is_error());
    let remedy = match errors.all(|problem| problem.rule.starts_with("client-")) {
        true => {
            "; only the client does not support this: list the operations under `skip-in-client` in `[document.generate]` to skip them in the client"
        }
        false => "",
    };
    supported::rejected(&project.document, problems, remedy)
}

/// Compares the generated files with those of the project.
pub(crate) fn stale_files(
    project: &Project,
    output: &Output,
    files: Vec<File>,
) -> Result<Vec<StaleFile>> {
    let files = files.into_iter().map(|file| (file.path, file.text));
    let mut files: BTreeMap<String, String> = files.collect();
    let mut stale = Vec::new();
    for folder in output.folders() {
        for path in project.generated_files_below(folder)? {
            let Some(actual) = text_of(project, &path)? else {
                continue;
            };
            let expected = files.remove(&path);
            let is_actual = |text: &str| is_same_text(text, &actual);
            if !expected.as_deref().is_some_and(is_actual) {
                stale.push(StaleFile {
                    is_foreign: !is_generated(project, &path, &actual),
                    path,
                    actual: Some(actual),
                    expected,
                });
            }
        }
    }
    stale.extend(files.into_iter().map(|(path, text)| StaleFile {
        path,
        actual: None,
        expected: Some(text),
        is_foreign: false,
    }));
    stale.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(stale)
}

/// Whether two texts differ only in their line endings. Git on Windows checks out files with CRLF by default.
fn is_same_text(a: &str, b: &str) -> bool {
    a == b || a.replace("\r\n", "\n") == b.replace("\r\n", "\n")
}

/// Whether the generator wrote the file: this version of it, an earlier version, or a version that was edited since. An empty
/// file counts as generated, because nothing is lost if it is replaced.
fn is_generated(project: &Project, path: &str, text: &str) -> bool {
    let is_marked = |text: &str| {
        text.lines()
            .any(|line| line.starts_with("//! Generated by `"))
    };
    if text.is_empty() || is_marked(text) {
        return true;
    }
    // The copies of the document are in the folder of the generated API, and do not begin with the line of generated files.
    let path = Path::new(path);
    let is_copy = |name: &str| ["openapi.json", "openapi.yaml"].contains(&name);
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(is_copy)
        && fs::read_to_string(project.path(path.with_file_name("mod.rs")))
            .is_ok_and(|text| is_marked(&text))
}

impl StaleFile {
    /// Returns a unified diff. Very long lines, such as those of a document in JSON, are shortened.
    pub(crate) fn diff(&self) -> String {
        let name = |side: &str, text: &Option<String>| match text {
            Some(_) => format!("{side}/{}", self.path),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (name("a", &self.actual), name("b", &self.expected));
        let (actual, expected) = (self.actual.as_deref(), self.expected.as_deref());
        let diff = TextDiff::from_lines(actual.unwrap_or_default(), expected.unwrap_or_default());
        let diff = diff.unified_diff().header(&old, &new).to_string();
        diff.lines().map(cut).collect()
    }
}

/// Lines with at most this many characters are printed completely.
const LONG_LINE: usize = 300;

/// Formats a line for a terminal. A long line is printed without its end.
fn cut(line: &str) -> String {
    match line.char_indices().nth(LONG_LINE) {
        Some((end, _)) => {
            let more = line[end..].chars().count();
            format!("{}… {more} more characters\n", &line[..end])
        }
        None => format!("{line}\n"),
    }
}
