//! Maps the contract's pets and orders to the columns of their tables.
//!
//! Each table's columns are named here once, and both databases make every
//! statement from them: creation with and without an idempotency key, look-up and
//! pages. The generated types are taken apart and made without `..`, so a member
//! that the contract gains is a compiler error in this file until it has a
//! column. What remains is a migration for each database.

use crate::{OrderQuery, PetQuery, transitions::PLACED};
use chrono::{DateTime, Utc};
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet, PetStatus};
use std::{borrow::Cow, str::FromStr};

/// A column beside `id`, which every table has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    /// Its type on PostgreSQL. Free text is `bytea` there, since the type `text`
    /// does not take U+0000.
    pub(crate) postgres_type: &'static str,
}

const fn column(name: &'static str, postgres_type: &'static str) -> Column {
    Column {
        name,
        postgres_type,
    }
}

/// A row with `N` columns beside its id.
pub(crate) trait Record<const N: usize>: Sized {
    const TABLE: &'static str;
    const COLUMNS: [Column; N];
    /// Whether a page begins with the greatest id.
    const NEWEST_FIRST: bool;
    /// The columns by which pages are filtered, one entry for each statement.
    const FILTERS: &'static [&'static [&'static str]];

    /// The type from which a new row is made.
    type New;

    /// The values of a new row, in the order of the columns.
    fn values(new: &Self::New) -> [Value<'_>; N];

    /// The record of a row with this id and these values.
    fn from_values(id: i64, values: [Value<'_>; N]) -> Result<Self, Unreadable>;
}

/// How many columns the table of pets has beside `id`.
pub(crate) const PET_COLUMNS: usize = 3;

impl Record<PET_COLUMNS> for Pet {
    const TABLE: &'static str = "pets";
    const COLUMNS: [Column; PET_COLUMNS] = [
        column("name", "bytea"),
        column("category_id", "bigint"),
        column("status", "text"),
    ];
    const NEWEST_FIRST: bool = false;
    const FILTERS: &'static [&'static [&'static str]] = &[&[], &["status"]];

    type New = NewPet;

    fn values(new: &NewPet) -> [Value<'_>; PET_COLUMNS] {
        let NewPet {
            name,
            category_id,
            status,
        } = new;
        [
            name.as_str().into(),
            (*category_id).into(),
            status.map(PetStatus::as_str).into(),
        ]
    }

    fn from_values(id: i64, values: [Value<'_>; PET_COLUMNS]) -> Result<Self, Unreadable> {
        let [name, category_id, status] = values;
        Ok(Pet {
            id,
            name: name.text()?,
            category_id: category_id.integer()?,
            status: status.optional(Value::parsed)?,
        })
    }
}

/// The pet that a new one becomes with the id that it was given.
pub(crate) fn pet_with_id(id: i64, new: &NewPet) -> Pet {
    let NewPet {
        name,
        category_id,
        status,
    } = new.clone();
    Pet {
        id,
        name,
        category_id,
        status,
    }
}

/// How many columns the table of orders has beside `id`.
pub(crate) const ORDER_COLUMNS: usize = 4;

impl Record<ORDER_COLUMNS> for Order {
    const TABLE: &'static str = "orders";
    const COLUMNS: [Column; ORDER_COLUMNS] = [
        column("pet_id", "bigint"),
        column("status", "text"),
        column("placed_at", "bigint"),
        column("updated_at", "bigint"),
    ];
    const NEWEST_FIRST: bool = true;
    const FILTERS: &'static [&'static [&'static str]] =
        &[&[], &["status"], &["pet_id"], &["pet_id", "status"]];

    type New = Order;

    fn values(new: &Order) -> [Value<'_>; ORDER_COLUMNS] {
        let Order {
            id: _,
            pet_id,
            status,
            placed_at,
            updated_at,
        } = new;
        [
            (*pet_id).into(),
            Some(status.as_str()).into(),
            placed_at.get().timestamp_micros().into(),
            updated_at.get().timestamp_micros().into(),
        ]
    }

    fn from_values(id: i64, values: [Value<'_>; ORDER_COLUMNS]) -> Result<Self, Unreadable> {
        let [pet_id, status, placed_at, updated_at] = values;
        Ok(Order {
            id,
            pet_id: pet_id.integer()?,
            status: status.parsed()?,
            placed_at: time(placed_at.integer()?)?,
            updated_at: time(updated_at.integer()?)?,
        })
    }
}

/// An order as it is when it is placed, at this time in microseconds since
/// 1970-01-01T00:00:00Z.
pub(crate) fn placed_order(id: i64, new: &NewOrder, at: i64) -> Result<Order, Unreadable> {
    let NewOrder { pet_id } = *new;
    let at = time(at)?;
    Ok(Order {
        id,
        pet_id,
        status: PLACED,
        placed_at: at.clone(),
        updated_at: at,
    })
}

/// A time from its microseconds since 1970-01-01T00:00:00Z.
pub(crate) fn time(micros: i64) -> Result<petstore_models::DateTime, Unreadable> {
    DateTime::<Utc>::from_timestamp_micros(micros)
        .and_then(|time| time.try_into().ok())
        .ok_or(Unreadable::Time(micros))
}

/// The value of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Text(Cow<'a, str>),
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Value::Text(Cow::Borrowed(value))
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl Value<'_> {
    fn integer(self) -> Result<i64, Unreadable> {
        match self {
            Value::Integer(value) => Ok(value),
            other => Err(Unreadable::Type(format!("{other:?}"), "an integer")),
        }
    }

    pub(crate) fn text(self) -> Result<String, Unreadable> {
        match self {
            Value::Text(value) => Ok(value.into_owned()),
            other => Err(Unreadable::Type(format!("{other:?}"), "a text")),
        }
    }

    /// One of the values of an enum.
    pub(crate) fn parsed<T: FromStr>(self) -> Result<T, Unreadable> {
        match self {
            Value::Text(value) => value.parse().map_err(|_| Unreadable::Word(value.into())),
            other => Err(Unreadable::Type(format!("{other:?}"), "a text")),
        }
    }

    /// Nothing where the column is NULL.
    pub(crate) fn optional<T>(
        self,
        read: impl FnOnce(Self) -> Result<T, Unreadable>,
    ) -> Result<Option<T>, Unreadable> {
        match self {
            Value::Null => Ok(None),
            value => read(value).map(Some),
        }
    }

    /// The memory that it holds beyond its own size.
    fn heap_bytes(&self) -> usize {
        match self {
            Value::Text(text) => text.len(),
            Value::Null | Value::Integer(_) => 0,
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
}

/// The memory that a new pet holds.
pub(crate) fn bytes_of(pet: &NewPet) -> usize {
    let texts = Pet::values(pet);
    size_of::<NewPet>() + texts.iter().map(Value::heap_bytes).sum::<usize>()
}

/// The names of the columns beside `id`, separated by commas.
pub(crate) fn names<R: Record<N>, const N: usize>() -> String {
    R::COLUMNS.map(|column| column.name).join(", ")
}

/// The statements that read a table, with parameters that begin with `?` or `$`.
#[derive(Debug)]
pub(crate) struct ReadStatements {
    /// The row with the id that is the only parameter.
    pub(crate) get: String,
    /// The pages, in the order of [`Record::FILTERS`]. The parameters are those of
    /// [`Page`].
    pub(crate) pages: Vec<String>,
}

impl ReadStatements {
    pub(crate) fn new<R: Record<N>, const N: usize>(mark: char) -> Self {
        let select = format!("SELECT id, {} FROM {} WHERE", names::<R, N>(), R::TABLE);
        let (beyond, order) = if R::NEWEST_FIRST {
            ('<', "id DESC")
        } else {
            ('>', "id")
        };
        let page = |filters: &&[&str]| {
            let filters = (3..).zip(*filters);
            let filters: String = filters
                .map(|(number, column)| format!(" {column} = {mark}{number} AND"))
                .collect();
            format!("{select}{filters} id {beyond} {mark}1 ORDER BY {order} LIMIT {mark}2")
        };
        Self {
            get: format!("{select} id = {mark}1"),
            pages: R::FILTERS.iter().map(page).collect(),
        }
    }
}

/// The requested page.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// The place of its statement in [`Record::FILTERS`].
    pub(crate) statement: usize,
    /// Where it begins, how many rows to read, and the values of the filters.
    pub(crate) parameters: Vec<Value<'static>>,
}

impl Page {
    fn new(statement: usize, start: i64, limit: usize, filters: [Value<'static>; 2]) -> Self {
        // One row beyond the page shows whether there are more.
        let rows = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let given = filters.into_iter().filter(|value| *value != Value::Null);
        Self {
            statement,
            parameters: [start.into(), rows.into()]
                .into_iter()
                .chain(given)
                .collect(),
        }
    }
}

/// The records of a page, and whether the statement found one beyond it.
pub(crate) fn split_page<R>(mut found: Vec<R>, limit: usize) -> (Vec<R>, bool) {
    let more = found.len() > limit;
    found.truncate(limit);
    (found, more)
}

impl From<PetQuery> for Page {
    fn from(query: PetQuery) -> Self {
        let PetQuery {
            after,
            status,
            limit,
        } = query;
        let statement = usize::from(status.is_some());
        let status = status.map(PetStatus::as_str).into();
        // Ids begin at 1, so 0 is before the first.
        Page::new(statement, after.unwrap_or(0), limit, [status, Value::Null])
    }
}

impl From<OrderQuery> for Page {
    fn from(query: OrderQuery) -> Self {
        let OrderQuery {
            before,
            status,
            pet_id,
            limit,
        } = query;
        let statement = usize::from(status.is_some()) + 2 * usize::from(pet_id.is_some());
        let status = status.map(OrderStatus::as_str).into();
        // No order has the greatest id there can be.
        let start = before.unwrap_or(i64::MAX);
        Page::new(statement, start, limit, [pet_id.into(), status])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_names_every_column_and_numbers_its_filters() {
        let orders = ReadStatements::new::<Order, _>('$');
        let select = "SELECT id, pet_id, status, placed_at, updated_at FROM orders WHERE";
        assert_eq!(orders.get, format!("{select} id = $1"));
        assert_eq!(
            orders.pages[3],
            format!("{select} pet_id = $3 AND status = $4 AND id < $1 ORDER BY id DESC LIMIT $2")
        );
    }

    #[test]
    fn the_filters_of_a_query_are_those_of_its_statement() {
        for status in [None, Some(OrderStatus::Placed)] {
            for pet_id in [None, Some(7)] {
                let page = Page::from(OrderQuery {
                    before: None,
                    status,
                    pet_id,
                    limit: 5,
                });
                let filters = <Order as Record<ORDER_COLUMNS>>::FILTERS[page.statement];
                assert_eq!(filters.contains(&"status"), status.is_some());
                assert_eq!(filters.contains(&"pet_id"), pet_id.is_some());
                assert_eq!(page.parameters.len(), 2 + filters.len());
            }
        }
    }
}
