//! Where a new service gets the crates of the toolkit from.

use anyhow::{Context as _, Result, ensure};
use std::{fs, path::Path};

/// The source of the toolkit crates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Toolkit {
    /// The registry, in this version.
    Version(String),
    /// A Git repository.
    Git(String),
    /// The folder that contains the folders of the crates.
    Folder(String),
}

impl Toolkit {
    /// Reads the value of `--toolkit`: a version, the URL of a Git repository, or a folder.
    ///
    /// # Errors
    ///
    /// The folder does not contain the crates.
    pub(super) fn parse(text: Option<&str>) -> Result<Self> {
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
            format!("`--toolkit {text}` is no version, no URL and no folder that can be read")
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
        Ok(Toolkit::Folder(found.to_string_lossy().into_owned()))
    }

    /// Returns the source of a crate, as an inline table of a manifest has it.
    pub(super) fn dependency(&self, name: &str) -> String {
        match self {
            Toolkit::Version(version) => format!("version = {version:?}"),
            Toolkit::Git(url) => format!("git = {url:?}"),
            Toolkit::Folder(folder) => format!("path = {:?}", format!("{folder}/{name}")),
        }
    }

    /// Returns the arguments of `cargo install` for the command itself.
    pub(super) fn install(&self) -> String {
        let name = env!("CARGO_PKG_NAME");
        match self {
            Toolkit::Version(version) => {
                let version = version.trim_start_matches(['=', '^', '~']);
                format!("{name} --version {version} --locked")
            }
            Toolkit::Git(url) => format!("{name} --git {url} --locked"),
            Toolkit::Folder(folder) => format!("--path {folder}/{name} --locked"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolkit_is_a_version_an_url_or_a_folder() -> Result<()> {
        let own = env!("CARGO_PKG_VERSION");
        for (text, dependency) in [
            (None, format!("version = {own:?}")),
            (Some("1.4"), "version = \"1.4\"".to_owned()),
            (Some("=1.4.0"), "version = \"=1.4.0\"".to_owned()),
            (
                Some("https://git.example/toolkit"),
                "git = \"https://git.example/toolkit\"".to_owned(),
            ),
        ] {
            let toolkit = Toolkit::parse(text)?;
            assert_eq!(toolkit.dependency("openapi-dropshot-types"), dependency);
        }
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(1);
        let crates = crates
            .expect("a folder of crates")
            .to_string_lossy()
            .into_owned();
        let expected = format!("path = \"{crates}/openapi-dropshot-types\"");
        for folder in [crates.clone(), format!("{crates}/..")] {
            let toolkit = Toolkit::parse(Some(&folder))?;
            assert_eq!(toolkit.dependency("openapi-dropshot-types"), expected);
        }
        for (folder, part) in [("no/such/folder", "no version"), ("src", "no folder")] {
            let error = Toolkit::parse(Some(folder)).expect_err(folder);
            assert!(error.to_string().contains(part), "{error}");
        }
        Ok(())
    }
}
