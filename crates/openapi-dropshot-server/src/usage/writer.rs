//! The task that writes the usage counters to the state of the service.

use super::UsageCounters;
use crate::state::{State, StateError};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::Notify,
    task::JoinHandle,
    time::{self, MissedTickBehavior},
};

/// How often the counts are written, if there are any.
const PERIOD: Duration = Duration::from_secs(1);

/// The running task.
#[derive(Debug)]
pub(crate) struct UsageWriter {
    stop: Arc<Notify>,
    task: JoinHandle<()>,
}

impl UsageWriter {
    /// Starts the task. Must be called inside a tokio runtime.
    pub(crate) fn start<S: State>(
        counters: Arc<UsageCounters<S::Principal>>,
        state: Arc<S>,
    ) -> Self {
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
                let written = write(&counters, &*state).await;
                log_change(&written, &mut failing);
                if last {
                    break;
                }
            }
        });
        UsageWriter { stop, task }
    }

    /// Writes what is left, and ends.
    pub(crate) async fn finish(self) {
        self.stop.notify_one();
        if let Err(error) = self.task.await {
            tracing::error!("the usage counters were not all written: {error}");
        }
    }
}

async fn write<S: State>(
    counters: &UsageCounters<S::Principal>,
    state: &S,
) -> Result<(), StateError> {
    let usage = counters.take();
    if usage.is_empty() {
        return Ok(());
    }
    let written = state.record_usage(usage.clone()).await;
    if written.is_err() {
        // Also where the outcome is unknown: a call that is counted twice
        // does less harm than one that is never counted.
        counters.put_back(usage);
    }
    written
}

/// One line when it begins to fail and one when it works again, not one a
/// second.
fn log_change(written: &Result<(), StateError>, failing: &mut bool) {
    match written {
        Err(error) if !*failing => {
            tracing::warn!("the usage counters cannot be written and are kept in memory: {error}");
        }
        Ok(()) if *failing => tracing::info!("the usage counters are written again"),
        _ => {}
    }
    *failing = written.is_err();
}
