//! A length of time in settings, in seconds.

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
        match length(text) {
            Some(duration) if !duration.is_zero() => Ok(Seconds(duration)),
            _ => Err(InvalidSeconds),
        }
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_secs_f64().fmt(f)
    }
}

/// As [`Seconds`], but may be none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Delay(Duration);

/// A text that is no [`Delay`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write a number of seconds, from 0 to 86400, as in `10` or `0.5`")]
pub struct InvalidDelay;

impl Delay {
    /// The same as a [`Duration`].
    #[must_use]
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl FromStr for Delay {
    type Err = InvalidDelay;

    fn from_str(text: &str) -> Result<Self, InvalidDelay> {
        length(text).map(Delay).ok_or(InvalidDelay)
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_secs_f64().fmt(f)
    }
}

/// A day at most.
fn length(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    (seconds <= Seconds::MAX).then_some(duration)
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
    fn a_delay_may_be_none() {
        assert_eq!("0".parse(), Ok(Delay(Duration::ZERO)));
        assert_eq!("0.5".parse(), Ok(Delay(Duration::from_millis(500))));
        for text in ["", "-1", "NaN", "inf", "86401"] {
            assert_eq!(text.parse::<Delay>(), Err(InvalidDelay), "{text}");
        }
    }

    #[test]
    fn what_is_no_length_of_time_is_refused() {
        for text in ["", "0", "-1", "NaN", "inf", "10s", "86401", "1e-30"] {
            assert_eq!(text.parse::<Seconds>(), Err(InvalidSeconds), "{text}");
        }
    }
}
