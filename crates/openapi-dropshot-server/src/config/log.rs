//! The settings of the log: its filter and its format.

use std::{fmt, str::FromStr};

crate::settings! {
    /// What is logged.
    Log / LogOptions {
        /// What to log to stderr: `error`, `warn`, `info`, `debug` or `trace`, also by module as in `info,SERVICE::access=off`
        log: tracing_subscriber::filter::Targets = "info";
        /// How a line of the log looks: `text` for people, `json` for programs
        log_format: LogFormat = "text";
    }
}

/// How a line of the log looks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LogFormat {
    /// Words and `name=value`.
    Text,
    /// An object of JSON.
    Json,
}

/// A text that is no [`LogFormat`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write `text` or `json`")]
pub struct UnknownLogFormat;

impl FromStr for LogFormat {
    type Err = UnknownLogFormat;

    fn from_str(text: &str) -> Result<Self, UnknownLogFormat> {
        match text {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err(UnknownLogFormat),
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        })
    }
}
