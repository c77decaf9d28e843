//! Reads the rows of pets and orders, and prepares the values of new ones.

use super::error;
use crate::{
    StoreError,
    record::{Column, Page, ReadStatements, Record, Value},
};
use futures::future::try_join_all;
use std::error::Error as StdError;
use tokio_postgres::{
    Client, Error, Row, Statement,
    types::{FromSql, IsNull, ToSql, Type, private::BytesMut},
};

/// The prepared statements that read a table.
pub(super) struct Reads {
    get: Statement,
    pages: Vec<Statement>,
}

impl Reads {
    pub(super) async fn prepare<R: Record<N>, const N: usize>(db: &Client) -> Result<Self, Error> {
        let ReadStatements { get, pages } = ReadStatements::new::<R, N>('$');
        let pages = try_join_all(pages.iter().map(|page| db.prepare(page)));
        let (get, pages) = tokio::try_join!(db.prepare(&get), pages)?;
        Ok(Self { get, pages })
    }

    pub(super) async fn get(&self, db: &Client, id: i64) -> Result<Option<Row>, Error> {
        db.query_opt(&self.get, &[&id]).await
    }

    /// The rows of a page, and one beyond it if there are more.
    pub(super) async fn page(&self, db: &Client, page: &Page) -> Result<Vec<Row>, Error> {
        let parameters: Vec<_> = page.parameters.iter().map(parameter).collect();
        db.query(&self.pages[page.statement], &parameters).await
    }
}

/// A value as a parameter of a statement.
pub(super) fn parameter<T: ToSql + Sync>(value: &T) -> &(dyn ToSql + Sync) {
    value
}

/// The record in a row of `id` and the columns after it.
pub(super) fn record_of<R: Record<N>, const N: usize>(row: &Row) -> Result<R, StoreError> {
    let mut values = [const { Value::Null }; N];
    for (column, value) in (1..).zip(&mut values) {
        *value = row.try_get(column).map_err(error::unreadable)?;
    }
    let id = row.try_get(0).map_err(error::unreadable)?;
    R::from_values(id, values).map_err(error::unreadable)
}

/// A text that is kept as bytes.
pub(super) fn text_of(row: &Row, column: usize) -> Result<String, StoreError> {
    let value: Value<'_> = row.try_get(column).map_err(error::unreadable)?;
    value.text().map_err(error::unreadable)
}

/// The parameters of a new row, beginning with this number: `$4::bigint, $5::text`.
pub(super) fn placeholders<R: Record<N>, const N: usize>(first: usize) -> String {
    numbered::<R, N>(first, "")
}

/// The parameters of any number of new rows, an array for each column.
pub(super) fn array_placeholders<R: Record<N>, const N: usize>(first: usize) -> String {
    numbered::<R, N>(first, "[]")
}

fn numbered<R: Record<N>, const N: usize>(first: usize, suffix: &str) -> String {
    let mut number = first..;
    let placeholder = |Column { postgres_type, .. }| {
        let number = number.next().unwrap_or_default();
        format!("${number}::{postgres_type}{suffix}")
    };
    R::COLUMNS.map(placeholder).join(", ")
}

/// The values of new rows, an array for each column.
pub(super) fn arrays<'new, R, const N: usize>(
    new: impl Iterator<Item = &'new R::New>,
) -> [Vec<Value<'new>>; N]
where
    R: Record<N>,
    R::New: 'new,
{
    let mut columns = [const { Vec::new() }; N];
    for values in new.map(R::values) {
        for (column, value) in columns.iter_mut().zip(values) {
            column.push(value);
        }
    }
    columns
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
            // The bytes of a `text` are those of a `bytea`.
            Value::Text(text) => text.as_bytes().to_sql(ty, out),
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
            _ => Value::from(std::str::from_utf8(raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(ty: &Type) -> bool {
        <Self as ToSql>::accepts(ty)
    }
}
