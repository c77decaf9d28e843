//! The SQL of pets that only SQLite uses: pages of one status that are read from
//! an index alone, and changes of a status that do not write the name again.

use super::{events::Feed, records::prepared};
use crate::{
    event::{NewEvent, pet_data, status_data},
    record::{FIRST_VERSION, Record as _, names},
};
use petstore_models::{EventType, NewPet, Pet, PetStatus};
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};
use std::sync::LazyLock;

/// Reads a name from the index `pets_by_status`. The index does not contain long names, which are
/// read from the table. The first expression must be exactly the same text as in the definition of
/// the index.
const NAME: &str = "coalesce(CASE WHEN octet_length(name) <= 255 THEN name END, (SELECT whole.name FROM pets AS whole WHERE whole.id = pets.id))";

/// The padding of a status. A status and its padding together are as long as the longest status, so a
/// row keeps its size when its status changes. SQLite overwrites such a row in place,
/// and writes only the pages that change. The version 1 takes no byte of its row, and versions up
/// to 127 take one byte, so the padding of a new row has one more character.
fn padding(status: &str, is_new: bool) -> String {
    let longest = " ".repeat(if is_new { 10 } else { 9 });
    format!("substr('{longest}', length({status}) + 1)")
}

static INSERT: LazyLock<String> = LazyLock::new(|| {
    let parameters = (1..=Pet::COLUMNS.len()).map(|number| format!("${number}"));
    let parameters: Vec<_> = parameters.collect();
    let status = Pet::COLUMNS.iter().zip(&parameters);
    let status = status.filter(|(column, _)| column.name == "status");
    let padding: String = status.map(|(_, status)| padding(status, true)).collect();
    let (columns, values) = (names::<Pet>(), parameters.join(", "));
    format!("INSERT INTO pets ({columns}, status_padding) VALUES ({values}, {padding})")
});

/// Like the page of [`Pet::statements`] that is filtered by status, with the same
/// parameters. Its rows do not contain the status, which is the status of the query.
pub(super) static PAGE_OF_STATUS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT id, {NAME}, category_id, NULL, version FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3"
    )
});

/// Changes the status of the pet `$2` to `$1`. The two statements below also return its version.
static SET_STATUS: LazyLock<String> = LazyLock::new(|| {
    let padding = padding("$1", false);
    format!(
        "UPDATE pets SET status = $1, status_padding = {padding}, version = version + 1 WHERE id = $2"
    )
});

/// Like [`SET_STATUS`], if the pet has the status `$3`.
static RESERVE: LazyLock<String> =
    LazyLock::new(|| format!("{} AND status = $3 RETURNING version", *SET_STATUS));

static CHANGE: LazyLock<String> = LazyLock::new(|| format!("{} RETURNING version", *SET_STATUS));

/// Inserts a pet with its event, and returns its id.
pub(super) fn insert(db: &Connection, new: &NewPet, at: i64, feed: Feed) -> rusqlite::Result<i64> {
    let id = prepared(db, &INSERT)?.insert(params_from_iter(Pet::values(new)))?;
    feed.record(db, || NewEvent {
        kind: EventType::PetCreated,
        at,
        entity_id: id,
        version: FIRST_VERSION,
        data: pet_data(new),
    })?;
    Ok(id)
}

/// A change of the status of a pet.
pub(super) struct Change {
    pub(super) pet_id: i64,
    /// The status that the pet must have; otherwise nothing changes. `None`: any status.
    pub(super) from: Option<PetStatus>,
    pub(super) to: PetStatus,
    pub(super) at: i64,
}

impl Change {
    /// Makes the change, without an event, and returns the new version of the pet.
    pub(super) fn make(&self, db: &Connection) -> rusqlite::Result<Option<i64>> {
        let (to, id) = (self.to.as_str(), self.pet_id);
        let version = |row: &Row<'_>| row.get(0);
        let changed = match self.from {
            Some(from) => {
                prepared(db, &RESERVE)?.query_row(params![to, id, from.as_str()], version)
            }
            None => prepared(db, &CHANGE)?.query_row(params![to, id], version),
        };
        changed.optional()
    }

    /// The event of the change to this version.
    pub(super) fn event(&self, version: i64) -> NewEvent {
        NewEvent {
            kind: EventType::PetStatusChanged,
            at: self.at,
            entity_id: self.pet_id,
            version,
            data: status_data(self.to),
        }
    }
}
