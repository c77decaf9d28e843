//! Logs the API keys that are created and revoked: by a command, and, while the service runs, by
//! any process.

use petstore_store::{KeyId, KeyRecord, Store};
use std::{collections::HashMap, time::Duration};
use tokio::time::sleep;

/// The time between two checks of the keys in the store.
const PERIOD: Duration = Duration::from_secs(5);

pub(crate) fn created(id: &KeyId, name: &str) {
    tracing::info!(
        key_id = id.as_str(),
        key_name = name,
        "an API key was created"
    );
}

pub(crate) fn revoked(id: &KeyId, name: &str) {
    tracing::info!(
        key_id = id.as_str(),
        key_name = name,
        "an API key was revoked"
    );
}

/// The keys of a store, and whether each was revoked when the keys were last logged.
#[derive(Default)]
pub(crate) struct LoggedKeys(HashMap<KeyId, bool>);

impl LoggedKeys {
    /// Remembers these keys as logged.
    pub(crate) fn new(keys: &[KeyRecord]) -> Self {
        let states = keys.iter().map(|key| (key.id, key.revoked_at.is_some()));
        Self(states.collect())
    }

    /// Logs each new and each revoked key, until the future is dropped.
    pub(crate) async fn watch(mut self, store: impl AsRef<dyn Store>) {
        loop {
            sleep(PERIOD).await;
            // If the store cannot be read, the next round tries again; the cause is logged
            // elsewhere.
            for key in store.as_ref().list_keys().await.unwrap_or_default() {
                let is_revoked = key.revoked_at.is_some();
                let before = self.0.insert(key.id, is_revoked);
                if before.is_none() {
                    created(&key.id, &key.name);
                }
                if is_revoked && before != Some(true) {
                    revoked(&key.id, &key.name);
                }
            }
        }
    }
}
