//! Task `generate`: writes the generated code of the document, or compares it
//! with the files that are there.

use crate::Project;
use anyhow::{Context, Result, bail, ensure};
use openapi_dropshot::File;
use openapi_dropshot_contract::{Document, Problem, Problems, Profile, Severity};
use similar::TextDiff;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The exit code of `--check` where a generated file is stale.
const STALE: u8 = 4;

/// The options of the task `generate`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Write nothing; show what differs
    #[arg(long)]
    check: bool,
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
/// where everything is fresh or was written, and 4 where `--check` found a stale
/// file.
///
/// # Errors
///
/// The document cannot be read or breaks a rule, or a file cannot be read or
/// written.
pub fn run(project: &Project, options: &Options) -> Result<ExitCode> {
    let document = read(project)?;
    let files = generated_files(project, &document)?
        .map_err(|problems| rejected(project, &Problems::new(&document.text, problems)))?;
    let count = files.len();
    let stale = stale_files(project, files)?;
    let source = &project.document;
    if stale.is_empty() {
        println!("fresh: {count} files match {source}");
        return Ok(ExitCode::SUCCESS);
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
    for file in &stale {
        file.write(&project.root)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads and lints the document, and prints its warnings.
fn read(project: &Project) -> Result<Document> {
    let path = project.path(&project.document);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let document = match openapi_dropshot_contract::read(&project.document, &text) {
        Ok(document) => document,
        Err(problems) => return Err(rejected(project, &problems)),
    };
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
///
/// # Errors
///
/// The generator names a file outside of the folders of generated code.
pub(crate) fn generated_files(
    project: &Project,
    document: &Document,
) -> Result<Result<Files, Vec<Problem>>> {
    let files = match openapi_dropshot::generate(document, &project.generator_options()) {
        Ok(files) => files,
        Err(problems) => return Ok(Err(problems)),
    };
    for File { path, .. } in &files {
        let folders = project.output.folders();
        let is_inside = folders
            .iter()
            .any(|folder| Path::new(path).starts_with(folder));
        ensure!(
            is_inside,
            "the generator named {path}, which is outside of the folders of generated code ({}): report this fault",
            folders.join(", ")
        );
    }
    let files = files.into_iter().map(|file| (file.path, file.text));
    Ok(Ok(files.collect()))
}

/// Prints the problems of the document, and returns the error that ends the task.
fn rejected(project: &Project, problems: &Problems) -> anyhow::Error {
    eprintln!("{problems}\n");
    let errors = problems
        .problems()
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    let count = if errors == 1 {
        "1 error".to_owned()
    } else {
        format!("{errors} errors")
    };
    anyhow::anyhow!("{} has {count}; nothing was written", project.document)
}

/// Compares the generated files with those of the project.
pub(crate) fn stale_files(project: &Project, mut files: Files) -> Result<Vec<StaleFile>> {
    let mut stale = Vec::new();
    for folder in project.output.folders() {
        for path in files_below(&project.root, Path::new(folder))? {
            let actual =
                fs::read(project.path(&path)).with_context(|| format!("cannot read {path}"))?;
            let expected = files.remove(&path);
            if expected
                .as_ref()
                .is_none_or(|expected| expected.as_bytes() != actual)
            {
                let actual = Some(String::from_utf8_lossy(&actual).into_owned());
                stale.push(StaleFile {
                    path,
                    actual,
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

/// The files below a folder, relative to the root; none where the folder does not exist.
fn files_below(root: &Path, folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot list {}", folder.display()));
        }
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        let path: PathBuf = folder.join(entry.file_name());
        let is_folder = entry
            .file_type()
            .with_context(|| format!("cannot look at {}", path.display()))?
            .is_dir();
        match path.to_str() {
            _ if is_folder => files.append(&mut files_below(root, &path)?),
            Some(path) => files.push(path.to_owned()),
            None => bail!(
                "{} is in a folder of generated code and its name is not UTF-8: remove it",
                path.display()
            ),
        }
    }
    Ok(files)
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

    /// Writes the expected text, or removes a file that is no longer generated.
    fn write(&self, root: &Path) -> Result<()> {
        let path = root.join(&self.path);
        let Some(expected) = &self.expected else {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", self.path))?;
            println!("removed {}", self.path);
            return Ok(());
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        fs::write(&path, expected).with_context(|| format!("cannot write {}", self.path))?;
        println!("wrote   {}", self.path);
        Ok(())
    }
}
