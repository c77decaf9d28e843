#![doc = include_str!("../README.md")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Names the commit, instead of the repository.
const COMMIT: &str = "BUILD_COMMIT";
/// The digits of a commit that are shown. Not as many as git shows, since that depends on how many
/// commits a clone has.
const DIGITS: usize = 7;

/// Sets the variable `BUILD_VERSION` for `env!` in the crate of this build script.
///
/// # Panics
///
/// It was not called in a build script of cargo.
pub fn emit() {
    let variable = |name: &str| env::var(name).expect("cargo sets it for build scripts");
    let version = variable("CARGO_PKG_VERSION");
    let mut source = Source::default();
    if version.contains('-') {
        println!("cargo:rerun-if-env-changed={COMMIT}");
        source = match env::var(COMMIT) {
            Ok(commit) if !commit.is_empty() => Source::named(commit),
            _ if variable("PROFILE") == "debug" => Source::default(),
            _ => Source::of(Path::new(&variable("CARGO_MANIFEST_DIR"))),
        };
    }
    // Without a line like this, cargo runs the script again whenever a file of the crate changes.
    println!("cargo:rerun-if-changed=build.rs");
    for file in source.files {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    let commit = source.commit.unwrap_or_default();
    let commit: String = commit.chars().take(DIGITS).collect();
    let plus = if commit.is_empty() { "" } else { "+" };
    println!("cargo:rustc-env=BUILD_VERSION={version}{plus}{commit}");
}

/// Where the code comes from.
#[derive(Debug, Default, PartialEq)]
struct Source {
    commit: Option<String>,
    /// The files that change with the commit.
    files: Vec<PathBuf>,
}

impl Source {
    fn named(commit: String) -> Self {
        Source {
            commit: Some(commit),
            files: Vec::new(),
        }
    }

    /// The commit of a crate, from its package or from the repository that has it.
    fn of(folder: &Path) -> Self {
        let packaged = fs::read_to_string(folder.join(".cargo_vcs_info.json"));
        if let Some(commit) = packaged.ok().as_deref().and_then(packaged_commit) {
            return Source::named(commit.to_owned());
        }
        // The crate may be in a folder that another repository ignores.
        if git(folder, &["ls-files", "--error-unmatch", "Cargo.toml"]).is_none() {
            return Source::default();
        }
        // `HEAD` names a branch, and each commit adds a line to its log.
        let files = ["HEAD", "logs/HEAD"].into_iter().filter_map(|name| {
            let path = git(folder, &["rev-parse", "--git-path", name])?;
            Some(folder.join(path)).filter(|path| path.exists())
        });
        Source {
            commit: git(folder, &["rev-parse", "HEAD"]),
            files: files.collect(),
        }
    }
}

/// The commit in the file that `cargo package` adds.
fn packaged_commit(json: &str) -> Option<&str> {
    let (_, rest) = json.split_once("\"sha1\"")?;
    rest.split('"').nth(1)
}

/// What git prints; `None` without git, or where it fails.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with one commit, and a crate in it that is not committed.
    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for crate_folder in ["own", "vendored"] {
            let path = folder.path().join(crate_folder);
            fs::create_dir(&path).expect("a folder");
            fs::write(path.join("Cargo.toml"), "").expect("a file");
        }
        for arguments in [
            &["init", "--quiet"][..],
            &["add", "own"],
            &[
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "commit",
                "--quiet",
                "--message",
                "a",
            ],
        ] {
            git(folder.path(), arguments).expect("git succeeds");
        }
        folder
    }

    #[test]
    fn the_commit_is_that_of_the_repository_which_has_the_crate() {
        let folder = repository();
        let head = git(folder.path(), &["rev-parse", "HEAD"]);
        let source = Source::of(&folder.path().join("own"));
        assert!(head.is_some());
        assert_eq!(source.commit, head);
        let files: Vec<_> = source.files.iter().map(|file| file.file_name()).collect();
        assert_eq!(files, [Some("HEAD".as_ref()), Some("HEAD".as_ref())]);
        let vendored = Source::of(&folder.path().join("vendored"));
        assert_eq!(vendored, Source::default());
    }

    #[test]
    fn a_crate_without_a_repository_has_no_commit() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("Cargo.toml"), "").expect("a file");
        assert_eq!(Source::of(folder.path()), Source::default());
    }

    #[test]
    fn a_package_of_cargo_names_its_commit() {
        let folder = tempfile::tempdir().expect("a folder");
        let info =
            "{\n  \"git\": {\n    \"sha1\": \"ef17f9c2a\"\n  },\n  \"path_in_vcs\": \"a\"\n}";
        fs::write(folder.path().join(".cargo_vcs_info.json"), info).expect("a file");
        let source = Source::of(folder.path());
        assert_eq!(source, Source::named("ef17f9c2a".to_owned()));
    }
}
