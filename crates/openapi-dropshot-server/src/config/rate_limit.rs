//! The settings of the rate limit.

use std::{fmt, num::NonZeroU32, str::FromStr};

crate::settings! {
    /// How many requests a key may make.
    RateLimit / RateLimitOptions {
        /// Requests a second that each key may make in the long run, or `off`; one more is answered with 429
        rate_limit_per_second: Rate = "off";
        /// Requests that a key may make at once after a pause, where there is a limit
        rate_limit_burst: NonZeroU32 = "100";
    }
}

/// Requests a second.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rate {
    /// Any number.
    Off,
    /// So many.
    PerSecond(NonZeroU32),
}

/// A text that is no [`Rate`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write a whole number of requests, 1 or more, or `off`")]
pub struct InvalidRate;

impl FromStr for Rate {
    type Err = InvalidRate;

    fn from_str(text: &str) -> Result<Self, InvalidRate> {
        match text {
            "off" => Ok(Rate::Off),
            text => text.parse().map(Rate::PerSecond).map_err(|_| InvalidRate),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Off => f.write_str("off"),
            Rate::PerSecond(number) => number.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_or_off() {
        for text in ["off", "1", "4294967295"] {
            assert_eq!(
                text.parse().map(|rate: Rate| rate.to_string()),
                Ok(text.into())
            );
        }
        for text in ["", "0", "-1", "0.5", "on", "10/s"] {
            assert_eq!(text.parse::<Rate>(), Err(InvalidRate), "{text}");
        }
    }
}
