//! The parts that the comparison services on axum share: the three operations, the check of the key
//! in `Authorization: Bearer`, and the error responses. Each service has its own store. The
//! services have no access log, no metrics and no limits.

use anyhow::{Context as _, Result};
use axum::{
    Json, Router,
    extract::{Path, Query, Request, State},
    http::{
        StatusCode,
        header::{AUTHORIZATION, LINK},
    },
    middleware::{Next, from_fn_with_state},
    response::{self, AppendHeaders, ErrorResponse, IntoResponse, Response},
    routing::get,
    serve::{Listener as _, ListenerExt as _},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::{env, sync::Arc};
use tokio::net::TcpListener;

/// A status of a pet.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type))]
#[cfg_attr(feature = "sqlx", sqlx(type_name = "text", rename_all = "snake_case"))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Available,
    Pending,
    Sold,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Available, Self::Pending, Self::Sold];

    /// The name in requests, responses and stores.
    pub fn name(self) -> &'static str {
        match self {
            Status::Available => "available",
            Status::Pending => "pending",
            Status::Sold => "sold",
        }
    }
}

/// The body of a creation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewPet {
    pub name: String,
    pub category_id: i64,
    pub status: Option<Status>,
}

/// A stored pet.
#[derive(Serialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::FromRow))]
#[serde(rename_all = "camelCase")]
pub struct Pet {
    pub name: String,
    pub category_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    pub id: i64,
}

impl NewPet {
    /// Returns the pet with the id that the store gave it.
    pub fn with_id(self, id: i64) -> Pet {
        Pet {
            name: self.name,
            category_id: self.category_id,
            status: self.status,
            id,
        }
    }
}

/// The store of a service.
pub trait Store: Send + Sync + Sized + 'static {
    /// Opens the store, which is given by its file or its URL.
    fn open(database: &str) -> impl Future<Output = Result<Self>> + Send;
    /// Returns whether the key is in the store and not revoked.
    fn knows(&self, key: &str) -> impl Future<Output = Result<bool>> + Send;
    /// Returns the pets with larger ids than `after`, at most as many as `rows`.
    fn page(
        &self,
        after: i64,
        status: Option<Status>,
        rows: i64,
    ) -> impl Future<Output = Result<Vec<Pet>>> + Send;
    /// Returns the pet with this id.
    fn pet(&self, id: i64) -> impl Future<Output = Result<Option<Pet>>> + Send;
    /// Stores a pet.
    fn create(&self, pet: NewPet) -> impl Future<Output = Result<Pet>> + Send;
}

/// The main function of a service, whose only argument is the file or the URL of its store.
pub async fn run<S: Store>() -> Result<()> {
    let database = env::args().nth(1);
    let database = database.context("give the file or the URL of the store")?;
    let store = Arc::new(S::open(&database).await?);
    let routes = Router::new()
        .route("/v1/pets", get(list_pets::<S>).post(create_pet::<S>))
        .route("/v1/pets/{pet_id}", get(get_pet::<S>))
        .layer(from_fn_with_state(store.clone(), check_key::<S>))
        .with_state(store);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?.tap_io(|stream| {
        // With `TCP_NODELAY` responses are sent at once; without it they are only sent later.
        let _late = stream.set_nodelay(true);
    });
    println!("listening on http://{}/v1", listener.local_addr()?);
    Ok(axum::serve(listener, routes).await?)
}

/// Returns the hash under which a key is stored.
pub fn key_hash(key: &str) -> [u8; 32] {
    Sha256::digest(key).into()
}

/// Returns an error response.
fn failure(status: StatusCode, code: &str, message: &str) -> ErrorResponse {
    let body = json!({ "code": code, "message": message, "status": status.as_u16() });
    (status, Json(body)).into()
}

fn unauthorized() -> ErrorResponse {
    let message = "send a valid API key as `Authorization: Bearer <API_KEY>`";
    failure(StatusCode::UNAUTHORIZED, "unauthorized", message)
}

fn fault(_: anyhow::Error) -> ErrorResponse {
    let message = "the service has a fault of its own";
    failure(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", message)
}

async fn check_key<S: Store>(
    State(store): State<Arc<S>>,
    request: Request,
    next: Next,
) -> response::Result<Response> {
    let value = request.headers().get(AUTHORIZATION);
    let key = value.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let key = key.ok_or_else(unauthorized)?;
    if !store.knows(key).await.map_err(fault)? {
        return Err(unauthorized());
    }
    Ok(next.run(request).await)
}

#[derive(Deserialize)]
struct Page {
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

async fn list_pets<S: Store>(
    State(store): State<Arc<S>>,
    Query(page): Query<Page>,
) -> response::Result<impl IntoResponse> {
    let (limit, status) = (page.limit, page.status);
    if !(1..=100).contains(&limit) {
        let message = "`limit` is a number from 1 to 100";
        return Err(failure(StatusCode::BAD_REQUEST, "invalid_request", message));
    }
    // One more row than the page contains is read, to know whether there are more pages.
    let pets = store.page(page.cursor, status, limit + 1).await;
    let mut pets = pets.map_err(fault)?;
    let more = pets.len() > limit as usize;
    pets.truncate(limit as usize);
    let link = pets.last().filter(|_| more).map(|last| {
        let filter = status.map(|status| format!("&status={}", status.name()));
        let filter = filter.unwrap_or_default();
        let next = format!("<?limit={limit}{filter}&cursor={}>; rel=\"next\"", last.id);
        (LINK, next)
    });
    Ok((AppendHeaders(link), Json(pets)))
}

async fn create_pet<S: Store>(
    State(store): State<Arc<S>>,
    Json(pet): Json<NewPet>,
) -> response::Result<(StatusCode, Json<Pet>)> {
    let pet = store.create(pet).await.map_err(fault)?;
    Ok((StatusCode::CREATED, Json(pet)))
}

async fn get_pet<S: Store>(
    State(store): State<Arc<S>>,
    Path(id): Path<i64>,
) -> response::Result<Json<Pet>> {
    let pet = store.pet(id).await.map_err(fault)?;
    let missing = || failure(StatusCode::NOT_FOUND, "not_found", "there is no such pet");
    Ok(Json(pet.ok_or_else(missing)?))
}
