//! Writes several files together: all of them, or none.

use anyhow::{Context, Result};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A file with its new text, which is in a temporary file until all are written.
struct Staged {
    /// The file, relative to the root.
    name: String,
    path: PathBuf,
    /// The file that holds the new text, in the same folder, so that it can be renamed.
    temporary: PathBuf,
    /// The content before; `None` if the file did not exist.
    before: Option<Vec<u8>>,
}

/// Writes the files whose text changes, and returns their names. Each element is a
/// name relative to the root, and a text.
///
/// All new texts are written to temporary files first, so that a full disk or
/// a missing permission is found before anything has changed. Then each
/// temporary file is renamed; if a rename fails, the files before it are restored,
/// so that nothing has changed.
pub(crate) fn write_all(root: &Path, files: Vec<(String, String)>) -> Result<Vec<String>> {
    let mut staged = Vec::new();
    for (name, text) in files {
        let path = root.join(&name);
        let before = match fs::read(&path) {
            Ok(before) => Some(before),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| format!("cannot read {name}")),
        };
        if before.as_deref() == Some(text.as_bytes()) {
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let new = Staged {
            temporary: root.join(format!("{name}.new")),
            name,
            path,
            before,
        };
        fs::write(&new.temporary, text)
            .with_context(|| format!("cannot write {}; nothing was changed", new.name))?;
        staged.push(new);
    }
    for (index, new) in staged.iter().enumerate() {
        if let Err(error) = fs::rename(&new.temporary, &new.path) {
            staged[..index].iter().try_for_each(Staged::restore)?;
            return Err(error)
                .with_context(|| format!("cannot write {}; nothing was changed", new.name));
        }
    }
    Ok(staged.iter().map(|new| new.name.clone()).collect())
}

impl Staged {
    /// Restores the former content.
    fn restore(&self) -> Result<()> {
        match &self.before {
            Some(before) => fs::write(&self.path, before),
            None => fs::remove_file(&self.path),
        }
        .with_context(|| format!("cannot restore {}: restore it from git", self.name))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After a rename, the temporary file does not exist any more.
        drop(fs::remove_file(&self.temporary));
    }
}
