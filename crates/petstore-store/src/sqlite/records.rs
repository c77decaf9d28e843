//! Inserts and reads rows.

use crate::{
    record::{PageSize, Record},
    row::{AnyRow, FromRow, Unreadable, Value},
};
use rusqlite::{
    CachedStatement, Connection, Error, OptionalExtension, Row, ToSql, params_from_iter,
    types::{ToSqlOutput, Type, ValueRef},
};
#[cfg(debug_assertions)]
use {parking_lot::Mutex, std::collections::BTreeSet};

/// Prepares a statement. A debug build, and so each test, rejects a statement that reads rows that it does not need.
pub(super) fn prepared<'db>(
    db: &'db Connection,
    sql: &str,
) -> rusqlite::Result<CachedStatement<'db>> {
    #[cfg(debug_assertions)]
    check_plan(db, sql)?;
    db.prepare_cached(sql)
}

/// Rejects a statement that scans a table, or reads rows of an index that do not match its conditions.
/// Only ranges of a page, such as `placed_at >= $1`, may skip rows that were read.
#[cfg(debug_assertions)]
fn check_plan(db: &Connection, sql: &str) -> rusqlite::Result<()> {
    /// Tables that have few rows even in a large store. `CONSTANT` is a row without a table.
    const SMALL_TABLES: [&str; 18] = [
        "CONSTANT",
        "edge",
        "event_feed",
        "feed",
        "here",
        "newest",
        "page",
        "api_keys",
        "counted_operations",
        "deprecated_calls",
        "deprecated_calls_by_day",
        "chosen",
        "counted",
        "free",
        "message",
        "used",
        "webhook_endpoints",
        "webhook_feed",
    ];
    static CHECKED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut checked = CHECKED.lock();
    if checked.contains(sql) {
        return Ok(());
    }
    let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    // The plan needs no values for the parameters.
    let mut steps = plan.raw_query();
    while let Some(step) = steps.next()? {
        let step: String = step.get("detail")?;
        let scanned = step.strip_prefix("SCAN ");
        let scanned = scanned.and_then(|table| table.split(' ').next());
        // A scan of a subquery is allowed, because the steps of the subquery are checked, too.
        let is_inner = |name: &str| name.starts_with("(subquery-") || SMALL_TABLES.contains(&name);
        let is_scan = scanned.is_some_and(|name| !is_inner(name));
        let is_range = step.contains(">?") || step.contains("<?");
        if is_scan || is_range && step.matches("=?").count() < sql.matches(" = $").count() {
            let problem = format!("no index leads to the rows of this statement: {step}: {sql}");
            return Err(Error::ToSqlConversionFailure(problem.into()));
        }
    }
    checked.insert(sql.to_owned());
    Ok(())
}

/// Inserts a row and returns its id.
pub(super) fn insert<R: Record>(db: &Connection, new: &R::New) -> rusqlite::Result<i64> {
    prepared(db, &R::statements().insert)?.insert(params_from_iter(R::values(new)))
}

/// Returns the record with this id, if there is one.
pub(super) fn get<R: Record>(db: &Connection, id: i64) -> rusqlite::Result<Option<R>> {
    first(db, &R::statements().get, &[id.into()])
}

/// Returns the first row of a statement, if there is one.
pub(super) fn first<T: FromRow>(
    db: &Connection,
    sql: &str,
    parameters: &[Value<'_>],
) -> rusqlite::Result<Option<T>> {
    prepared(db, sql)?
        .query_row(params_from_iter(parameters), read)
        .optional()
}

/// Returns all rows of a statement. For a page, returns only as many rows as [`split_page`] needs.
///
/// [`split_page`]: crate::record::split_page
pub(super) fn all<T: FromRow>(
    db: &Connection,
    sql: &str,
    parameters: &[Value<'_>],
) -> rusqlite::Result<Vec<T>> {
    let mut statement = prepared(db, sql)?;
    let (mut found, mut size) = (Vec::new(), PageSize::default());
    for row in statement.query_map(params_from_iter(parameters), read::<T>)? {
        found.push(row?);
        if size.is_exceeded_by(&found) && found.len() > 1 {
            break;
        }
    }
    Ok(found)
}

/// Runs a statement that returns no rows, and returns how many rows it changed.
pub(super) fn execute(
    db: &Connection,
    sql: &str,
    parameters: &[Value<'_>],
) -> rusqlite::Result<usize> {
    prepared(db, sql)?.execute(params_from_iter(parameters))
}

fn read<T: FromRow>(row: &Row<'_>) -> rusqlite::Result<T> {
    T::from_row(row).map_err(unreadable)
}

/// Wraps the error of a value that this version cannot read.
pub(super) fn unreadable(error: Unreadable) -> Error {
    Error::FromSqlConversionFailure(0, Type::Null, Box::new(error))
}

impl AnyRow for Row<'_> {
    fn value(&self, column: usize) -> Result<Value<'_>, Unreadable> {
        Ok(match self.get_ref(column).map_err(Unreadable::column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(integer) => Value::Integer(integer),
            ValueRef::Blob(bytes) => Value::Bytes(bytes),
            text => Value::Text(text.as_str().map_err(Unreadable::column)?),
        })
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match *self {
            Value::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Value::Integer(integer) => integer.into(),
            Value::Text(text) => text.into(),
            Value::Bytes(bytes) => bytes.into(),
        })
    }
}
