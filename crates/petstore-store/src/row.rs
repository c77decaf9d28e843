//! Reads the values of rows and represents the values of parameters, for both databases.

use chrono::{DateTime, Utc};
use std::str::FromStr;

/// A type that can be read from a row.
pub(crate) trait FromRow: Sized {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable>;

    /// The free text that it contains. The size of a page is limited by it.
    fn text(&self) -> &str {
        ""
    }
}

/// The value of a column or of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    fn into_str(self) -> Result<&'a str, Unreadable> {
        match self {
            Value::Text(text) => Ok(text),
            Value::Bytes(bytes) => str::from_utf8(bytes).map_err(Unreadable::column),
            other => Err(Unreadable::Type(format!("{other:?}"), "a text")),
        }
    }

    fn parsed<T: FromStr>(self) -> Result<T, Unreadable> {
        let text = self.into_str()?;
        text.parse().map_err(|_| Unreadable::Word(text.to_owned()))
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Value::Text(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Value::Bytes(value)
    }
}

/// The value of a parameter that outlives its caller.
#[derive(Clone, Debug)]
pub(crate) enum OwnedValue {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl OwnedValue {
    pub(crate) fn borrow(values: &[Self]) -> Vec<Value<'_>> {
        let values = values.iter().map(|value| match value {
            Self::Null => Value::Null,
            Self::Integer(integer) => Value::Integer(*integer),
            Self::Text(text) => Value::Text(text),
            Self::Bytes(bytes) => Value::Bytes(bytes),
        });
        values.collect()
    }
}

impl From<i64> for OwnedValue {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

/// A time is stored in microseconds since 1970-01-01T00:00:00Z.
impl From<DateTime<Utc>> for OwnedValue {
    fn from(value: DateTime<Utc>) -> Self {
        Self::Integer(value.timestamp_micros())
    }
}

impl From<&str> for OwnedValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for OwnedValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Vec<u8>> for OwnedValue {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl<T: Into<OwnedValue>> From<Option<T>> for OwnedValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row of either database. Columns are counted from 0.
pub(crate) trait AnyRow {
    fn value(&self, column: usize) -> Result<Value<'_>, Unreadable>;

    fn integer(&self, column: usize) -> Result<i64, Unreadable> {
        match self.value(column)? {
            Value::Integer(value) => Ok(value),
            other => Err(Unreadable::Type(format!("{other:?}"), "an integer")),
        }
    }

    /// Returns a text, which PostgreSQL may return as bytes.
    fn str(&self, column: usize) -> Result<&str, Unreadable> {
        self.value(column)?.into_str()
    }

    fn text(&self, column: usize) -> Result<String, Unreadable> {
        self.str(column).map(str::to_owned)
    }

    fn bytes(&self, column: usize) -> Result<&[u8], Unreadable> {
        match self.value(column)? {
            Value::Bytes(bytes) => Ok(bytes),
            other => Err(Unreadable::Type(format!("{other:?}"), "bytes")),
        }
    }

    /// Parses a text: a value of an enum, or an id.
    fn parsed<T: FromStr>(&self, column: usize) -> Result<T, Unreadable> {
        self.value(column)?.parsed()
    }

    /// Like [`parsed`](Self::parsed), but returns `None` if the column is NULL.
    fn optional_parsed<T: FromStr>(&self, column: usize) -> Result<Option<T>, Unreadable> {
        match self.value(column)? {
            Value::Null => Ok(None),
            value => value.parsed().map(Some),
        }
    }

    fn time(&self, column: usize) -> Result<DateTime<Utc>, Unreadable> {
        let micros = self.integer(column)?;
        DateTime::from_timestamp_micros(micros).ok_or(Unreadable::Time(micros))
    }

    /// Returns `None` if the column is NULL.
    fn optional<T>(
        &self,
        column: usize,
        read: impl FnOnce(&Self, usize) -> Result<T, Unreadable>,
    ) -> Result<Option<T>, Unreadable> {
        match self.value(column)? {
            Value::Null => Ok(None),
            _ => read(self, column).map(Some),
        }
    }
}

/// A value in a row that this version cannot read: a newer version wrote it, or
/// the database is damaged.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("a row has the value `{0}`, which this version does not know")]
    Word(String),
    #[error("a row has the time {0} µs, which is out of range")]
    Time(i64),
    #[error("a row has {0} where {1} belongs")]
    Type(String, &'static str),
    #[error("a column cannot be read: {0}")]
    Column(String),
}

impl Unreadable {
    /// Wraps an error of the database or of the standard library.
    pub(crate) fn column(error: impl std::error::Error) -> Self {
        Self::Column(error.to_string())
    }
}
