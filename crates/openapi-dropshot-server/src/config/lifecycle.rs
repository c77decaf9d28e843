//! The settings of the operations: the lowest stability level that is served, and the behaviour
//! on the removal date of a deprecated operation.

use openapi_dropshot_types::Stability;
use std::{fmt, str::FromStr};

crate::settings! {
    /// Which operations are served, and how they end.
    Lifecycle / LifecycleOptions {
        /// The lowest stability level of the operations that are served: `stable`, `beta` or `experimental`; operations below it are hidden
        min_stability: MinStability = "experimental";
        /// Behaviour from the removal date of an operation on: `announce` continues to serve it and says so in its headers, `enforce` rejects it with 410
        sunset: SunsetPolicy = "announce";
    }
}

/// The lowest stability that is served.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MinStability(pub Stability);

/// The error of parsing an invalid [`MinStability`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write `experimental`, `beta` or `stable`")]
pub struct UnknownStability;

impl FromStr for MinStability {
    type Err = UnknownStability;

    fn from_str(text: &str) -> Result<Self, UnknownStability> {
        match text {
            "experimental" => Ok(MinStability(Stability::Experimental)),
            "beta" => Ok(MinStability(Stability::Beta)),
            "stable" => Ok(MinStability(Stability::Stable)),
            _ => Err(UnknownStability),
        }
    }
}

impl fmt::Display for MinStability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Stability::Experimental => "experimental",
            Stability::Beta => "beta",
            Stability::Stable => "stable",
        })
    }
}

/// Whether an operation ends at its removal date.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum SunsetPolicy {
    /// The operation is still served; its headers report since when it is deprecated.
    #[default]
    Announce,
    /// The service responds with 410.
    Enforce,
}

/// The error of parsing an invalid [`SunsetPolicy`].
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
