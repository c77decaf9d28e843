//! Task `generate`: writes the generated code of the document, or compares it
//! with the files that are there.

use crate::{Project, counted, files, supported::Supported};
use anyhow::{Context, Result, anyhow, ensure};
use openapi_dropshot::File;
use openapi_dropshot_contract::{Document, Problem, Problems, Profile};
use similar::TextDiff;
use std::{collections::BTreeMap, fs, path::Path, process::ExitCode};

/// The exit code of `--check` where a generated file is stale.
const STALE: u8 = 4;

/// The exit code of `--skip-unsupported` where an operation was left out.
const SKIPPED: u8 = 3;

/// The options of the task `generate`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Write nothing; show what differs
    #[arg(long)]
    check: bool,

    /// Leave out the operations that the generator does not support, and list them; the
    /// exit code is then 3
    #[arg(long)]
    skip_unsupported: bool,
}

/// A generated file that differs from what the document gives.
pub(crate) struct StaleFile {
    pub(crate) path: String,
    /// The text that is there; `None` if the file is missing.
    pub(crate) actual: Option<String>,
    /// The text that belongs there; `None` if no such file is generated.
    pub(crate) expected: Option<String>,
}

/// Writes, or compares, all generated code of the project. The exit code is 0
/// where everything is fresh or was written, 3 where `--skip-unsupported` left out
/// an operation, and 4 where `--check` found a stale file.
///
/// # Errors
///
/// The document cannot be read or breaks a rule, or a file cannot be read or
/// written.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    let document = read(project)?;
    let (files, success) = if options.skip_unsupported {
        supported_files(project, document)?
    } else {
        let files = generated_files(project, &document)?
            .map_err(|problems| rejected(project, &Problems::new(&document.text, problems)))?;
        (files, ExitCode::SUCCESS)
    };
    let count = files.len();
    let stale = stale_files(project, files)?;
    let source = &project.document;
    if stale.is_empty() {
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
        return Ok(ExitCode::from(STALE));
    }
    let (mut changed, mut removed) = (Vec::new(), Vec::new());
    for StaleFile { path, expected, .. } in stale {
        match expected {
            Some(text) => changed.push((path, text)),
            None => removed.push(path),
        }
    }
    for path in files::write_all(&project.root, changed)? {
        println!("wrote   {path}");
    }
    for path in removed {
        fs::remove_file(project.path(&path)).with_context(|| format!("cannot remove {path}"))?;
        println!("removed {path}");
    }
    Ok(success)
}

/// Generates the files of what the generator supports, and lists the rest. Returns the files
/// and the exit code.
fn supported_files(project: &Project, document: Document) -> Result<(Files, ExitCode)> {
    let options = project.generator_options();
    let supported = Supported::of(document, openapi_dropshot::generate, &options);
    let problems = supported.rendered_rejections();
    if supported.document.operations.is_empty() && !problems.problems().is_empty() {
        return Err(rejected(project, &problems));
    }
    let files = within_folders(project, supported.files)?;
    if supported.rejections.is_empty() {
        return Ok((files, ExitCode::SUCCESS));
    }
    eprintln!("{problems}\n");
    for operation in &supported.rejected {
        println!("skipped {}", operation.name);
    }
    Ok((files, ExitCode::from(SKIPPED)))
}

/// Reads and lints the document, and prints its warnings.
fn read(project: &Project) -> Result<Document> {
    let text = project.read(&project.document)?;
    let document = openapi_dropshot_contract::read(&project.document, &text)
        .map_err(|problems| rejected(project, &problems))?;
    let lints = openapi_dropshot_contract::lint(&document, Profile::Strict);
    let problems = Problems::new(&document.text, lints);
    if problems.has_errors() {
        return Err(rejected(project, &problems));
    }
    if !problems.problems().is_empty() {
        eprintln!("{problems}\n");
    }
    Ok(document)
}

/// The texts of the generated files, by path.
pub(crate) type Files = BTreeMap<String, String>;

/// Generates the files of a document; the inner error holds the problems for
/// which the generator rejects it.
pub(crate) fn generated_files(
    project: &Project,
    document: &Document,
) -> Result<Result<Files, Vec<Problem>>> {
    let files = match openapi_dropshot::generate(document, &project.generator_options()) {
        Ok(files) => files,
        Err(problems) => return Ok(Err(problems)),
    };
    within_folders(project, files).map(Ok)
}

/// Checks that all files are in the folders of generated code, and returns their texts.
fn within_folders(project: &Project, files: Vec<File>) -> Result<Files> {
    let folders = project.output.folders();
    for File { path, .. } in &files {
        ensure!(
            folders
                .iter()
                .any(|folder| Path::new(path).starts_with(folder)),
            "the generator named {path}, which is outside of the folders of generated code ({}): report this fault",
            folders.join(", ")
        );
    }
    let files = files.into_iter().map(|file| (file.path, file.text));
    Ok(files.collect())
}

/// Prints the problems of the document, and returns the error that ends the task.
fn rejected(project: &Project, problems: &Problems) -> anyhow::Error {
    eprintln!("{problems}\n");
    let errors = problems
        .problems()
        .iter()
        .filter(|problem| problem.is_error());
    let count = counted(errors.count(), "error");
    anyhow!("{} has {count}; nothing was written", project.document)
}

/// Compares the generated files with those of the project.
pub(crate) fn stale_files(project: &Project, mut files: Files) -> Result<Vec<StaleFile>> {
    let mut stale = Vec::new();
    for folder in project.output.folders() {
        for path in project.files_below(folder, |_| true)? {
            let actual =
                fs::read(project.path(&path)).with_context(|| format!("cannot read {path}"))?;
            let expected = files.remove(&path);
            if expected.as_ref().map(String::as_bytes) != Some(&actual) {
                stale.push(StaleFile {
                    path,
                    actual: Some(String::from_utf8_lossy(&actual).into_owned()),
                    expected,
                });
            }
        }
    }
    stale.extend(files.into_iter().map(|(path, text)| StaleFile {
        path,
        actual: None,
        expected: Some(text),
    }));
    stale.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(stale)
}

impl StaleFile {
    /// A unified diff that `git apply` takes.
    pub(crate) fn diff(&self) -> String {
        let name = |side: &str, text: &Option<String>| match text {
            Some(_) => format!("{side}/{}", self.path),
            None => "/dev/null".to_owned(),
        };
        TextDiff::from_lines(
            self.actual.as_deref().unwrap_or_default(),
            self.expected.as_deref().unwrap_or_default(),
        )
        .unified_diff()
        .header(&name("a", &self.actual), &name("b", &self.expected))
        .to_string()
    }
}
