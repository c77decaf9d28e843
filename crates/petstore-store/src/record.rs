//! Maps the contract's pets and orders to the columns of their tables.
//!
//! Each table's columns are named here once, and the statements of both databases are
//! built from these names: creation with and without an idempotency key, look-up and
//! pages. This file destructures and builds the generated types without `..`, so a new
//! member of the contract is a compiler error in this file until it has a
//! column. In addition, the new column needs a migration for each database.

use crate::{
    OrderQuery, PetQuery,
    row::{AnyRow, FromRow, Unreadable, Value},
    transitions::PLACED,
};
use chrono::{DateTime, Utc};
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet, PetStatus};
use std::sync::LazyLock;

/// A column other than `id`, which every table has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    /// Its type on PostgreSQL. Free text is `bytea` there, since the type `text`
    /// does not take U+0000.
    pub(crate) postgres_type: &'static str,
}

pub(crate) const fn column(name: &'static str, postgres_type: &'static str) -> Column {
    Column {
        name,
        postgres_type,
    }
}

/// A record that has its own table. A row has `id` first and then the other columns.
pub(crate) trait Record: FromRow {
    const TABLE: &'static str;
    const COLUMNS: &'static [Column];
    /// Whether a page begins with the greatest id.
    const NEWEST_FIRST: bool;
    /// The conditions by which pages are filtered, without the value, such as `status =` or
    /// `placed_at >=`; one entry for each combination. Each `=` needs an index. A range is checked
    /// for each row of the page's index, so a page whose range contains few rows reads many rows.
    const FILTERS: &'static [&'static [&'static str]];

    /// The type from which a new row is made.
    type New;

    /// The values of a new row, in the order of the columns.
    fn values(new: &Self::New) -> Vec<Value<'_>>;

    /// The statements of the table.
    fn statements() -> &'static Statements;
}

impl Record for Pet {
    const TABLE: &'static str = "pets";
    const COLUMNS: &'static [Column] = &[
        column("name", "bytea"),
        column("category_id", "bigint"),
        column("status", "text"),
        column("version", "bigint"),
    ];
    const NEWEST_FIRST: bool = false;
    const FILTERS: &'static [&'static [&'static str]] = &[&[], &["status ="]];

    type New = NewPet;

    fn values(new: &NewPet) -> Vec<Value<'_>> {
        let NewPet {
            name,
            category_id,
            status,
        } = new;
        vec![
            name.as_str().into(),
            (*category_id).into(),
            status.map(PetStatus::as_str).into(),
            FIRST_VERSION.into(),
        ]
    }

    fn statements() -> &'static Statements {
        static STATEMENTS: LazyLock<Statements> = LazyLock::new(Statements::new::<Pet>);
        &STATEMENTS
    }
}

impl FromRow for Pet {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        Ok(Pet {
            id: row.integer(0)?,
            name: row.text(1)?,
            category_id: row.integer(2)?,
            status: row.optional_parsed(3)?,
            version: Some(row.integer(4)?),
        })
    }

    fn text(&self) -> &str {
        &self.name
    }
}

/// The pet that is created from `new` with this id.
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
        version: Some(FIRST_VERSION),
    }
}

/// The version of a pet or an order that was just created.
pub(crate) const FIRST_VERSION: i64 = 1;

impl Record for Order {
    const TABLE: &'static str = "orders";
    const COLUMNS: &'static [Column] = &[
        column("pet_id", "bigint"),
        column("status", "text"),
        column("placed_at", "bigint"),
        column("updated_at", "bigint"),
        column("version", "bigint"),
    ];
    const NEWEST_FIRST: bool = true;
    const FILTERS: &'static [&'static [&'static str]] =
        &[&[], &["status ="], &["pet_id ="], &["pet_id =", "status ="]];

    type New = Order;

    fn values(new: &Order) -> Vec<Value<'_>> {
        let Order {
            id: _,
            pet_id,
            status,
            placed_at,
            updated_at,
            version,
        } = new;
        vec![
            (*pet_id).into(),
            status.as_str().into(),
            placed_at.get().timestamp_micros().into(),
            updated_at.get().timestamp_micros().into(),
            version.unwrap_or(FIRST_VERSION).into(),
        ]
    }

    fn statements() -> &'static Statements {
        static STATEMENTS: LazyLock<Statements> = LazyLock::new(Statements::new::<Order>);
        &STATEMENTS
    }
}

impl FromRow for Order {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        Ok(Order {
            id: row.integer(0)?,
            pet_id: row.integer(1)?,
            status: row.parsed(2)?,
            placed_at: time(row.integer(3)?)?,
            updated_at: time(row.integer(4)?)?,
            version: Some(row.integer(5)?),
        })
    }
}

/// An order that was just placed. `at` is its time in microseconds since
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
        version: Some(FIRST_VERSION),
    })
}

/// A time from its microseconds since 1970-01-01T00:00:00Z.
pub(crate) fn time(micros: i64) -> Result<petstore_models::DateTime, Unreadable> {
    DateTime::<Utc>::from_timestamp_micros(micros)
        .and_then(|time| petstore_models::DateTime::new(time.fixed_offset()).ok())
        .ok_or(Unreadable::Time(micros))
}

/// A limit of rows as a parameter.
pub(crate) fn stored_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The memory that a new pet holds.
pub(crate) fn bytes_of(pet: &NewPet) -> usize {
    let texts = Pet::values(pet).into_iter().map(|value| match value {
        Value::Text(text) => text.len(),
        _ => 0,
    });
    size_of::<NewPet>() + texts.sum::<usize>()
}

/// The names of the columns other than `id`, separated by commas.
pub(crate) fn names<R: Record>() -> String {
    let names: Vec<_> = R::COLUMNS.iter().map(|column| column.name).collect();
    names.join(", ")
}

/// The statements of a table, which both databases understand. In each of them the
/// parameters appear in the order `$1`, `$2` and so on, since SQLite numbers such
/// parameters by their first appearance.
#[derive(Debug)]
pub(crate) struct Statements {
    /// Inserts a row with the values of its columns; the database chooses the id.
    pub(crate) insert: String,
    /// Selects the row whose id is the only parameter.
    pub(crate) get: String,
    /// Select the pages, in the order of [`Record::FILTERS`]. The parameters are those of
    /// [`Page`].
    pub(crate) pages: Vec<String>,
    /// The same for PostgreSQL.
    pub(crate) pages_on_postgres: Vec<String>,
}

impl Statements {
    pub(crate) fn new<R: Record>() -> Self {
        let (table, names) = (R::TABLE, names::<R>());
        let parameters: Vec<_> = (1..=R::COLUMNS.len())
            .map(|number| format!("${number}"))
            .collect();
        let parameters = parameters.join(", ");
        Self {
            insert: format!("INSERT INTO {table} ({names}) VALUES ({parameters})"),
            get: format!("{} id = $1", select::<R>()),
            pages: R::FILTERS
                .iter()
                .map(|filters| page::<R>(filters))
                .collect(),
            pages_on_postgres: R::FILTERS
                .iter()
                .map(|filters| page_on_postgres::<R>(filters))
                .collect(),
        }
    }
}

fn select<R: Record>() -> String {
    format!("SELECT id, {} FROM {} WHERE", names::<R>(), R::TABLE)
}

/// The statement of the pages with these conditions.
fn page<R: Record>(filters: &[&str]) -> String {
    let (beyond, order) = if R::NEWEST_FIRST {
        ('<', "id DESC")
    } else {
        ('>', "id")
    };
    let conditions: String = (1..)
        .zip(filters)
        .map(|(number, condition)| format!(" {condition} ${number} AND"))
        .collect();
    let (start, limit) = (filters.len() + 1, filters.len() + 2);
    let select = select::<R>();
    format!("{select}{conditions} id {beyond} ${start} ORDER BY {order} LIMIT ${limit}")
}

/// Like [`page`], for PostgreSQL. According to its statistics, the index of the ids may look cheaper
/// than the index of the filters. But with the index of the ids, it reads each row that does not
/// match the filters, too. Only the index of the filters supports the order and the row comparisons
/// of this statement.
fn page_on_postgres<R: Record>(filters: &[&str]) -> String {
    let (beyond, within, direction) = if R::NEWEST_FIRST {
        ('<', ">=", " DESC")
    } else {
        ('>', "<=", "")
    };
    let (mut columns, mut values, mut ranges) = (Vec::new(), Vec::new(), String::new());
    for (number, filter) in (1..).zip(filters) {
        match filter.strip_suffix(" =") {
            Some(column) => {
                columns.push(column);
                values.push(format!("${number}"));
            }
            None => ranges += &format!(" AND {filter} ${number}"),
        }
    }
    let by = [columns.clone(), vec!["id"]]
        .concat()
        .join(&format!("{direction}, "))
        + direction;
    let page = if columns.is_empty() {
        page::<R>(filters)
    } else {
        let (select, columns, values) = (select::<R>(), columns.join(", "), values.join(", "));
        let (start, limit) = (filters.len() + 1, filters.len() + 2);
        format!(
            "{select} ({columns}, id) {beyond} ({values}, ${start}) AND ({columns}) {within} ({values}){ranges} \
             ORDER BY {by} LIMIT ${limit}"
        )
    };
    end_in_time::<R>(page, &by)
}

/// Limits a page on PostgreSQL by the size of its free text, too: after the texts exceed
/// [`PAGE_BYTES`], the page has at most two more rows, of which [`split_page`] needs one. Otherwise, the
/// statement could return many rows that no response contains, and other statements on the same
/// connection would wait for them. PostgreSQL knows the length of a text without reading the text.
fn end_in_time<R: Record>(page: String, order: &str) -> String {
    let texts = R::COLUMNS.iter();
    let texts = texts.filter(|column| column.postgres_type == "bytea");
    let lengths: Vec<_> = texts
        .map(|text| format!("octet_length({})", text.name))
        .collect();
    if lengths.is_empty() {
        return page;
    }
    let (names, lengths) = (names::<R>(), lengths.join(" + "));
    let preceding = format!("ORDER BY {order} ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING");
    format!(
        "SELECT id, {names} FROM (SELECT *, sum({lengths}) OVER ({preceding}) AS bytes FROM ({page}) AS page) AS page \
         WHERE bytes IS NULL OR bytes <= {PAGE_BYTES} ORDER BY {order}"
    )
}

/// The requested page.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) statement: &'static str,
    /// The statement on PostgreSQL.
    pub(crate) on_postgres: &'static str,
    /// The values of the filters, the id after which the page begins, and the number of rows to read.
    pub(crate) parameters: Vec<Value<'static>>,
}

impl Page {
    /// Creates the page with the filters that have a value.
    fn new<R: Record>(filters: &[(&str, Value<'static>)], start: i64, limit: usize) -> Self {
        // One row more than the page needs shows whether more rows follow.
        let rows = stored_limit(limit).saturating_add(1);
        let given = filters.iter().filter(|(_, value)| *value != Value::Null);
        let is_given = |filters: &&[&str]| {
            filters
                .iter()
                .eq(given.clone().map(|(condition, _)| condition))
        };
        let statement = R::FILTERS.iter().position(is_given);
        let statement =
            statement.expect("`FILTERS` has each combination of the filters of a query");
        let values = given.map(|(_, value)| *value);
        Self {
            statement: &R::statements().pages[statement],
            on_postgres: &R::statements().pages_on_postgres[statement],
            parameters: values.chain([start.into(), rows.into()]).collect(),
        }
    }
}

/// The length of a text in JSON without its quotes, or slightly more. If the text alone exceeds a
/// page, its unescaped length.
fn json_bytes(text: &str) -> usize {
    if text.len() > PAGE_BYTES {
        return text.len();
    }
    let longer = text.bytes().map(|byte| match byte {
        0..=0x1f => 5,
        b'"' | b'\\' => 1,
        _ => 0,
    });
    text.len() + longer.sum::<usize>()
}

/// The greatest number of bytes of the texts in a page, in JSON. A page ends before the record that would exceed this size, but has
/// at least one record.
pub(crate) const PAGE_BYTES: usize = 256 << 10;

/// The size of the texts of a page, record by record.
#[derive(Default)]
pub(crate) struct PageSize {
    /// An upper bound of the size: the size if each byte were escaped.
    at_most: usize,
    /// The measured size of the first `counted` records.
    bytes: usize,
    counted: usize,
}

impl PageSize {
    /// Whether these records are too large for one page. Call this once for each record, with one more
    /// record each time. Most pages are so small that their texts need not be measured.
    pub(crate) fn is_exceeded_by<R: FromRow>(&mut self, records: &[R]) -> bool {
        const ESCAPED: usize = r"\u0000".len();
        self.at_most += records.last().map_or(0, |last| ESCAPED * last.text().len());
        if self.at_most <= PAGE_BYTES {
            return false;
        }
        let further = records[self.counted..].iter();
        self.bytes += further
            .map(|record| json_bytes(record.text()))
            .sum::<usize>();
        self.counted = records.len();
        self.bytes > PAGE_BYTES
    }
}

/// The records of a page, and whether the statement found more records.
pub(crate) fn split_page<R: FromRow>(mut found: Vec<R>, limit: usize) -> (Vec<R>, bool) {
    let mut size = PageSize::default();
    let within_limit = found.len().min(limit);
    let mut fitting = 0;
    while fitting < within_limit && !size.is_exceeded_by(&found[..=fitting]) {
        fitting += 1;
    }
    let fitting = fitting.max(1).min(within_limit);
    let more = found.len() > fitting;
    found.truncate(fitting);
    (found, more)
}

impl From<PetQuery> for Page {
    fn from(query: PetQuery) -> Self {
        let PetQuery {
            after,
            status,
            limit,
        } = query;
        let filters = [("status =", status.map(PetStatus::as_str).into())];
        // Ids begin at 1, so 0 is before the first id.
        Page::new::<Pet>(&filters, after.unwrap_or(0), limit)
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
        let filters = [
            ("pet_id =", pet_id.into()),
            ("status =", status.map(OrderStatus::as_str).into()),
        ];
        // No order has the greatest possible id.
        Page::new::<Order>(&filters, before.unwrap_or(i64::MAX), limit)
    }
}

#[cfg(test)]
mod tests;
