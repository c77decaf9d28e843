//! Writes several files together: all of them, or none.

use anyhow::{Context, Result};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Files to write, relative to the root, with their texts.
#[derive(Default)]
pub(super) struct Batch {
    files: Vec<(String, String)>,
}

/// A file whose new text is written beside it.
struct Staged {
    /// The file, relative to the root.
    name: String,
    path: PathBuf,
    /// The file that holds the new text.
    temporary: PathBuf,
    /// The former content.
    before: Option<Vec<u8>>,
}

impl Batch {
    /// Adds a file with its new text.
    pub(super) fn add(&mut self, name: String, text: String) {
        self.files.push((name, text));
    }

    /// Writes the files whose text changes, and returns their names.
    ///
    /// All new texts are written to temporary files first, so that a full disk or
    /// a missing permission is found before anything has changed. Then each
    /// temporary file is renamed; where that fails, the files before it are
    /// restored.
    ///
    /// # Errors
    ///
    /// A file cannot be written; then nothing has changed.
    pub(super) fn write(self, root: &Path) -> Result<Vec<String>> {
        let mut staged = Vec::new();
        for (name, text) in self.files {
            let path = root.join(&name);
            let before = match fs::read(&path) {
                Ok(before) => Some(before),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error).with_context(|| format!("cannot read {name}")),
            };
            if before.as_deref() == Some(text.as_bytes()) {
                continue;
            }
            let new = Staged {
                temporary: temporary(&path),
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
        // A rename has already removed it where everything succeeded.
        drop(fs::remove_file(&self.temporary));
    }
}

/// A name in the same folder, so that the rename stays on one file system.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}
