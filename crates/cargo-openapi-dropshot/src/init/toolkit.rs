//! The source of the toolkit crates for a new service.

use anyhow::{Context as _, Result, ensure};
use std::{
    fs, path,
    path::{Path, PathBuf},
};

/// The source of the toolkit crates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Toolkit {
    /// This version in the registry.
    Version(String),
    /// A Git repository.
    Git(String),
    /// The folder that contains the folders of the crates.
    Folder {
        /// The folder, relative to the folder of the service if the user gave a relative path.
        path: String,
        /// Whether the workspace of this folder has a profile for installing the command.
        has_profile: bool,
    },
}

impl Toolkit {
    /// Parses the value of `--toolkit`: a version, the URL of a Git repository, or a folder. `service` is the folder of the
    /// service, which does not have to exist.
    ///
    /// # Errors
    ///
    /// The folder does not contain the crates.
    pub(super) fn parse(text: Option<&str>, service: &Path) -> Result<Self> {
        let Some(text) = text else {
            return Ok(Toolkit::Version(env!("CARGO_PKG_VERSION").to_owned()));
        };
        let version = text.strip_prefix(['=', '^', '~']).unwrap_or(text);
        if version.starts_with(|first: char| first.is_ascii_digit()) && !Path::new(text).exists() {
            return Ok(Toolkit::Version(text.to_owned()));
        }
        if text.contains("://") || text.starts_with("git@") {
            return Ok(Toolkit::Git(text.to_owned()));
        }
        let folder = fs::canonicalize(text).with_context(|| {
            format!("`--toolkit {text}` is not a version, a URL or a folder that can be read")
        })?;
        let folders = [folder.clone(), folder.join("crates")];
        let found = folders
            .iter()
            .find(|folder| folder.join("openapi-dropshot-server/Cargo.toml").is_file());
        ensure!(
            found.is_some(),
            "{} has no folder openapi-dropshot-server; pass the folder of the toolkit's repository, or of its crates",
            folder.display()
        );
        let found = found.unwrap_or(&folder);
        let mut above = found.ancestors().take(2);
        let has_profile = above.any(|folder| {
            let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
            text.contains("[profile.tool]")
        });
        let path = match Path::new(text).is_relative() {
            // An absolute path would be valid on one machine only.
            true => relative(&absolute(service)?, found),
            false => found.to_path_buf(),
        };
        Ok(Toolkit::Folder {
            path: path.to_string_lossy().into_owned(),
            has_profile,
        })
    }

    /// Returns the source of a crate, as an inline table for a manifest. `up` is the path from the folder of the manifest to the
    /// folder of the service, such as `../../`.
    pub(super) fn dependency(&self, name: &str, up: &str) -> String {
        match self {
            Toolkit::Version(version) => format!("version = {version:?}"),
            Toolkit::Git(url) => format!("git = {url:?}"),
            Toolkit::Folder { path, .. } => {
                let is_relative = Path::new(path).is_relative();
                let up = if is_relative { up } else { "" };
                format!("path = {:?}", format!("{up}{path}/{name}"))
            }
        }
    }

    /// Returns the arguments of `cargo install` to install the command itself.
    pub(super) fn install(&self) -> String {
        let name = env!("CARGO_PKG_NAME");
        match self {
            Toolkit::Version(version) => {
                let version = version.trim_start_matches(['=', '^', '~']);
                format!("{name} --version {version} --locked")
            }
            Toolkit::Git(url) => format!("{name} --git {url} --locked --profile tool"),
            Toolkit::Folder { path, has_profile } => {
                let profile = if *has_profile { " --profile tool" } else { "" };
                format!("--path {path}/{name} --locked{profile}")
            }
        }
    }

    /// Returns a note about what cargo needs to find the crates; `None` if cargo can fetch them.
    pub(super) fn note(&self) -> Option<String> {
        match self {
            Toolkit::Version(version) => Some(format!(
                "The toolkit crates come from the registry, in version {version}. If cargo does not find the packages `openapi-dropshot-…` there, \
                 create the service again in an empty folder, and pass the folder or the Git repository of the toolkit with `--toolkit`."
            )),
            Toolkit::Git(_) => None,
            Toolkit::Folder { path, .. }
                if path.starts_with("..") || Path::new(path).is_absolute() =>
            {
                Some(format!(
                    "The toolkit crates are at {path}, outside of the service. Everyone who builds the service, and its CI, needs them at the same path."
                ))
            }
            Toolkit::Folder { .. } => None,
        }
    }
}

/// Returns the absolute path of a folder that does not have to exist, with symbolic links resolved.
fn absolute(folder: &Path) -> Result<PathBuf> {
    let whole = path::absolute(folder)?;
    let existing = whole.ancestors().find(|above| above.exists());
    let existing = existing.unwrap_or(Path::new("/"));
    let rest = whole.strip_prefix(existing)?;
    Ok(fs::canonicalize(existing)?.join(rest))
}

/// Returns the relative path from one absolute folder to another one.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let both = from.components().zip(to.components());
    let same = both.take_while(|(from, to)| from == to).count();
    let own = from.components().skip(same);
    let up = own.map(|_| path::Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(same)).collect();
    match path.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => path,
    }
}

#[cfg(test)]
mod tests;
