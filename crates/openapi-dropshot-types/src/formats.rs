//! The string formats that generated models check: dates, UUIDs, IP addresses and
//! Base64.

use crate::{
    shapes::{inline_schema, schema},
    text::{FromText, Violation, shortened},
};
use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{GeneralPurpose, GeneralPurposeConfig},
};
use chrono::{FixedOffset, NaiveDate, NaiveTime, SecondsFormat, TimeZone};
use schemars::{JsonSchema, r#gen::SchemaGenerator, schema::Schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;
use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// A date (RFC 3339, section 5.6): `2026-11-20`.
pub type Date = Formatted<NaiveDate>;
/// A date and time (RFC 3339, section 5.6): `2026-11-20T00:00:00Z`.
pub type DateTime = Formatted<chrono::DateTime<FixedOffset>>;
/// A UUID (RFC 9562), in upper or lower case.
pub type Uuid = Formatted<uuid::Uuid>;
/// An IP address, version 4 or 6.
pub type IpAddress = Formatted<IpAddr>;
/// An IP address of version 4.
pub type Ipv4Address = Formatted<Ipv4Addr>;
/// An IP address of version 6.
pub type Ipv6Address = Formatted<Ipv6Addr>;
/// Bytes in Base64 (RFC 4648, section 4), padded.
pub type Base64 = Formatted<Vec<u8>>;

/// A type whose values are written as strings in a format.
pub trait Format: Sized {
    /// The name of the format in a schema.
    const NAME: &'static str;
    /// A description of valid texts, such as `an IP address`.
    const EXPECTED: &'static str;

    /// Parses a text; returns `None` if it does not have the format.
    fn read(text: &str) -> Option<Self>;

    /// Returns the canonical text of the value.
    fn write(&self) -> String;
}

/// A format in which every value of its type can be written.
pub trait TotalFormat: Format {}

impl TotalFormat for uuid::Uuid {}
impl TotalFormat for IpAddr {}
impl TotalFormat for Ipv4Addr {}
impl TotalFormat for Ipv6Addr {}
impl TotalFormat for Vec<u8> {}

/// A value, and the text from which it was parsed if this is not the canonical text of the value, so that an accepted value is
/// written back unchanged. Two values are equal if they mean the same, even if they were parsed from different texts.
#[derive(Clone, Debug)]
pub struct Formatted<T> {
    value: T,
    text: Option<Box<str>>,
}

impl<T: Format> Formatted<T> {
    /// Creates a value that is written as its canonical text.
    ///
    /// # Errors
    ///
    /// Returns an error if the format cannot express the value: RFC 3339 has no years after 9999.
    pub fn new(value: T) -> Result<Self, Violation> {
        value.write().parse()
    }

    /// Returns the value.
    pub fn get(&self) -> &T {
        &self.value
    }
}

impl<T: TotalFormat> From<T> for Formatted<T> {
    fn from(value: T) -> Self {
        Formatted { value, text: None }
    }
}

/// RFC 3339 supports only the years 0 to 9999, and offsets of whole minutes. A time with another offset is converted to UTC. A time
/// outside of these years becomes the first or the last time that can be written.
impl<Z: TimeZone> From<chrono::DateTime<Z>> for DateTime {
    fn from(value: chrono::DateTime<Z>) -> Self {
        let value = value.fixed_offset();
        Formatted::new(value).unwrap_or_else(|_| {
            let (first, last) = (
                FIRST_DAY.and_time(NaiveTime::MIN),
                LAST_DAY.and_time(LAST_TIME),
            );
            let value = value.to_utc().clamp(first.and_utc(), last.and_utc());
            let (value, text) = (value.fixed_offset(), None);
            Formatted { value, text }
        })
    }
}

/// RFC 3339 supports only the years 0 to 9999. A day outside of these years becomes the first or the last day that can be written.
impl From<NaiveDate> for Date {
    fn from(value: NaiveDate) -> Self {
        let (value, text) = (value.clamp(FIRST_DAY, LAST_DAY), None);
        Formatted { value, text }
    }
}

const FIRST_DAY: NaiveDate = NaiveDate::from_ymd_opt(0, 1, 1).expect("it is a day");
const LAST_DAY: NaiveDate = NaiveDate::from_ymd_opt(9999, 12, 31).expect("it is a day");
const LAST_TIME: NaiveTime =
    NaiveTime::from_hms_nano_opt(23, 59, 59, 999_999_999).expect("it is a time");

impl<T: Format> FromStr for Formatted<T> {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        let Some(value) = T::read(text) else {
            let (expected, found) = (T::EXPECTED, shortened(text));
            return Err(Violation::new(format!(
                "must be {expected}, found `{found}`"
            )));
        };
        let is_canonical = value.write() == text;
        Ok(Formatted {
            value,
            text: (!is_canonical).then(|| text.into()),
        })
    }
}

impl<T: Format> FromText for Formatted<T> {
    fn from_text(text: &str) -> Result<Self, Violation> {
        text.parse()
    }
}

impl<T: Format> fmt::Display for Formatted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.write_str(text),
            None => f.write_str(&self.value.write()),
        }
    }
}

impl<'de, T: Format> Deserialize<'de> for Formatted<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::members::text(deserializer)
    }
}

impl<T: Format> Serialize for Formatted<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

inline_schema!(Formatted<T> where T: Format => T::NAME, |_generator| {
    schema([("type", json!("string")), ("format", json!(T::NAME))])
});

impl<T: PartialEq> PartialEq for Formatted<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Formatted<T> {}

impl<T: Ord> PartialOrd for Formatted<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for Formatted<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value)
    }
}

impl<T: Hash> Hash for Formatted<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl Format for chrono::DateTime<FixedOffset> {
    const NAME: &'static str = "date-time";
    const EXPECTED: &'static str = "a date and time such as `2026-11-20T00:00:00Z`";

    /// chrono also accepts texts that RFC 3339 does not allow.
    fn read(text: &str) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let (time, rest) = rest.strip_prefix(['T', 't'])?.split_at_checked(8)?;
        let zone = match rest.strip_prefix('.') {
            Some(fraction) => {
                let zone = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
                Some(zone).filter(|zone| zone.len() < fraction.len())?
            }
            None => rest,
        };
        let known = zone.eq_ignore_ascii_case("z")
            || zone
                .strip_prefix(['+', '-'])
                .is_some_and(|offset| has_shape(offset, "00:00"));
        let plain = known && has_shape(date, "0000-00-00") && has_shape(time, "00:00:00");
        chrono::DateTime::parse_from_rfc3339(text)
            .ok()
            .filter(|_| plain)
    }

    fn write(&self) -> String {
        self.to_rfc3339_opts(SecondsFormat::AutoSi, true)
    }
}

/// The formats that are parsed and written by the `FromStr` and `Display` of a type. If a shape is given, a text must also have this
/// shape.
macro_rules! standard_formats {
    ($($type:ty: $name:literal, $expected:literal $(, $shape:literal)?;)*) => {$(
        impl Format for $type {
            const NAME: &'static str = $name;
            const EXPECTED: &'static str = $expected;

            fn read(text: &str) -> Option<Self> {
                text.parse().ok()$(.filter(|_| has_shape(text, $shape)))?
            }

            fn write(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

standard_formats! {
    NaiveDate: "date", "a date such as `2026-11-20`", "0000-00-00";
    uuid::Uuid: "uuid", "a UUID such as `67e55044-10b1-426f-9247-bb680e5fe0c8`",
        "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    IpAddr: "ip", "an IP address";
    Ipv4Addr: "ipv4", "an IPv4 address";
    Ipv6Addr: "ipv6", "an IPv6 address";
}

/// Base64 that accepts any bits after the last byte, because some clients write them.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

impl Format for Vec<u8> {
    const NAME: &'static str = "byte";
    const EXPECTED: &'static str = "Base64 with padding";

    fn read(text: &str) -> Option<Self> {
        BASE64.decode(text).ok()
    }

    fn write(&self) -> String {
        BASE64.encode(self)
    }
}

/// Returns whether a text has a shape, in which `0` means any digit, `x` any hexadecimal digit, and any other character itself.
fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text
            .bytes()
            .zip(shape.bytes())
            .all(|(byte, place)| match place {
                b'0' => byte.is_ascii_digit(),
                b'x' => byte.is_ascii_hexdigit(),
                other => byte == other,
            })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    fn check<T: FromText + fmt::Display + Debug>(valid: &[&str], invalid: &[&str]) {
        for text in valid {
            let value = T::from_text(text).expect(text);
            assert_eq!(value.to_string(), *text);
        }
        for text in invalid {
            let violation = T::from_text(text).expect_err(text);
            assert!(violation.to_string().contains("must be"), "{violation}");
        }
    }

    #[test]
    fn formats_accept_valid_texts_and_write_them_back_unchanged() {
        check::<Date>(&["2026-11-20"], &["2026-11-31", "2026-1-1", "26-11-20"]);
        check::<DateTime>(
            &[
                "2026-11-20T00:00:00Z",
                "2026-11-20t00:00:00.10+05:30",
                "0000-01-01T23:59:59z",
            ],
            &[
                "2026-11-20 00:00:00Z",
                "2026-11-20T00:00:00",
                "2026-11-20T00:00:00.Z",
            ],
        );
        check::<Uuid>(
            &["67E55044-10b1-426f-9247-bb680e5fe0c8"],
            &["67e5504410b1426f9247bb680e5fe0c8"],
        );
        check::<IpAddress>(&["127.0.0.1", "::1", "0:0::1"], &["127.0.0.256"]);
        check::<Ipv4Address>(&["127.0.0.1"], &["::1"]);
        check::<Ipv6Address>(&["2001:DB8::1"], &["127.0.0.1"]);
        check::<Base64>(
            &["", "AA==", "AB==", "AAE=", "AAEC"],
            &["A", "AA=", "AA", "A==="],
        );
    }

    #[test]
    fn date_times_of_the_same_moment_are_equal_even_if_the_texts_differ() {
        let moment = |text: &str| DateTime::from_text(text).expect(text);
        let (one, other) = (
            moment("2026-11-20T12:00:00Z"),
            moment("2026-11-20T13:00:00+01:00"),
        );
        assert_eq!(one, other);
        assert_ne!(one.to_string(), other.to_string());
    }

    #[test]
    fn a_date_with_a_year_of_five_digits_is_rejected() {
        let day = chrono::NaiveDate::from_ymd_opt(10_000, 1, 1).expect("a day");
        assert!(Date::new(day).is_err());
        assert_eq!(Date::from(day).to_string(), "9999-12-31");
    }

    #[test]
    fn times_of_chrono_are_converted_without_an_error() {
        let utc = |text: &str| text.parse::<chrono::DateTime<chrono::Utc>>().expect(text);
        let noon = utc("2026-11-20T12:00:00Z");
        assert_eq!(DateTime::from(noon).to_string(), "2026-11-20T12:00:00Z");
        let offset = |seconds| FixedOffset::east_opt(seconds).expect("an offset");
        let in_zone = |seconds| DateTime::from(noon.with_timezone(&offset(seconds))).to_string();
        assert_eq!(in_zone(3600), "2026-11-20T13:00:00+01:00");
        let last = DateTime::from(chrono::DateTime::<chrono::Utc>::MAX_UTC).to_string();
        assert_eq!(last, "9999-12-31T23:59:59.999999999Z");
        let first = DateTime::from(chrono::DateTime::<chrono::Utc>::MIN_UTC).to_string();
        assert_eq!(first, "0000-01-01T00:00:00Z");
        for text in [last, first, in_zone(30)] {
            assert!(DateTime::from_text(&text).is_ok(), "{text}");
        }
    }
}
