//! Reads the URL of the service from the command line, the environment or the
//! configuration file, in this order, and the API key from the environment or the
//! configuration file.

use crate::exit::WrongUsage;
use anyhow::{Context as _, Result};
use petstore_client::{Client, ClientBuilder};
use serde::Deserialize;
use std::{
    env::{self, VarError},
    fs::File,
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// The default address of the service.
const DEFAULT_URL: &str = "http://127.0.0.1:8080/v1";
/// The variable with the key.
const KEY: &str = "PETSTORE_API_KEY";
/// The permission bits that give access to users other than the owner.
const OTHERS: u32 = 0o077;

/// The command-line options for the service.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ServiceOptions {
    /// The base URL of the service, with the API version [default: http://127.0.0.1:8080/v1]
    #[arg(
        long,
        global = true,
        help_heading = "Global options",
        env = "PETSTORE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    url: Option<String>,
    /// The configuration file [default: ~/.config/petstore/cli.toml]
    #[arg(
        long,
        global = true,
        help_heading = "Global options",
        env = "PETSTORE_CLI_CONFIG",
        hide_env_values = true,
        value_name = "FILE"
    )]
    config: Option<PathBuf>,
}

/// The configuration file; its keys are the names of the flags.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileSettings {
    url: Option<String>,
    api_key: Option<String>,
}

/// A service and the API key for it.
pub(crate) struct Service {
    url: String,
    api_key: String,
}

impl Service {
    /// Reads the settings from the command line, the environment and the file.
    pub(crate) fn find(options: &ServiceOptions) -> Result<Self> {
        let file = match &options.config {
            Some(path) => read(path)?,
            None => match default_file() {
                Some(path) if path.exists() => read(&path)?,
                _ => FileSettings::default(),
            },
        };
        let api_key = match env::var(KEY) {
            Ok(key) => Some(key),
            Err(VarError::NotPresent) => file.api_key,
            Err(VarError::NotUnicode(_)) => {
                return Err(WrongUsage(format!(
                    "{KEY} cannot be read: it is not valid UTF-8; set it to the API key"
                ))
                .into());
            }
        };
        let api_key = api_key.filter(|key| !key.trim().is_empty());
        let api_key = api_key.ok_or_else(|| {
            WrongUsage(format!(
                "there is no API key: set {KEY}, or write `api-key = \"…\"` into {} (mode 0600); \
                 `petstore-server key create NAME` prints a key",
                default_file().map_or_else(
                    || "a file for --config".to_owned(),
                    |path| path.display().to_string()
                ),
            ))
        })?;
        let url = options.url.clone().or(file.url);
        Ok(Service {
            url: url.unwrap_or_else(|| DEFAULT_URL.to_owned()),
            api_key,
        })
    }

    /// Returns a message if the service knows no address below this URL, because the URL does not end with a
    /// version such as `/v1`.
    pub(crate) fn lacks_version(&self) -> Option<String> {
        let last = self.url.trim_end_matches('/').rsplit('/').next()?;
        let is_version = last
            .strip_prefix('v')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
        (!is_version).then(|| {
            "the service does not know this address; its version is missing: end --url or PETSTORE_URL with `/v1`"
                .to_owned()
        })
    }

    /// Returns the key. It must only be used for requests and fingerprints, and must never be shown.
    pub(crate) fn api_key(&self) -> &str {
        &self.api_key
    }

    /// Creates a client of the service. It prints a warning on stderr if the service has deprecated an operation.
    pub(crate) fn client(&self) -> Result<Client> {
        self.client_with(|builder| builder)
    }

    /// Creates such a client with other settings.
    pub(crate) fn client_with(
        &self,
        change: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Client> {
        let builder = Client::builder(&self.url)
            .api_key(&self.api_key)
            .on_deprecation(crate::output::say_deprecation);
        change(builder)
            .build()
            .map_err(|error| WrongUsage(format!("{error} (--url, PETSTORE_URL, {KEY})")).into())
    }
}

/// Returns the path of `cli.toml` in the configuration folder (XDG Base Directory Specification).
fn default_file() -> Option<PathBuf> {
    let folder = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(config.join("petstore").join("cli.toml"))
}

fn read(path: &Path) -> Result<FileSettings> {
    let context = || format!("cannot read the configuration file `{}`", path.display());
    // Both are read from the same open file, even if the file is replaced meanwhile.
    let text_and_mode = || {
        let file = File::open(path)?;
        let mode = file.metadata()?.permissions().mode();
        io::read_to_string(file).map(|text| (text, mode))
    };
    let (text, mode) = text_and_mode()
        .map_err(|error| WrongUsage(error.to_string()))
        .with_context(context)?;
    // The message of the crate `toml` contains an excerpt, which may contain the key.
    let settings: FileSettings = toml::from_str(&text)
        .map_err(|error| {
            let line = error
                .span()
                .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            WrongUsage(format!("line {line}: {}", error.message()))
        })
        .with_context(context)?;
    if settings.api_key.is_some() && mode & OTHERS != 0 {
        return Err(WrongUsage(format!(
            "the configuration file `{0}` contains an API key, and other users can read it (mode {1:04o}): \
             run `chmod 600 {0}`, and replace the key if another user may have read it",
            path.display(),
            mode & 0o7777,
        ))
        .into());
    }
    Ok(settings)
}
