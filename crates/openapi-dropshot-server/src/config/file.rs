//! The configuration file: TOML, flat, its keys the names of the flags. An
//! unknown key is an error, so that a typing mistake does not go unnoticed.

use super::{
    LifecycleOptions, LimitsOptions, ListenOptions, LogOptions, Options, RateLimitOptions, Table,
    TlsOptions, WatchOptions, WebOptions,
};
use crate::ServiceInfo;
use std::{fs, io, path::PathBuf};

/// Which configuration file to read, if any.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ConfigFile {
    /// A TOML file with settings; its keys are the names of the flags
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// The options that the file sets, concern by concern.
#[derive(Clone, Debug, Default)]
pub(super) struct File<O> {
    pub(super) listen: ListenOptions,
    pub(super) tls: TlsOptions,
    pub(super) service: O,
    pub(super) limits: LimitsOptions,
    pub(super) rate_limit: RateLimitOptions,
    pub(super) web: WebOptions,
    pub(super) lifecycle: LifecycleOptions,
    pub(super) watch: WatchOptions,
    pub(super) log: LogOptions,
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is missing or cannot be read.
    #[error("cannot read the configuration file `{}`", path.display())]
    Unreadable {
        /// The file that was named.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Something in the file is wrong.
    #[error("the configuration file `{}` cannot be used", path.display())]
    Invalid {
        /// The file that was named.
        path: PathBuf,
        /// The problem.
        source: Box<ConfigError>,
    },
    /// The file is not TOML.
    #[error("it is not TOML")]
    NotToml(#[from] toml::de::Error),
    /// A key that is no setting.
    #[error(
        "the key `{key}` is unknown; the keys are the names of the flags, see `{program} serve --help`"
    )]
    UnknownKey {
        /// The key.
        key: String,
        /// The program, whose help names the keys.
        program: &'static str,
    },
    /// A value that is none of its setting.
    #[error("the value of `{key}` cannot be used: {problem}")]
    InvalidValue {
        /// The setting.
        key: String,
        /// The problem with the value.
        problem: String,
    },
    /// Two settings that exclude each other.
    #[error("{0}")]
    Contradiction(&'static str),
}

impl ConfigFile {
    /// Reads the file, where one was named.
    pub(super) fn read<O: Options>(self, info: &ServiceInfo) -> Result<File<O>, ConfigError> {
        let Some(path) = self.config else {
            return Ok(File::default());
        };
        match fs::read_to_string(&path) {
            Err(source) => Err(ConfigError::Unreadable { path, source }),
            Ok(text) => File::parse(&text, info).map_err(|source| ConfigError::Invalid {
                path,
                source: Box::new(source),
            }),
        }
    }
}

impl<O: Options> File<O> {
    fn parse(text: &str, info: &ServiceInfo) -> Result<Self, ConfigError> {
        let mut table: Table = text.parse()?;
        let file = File {
            listen: ListenOptions::take(&mut table)?,
            tls: TlsOptions::take(&mut table)?,
            service: O::take(&mut table)?,
            limits: LimitsOptions::take(&mut table)?,
            rate_limit: RateLimitOptions::take(&mut table)?,
            web: WebOptions::take(&mut table)?,
            lifecycle: LifecycleOptions::take(&mut table)?,
            watch: WatchOptions::take(&mut table)?,
            log: LogOptions::take(&mut table)?,
        };
        match table.into_iter().next() {
            Some((key, _)) => {
                let program = info.program;
                Err(ConfigError::UnknownKey { key, program })
            }
            None => Ok(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Limits, NoOptions, Seconds},
        info::TEST,
    };

    fn parse(text: &str) -> Result<File<NoOptions>, ConfigError> {
        File::parse(text, &TEST)
    }

    #[test]
    fn a_file_sets_its_keys_and_the_others_have_their_defaults() {
        let file = parse("max-in-flight = 3\nrequest-deadline-seconds = 1.5\n").expect("valid");
        let limits = file.limits.resolve();
        assert_eq!(limits.max_in_flight.get(), 3);
        assert_eq!(
            limits.request_deadline_seconds,
            "1.5".parse::<Seconds>().expect("valid")
        );
        assert_eq!(limits.body_max_bytes, Limits::default().body_max_bytes);
    }

    #[test]
    fn a_list_may_be_an_array() {
        let texts = [
            "cors-origins = [\"https://a.example\", \"https://b.example\"]",
            "cors-origins = \"https://a.example,https://b.example\"",
        ];
        for text in texts {
            let origins = parse(text).expect("valid").web.resolve().cors_origins;
            assert_eq!(origins.to_string(), "https://a.example,https://b.example");
        }
        assert!(parse("cors-origins = [1]").is_err());
    }

    #[test]
    fn an_unknown_key_is_named() {
        let error = parse("listen = \"127.0.0.1:1\"\nlissen = 1\n").expect_err("a typing mistake");
        let text = error.to_string();
        assert!(
            text.contains("`lissen`") && text.contains("`shop-server serve --help`"),
            "{text}"
        );
    }

    #[test]
    fn a_value_that_is_none_is_named_with_its_key() {
        for text in [
            "max-in-flight = 0",
            "max-in-flight = true",
            "listen = \"nowhere\"",
            "sunset = \"maybe\"",
        ] {
            let key = text.split(' ').next().unwrap_or_default();
            let error = parse(text).expect_err(text);
            assert!(error.to_string().contains(&format!("`{key}`")), "{error}");
        }
    }

    #[test]
    fn other_formats_than_toml_are_rejected() {
        assert!(matches!(
            parse("listen 127.0.0.1"),
            Err(ConfigError::NotToml(_))
        ));
    }
}
