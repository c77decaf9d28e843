//! The SQL of pets. A new member of `NewPet` gets its column here, and a
//! migration beside it.

use crate::{PetPage, PetQuery};
use petstore_models::{NewPet, Pet, PetStatus};
use rusqlite::{Connection, Error, OptionalExtension, Row, params, types::Type};

const INSERT: &str = "INSERT INTO pets (name, category_id, status) VALUES (?1, ?2, ?3)";
const GET: &str = "SELECT id, name, category_id, status FROM pets WHERE id = ?1";
pub(super) const PAGE: &str =
    "SELECT id, name, category_id, status FROM pets WHERE id > ?1 ORDER BY id LIMIT ?2";
pub(super) const PAGE_OF_STATUS: &str = "SELECT id, name, category_id, status FROM pets WHERE status = ?3 AND id > ?1 ORDER BY id LIMIT ?2";

pub(super) fn insert(db: &Connection, pet: &NewPet) -> rusqlite::Result<Pet> {
    let NewPet {
        name,
        category_id,
        status,
    } = pet;
    let mut statement = db.prepare_cached(INSERT)?;
    let id = statement.insert(params![name, category_id, status.map(PetStatus::as_str)])?;
    Ok(Pet {
        id,
        name: name.clone(),
        category_id: *category_id,
        status: *status,
    })
}

pub(super) fn get(db: &Connection, id: i64) -> rusqlite::Result<Option<Pet>> {
    db.prepare_cached(GET)?.query_row([id], pet_of).optional()
}

pub(super) fn page(db: &Connection, query: PetQuery) -> rusqlite::Result<PetPage> {
    let PetQuery {
        after,
        status,
        limit,
    } = query;
    // Ids begin at 1, so 0 is before the first.
    let after = after.unwrap_or(0);
    // One row beyond the page tells whether there are more.
    let rows = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let mut pets = match status {
        None => rows_of(db, PAGE, params![after, rows])?,
        Some(status) => rows_of(db, PAGE_OF_STATUS, params![after, rows, status.as_str()])?,
    };
    let more = pets.len() > limit;
    pets.truncate(limit);
    Ok(PetPage { pets, more })
}

fn rows_of(
    db: &Connection,
    sql: &str,
    params: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Pet>> {
    db.prepare_cached(sql)?.query_map(params, pet_of)?.collect()
}

fn pet_of(row: &Row<'_>) -> rusqlite::Result<Pet> {
    let status = match row.get_ref(3)?.as_str_or_null()? {
        None => None,
        Some(text) => Some(text.parse().map_err(|_| unknown_status(text))?),
    };
    Ok(Pet {
        id: row.get(0)?,
        name: row.get(1)?,
        category_id: row.get(2)?,
        status,
    })
}

fn unknown_status(text: &str) -> Error {
    Error::FromSqlConversionFailure(3, Type::Text, Box::new(UnknownStatus(text.to_owned())))
}

/// A version whose contract has more values wrote it.
#[derive(Debug, thiserror::Error)]
#[error("a pet has the status `{0}`, which this version does not know")]
struct UnknownStatus(String);
