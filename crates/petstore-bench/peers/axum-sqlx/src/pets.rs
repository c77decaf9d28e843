//! The three operations.

use crate::{
    failure::Failure,
    store::{NewPet, Pet, Status, Store},
};
use axum::{
    Json,
    extract::{Path, Query, State},
    http::{StatusCode, header::LINK},
    response::{AppendHeaders, IntoResponse},
};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Page {
    #[serde(default = "default_limit")]
    limit: i64,
    status: Option<Status>,
    /// The id after which the page begins.
    #[serde(default)]
    cursor: i64,
}

fn default_limit() -> i64 {
    20
}

pub(crate) async fn list(
    State(store): State<Store>,
    Query(page): Query<Page>,
) -> Result<impl IntoResponse, Failure> {
    let Page {
        limit,
        status,
        cursor,
    } = page;
    let limit_or_more = usize::try_from(limit).map_err(|_| Failure::Limit)?;
    if !(1..=100).contains(&limit) {
        return Err(Failure::Limit);
    }
    // One more row than the page contains is read, to know whether there are more pages.
    let mut pets = store.page(cursor, status, limit + 1).await?;
    let more = pets.len() > limit_or_more;
    pets.truncate(limit_or_more);
    let link = pets.last().filter(|_| more).map(|last| {
        let filter = status.map_or_else(String::new, |status| format!("&status={status}"));
        let next = format!("<?limit={limit}{filter}&cursor={}>; rel=\"next\"", last.id);
        (LINK, next)
    });
    Ok((AppendHeaders(link), Json(pets)))
}

pub(crate) async fn create(
    State(store): State<Store>,
    Json(pet): Json<NewPet>,
) -> Result<(StatusCode, Json<Pet>), Failure> {
    let pet = store.create(pet).await?;
    Ok((StatusCode::CREATED, Json(pet)))
}

pub(crate) async fn get(
    State(store): State<Store>,
    Path(id): Path<i64>,
) -> Result<Json<Pet>, Failure> {
    let pet = store.pet(id).await?;
    pet.map(Json).ok_or(Failure::NotFound)
}
