//! The task that deletes idempotency keys that are too old to count, a few at a
//! time beside the requests. Which those are is left to the store.

use crate::clock::Clock;
use petstore_store::{Store, StoreError};
use std::{sync::Arc, time::Duration};
use tokio::{
    task::JoinHandle,
    time::{self, Instant, MissedTickBehavior},
};

/// How often it looks.
const PERIOD: Duration = Duration::from_secs(60);
/// Keys that are deleted in one write: a millisecond or so, for which a creation
/// that arrives meanwhile waits.
const BATCH: usize = 500;

/// The running task, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Forgetter(JoinHandle<()>);

impl Forgetter {
    /// Starts the task. Must be called inside a tokio runtime.
    pub(crate) fn start(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Forgetter(tokio::spawn(async move {
            let mut ticks = time::interval_at(Instant::now() + PERIOD, PERIOD);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                if let Err(error) = forget(&*store, &*clock).await {
                    tracing::warn!("old idempotency keys were not deleted, and wait: {error}");
                }
            }
        }))
    }
}

impl Drop for Forgetter {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Deletes all that are too old now, one write after the other, so that others
/// come between.
async fn forget(store: &dyn Store, clock: &dyn Clock) -> Result<(), StoreError> {
    while store.forget_idempotency_keys(clock.now(), BATCH).await? == BATCH {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use chrono::{DateTime, TimeDelta, Utc};
    use petstore_models::NewPet;
    use petstore_store::{Creation, DatabaseUrl, IDEMPOTENCY_KEYS_KEPT, KeyId, Once};

    async fn add(store: &dyn Store, key: String, at: DateTime<Utc>) {
        let pet: NewPet =
            serde_json::from_str(r#"{"name":"Rex","categoryId":7}"#).expect("a new pet");
        let once = Once {
            key_id: KeyId::from_random(1),
            key: key.try_into().expect("a key"),
            at,
        };
        let created = store.create_pet_once(pet, once).await;
        assert!(matches!(created, Ok(Creation::Added(_))), "{created:?}");
    }

    #[tokio::test]
    async fn all_that_are_too_old_are_deleted_however_many_and_no_other() {
        let store = petstore_store::open(&DatabaseUrl::SqliteMemory)
            .await
            .expect("a store in memory");
        let now = Utc::now();
        let old = now - IDEMPOTENCY_KEYS_KEPT - TimeDelta::seconds(1);
        for number in 0..2 * BATCH + 1 {
            add(&*store, number.to_string(), old).await;
        }
        add(&*store, "new".to_owned(), now).await;
        forget(&*store, &SystemClock).await.expect("deleted");
        let left = store.forget_idempotency_keys(now, BATCH).await;
        assert_eq!(left.expect("an answer"), 0);
        let tomorrow = now + IDEMPOTENCY_KEYS_KEPT;
        let left = store.forget_idempotency_keys(tomorrow, BATCH).await;
        assert_eq!(left.expect("an answer"), 1);
    }
}
