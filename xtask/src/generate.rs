//! `cargo xtask generate`: brings what stands in the `src/generated` folders in
//! line with `spec/openapi.yaml`, or says where it is not. What the files hold
//! is left to `openapi-dropshot`, the rules of the document to
//! `openapi-dropshot-contract`.

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

/// The contract, relative to the root.
pub(crate) const DOCUMENT: &str = "spec/openapi.yaml";
const MODELS: &str = "crates/petstore-models/src/generated";
const API: &str = "crates/petstore-api/src/generated";
const CLIENT: &str = "crates/petstore-client/src/generated";

/// The exit code that tells something stale from something broken.
const STALE: u8 = 4;

/// What `cargo xtask generate` takes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Write nothing; show what differs
    #[arg(long)]
    check: bool,
}

/// A file that is not as it should be.
pub(crate) struct Change {
    pub(crate) path: String,
    /// What is there; nothing if the file is missing.
    pub(crate) found: Option<String>,
    /// What belongs there; nothing if no such file is generated.
    pub(crate) expected: Option<String>,
}

/// Writes, or compares, everything generated in the workspace at `root`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let document = read(root)?;
    let files = files_of(&document)?
        .map_err(|problems| refused(&Problems::new(&document.text, problems)))?;
    let count = files.len();
    let changes = changes(root, files)?;
    if changes.is_empty() {
        println!("fresh: {count} files are what {DOCUMENT} says");
        return Ok(ExitCode::SUCCESS);
    }
    if options.check {
        for change in &changes {
            print!("{}", change.diff());
        }
        println!(
            "stale: {} of the generated files differ from what {DOCUMENT} says",
            changes.len()
        );
        println!("fix: cargo xtask generate");
        return Ok(ExitCode::from(STALE));
    }
    for change in &changes {
        change.apply(root)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The document, held against all rules. Warnings are printed.
fn read(root: &Path) -> Result<Document> {
    let path = root.join(DOCUMENT);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let document = match openapi_dropshot_contract::read(DOCUMENT, &text) {
        Ok(document) => document,
        Err(problems) => return Err(refused(&problems)),
    };
    let found = openapi_dropshot_contract::lint(&document, Profile::Strict);
    let problems = Problems::new(&document.text, found);
    if problems.has_errors() {
        return Err(refused(&problems));
    }
    if !problems.problems().is_empty() {
        eprintln!("{problems}\n");
    }
    Ok(document)
}

/// What is generated: the text of all files, by path.
pub(crate) type Files = BTreeMap<String, String>;

/// What is generated from a document, or why the generator refuses it.
///
/// # Errors
///
/// A generator that wants to write where generated code does not stand.
pub(crate) fn files_of(document: &Document) -> Result<Result<Files, Vec<Problem>>> {
    let options = openapi_dropshot::Options {
        command: "cargo xtask generate".to_owned(),
        source: DOCUMENT.to_owned(),
        models: MODELS.to_owned(),
        api: API.to_owned(),
        client: CLIENT.to_owned(),
        models_crate: "petstore_models".to_owned(),
        client_crate: "petstore_client".to_owned(),
        trait_name: None,
    };
    let files = match openapi_dropshot::generate(document, &options) {
        Ok(files) => files,
        Err(problems) => return Ok(Err(problems)),
    };
    for File { path, .. } in &files {
        let in_place = [MODELS, API, CLIENT]
            .iter()
            .any(|folder| Path::new(path).starts_with(folder));
        ensure!(
            in_place,
            "the generator wants to write {path}, which is outside of the `src/generated` folders"
        );
    }
    let files = files.into_iter().map(|file| (file.path, file.text));
    Ok(Ok(files.collect()))
}

/// Shows the problems and gives the error that ends the task.
fn refused(problems: &Problems) -> anyhow::Error {
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
    anyhow::anyhow!("{DOCUMENT} has {count}; nothing was written")
}

/// What differs between the generated files and those below `root`.
pub(crate) fn changes(root: &Path, mut files: Files) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for folder in [MODELS, API, CLIENT] {
        for path in files_below(root, Path::new(folder))? {
            let found =
                fs::read(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
            let expected = files.remove(&path);
            if expected
                .as_ref()
                .is_none_or(|expected| expected.as_bytes() != found)
            {
                let found = Some(String::from_utf8_lossy(&found).into_owned());
                changes.push(Change {
                    path,
                    found,
                    expected,
                });
            }
        }
    }
    changes.extend(files.into_iter().map(|(path, text)| Change {
        path,
        found: None,
        expected: Some(text),
    }));
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(changes)
}

/// The files below a folder, which need not be there yet.
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
                "{} stands among generated files and has no readable name: remove it",
                path.display()
            ),
        }
    }
    Ok(files)
}

impl Change {
    /// The difference, as `git apply` would take it.
    pub(crate) fn diff(&self) -> String {
        let name = |side: &str, text: &Option<String>| match text {
            Some(_) => format!("{side}/{}", self.path),
            None => "/dev/null".to_owned(),
        };
        TextDiff::from_lines(
            self.found.as_deref().unwrap_or_default(),
            self.expected.as_deref().unwrap_or_default(),
        )
        .unified_diff()
        .header(&name("a", &self.found), &name("b", &self.expected))
        .to_string()
    }

    /// Mends the file.
    fn apply(&self, root: &Path) -> Result<()> {
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
