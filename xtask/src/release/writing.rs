//! Several files that are written together: all of them, or none.

use anyhow::{Context, Result};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Files that will be written, relative to the root, with what they will hold.
#[derive(Default)]
pub(super) struct Writing {
    files: Vec<(String, String)>,
}

/// A new text, written beside the place it is for.
struct Ready {
    /// The file, relative to the root.
    name: String,
    path: PathBuf,
    beside: PathBuf,
    /// What stands there so far.
    before: Option<Vec<u8>>,
}

impl Writing {
    /// Adds a file, or what replaces it.
    pub(super) fn add(&mut self, name: String, text: String) {
        self.files.push((name, text));
    }

    /// Writes the files that are not as they should be, and says which.
    ///
    /// Everything is written beside its place first, so that a full disk or a
    /// folder without permission is met before anything has changed; then each
    /// file is put in its place. Where that fails, the others are put back.
    ///
    /// # Errors
    ///
    /// A file that cannot be written; then all are as they were.
    pub(super) fn finish(self, root: &Path) -> Result<Vec<String>> {
        let mut ready = Vec::new();
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
            let new = Ready {
                beside: beside(&path),
                name,
                path,
                before,
            };
            fs::write(&new.beside, text)
                .with_context(|| format!("cannot write {}; nothing was changed", new.name))?;
            ready.push(new);
        }
        for (index, new) in ready.iter().enumerate() {
            if let Err(error) = fs::rename(&new.beside, &new.path) {
                ready[..index].iter().try_for_each(Ready::put_back)?;
                return Err(error)
                    .with_context(|| format!("cannot write {}; nothing was changed", new.name));
            }
        }
        Ok(ready.iter().map(|new| new.name.clone()).collect())
    }
}

impl Ready {
    /// Undoes what was done.
    fn put_back(&self) -> Result<()> {
        match &self.before {
            Some(before) => fs::write(&self.path, before),
            None => fs::remove_file(&self.path),
        }
        .with_context(|| format!("cannot put back {}: take it from git", self.name))
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        // It is gone where all went well.
        drop(fs::remove_file(&self.beside));
    }
}

/// A name in the same folder, so that renaming moves nothing between disks.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}
