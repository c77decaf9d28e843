//! Reads a document from a file, or from a git revision such as `main:spec/openapi.yaml`.

use anyhow::{Context, Error, Result, anyhow, bail};
use std::{fs, path::Path, process::Command};

/// Reads a document that is named on the command line: a file, or a file of a git revision.
pub(crate) fn read(name: &str) -> Result<String> {
    if !Path::new(name).exists()
        && let Some((revision, path)) = name.split_once(':')
    {
        let folder = Path::new(".");
        return match read_revision(folder, revision, path)? {
            Some(text) => Ok(text),
            None => Err(missing(folder, revision, path)?),
        };
    }
    fs::read_to_string(name).with_context(|| format!("cannot read the document {name}"))
}

/// Fails if a name is only a git revision, without a file. `file` is the file that the user probably meant.
pub(crate) fn check_names_file(name: &str, file: &str) -> Result<()> {
    if name.is_empty() || name.starts_with('-') || name.contains(':') || Path::new(name).exists() {
        return Ok(());
    }
    let commit = format!("{name}^{{commit}}");
    let arguments = ["rev-parse", "--verify", "--quiet", &commit];
    let found = git(Path::new("."), &arguments);
    if found.is_ok_and(|found| found.is_success) {
        bail!("`{name}` is a git revision, not a document: add the file, as in `{name}:{file}`");
    }
    Ok(())
}

/// Reads a file of a git revision; the path is relative to a folder. Returns `None` if the revision has no such file.
pub(crate) fn file_at(folder: &Path, revision: &str, path: &str) -> Result<Option<String>> {
    read_revision(folder, revision, &format!("./{path}"))
}

/// The path of a folder in its git repository: empty, or with `/` at the end. It is also empty if the folder is in no
/// repository.
pub(crate) fn prefix_of(folder: &Path) -> String {
    let printed = git(folder, &["rev-parse", "--show-prefix"]).ok();
    let printed = printed.filter(|printed| printed.is_success);
    printed.map_or_else(String::new, |printed| {
        printed.stdout.trim_end_matches(['\n', '\r']).to_owned()
    })
}

fn read_revision(folder: &Path, revision: &str, path: &str) -> Result<Option<String>> {
    let git = |arguments: &[&str]| git(folder, arguments);
    // git also accepts an empty revision in this form; it means the index.
    let object = format!("{revision}:{path}");
    // git would read a name that begins with `-` as an option.
    if revision.starts_with('-') {
        bail!(
            "`{revision}` is not a git revision: write a branch, a tag or a commit, as in `main:{path}`"
        );
    }
    let shown = git(&["show", &object])?;
    if shown.is_success {
        return Ok(Some(shown.stdout));
    }
    if !git(&["rev-parse", "--git-dir"])?.is_success {
        bail!(
            "cannot read the document {object}: there is no such file, and this folder is not in a git repository, so that \
             `{revision}` cannot be a revision"
        );
    }
    let commit = format!("{revision}^{{commit}}");
    if !revision.is_empty() && !git(&["rev-parse", "--verify", "--quiet", &commit])?.is_success {
        bail!(
            "cannot read the document {object}: the git repository has no revision `{revision}`: write a branch, a tag or a \
             commit (`git branch --all` and `git tag` list them); a shallow clone, as in CI, has few of them: \
             `git fetch --unshallow` gets the others"
        );
    }
    Ok(None)
}

/// Returns the error for a revision that does not contain the file.
fn missing(folder: &Path, revision: &str, path: &str) -> Result<Error> {
    let root = git(folder, &["rev-parse", "--show-prefix"])?.stdout;
    let here = root.trim();
    let hint = match here {
        "" => String::new(),
        here => format!(
            " (the path is relative to the root of the repository; a path that begins with `./` is relative to {here})"
        ),
    };
    Ok(anyhow!(
        "cannot read the document {revision}:{path}: the revision `{revision}` has no file {path}{hint}; \
         `git ls-tree -r --name-only {revision}` lists its files"
    ))
}

struct Printed {
    is_success: bool,
    stdout: String,
}

fn git(folder: &Path, arguments: &[&str]) -> Result<Printed> {
    let mut git = Command::new("git");
    let output = git.args(arguments).current_dir(folder).output();
    let output = output
        .context("cannot start git, which is needed to read the document of a revision: check that git is installed")?;
    let stdout = String::from_utf8(output.stdout);
    Ok(Printed {
        is_success: output.status.success(),
        stdout: stdout.context("the document of the revision is not UTF-8")?,
    })
}
