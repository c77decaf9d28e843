//! The error for settings that cannot be used.

use std::{borrow::Cow, error::Error};

/// Why the settings, or the certificate and the key that they name, cannot be used.
/// [`program::main`](crate::program::main) then ends with the exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    message: Cow<'static, str>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl ConfigError {
    /// An error with a message that says what to write instead.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        ConfigError {
            message: message.into(),
            source: None,
        }
    }

    /// Creates the error for the setting with this key, whose value cannot be used because of this
    /// problem.
    #[must_use]
    pub fn invalid_value(key: &str, problem: &str) -> Self {
        Self::new(format!("the value of `{key}` cannot be used: {problem}"))
    }

    pub(crate) fn because(
        message: impl Into<Cow<'static, str>>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        ConfigError {
            source: Some(source.into()),
            ..Self::new(message)
        }
    }
}
