//! What happens when the removal date of a deprecated operation has come.

use std::{fmt, str::FromStr};

settings! {
    /// What happens at a removal date.
    Lifecycle / LifecycleOptions {
        /// What to do from the removal date of an operation on: `announce` goes on answering and says so, `enforce` answers 410
        sunset: SunsetPolicy = "announce", "PETSTORE_SUNSET";
    }
}

/// Whether an operation ends at its removal date.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum SunsetPolicy {
    /// It goes on; its headers say since when it should not be used.
    #[default]
    Announce,
    /// It is answered with 410.
    Enforce,
}

/// A text that is no [`SunsetPolicy`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write `announce` or `enforce`")]
pub struct UnknownSunsetPolicy;

impl FromStr for SunsetPolicy {
    type Err = UnknownSunsetPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownSunsetPolicy> {
        match text {
            "announce" => Ok(SunsetPolicy::Announce),
            "enforce" => Ok(SunsetPolicy::Enforce),
            _ => Err(UnknownSunsetPolicy),
        }
    }
}

impl fmt::Display for SunsetPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SunsetPolicy::Announce => "announce",
            SunsetPolicy::Enforce => "enforce",
        })
    }
}
