//! How each backend's new, empty store is made for one test.

use super::AnyStore;
use petstore_store::{DatabaseUrl, open};
use tempfile::TempDir;

/// A new store and what has to outlive it.
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

pub(crate) async fn sqlite_file() -> Backend {
    let folder = TempDir::new().expect("a temporary folder");
    let url = DatabaseUrl::SqliteFile(folder.path().join("pets.db"));
    Backend {
        store: open(&url).await.expect("a new file"),
        _folder: Some(folder),
    }
}

pub(crate) async fn sqlite_memory() -> Backend {
    let store = open(&DatabaseUrl::SqliteMemory)
        .await
        .expect("a store in memory");
    Backend {
        store,
        _folder: None,
    }
}
