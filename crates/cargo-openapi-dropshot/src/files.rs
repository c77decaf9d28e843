//! Writes and removes several files together: either all of them or none.

use anyhow::{Context, Result};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
};

/// Returns a function that reads the files to which a document refers. The names of the files begin with the folder of the
/// document, and are relative to the root.
pub(crate) fn loader(root: &Path) -> impl FnMut(&str) -> Result<String, String> {
    move |name| {
        fs::read_to_string(root.join(name)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => error.to_string(),
        })
    }
}

/// Returns what was read; `None` if there is no such file.
pub(crate) fn if_exists<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// Returns a name for a temporary file in the same folder. The file is hidden, so that other processes do not treat the file as
/// a part of the project.
fn temporary_for(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.new", process::id()))
}

/// A file whose new text is in a temporary file until the texts of all files have been written.
struct Staged {
    /// The file, relative to the root.
    name: String,
    path: PathBuf,
    /// The temporary file with the new text, in the same folder, so that it can be renamed. If the file must be removed, this
    /// file contains the old text.
    temporary: PathBuf,
    is_removal: bool,
    /// The content before; `None` if the file did not exist.
    before: Option<Vec<u8>>,
}

/// Writes the files whose text changes, and returns their names. Each element is a file name relative to the root, and its new
/// text.
pub(crate) fn write_all(root: &Path, files: Vec<(String, String)>) -> Result<Vec<String>> {
    let files = files.into_iter().map(|(name, text)| (name, Some(text)));
    change_all(root, files.collect())
}

/// Writes the files whose text changes, removes the files without a text, and returns the names of both. Each element is a file
/// name relative to the root, and its new text.
///
/// All new texts are written to temporary files first, so that a full disk or a missing permission is found before anything
/// changes. Then each temporary file is renamed. If a rename fails, the files that were already renamed are restored, so that
/// nothing has changed.
pub(crate) fn change_all(root: &Path, files: Vec<(String, Option<String>)>) -> Result<Vec<String>> {
    let mut folders = NewFolders::default();
    let mut staged = Vec::new();
    for (name, text) in files {
        let path = root.join(&name);
        // A symbolic link is kept, and its target is changed.
        let path = match text {
            Some(_) if path.is_symlink() => fs::canonicalize(&path).unwrap_or(path),
            _ => path,
        };
        let before = if_exists(fs::read(&path)).with_context(|| format!("cannot read {name}"))?;
        if before.as_deref() == text.as_ref().map(String::as_bytes) {
            continue;
        }
        let new = Staged {
            temporary: temporary_for(&path),
            is_removal: text.is_none(),
            name,
            path,
            before,
        };
        let written = match (&text, new.path.parent()) {
            (None, _) => Ok(()),
            (Some(text), parent) => parent
                .map_or(Ok(()), |folder| folders.make(folder))
                .and_then(|()| fs::write(&new.temporary, text)),
        };
        written.with_context(|| new.failure())?;
        staged.push(new);
    }
    for (index, new) in staged.iter().enumerate() {
        let renamed = match new.is_removal {
            false => fs::rename(&new.temporary, &new.path),
            true => fs::rename(&new.path, &new.temporary),
        };
        if let Err(error) = renamed {
            // Another process has removed the file in the meantime.
            if new.is_removal && error.kind() == io::ErrorKind::NotFound {
                continue;
            }
            staged[..index].iter().try_for_each(Staged::restore)?;
            return Err(error).with_context(|| new.failure());
        }
    }
    folders.keep();
    Ok(staged.iter().map(|new| new.name.clone()).collect())
}

/// Folders that were created. They are removed again unless they are kept.
#[derive(Default)]
struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Creates a folder and its missing parents.
    fn make(&mut self, folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = (folder.ancestors())
            .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
            .collect();
        for above in missing.into_iter().rev() {
            match fs::create_dir(above) {
                Ok(()) => self.0.push(above.to_path_buf()),
                // Another process has created the folder in the meantime.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && above.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // A folder that is not empty is kept.
            drop(fs::remove_dir(folder));
        }
    }
}

impl Staged {
    /// Returns the message for a file that cannot be changed.
    fn failure(&self) -> String {
        let (what, name) = (if self.is_removal { "remove" } else { "write" }, &self.name);
        let folder = self.path.parent().unwrap_or(&self.path).display();
        format!(
            "cannot {what} {name}; nothing was changed: check that you have write permission for {folder}"
        )
    }

    /// Restores the old content.
    fn restore(&self) -> Result<()> {
        match &self.before {
            Some(before) => fs::write(&self.path, before),
            None => fs::remove_file(&self.path),
        }
        .with_context(|| format!("cannot restore {}: restore the file from git", self.name))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After a rename, the temporary file no longer exists.
        drop(fs::remove_file(&self.temporary));
    }
}
