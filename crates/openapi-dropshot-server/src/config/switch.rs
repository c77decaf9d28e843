//! A setting that is on or off.

use std::{fmt, str::FromStr};

/// A setting that switches something on or off.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Switch {
    /// It is on.
    On,
    /// It is off.
    Off,
}

/// The error of parsing an invalid [`Switch`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write `on` or `off`")]
pub struct UnknownSwitch;

impl Switch {
    /// Whether it is on.
    #[must_use]
    pub const fn is_on(self) -> bool {
        matches!(self, Switch::On)
    }
}

impl FromStr for Switch {
    type Err = UnknownSwitch;

    fn from_str(text: &str) -> Result<Self, UnknownSwitch> {
        match text {
            "on" => Ok(Switch::On),
            "off" => Ok(Switch::Off),
            _ => Err(UnknownSwitch),
        }
    }
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_on() { "on" } else { "off" })
    }
}
