//! The task that takes what the ledger counted to the store.

use super::Ledger;
use petstore_store::{Store, StoreError};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::Notify,
    task::JoinHandle,
    time::{self, MissedTickBehavior},
};

/// How often the store is written to, if there is anything to write.
const PERIOD: Duration = Duration::from_secs(1);

/// The running task.
#[derive(Debug)]
pub(crate) struct Writer {
    stop: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Writer {
    /// Starts the task. Must be called inside a tokio runtime.
    pub(crate) fn start(ledger: Arc<Ledger>, store: Arc<dyn Store>) -> Self {
        let stop = Arc::new(Notify::new());
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            let mut ticks = time::interval(PERIOD);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut failing = false;
            loop {
                let last = tokio::select! {
                    _ = ticks.tick() => false,
                    () = stopped.notified() => true,
                };
                let written = write(&ledger, &*store).await;
                say(&written, &mut failing);
                if last {
                    break;
                }
            }
        });
        Writer { stop, task }
    }

    /// Writes what is left, and ends.
    pub(crate) async fn finish(self) {
        self.stop.notify_one();
        if let Err(error) = self.task.await {
            tracing::error!("the ledger of deprecated calls was not written to its end: {error}");
        }
    }
}

async fn write(ledger: &Ledger, store: &dyn Store) -> Result<(), StoreError> {
    let usage = ledger.take();
    if usage.is_empty() {
        return Ok(());
    }
    let written = store.record_usage(usage.clone()).await;
    if written.is_err() {
        // Also where the outcome is unknown: rather twice in the ledger than
        // never.
        ledger.put_back(usage);
    }
    written
}

/// One line when it begins to fail and one when it works again, not one a
/// second.
fn say(written: &Result<(), StoreError>, failing: &mut bool) {
    match written {
        Err(error) if !*failing => {
            tracing::warn!("the ledger of deprecated calls cannot be written, and waits: {error}");
        }
        Ok(()) if *failing => tracing::info!("the ledger of deprecated calls is written again"),
        _ => {}
    }
    *failing = written.is_err();
}
