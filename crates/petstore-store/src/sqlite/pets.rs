//! The SQL of pets that SQLite has for itself: pages of one status that are read from
//! an index alone, and changes of a status that do not write the name again.

use super::records::prepared;
use crate::record::{Record as _, names};
use petstore_models::{NewPet, Pet};
use rusqlite::{Connection, params_from_iter};
use std::sync::LazyLock;

/// Reads a name from the index `pets_by_status`, which has it unless it is long, and
/// otherwise from the table. The first expression is that of the index, letter by
/// letter.
const NAME: &str = "coalesce(CASE WHEN octet_length(name) <= 255 THEN name END, (SELECT whole.name FROM pets AS whole WHERE whole.id = pets.id))";

/// The padding of a status. Together they are as long as the longest status, so that a
/// row keeps its size when its status changes: SQLite overwrites such a row in place,
/// and writes only those of its pages that change.
fn padding(status: &str) -> String {
    format!("substr('         ', length({status}) + 1)")
}

static INSERT: LazyLock<String> = LazyLock::new(|| {
    let parameters = (1..=Pet::COLUMNS.len()).map(|number| format!("${number}"));
    let parameters: Vec<_> = parameters.collect();
    let status = Pet::COLUMNS.iter().zip(&parameters);
    let status = status.filter(|(column, _)| column.name == "status");
    let padding: String = status.map(|(_, status)| padding(status)).collect();
    let (columns, values) = (names::<Pet>(), parameters.join(", "));
    format!("INSERT INTO pets ({columns}, status_padding) VALUES ({values}, {padding})")
});

/// As the page of [`Pet::statements`] that is filtered by status, with the same
/// parameters. Its rows are without the status, which is that of the query.
pub(super) static PAGE_OF_STATUS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT id, {NAME}, category_id, NULL FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3"
    )
});

/// Changes the status to `$1` of the pet `$2`.
pub(super) static SET_STATUS: LazyLock<String> = LazyLock::new(|| {
    let padding = padding("$1");
    format!("UPDATE pets SET status = $1, status_padding = {padding} WHERE id = $2")
});

/// As [`SET_STATUS`], if the pet has the status `$3`.
pub(super) static RESERVE: LazyLock<String> =
    LazyLock::new(|| format!("{} AND status = $3", *SET_STATUS));

/// Inserts a pet and returns its id.
pub(super) fn insert(db: &Connection, new: &NewPet) -> rusqlite::Result<i64> {
    prepared(db, &INSERT)?.insert(params_from_iter(Pet::values(new)))
}
