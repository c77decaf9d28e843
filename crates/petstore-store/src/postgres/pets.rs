//! The SQL that creates pets.

use super::{
    error::{self, Unreadable},
    records::{array_placeholders, arrays, parameter},
    session::Session,
};
use crate::{
    StoreError,
    record::{names, pet_with_id},
};
use futures::future::join_all;
use petstore_models::{NewPet, Pet};
use tokio_postgres::{Client, Error, Statement};

/// One statement for any number of pets: one round trip, one transaction. It draws
/// the ids itself, since the order of `INSERT … RETURNING` is not defined.
fn insert() -> String {
    let (names, arrays) = (names::<Pet, _>(), array_placeholders::<Pet, _>(1));
    format!(
        "
        WITH given AS MATERIALIZED (
            SELECT nextval('pet_ids') AS id, place, {names}
            FROM unnest({arrays}) WITH ORDINALITY AS pet ({names}, place)
        ), stored AS (
            INSERT INTO pets (id, {names}) SELECT id, {names} FROM given
        )
        SELECT id FROM given ORDER BY place"
    )
}

/// Prepares the statement of [`insert_all`].
pub(super) async fn prepare_insert(db: &Client) -> Result<Statement, Error> {
    db.prepare(&insert()).await
}

/// Stores all pets in one transaction. If the database rejects one of them, they
/// are stored again, each in a transaction of its own but still in one round
/// trip, so that only this one fails.
pub(super) async fn insert_all(
    db: &Session,
    insert: &Statement,
    pets: &[NewPet],
) -> Vec<Result<Pet, StoreError>> {
    let insert = |pets| insert_together(db, insert, pets);
    together_or_alone(pets, insert).await
}

/// Runs `insert` on all values, and on each of them alone if the database rejects
/// one of them.
pub(super) async fn together_or_alone<'new, N, T, F>(
    new: &'new [N],
    insert: impl Fn(&'new [N]) -> F,
) -> Vec<Result<T, StoreError>>
where
    F: Future<Output = Result<Vec<T>, StoreError>>,
{
    match insert(new).await {
        Ok(stored) => stored.into_iter().map(Ok).collect(),
        Err(rejected @ StoreError::Internal { .. }) if new.len() > 1 => {
            tracing::warn!(
                pets = new.len(),
                cause = error::cause(&rejected),
                "a batch of pets is stored one by one"
            );
            let only = |stored: Result<Vec<T>, _>| {
                stored?.pop().ok_or_else(|| error::unknown(Unreadable::Ids))
            };
            let alone = join_all(new.chunks(1).map(insert)).await;
            alone.into_iter().map(only).collect()
        }
        Err(shared) => new.iter().map(|_| Err(shared.clone())).collect(),
    }
}

async fn insert_together(
    db: &Session,
    insert: &Statement,
    pets: &[NewPet],
) -> Result<Vec<Pet>, StoreError> {
    let arrays = arrays::<Pet, _>(pets.iter());
    let rows = db
        .client()
        .query(insert, &arrays.each_ref().map(parameter))
        .await
        .map_err(error::write_failed)?;
    // The transaction is committed, so an id that cannot be read leaves the
    // outcome open.
    let stored = rows.iter().zip(pets).map(|(row, pet)| {
        let id = row.try_get(0).map_err(error::unknown)?;
        Ok(pet_with_id(id, pet))
    });
    let stored: Vec<Pet> = stored.collect::<Result<_, _>>()?;
    if stored.len() == pets.len() {
        Ok(stored)
    } else {
        Err(error::unknown(Unreadable::Ids))
    }
}
