//! What generated models share: how values are read, checked and shown.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, Visitor},
    forward_to_deserialize_any,
};
use std::{borrow::Cow, fmt};

/// A value that breaks a rule of the document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Violation(Cow<'static, str>);

impl Violation {
    /// Says what was expected and what was found, as a lower-case fragment.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Violation(message.into())
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Violation {}

/// A value that can stand in a path, a query or a header.
pub trait FromText: Sized {
    /// Reads the value from the decoded text of a parameter.
    ///
    /// # Errors
    ///
    /// The text breaks a rule of the document.
    fn from_text(text: &str) -> Result<Self, Violation>;
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        /// One spelling a number: `-?(0|[1-9][0-9]*)`.
        impl FromText for $integer {
            fn from_text(text: &str) -> Result<Self, Violation> {
                let digits = text.strip_prefix('-').unwrap_or(text);
                let plain = digits.bytes().all(|byte| byte.is_ascii_digit())
                    && (digits == "0" || !digits.starts_with('0'))
                    && text != "-0";
                text.parse().ok().filter(|_| plain).ok_or_else(|| {
                    Violation::new(format!(
                        "must be an integer from {} to {} without leading zeros or plus sign, found `{}`",
                        <$integer>::MIN,
                        <$integer>::MAX,
                        shortened(text),
                    ))
                })
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

/// One spelling a value: `true` or `false`.
impl FromText for bool {
    fn from_text(text: &str) -> Result<Self, Violation> {
        text.parse().map_err(|_| {
            Violation::new(format!(
                "must be `true` or `false`, found `{}`",
                shortened(text)
            ))
        })
    }
}

/// A number as JSON writes it.
impl FromText for f64 {
    fn from_text(text: &str) -> Result<Self, Violation> {
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        serde_json::from_str(text)
            .ok()
            .filter(|_| plain)
            .ok_or_else(|| Violation::new(format!("must be a number, found `{}`", shortened(text))))
    }
}

impl FromText for String {
    fn from_text(text: &str) -> Result<Self, Violation> {
        Ok(text.to_owned())
    }
}

/// The start of a text, so that a message stays readable whatever was sent.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 64;
    match text.char_indices().nth(LONGEST) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// Reads a parameter, naming it in the error.
pub(super) fn parameter<'de, T, D>(name: &str, deserializer: D) -> Result<T, D::Error>
where
    T: FromText,
    D: Deserializer<'de>,
{
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    T::from_text(&text).map_err(|violation| D::Error::custom(format_args!("`{name}` {violation}")))
}

/// Reads a member that may be absent, but not `null`.
pub(super) fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads a member that may be `null`, but not absent.
pub(super) fn nullable<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer)
}

/// Writes a header as text.
pub(super) fn header<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: fmt::Display,
    S: Serializer,
{
    serializer.collect_str(value)
}

/// Writes a header that may be absent as text.
pub(super) fn optional_header<T, S>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
where
    T: fmt::Display,
    S: Serializer,
{
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// Whether no two values are equal as JSON.
pub(super) fn distinct<T: Serialize>(values: &[T]) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    values.iter().all(|value| {
        let mut key = String::new();
        serde_json::to_value(value).is_ok_and(|value| {
            write_key(&value, &mut key);
            seen.insert(std::mem::take(&mut key))
        })
    })
}

/// Writes a text that is the same for equal values: members in order, numbers
/// without needless fractions.
fn write_key(value: &serde_json::Value, key: &mut String) {
    use serde_json::Value;
    match value {
        Value::Array(values) => {
            key.push('[');
            for value in values {
                write_key(value, key);
                key.push(',');
            }
            key.push(']');
        }
        Value::Object(members) => {
            let sorted: std::collections::BTreeMap<_, _> = members.iter().collect();
            key.push('{');
            for (name, value) in sorted {
                write_key(&Value::from(name.as_str()), key);
                key.push(':');
                write_key(value, key);
                key.push(',');
            }
            key.push('}');
        }
        Value::Number(number) => match number.as_f64() {
            Some(double) if number.is_f64() && double.fract() == 0.0 && double.abs() < 9e15 => {
                key.push_str(&format!("{double:.0}"));
            }
            _ => key.push_str(&number.to_string()),
        },
        simple => key.push_str(&simple.to_string()),
    }
}

/// A deserializer that takes an object where serde's own structs would also
/// take an array of their members.
pub(super) struct ObjectOnly<D>(pub(super) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Serde for structs that derive it with `remote = "Self"`: an object, never an
/// array.
macro_rules! objects {
    ($($name:ident),* $(,)?) => {$(
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $name::deserialize(super::support::ObjectOnly(deserializer))
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $name::serialize(self, serializer)
            }
        }
    )*};
}
pub(super) use objects;

/// Serde and texts for enumerations of strings: a string, never an object.
macro_rules! enumerations {
    ($($name:ident),* $(,)?) => {$(
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl super::support::FromText for $name {
            fn from_text(text: &str) -> Result<Self, super::support::Violation> {
                text.parse()
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <::std::borrow::Cow<'de, str> as ::serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(::serde::de::Error::custom)
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )*};
}
pub(super) use enumerations;
