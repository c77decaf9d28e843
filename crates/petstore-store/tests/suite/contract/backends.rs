//! Creates a new, empty store of each backend for one test. Returns `None` if the
//! backend is not installed.

use super::AnyStore;
use crate::postgres_server;
use petstore_store::{DatabaseUrl, open};
use tempfile::TempDir;

/// A new store and the folder that must exist as long as the store.
pub(crate) struct Backend {
    store: AnyStore,
    _folder: Option<TempDir>,
}

impl Backend {
    pub(crate) fn store(&self) -> AnyStore {
        self.store.clone()
    }

    pub(crate) async fn end(self) {
        self.store.close().await.expect("the store closes");
    }
}

pub(crate) async fn sqlite_file() -> Option<Backend> {
    let folder = TempDir::new().expect("a temporary folder");
    let url = DatabaseUrl::SqliteFile(folder.path().join("pets.db"));
    Some(Backend {
        store: open(&url).await.expect("a new file"),
        _folder: Some(folder),
    })
}

pub(crate) async fn sqlite_memory() -> Option<Backend> {
    let store = open(&DatabaseUrl::SqliteMemory)
        .await
        .expect("a store in memory");
    Some(Backend {
        store,
        _folder: None,
    })
}

pub(crate) async fn postgres() -> Option<Backend> {
    let database = postgres_server::shared().await?.database().await;
    let store = open(&database.url()).await.expect("an empty database");
    Some(Backend {
        store,
        _folder: None,
    })
}
