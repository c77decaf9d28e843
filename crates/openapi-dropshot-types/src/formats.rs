//! The string formats that generated models check: dates, UUIDs, IP addresses and
//! Base64.

use crate::text::{FromText, Violation, shortened};
use schemars::{
    JsonSchema,
    r#gen::SchemaGenerator,
    schema::{InstanceType, Schema, SchemaObject},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{
    borrow::Cow,
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// A value, and the text from which it was read if that is not the canonical text
/// of the value: an accepted value is written back unchanged.
#[derive(Clone, Debug)]
struct Parsed<T> {
    value: T,
    text: Option<Box<str>>,
}

impl<T: fmt::Display> Parsed<T> {
    fn new(value: T, text: &str) -> Self {
        let canonical = value.to_string();
        Parsed {
            value,
            text: (canonical != text).then(|| text.into()),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Parsed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.write_str(text),
            None => self.value.fmt(f),
        }
    }
}

/// Whether each character of a text fits a shape, in which `0` stands for any digit,
/// `x` for any hexadecimal digit, and any other character for itself.
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

fn day(text: &str) -> Option<chrono::NaiveDate> {
    text.parse().ok().filter(|_| has_shape(text, "0000-00-00"))
}

/// `date-time` of RFC 3339, section 5.6, as chrono writes it.
#[derive(Clone, Debug)]
struct Moment(chrono::DateTime<chrono::FixedOffset>);

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true))
    }
}

fn moment(text: &str) -> Option<Moment> {
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
        .map(Moment)
}

/// `uuid` of RFC 9562, section 4, in capitals or not.
fn uuid(text: &str) -> Option<uuid::Uuid> {
    text.parse()
        .ok()
        .filter(|_| has_shape(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"))
}

macro_rules! formats {
    ($($(#[$about:meta])* $name:ident($value:ty) $format:literal $what:literal $read:expr;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub struct $name(Parsed<$value>);

        impl FromStr for $name {
            type Err = Violation;

            fn from_str(text: &str) -> Result<Self, Violation> {
                let read: fn(&str) -> Option<$value> = $read;
                let value = read(text).ok_or_else(|| {
                    Violation::new(format!("must be {}, found `{}`", $what, shortened(text)))
                })?;
                Ok($name(Parsed::new(value, text)))
            }
        }

        impl FromText for $name {
            fn from_text(text: &str) -> Result<Self, Violation> {
                text.parse()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> String {
                stringify!($name).to_owned()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                Schema::Object(SchemaObject {
                    instance_type: Some(InstanceType::String.into()),
                    format: Some($format.to_owned()),
                    ..Default::default()
                })
            }
        }
    )*};
}

formats! {
    /// A day (RFC 3339, section 5.6): `2026-11-20`.
    Date(chrono::NaiveDate) "date" "a date such as `2026-11-20`" day;
    /// A moment (RFC 3339, section 5.6): `2026-11-20T00:00:00Z`. It keeps the
    /// text from which it was read.
    DateTime(Moment) "date-time" "a date and time such as `2026-11-20T00:00:00Z`" moment;
    /// A UUID (RFC 9562). It keeps the text from which it was read.
    Uuid(uuid::Uuid) "uuid" "a UUID such as `67e55044-10b1-426f-9247-bb680e5fe0c8`" uuid;
    /// An IP address of either version. It keeps the text from which it was read.
    IpAddress(IpAddr) "ip" "an IP address" |text| text.parse().ok();
    /// An IP address of version 4.
    Ipv4Address(Ipv4Addr) "ipv4" "an IPv4 address" |text| text.parse().ok();
    /// An IP address of version 6. It keeps the text from which it was read.
    Ipv6Address(Ipv6Addr) "ipv6" "an IPv6 address" |text| text.parse().ok();
    /// Bytes in Base64 (RFC 4648, section 4), padded.
    Base64(Encoded) "byte" "Base64 with padding" Encoded::read;
}

/// Implements comparison: two values are equal if they mean the same, even if
/// they were read from different texts.
macro_rules! compared {
    ($($name:ident: $value:ty = $get:expr;)*) => {$(
        impl $name {
            /// The value.
            pub fn get(&self) -> $value {
                let get: fn(&$name) -> $value = $get;
                get(self)
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.get() == other.get()
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.get().cmp(&other.get())
            }
        }

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.get().hash(state);
            }
        }

        impl From<$name> for $value {
            fn from(value: $name) -> $value {
                value.get()
            }
        }
    )*};
}

compared! {
    Date: chrono::NaiveDate = |date| date.0.value;
    DateTime: chrono::DateTime<chrono::FixedOffset> = |moment| moment.0.value.0;
    Uuid: uuid::Uuid = |uuid| uuid.0.value;
    IpAddress: IpAddr = |address| address.0.value;
    Ipv4Address: Ipv4Addr = |address| address.0.value;
    Ipv6Address: Ipv6Addr = |address| address.0.value;
    Base64: Vec<u8> = |bytes| bytes.0.value.0.clone();
}

/// Implements `From` for values, which are written as their canonical text.
macro_rules! from_value {
    ($($name:ident($value:ty) $wrap:expr;)*) => {$(
        impl From<$value> for $name {
            fn from(value: $value) -> Self {
                $name(Parsed { value: $wrap(value), text: None })
            }
        }
    )*};
}

from_value! {
    Uuid(uuid::Uuid) std::convert::identity;
    IpAddress(IpAddr) std::convert::identity;
    Ipv4Address(Ipv4Addr) std::convert::identity;
    Ipv6Address(Ipv6Addr) std::convert::identity;
    Base64(Vec<u8>) Encoded;
}

impl TryFrom<chrono::NaiveDate> for Date {
    type Error = Violation;

    /// # Errors
    ///
    /// The year is not one of 0000 to 9999, as RFC 3339 requires.
    fn try_from(value: chrono::NaiveDate) -> Result<Self, Violation> {
        value.to_string().parse()
    }
}

impl TryFrom<chrono::DateTime<chrono::FixedOffset>> for DateTime {
    type Error = Violation;

    /// # Errors
    ///
    /// The year is not one of 0000 to 9999, as RFC 3339 requires.
    fn try_from(value: chrono::DateTime<chrono::FixedOffset>) -> Result<Self, Violation> {
        Moment(value).to_string().parse()
    }
}

impl TryFrom<chrono::DateTime<chrono::Utc>> for DateTime {
    type Error = Violation;

    /// # Errors
    ///
    /// The year is not one of 0000 to 9999, as RFC 3339 requires.
    fn try_from(value: chrono::DateTime<chrono::Utc>) -> Result<Self, Violation> {
        value.fixed_offset().try_into()
    }
}

/// Bytes that are written in Base64.
#[derive(Clone, Debug)]
struct Encoded(Vec<u8>);

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Encoded {
    fn read(text: &str) -> Option<Self> {
        let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
        if !text.len().is_multiple_of(4) {
            return None;
        }
        let symbols = text.trim_end_matches('=');
        if text.len() - symbols.len() > 2 {
            return None;
        }
        for group in symbols.as_bytes().chunks(4) {
            let mut bits = 0_u32;
            for symbol in group {
                let value = ALPHABET.iter().position(|known| known == symbol)?;
                bits = bits << 6 | u32::try_from(value).ok()?;
            }
            bits <<= 6 * (4 - group.len());
            let [_, first, second, third] = bits.to_be_bytes();
            bytes.extend(&[first, second, third][..group.len() - 1]);
        }
        Some(Encoded(bytes))
    }
}

impl fmt::Display for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for group in self.0.chunks(3) {
            let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for place in 0..4 {
                let symbol = if place <= group.len() {
                    ALPHABET[(bits >> (18 - 6 * place) & 63) as usize]
                } else {
                    b'='
                };
                write!(f, "{}", char::from(symbol))?;
            }
        }
        Ok(())
    }
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
    fn formats_accept_their_texts_and_write_them_back_unchanged() {
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
        check::<Base64>(&["", "AA==", "AAE=", "AAEC"], &["A", "AA=", "AA", "A==="]);
    }

    #[test]
    fn values_are_equal_however_they_are_written() {
        let moment = |text: &str| DateTime::from_text(text).expect(text);
        let (one, other) = (
            moment("2026-11-20T12:00:00Z"),
            moment("2026-11-20T13:00:00+01:00"),
        );
        assert_eq!(one, other);
        assert_ne!(one.to_string(), other.to_string());
    }

    #[test]
    fn a_year_of_five_digits_is_no_date() {
        let day = chrono::NaiveDate::from_ymd_opt(10_000, 1, 1).expect("a day");
        assert!(Date::try_from(day).is_err());
    }
}
