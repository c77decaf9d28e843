//! A comparison service of the benchmark: the server that openapi-to-rust generates from the
//! contract, with the store and the key check of the service on axum and rusqlite. Its responses
//! have their properties in alphabetical order, and no `Link`, because a generated response has no
//! headers.
//!
//! ```text
//! petstore-bench-openapi-to-rust seed FILE PETS KEY
//! petstore-bench-openapi-to-rust serve FILE
//! ```

#[path = "../../axum-rusqlite/src/failure.rs"]
#[expect(
    dead_code,
    reason = "failures of parameters are those of the generated server"
)]
mod failure;
#[expect(unreachable_pub, unused, reason = "generated")]
#[expect(clippy::all, reason = "generated")]
mod generated;
#[path = "../../axum-rusqlite/src/keys.rs"]
mod keys;
#[path = "../../axum-rusqlite/src/store.rs"]
mod store;

use anyhow::{Context as _, bail};
use axum::{
    Router, middleware,
    serve::{Listener as _, ListenerExt as _},
};
use generated::{
    server::{CreatePetResponse, GetPetResponse, ListPetsResponse, PetsApi, pets_api_router},
    types::{Error, NewPet, Pet, PetStatus},
};
use std::env;
use store::{Problem, Status, Store};
use tokio::net::TcpListener;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["seed", file, pets, key] => {
            let pets = pets.parse().context("PETS is a number")?;
            Store::seed(file, pets, key)
        }
        ["serve", file] => serve(Store::open(file)?).await,
        _ => bail!("say what to do: seed FILE PETS KEY, or serve FILE"),
    }
}

async fn serve(store: Store) -> anyhow::Result<()> {
    let routes = pets_api_router(Service(store.clone()))
        .layer(middleware::from_fn_with_state(store, keys::check));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?.tap_io(|stream| {
        // With `TCP_NODELAY` responses are sent at once; without it they are only sent
        // later.
        let _late = stream.set_nodelay(true);
    });
    println!("listening on http://{}/v1", listener.local_addr()?);
    Ok(axum::serve(listener, Router::new().nest("/v1", routes)).await?)
}

#[derive(Clone)]
struct Service(Store);

#[async_trait::async_trait]
impl PetsApi for Service {
    async fn list_pets(
        &self,
        limit: Option<i64>,
        status: Option<PetStatus>,
        cursor: Option<String>,
    ) -> ListPetsResponse {
        let cursor = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        match self.0.page(cursor, status.map(stored), limit.unwrap_or(20)) {
            Ok(pets) => ListPetsResponse::Ok(pets.into_iter().map(sent).collect()),
            Err(problem) => {
                let (status, body) = fault(&problem);
                ListPetsResponse::ServerError(status, body)
            }
        }
    }

    async fn create_pet(&self, _idempotency_key: Option<String>, new: NewPet) -> CreatePetResponse {
        let new = store::NewPet {
            name: new.name,
            category_id: new.category_id,
            status: new.status.map(stored),
        };
        match self.0.create(new).await {
            Ok(pet) => CreatePetResponse::Created(sent(pet)),
            Err(problem) => {
                let (status, body) = fault(&problem);
                CreatePetResponse::ServerError(status, body)
            }
        }
    }

    async fn get_pet(&self, pet_id: i64) -> GetPetResponse {
        match self.0.pet(pet_id) {
            Ok(Some(pet)) => GetPetResponse::Ok(sent(pet)),
            Ok(None) => GetPetResponse::NotFound(Error {
                code: "not_found".to_owned(),
                message: "there is no such pet".to_owned(),
                status: 404,
            }),
            Err(problem) => {
                let (status, body) = fault(&problem);
                GetPetResponse::ServerError(status, body)
            }
        }
    }
}

fn stored(status: PetStatus) -> Status {
    match status {
        PetStatus::Available => Status::Available,
        PetStatus::Pending => Status::Pending,
        PetStatus::Sold => Status::Sold,
    }
}

fn sent(pet: store::Pet) -> Pet {
    Pet {
        category_id: pet.category_id,
        id: pet.id,
        name: pet.name,
        status: pet.status.map(|status| match status {
            Status::Available => PetStatus::Available,
            Status::Pending => PetStatus::Pending,
            Status::Sold => PetStatus::Sold,
        }),
    }
}

fn fault(problem: &Problem) -> (axum::http::StatusCode, Error) {
    let body = Error {
        code: "internal_error".to_owned(),
        message: problem.to_string(),
        status: 500,
    };
    (axum::http::StatusCode::INTERNAL_SERVER_ERROR, body)
}
