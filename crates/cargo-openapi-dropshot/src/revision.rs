//! Reads a document from a file, or from a git revision, such as `main:spec/openapi.yaml`.

use anyhow::{Context, Result, bail};
use std::{fs, path::Path, process::Command};

/// Reads a document that a command line names: a file, or a file of a git revision.
pub(crate) fn read(name: &str) -> Result<String> {
    if !Path::new(name).exists()
        && let Some((revision, path)) = name.split_once(':')
    {
        return read_revision(revision, path);
    }
    fs::read_to_string(name).with_context(|| format!("cannot read the document {name}"))
}

fn read_revision(revision: &str, path: &str) -> Result<String> {
    // An empty revision is the index, which git calls by this form as well.
    let object = format!("{revision}:{path}");
    // A name that begins with `-` would be an option of git.
    if revision.starts_with('-') {
        bail!(
            "`{revision}` is not a git revision: write a branch, a tag or a commit, as in `main:{path}`"
        );
    }
    let shown = git(&["show", &object])?;
    if shown.is_success {
        return Ok(shown.stdout);
    }
    if !git(&["rev-parse", "--git-dir"])?.is_success {
        bail!(
            "cannot read the document {object}: there is no such file, and this folder is in no git repository, so that \
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
    let root = git(&["rev-parse", "--show-prefix"])?.stdout;
    let here = root.trim();
    let hint = match here {
        "" => String::new(),
        here => format!(
            " (the path begins at the root of the repository; from this folder, `./` begins at {here})"
        ),
    };
    bail!(
        "cannot read the document {object}: the revision `{revision}` has no file {path}{hint}; \
         `git ls-tree -r --name-only {revision}` lists its files"
    )
}

struct Printed {
    is_success: bool,
    stdout: String,
}

fn git(arguments: &[&str]) -> Result<Printed> {
    let output = Command::new("git").args(arguments).output();
    let output = output
        .context("cannot start git, which reads the document of a revision; is it installed?")?;
    let stdout = String::from_utf8(output.stdout);
    Ok(Printed {
        is_success: output.status.success(),
        stdout: stdout.context("the document of the revision is not UTF-8")?,
    })
}
