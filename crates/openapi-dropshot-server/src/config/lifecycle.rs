//! The settings of the operations: from which stability on they are served, and what happens on
//! the removal date of a deprecated one.

use openapi_dropshot_types::Stability;
use std::{fmt, str::FromStr};

crate::settings! {
    /// Which operations are served, and how they end.
    Lifecycle / LifecycleOptions {
        /// Which operations to serve: `stable`, `beta` and what is stable, or `experimental` and all others; the rest is as if it never was
        min_stability: MinStability = "experimental";
        /// What to do from the removal date of an operation on: `announce` goes on answering and says so, `enforce` answers 410
        sunset: SunsetPolicy = "announce";
    }
}

/// The lowest stability that is served.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MinStability(pub Stability);

/// A text that is no [`MinStability`].
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
    /// The operation goes on; its headers report since when it is deprecated.
    #[default]
    Announce,
    /// The service responds with 410.
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
