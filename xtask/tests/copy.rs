//! Copies of the workspace for tests that change it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// A copy of the workspace, or of a part of it.
pub(crate) struct Copy {
    root: PathBuf,
    /// The temporary folder, which is deleted when this is dropped.
    _temporary: Option<TempDir>,
}

impl Copy {
    /// Copies these files, and everything in these folders.
    pub(crate) fn of(parts: &[&str]) -> Self {
        Copy::into(tempfile::tempdir().expect("a temporary folder"), parts)
    }

    /// Does the same, into a folder that the caller chose. The copy always contains the
    /// configuration of the tasks.
    pub(crate) fn into(folder: TempDir, parts: &[&str]) -> Self {
        let copy = Copy {
            root: folder.path().to_path_buf(),
            _temporary: Some(folder),
        };
        let from = workspace_root();
        let is_meant = |path: &String| {
            path == "openapi-dropshot.toml"
                || parts.iter().any(|part| Path::new(path).starts_with(part))
        };
        for path in files_of(&from).iter().filter(|path| is_meant(path)) {
            let to = copy.path(path);
            make_folder_of(&to);
            fs::copy(from.join(path), to)
                .unwrap_or_else(|error| panic!("cannot copy {path}: {error}"));
        }
        copy
    }

    /// A copy of the whole workspace, for a test that runs [`cargo`](Self::cargo) in it.
    ///
    /// There is only one such copy, and only the holder of the lock file may use it. It is kept
    /// between tests, and only files that differ from the workspace are written again. Cargo
    /// compares modification times, so it compiles only what the last test or the next test has
    /// changed.
    pub(crate) fn of_the_workspace() -> (Self, File) {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let lock = File::create(target.join("copy.lock")).expect("a file to lock");
        lock.lock().expect("one copy at a time");
        let root = target.join("copy");
        fs::create_dir_all(&root).expect("a folder for the copy");
        let from = workspace_root();
        let files = files_of(&from);
        let surplus = files_of(&root).into_iter();
        for path in surplus.filter(|path| files.binary_search(path).is_err()) {
            fs::remove_file(root.join(path)).expect("a file of an earlier test");
        }
        for path in &files {
            let bytes = fs::read(from.join(path)).expect("a file of the workspace");
            let to = root.join(path);
            if fs::read(&to).ok().as_ref() != Some(&bytes) {
                make_folder_of(&to);
                fs::write(to, bytes).unwrap_or_else(|error| panic!("cannot copy {path}: {error}"));
            }
        }
        let copy = Copy {
            root,
            _temporary: None,
        };
        (copy, lock)
    }

    /// Returns a cargo command that builds in the copy, with the dependencies that are already
    /// compiled.
    pub(crate) fn cargo(&self) -> Command {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .current_dir(self.root())
            .env(
                "CARGO_TARGET_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join(".."),
            )
            .env("CARGO_INCREMENTAL", "0")
            // Cargo identifies a package by its path within its workspace, so the packages of the
            // copy would overwrite the packages of this workspace. With a wrapper (which has no
            // effect here), cargo uses other file names for the packages.
            .env("RUSTC_WORKSPACE_WRAPPER", "/usr/bin/env");
        cargo
    }

    /// The folder of the copy.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path))
            .unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
    }

    /// Writes a file, which may be a new one.
    pub(crate) fn write(&self, path: &str, text: &str) {
        make_folder_of(&self.path(path));
        fs::write(self.path(path), text)
            .unwrap_or_else(|error| panic!("cannot write {path}: {error}"));
    }

    /// Replaces the first `old` of a file by `new`.
    pub(crate) fn replace(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} has no `{old}` to replace");
        self.write(path, &text.replacen(old, new, 1));
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }
}

fn make_folder_of(file: &Path) {
    fs::create_dir_all(file.parent().expect("a file is in a folder"))
        .expect("a folder of the copy");
}

/// The folder of the workspace to which these tests belong.
pub(crate) fn workspace_root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent()
        .expect("xtask is in the workspace")
        .to_path_buf()
}

/// Returns the files below a folder, sorted, except the files of git and of builds. The paths are
/// relative to the folder, with `/` between the names.
pub(crate) fn files_of(root: &Path) -> Vec<String> {
    const KEPT_BY_TOOLS: [&str; 3] = ["target", ".git", ".hypothesis"];
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("the folder can be listed") {
            let entry = entry.expect("the entry can be read");
            let name = entry.file_name();
            let path = folder.join(&name);
            let kind = entry.file_type().expect("the entry has a type");
            if kind.is_dir() && !KEPT_BY_TOOLS.iter().any(|kept| name == *kept) {
                folders.push(path);
            } else if kind.is_file() {
                files.push(path.to_str().expect("the name is UTF-8").replace('\\', "/"));
            }
        }
    }
    files.sort();
    files
}
