//! Tests on a real PostgreSQL server: commits out of order, servers that share a
//! database, settings that lose writes, and crashes.

mod batches;
mod commits;
mod crashes;
mod encryption;
mod events;
mod once;
mod opening;
mod orders;
mod plans;
mod sharing;
mod upgrades;
mod walks;
mod webhooks;
mod written;

use crate::{fixtures::new_pet, postgres_server::Database};
use petstore_models::NewPet;
use petstore_store::{KeyHash, KeyId, NewKey, OpenError, Outcome, Store, StoreError, open};
use std::sync::Arc;

fn pet(name: impl Into<String>) -> NewPet {
    new_pet(name, 1, None)
}

fn key(number: u8) -> NewKey {
    NewKey {
        id: KeyId::from_random(number.into()),
        name: "test".to_owned(),
        hash: KeyHash::new([number; 32]),
        created_at: chrono::DateTime::UNIX_EPOCH,
        limits: petstore_store::KeyLimits::default(),
    }
}

async fn store(database: &Database<'_>) -> Arc<dyn Store> {
    open(&database.url()).await.expect("a store")
}

async fn rejected(database: &Database<'_>) -> OpenError {
    let opened = open(&database.url()).await;
    opened.map(drop).expect_err("it is rejected")
}

fn outcome<T>(result: &Result<T, StoreError>) -> Option<Outcome> {
    match result {
        Err(StoreError::Unavailable { outcome, .. }) => Some(*outcome),
        _ => None,
    }
}
