//! Inserts and reads the rows of pets and orders.

use crate::record::{
    ORDER_COLUMNS, PET_COLUMNS, Page, ReadStatements, Record, Unreadable, Value, names,
};
use petstore_models::{Order, Pet};
use rusqlite::{
    Connection, Error, OptionalExtension, Row, ToSql, params_from_iter,
    types::{ToSqlOutput, Type, ValueRef},
};
use std::{array, sync::LazyLock};

/// The statements of one table.
pub(super) struct Statements {
    insert: String,
    pub(super) read: ReadStatements,
}

impl Statements {
    fn new<R: Record<N>, const N: usize>() -> Self {
        let names = names::<R, N>();
        let parameters = array::from_fn::<_, N, _>(|at| format!("?{}", at + 1)).join(", ");
        Self {
            insert: format!("INSERT INTO {} ({names}) VALUES ({parameters})", R::TABLE),
            read: ReadStatements::new::<R, N>('?'),
        }
    }
}

/// A record with its statements.
pub(super) trait Stored<const N: usize>: Record<N> {
    fn statements() -> &'static Statements;
}

impl Stored<PET_COLUMNS> for Pet {
    fn statements() -> &'static Statements {
        static STATEMENTS: LazyLock<Statements> = LazyLock::new(Statements::new::<Pet, _>);
        &STATEMENTS
    }
}

impl Stored<ORDER_COLUMNS> for Order {
    fn statements() -> &'static Statements {
        static STATEMENTS: LazyLock<Statements> = LazyLock::new(Statements::new::<Order, _>);
        &STATEMENTS
    }
}

/// Inserts a row and returns its id.
pub(super) fn insert<R: Stored<N>, const N: usize>(
    db: &Connection,
    new: &R::New,
) -> rusqlite::Result<i64> {
    db.prepare_cached(&R::statements().insert)?
        .insert(params_from_iter(R::values(new)))
}

/// The record with this id, if there is one.
pub(super) fn get<R: Stored<N>, const N: usize>(
    db: &Connection,
    id: i64,
) -> rusqlite::Result<Option<R>> {
    db.prepare_cached(&R::statements().read.get)?
        .query_row([id], record_of)
        .optional()
}

/// The records of a page, and one beyond it if there are more.
pub(super) fn page<R: Stored<N>, const N: usize>(
    db: &Connection,
    page: &Page,
) -> rusqlite::Result<Vec<R>> {
    db.prepare_cached(&R::statements().read.pages[page.statement])?
        .query_map(params_from_iter(&page.parameters), record_of)?
        .collect()
}

fn record_of<R: Record<N>, const N: usize>(row: &Row<'_>) -> rusqlite::Result<R> {
    let mut values = [const { Value::Null }; N];
    for (column, value) in (1..).zip(&mut values) {
        *value = match row.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(integer) => Value::Integer(integer),
            text => Value::from(text.as_str()?),
        };
    }
    R::from_values(row.get(0)?, values).map_err(unreadable)
}

/// The row holds a value that this version cannot read.
pub(super) fn unreadable(error: Unreadable) -> Error {
    Error::FromSqlConversionFailure(0, Type::Null, Box::new(error))
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Value::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Value::Integer(integer) => (*integer).into(),
            Value::Text(text) => text.as_ref().into(),
        })
    }
}
