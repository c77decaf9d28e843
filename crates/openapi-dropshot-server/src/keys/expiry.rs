//! Parses the expiry of a key: a time span such as `90d`, a date, or a point in time.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use std::str::FromStr;

/// The expiry of a key, as its owner writes it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Expiry {
    /// This long after the creation of the key: `90d`, `12h` or `8w`.
    After(TimeDelta),
    /// At this time: `2027-01-31T12:00:00Z` (RFC 3339), or `2027-01-31`, which means the beginning
    /// of that day in UTC.
    At(DateTime<Utc>),
}

/// The error of parsing an invalid [`Expiry`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "write a time span as in `90d` (also `h` for hours and `w` for weeks), a date as in `2027-01-31`, or a time as in `2027-01-31T12:00:00Z`"
)]
pub struct InvalidExpiry;

/// The error for an expiry that cannot be used.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum UnusableExpiry {
    /// The time is not later than the creation.
    #[error("the expiry is in the past, so the key would never be valid; choose a later time")]
    Past,
    /// The time cannot be represented.
    #[error("the expiry is too far in the future; choose an earlier time, or omit the expiry")]
    TooFar,
}

impl Expiry {
    /// Returns when a key that is created `now` expires.
    ///
    /// # Errors
    ///
    /// Returns [`UnusableExpiry`] if the time is not after `now`, or too far in the future.
    pub fn of_key(self, now: DateTime<Utc>) -> Result<DateTime<Utc>, UnusableExpiry> {
        /// The last year that RFC 3339 can represent.
        const LAST: NaiveDate = NaiveDate::from_ymd_opt(9999, 12, 31).expect("a date");
        let at = match self {
            Expiry::After(span) => now.checked_add_signed(span),
            Expiry::At(at) => Some(at),
        };
        match at.filter(|at| at.date_naive() <= LAST) {
            Some(at) if at <= now => Err(UnusableExpiry::Past),
            at => at.ok_or(UnusableExpiry::TooFar),
        }
    }
}

impl FromStr for Expiry {
    type Err = InvalidExpiry;

    fn from_str(text: &str) -> Result<Self, InvalidExpiry> {
        if let Ok(at) = DateTime::parse_from_rfc3339(text) {
            return Ok(Expiry::At(at.to_utc()));
        }
        if text.len() == "2027-01-31".len()
            && let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d")
        {
            return Ok(Expiry::At(day.and_time(NaiveTime::MIN).and_utc()));
        }
        let unit = text.chars().next_back().ok_or(InvalidExpiry)?;
        let number = &text[..text.len() - unit.len_utf8()];
        let hours = match unit {
            'h' => 1,
            'd' => 24,
            'w' => 24 * 7,
            _ => return Err(InvalidExpiry),
        };
        // The number is parsed as unsigned, so that neither `-` nor 0 is accepted.
        let number: std::num::NonZeroU32 = match number.starts_with('+') {
            true => return Err(InvalidExpiry),
            false => number.parse().map_err(|_| InvalidExpiry)?,
        };
        TimeDelta::try_hours(i64::from(number.get()) * hours)
            .map(Expiry::After)
            .ok_or(InvalidExpiry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    #[test]
    fn time_spans_dates_and_times_are_read() {
        let now = time("2026-11-22T10:00:00Z");
        for (text, expected) in [
            ("1h", "2026-11-22T11:00:00Z"),
            ("90d", "2027-02-20T10:00:00Z"),
            ("2w", "2026-12-06T10:00:00Z"),
            ("2027-01-31", "2027-01-31T00:00:00Z"),
            ("2027-01-31T12:00:00+02:00", "2027-01-31T10:00:00Z"),
        ] {
            let expiry: Expiry = text.parse().expect(text);
            assert_eq!(expiry.of_key(now), Ok(time(expected)), "{text}");
        }
    }

    #[test]
    fn texts_in_another_format_are_rejected_as_an_expiry() {
        for text in [
            "",
            "d",
            "90",
            "0d",
            "-1d",
            "+1d",
            "1.5d",
            "90 d",
            "90m",
            "90ü",
            "2027-1-31",
            "2027-02-30",
            "31.01.2027",
            "2027-01-31T12:00:00",
            "never",
        ] {
            assert_eq!(text.parse::<Expiry>(), Err(InvalidExpiry), "{text}");
        }
    }

    #[test]
    fn an_expiry_before_the_creation_of_the_key_or_beyond_the_calendar_is_rejected() {
        let now = time("2026-11-22T10:00:00Z");
        for text in ["2026-11-22", "2026-11-22T10:00:00Z", "1999-12-31"] {
            let expiry: Expiry = text.parse().expect(text);
            assert_eq!(expiry.of_key(now), Err(UnusableExpiry::Past), "{text}");
        }
        for text in ["4294967295w", "2920000d"] {
            let expiry: Expiry = text.parse().expect(text);
            assert_eq!(expiry.of_key(now), Err(UnusableExpiry::TooFar), "{text}");
        }
    }
}
