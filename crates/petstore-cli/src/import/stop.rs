//! Handles signals that stop an import. After the first signal, the import still waits for the
//! lines that were sent; the second signal ends it at once.

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
    /// Starts to listen for signals. Must be called inside a tokio runtime.
    pub(super) fn listen() -> Result<Self> {
        let context = "cannot listen to signals";
        let mut interrupt = signal(SignalKind::interrupt()).context(context)?;
        let mut terminate = signal(SignalKind::terminate()).context(context)?;
        let (tell, told) = watch::channel(None);
        tokio::spawn(async move {
            let first = either(&mut interrupt, &mut terminate).await;
            // The import has ended, so nobody receives the signal.
            let _ = tell.send(Some(first));
            let second = either(&mut interrupt, &mut terminate).await;
            eprintln!(
                "ended at once; run the same command again to continue: lines without a response are then sent again, with the same keys"
            );
            std::process::exit(i32::from(second.code()));
        });
        Ok(Stop(told))
    }

    /// Returns the signal that has arrived, if there is one.
    pub(super) fn came(&self) -> Option<Exit> {
        *self.0.borrow()
    }

    /// Waits for a signal.
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
