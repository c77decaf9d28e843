//! The SQL of pets. A new member of `NewPet` gets its column here, and a
//! migration beside it.

use super::{
    error::{self, Unreadable},
    session::Session,
};
use crate::{PetPage, PetQuery, StoreError};
use futures::future::join_all;
use petstore_models::{NewPet, Pet, PetStatus};
use tokio_postgres::{Client, Error, Row, Statement};

/// One statement for any number of pets: one round trip, one transaction. The
/// ids are drawn by hand, since no order is promised of `INSERT … RETURNING`
/// by which they could be told apart.
const INSERT: &str = "
    WITH given AS MATERIALIZED (
        SELECT nextval('pet_ids') AS id, place, name, category_id, status
        FROM unnest($1::bytea[], $2::bigint[], $3::text[]) WITH ORDINALITY
            AS pet (name, category_id, status, place)
    ), stored AS (
        INSERT INTO pets (id, name, category_id, status) SELECT id, name, category_id, status FROM given
    )
    SELECT id FROM given ORDER BY place";
const GET: &str = "SELECT id, name, category_id, status FROM pets WHERE id = $1";
const PAGE: &str =
    "SELECT id, name, category_id, status FROM pets WHERE id > $1 ORDER BY id LIMIT $2";
const PAGE_OF_STATUS: &str = "SELECT id, name, category_id, status FROM pets WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2";

/// The prepared statements of a connection that reads.
pub(super) struct PetReads {
    get: Statement,
    page: Statement,
    page_of_status: Statement,
}

impl PetReads {
    pub(super) async fn prepare(db: &Client) -> Result<Self, Error> {
        let (get, page, page_of_status) = tokio::try_join!(
            db.prepare(GET),
            db.prepare(PAGE),
            db.prepare(PAGE_OF_STATUS)
        )?;
        Ok(Self {
            get,
            page,
            page_of_status,
        })
    }

    pub(super) async fn get(&self, db: &Client, id: i64) -> Result<Option<Row>, Error> {
        db.query_opt(&self.get, &[&id]).await
    }

    /// The rows of a page, and one beyond it if there are more.
    pub(super) async fn page(&self, db: &Client, query: PetQuery) -> Result<Vec<Row>, Error> {
        let PetQuery {
            after,
            status,
            limit,
        } = query;
        // Ids begin at 1, so 0 is before the first.
        let after = after.unwrap_or(0);
        let rows = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        match status {
            None => db.query(&self.page, &[&after, &rows]).await,
            Some(status) => {
                db.query(&self.page_of_status, &[&after, &rows, &status.as_str()])
                    .await
            }
        }
    }
}

pub(super) fn page_of(rows: &[Row], limit: usize) -> Result<PetPage, StoreError> {
    let pets = rows
        .iter()
        .take(limit)
        .map(pet_of)
        .collect::<Result<_, _>>()?;
    Ok(PetPage {
        pets,
        more: rows.len() > limit,
    })
}

pub(super) fn pet_of(row: &Row) -> Result<Pet, StoreError> {
    let status = match row
        .try_get::<_, Option<&str>>(3)
        .map_err(error::unreadable)?
    {
        None => None,
        Some(text) => Some(
            text.parse()
                .map_err(|_| error::unreadable(Unreadable::Status(text.to_owned())))?,
        ),
    };
    Ok(Pet {
        id: row.try_get(0).map_err(error::unreadable)?,
        name: text_of(row, 1)?,
        category_id: row.try_get(2).map_err(error::unreadable)?,
        status,
    })
}

/// A text that is kept as bytes.
pub(super) fn text_of(row: &Row, column: usize) -> Result<String, StoreError> {
    let bytes: Vec<u8> = row.try_get(column).map_err(error::unreadable)?;
    String::from_utf8(bytes).map_err(error::unreadable)
}

/// Stores all pets in one transaction. If the database refuses one of them,
/// they are stored again, each in a transaction of its own but still in one
/// round trip, so that it fails alone.
pub(super) async fn insert_all(
    db: &Session,
    insert: &Statement,
    pets: &[NewPet],
) -> Vec<Result<Pet, StoreError>> {
    match insert_together(db, insert, pets).await {
        Ok(stored) => stored.into_iter().map(Ok).collect(),
        Err(refused @ StoreError::Internal { .. }) if pets.len() > 1 => {
            tracing::warn!(
                pets = pets.len(),
                cause = error::cause(&refused),
                "a batch of pets is stored one by one"
            );
            let alone = pets.chunks(1).map(|pet| insert_together(db, insert, pet));
            join_all(alone).await.into_iter().map(only).collect()
        }
        Err(shared) => vec![Err(shared); pets.len()],
    }
}

async fn insert_together(
    db: &Session,
    insert: &Statement,
    pets: &[NewPet],
) -> Result<Vec<Pet>, StoreError> {
    let names: Vec<&[u8]> = pets.iter().map(|pet| pet.name.as_bytes()).collect();
    let categories: Vec<i64> = pets.iter().map(|pet| pet.category_id).collect();
    let statuses: Vec<Option<&str>> = pets
        .iter()
        .map(|pet| pet.status.map(PetStatus::as_str))
        .collect();
    let rows = db
        .client()
        .query(insert, &[&names, &categories, &statuses])
        .await
        .map_err(error::write_failed)?;
    let stored = rows.iter().zip(pets).map(|(row, pet)| {
        let NewPet {
            name,
            category_id,
            status,
        } = pet;
        // The transaction is committed, so an id that cannot be read leaves
        // the outcome open.
        let id = row.try_get(0).map_err(error::unknown)?;
        Ok(Pet {
            id,
            name: name.clone(),
            category_id: *category_id,
            status: *status,
        })
    });
    let stored: Vec<Pet> = stored.collect::<Result<_, _>>()?;
    if stored.len() == pets.len() {
        Ok(stored)
    } else {
        Err(error::unknown(Unreadable::Ids))
    }
}

fn only(stored: Result<Vec<Pet>, StoreError>) -> Result<Pet, StoreError> {
    stored?.pop().ok_or_else(|| error::unknown(Unreadable::Ids))
}

/// Prepares the statement of [`insert_all`].
pub(super) async fn prepare_insert(db: &Client) -> Result<Statement, Error> {
    db.prepare(INSERT).await
}
