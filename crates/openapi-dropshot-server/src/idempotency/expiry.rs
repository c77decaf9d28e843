//! Deletes expired idempotency keys and old events in a background task, a few at a time.

use crate::{
    clock::Clock,
    state::{State, StateError},
};
use std::{sync::Arc, time::Duration};
use tokio::task::JoinSet;

/// How often it searches for expired keys.
const PERIOD: Duration = Duration::from_secs(60);
/// How many keys are deleted in one write. A creation that arrives meanwhile waits for about a
/// millisecond.
const BATCH: usize = 500;

/// Starts the task that deletes expired keys and old events. Dropping the returned set ends the task.
/// Must be called inside a tokio runtime.
pub(crate) fn start_expiry<S: State>(state: Arc<S>, clock: Arc<dyn Clock>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        loop {
            tokio::time::sleep(PERIOD).await;
            if let Err(error) = delete_expired(&*state, &*clock).await {
                tracing::warn!(
                    "expired idempotency keys were not deleted; the next attempt follows: {error}"
                );
            }
            if let Err(error) = delete_events(&*state, &*clock).await {
                tracing::warn!("old events were not deleted; the next attempt follows: {error}");
            }
        }
    });
    tasks
}

/// Deletes all keys that have expired by now in several writes, so that other writes can run between
/// them.
async fn delete_expired<S: State>(state: &S, clock: &dyn Clock) -> Result<(), StateError> {
    while state
        .delete_expired_idempotency_keys(clock.now(), BATCH)
        .await?
        >= BATCH
    {}
    Ok(())
}

/// Deletes all events that are too old by now, in the same way.
async fn delete_events<S: State>(state: &S, clock: &dyn Clock) -> Result<(), StateError> {
    while state.delete_expired_events(clock.now(), BATCH).await? >= BATCH {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::SystemClock, test_contract::TestState};
    use std::sync::atomic::Ordering;

    #[tokio::test]
    async fn expired_idempotency_keys_are_deleted_in_batches_until_none_is_left() {
        let state = TestState::default();
        state.expired.store(2 * BATCH + 1, Ordering::Relaxed);
        let deleted = delete_expired(&state, &SystemClock).await;
        assert!(deleted.is_ok());
        assert_eq!(state.expired.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn old_events_of_each_kind_are_deleted_in_batches_until_none_is_left() {
        let state = TestState::default();
        for (kind, number) in state.events.iter().zip([3 * BATCH + 1, 2 * BATCH]) {
            kind.store(number, Ordering::Relaxed);
        }
        let deleted = delete_events(&state, &SystemClock).await;
        assert!(deleted.is_ok());
        let left = state
            .events
            .each_ref()
            .map(|kind| kind.load(Ordering::Relaxed));
        assert_eq!(left, [0, 0]);
    }
}
