//! A length of time as the settings have it.

use std::{fmt, str::FromStr, time::Duration};

/// A length of time in seconds, more than none and at most a day; a fraction
/// is allowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Seconds(Duration);

/// A text that is no [`Seconds`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write a number of seconds, more than 0 and at most 86400, as in `10` or `0.5`")]
pub struct InvalidSeconds;

impl Seconds {
    const MAX: f64 = 86_400.0;

    /// The same as a [`Duration`].
    #[must_use]
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl FromStr for Seconds {
    type Err = InvalidSeconds;

    fn from_str(text: &str) -> Result<Self, InvalidSeconds> {
        let seconds: f64 = text.parse().map_err(|_| InvalidSeconds)?;
        let duration = Duration::try_from_secs_f64(seconds).map_err(|_| InvalidSeconds)?;
        if duration.is_zero() || seconds > Self::MAX {
            return Err(InvalidSeconds);
        }
        Ok(Seconds(duration))
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_secs_f64().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_have_a_fraction() {
        assert_eq!("10".parse(), Ok(Seconds(Duration::from_secs(10))));
        assert_eq!("0.25".parse(), Ok(Seconds(Duration::from_millis(250))));
        assert_eq!(
            "0.25".parse::<Seconds>().map(|seconds| seconds.to_string()),
            Ok("0.25".to_owned())
        );
    }

    #[test]
    fn what_is_no_length_of_time_is_refused() {
        for text in ["", "0", "-1", "NaN", "inf", "10s", "86401", "1e-30"] {
            assert_eq!(text.parse::<Seconds>(), Err(InvalidSeconds), "{text}");
        }
    }
}
