//! Reads values from rows, and passes them to statements.

use crate::{
    record::{Column, Record},
    row::{AnyRow, Unreadable, Value},
};
use std::error::Error as StdError;
use tokio_postgres::{
    Row,
    types::{FromSql, IsNull, ToSql, Type, private::BytesMut},
};

/// Converts a value to a parameter of a statement.
pub(super) fn parameter<T: ToSql + Sync>(value: &T) -> &(dyn ToSql + Sync) {
    value
}

/// Returns the placeholders of a new row, such as `$4::bigint, $5::text` if `first` is 4.
/// With the suffix `[]` each placeholder is an array, for any number of rows.
pub(super) fn placeholders<R: Record>(first: usize, suffix: &str) -> String {
    let columns = (first..).zip(R::COLUMNS);
    let placeholders: Vec<_> = columns
        .map(|(number, Column { postgres_type, .. })| format!("${number}::{postgres_type}{suffix}"))
        .collect();
    placeholders.join(", ")
}

/// Returns the values of rows by column: an array for each of this number of columns.
pub(super) fn arrays<'row>(
    columns: usize,
    rows: impl Iterator<Item = impl IntoIterator<Item = Value<'row>>>,
) -> Vec<Vec<Value<'row>>> {
    let mut arrays = vec![Vec::new(); columns];
    for row in rows {
        for (array, value) in arrays.iter_mut().zip(row) {
            array.push(value);
        }
    }
    arrays
}

impl AnyRow for Row {
    fn value(&self, column: usize) -> Result<Value<'_>, Unreadable> {
        self.try_get(column).map_err(Unreadable::column)
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(integer) => integer.to_sql(ty, out),
            // `text` and `bytea` have the same binary form.
            Value::Text(text) => text.as_bytes().to_sql(ty, out),
            Value::Bytes(bytes) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT8, Type::TEXT, Type::BYTEA].contains(ty)
    }

    tokio_postgres::types::to_sql_checked!();
}

impl<'row> FromSql<'row> for Value<'row> {
    fn from_sql(ty: &Type, raw: &'row [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Value::Integer(i64::from_sql(ty, raw)?),
            Type::BYTEA => Value::Bytes(raw),
            _ => Value::Text(str::from_utf8(raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(ty: &Type) -> bool {
        <Self as ToSql>::accepts(ty)
    }
}
