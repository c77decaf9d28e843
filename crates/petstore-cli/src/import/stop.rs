//! Handles signals that stop an import: the first one lets it finish what was
//! sent, the second one ends it at once.

use crate::exit::Exit;
use anyhow::{Context as _, Result};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

/// The signals that an import handles while it runs.
#[derive(Clone)]
pub(super) struct Stop(watch::Receiver<Option<Exit>>);

impl Stop {
    /// Begins to listen. Must be called inside a tokio runtime.
    pub(super) fn listen() -> Result<Self> {
        let context = "cannot listen to signals";
        let mut interrupt = signal(SignalKind::interrupt()).context(context)?;
        let mut terminate = signal(SignalKind::terminate()).context(context)?;
        let (tell, told) = watch::channel(None);
        tokio::spawn(async move {
            let first = either(&mut interrupt, &mut terminate).await;
            // The import has ended, and its receiver with it.
            let _ = tell.send(Some(first));
            let second = either(&mut interrupt, &mut terminate).await;
            eprintln!(
                "ended at once; lines without a response are sent again, with the same keys, when the same command runs again"
            );
            std::process::exit(i32::from(second.code()));
        });
        Ok(Stop(told))
    }

    /// The signal that came, if one did.
    pub(super) fn came(&self) -> Option<Exit> {
        *self.0.borrow()
    }

    /// Waits for one.
    pub(super) async fn comes(&mut self) {
        if self.0.wait_for(Option::is_some).await.is_err() {
            // No further signals will arrive.
            std::future::pending::<()>().await;
        }
    }
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) -> Exit {
    tokio::select! {
        _ = interrupt.recv() => Exit::Interrupted,
        _ = terminate.recv() => Exit::Terminated,
    }
}
