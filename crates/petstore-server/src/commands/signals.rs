//! The signals that the service knows: which came, not what is done then.

use anyhow::Context as _;
use tokio::signal::unix::{self, SignalKind};

/// What somebody wants of the service.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wish {
    /// To read its certificate again.
    Reload,
    /// To stop; by the signal of this name.
    Stop(&'static str),
}

/// The signals of this process. None of them ends it at once any more.
pub(super) struct Signals {
    hangup: unix::Signal,
    terminate: unix::Signal,
    interrupt: unix::Signal,
}

impl Signals {
    pub(super) fn listen() -> anyhow::Result<Self> {
        let listen = |kind| unix::signal(kind).context("cannot listen for signals");
        Ok(Signals {
            hangup: listen(SignalKind::hangup())?,
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
        })
    }

    /// The next of them.
    pub(super) async fn next(&mut self) -> Wish {
        tokio::select! {
            _ = self.terminate.recv() => Wish::Stop("SIGTERM"),
            _ = self.interrupt.recv() => Wish::Stop("SIGINT"),
            _ = self.hangup.recv() => Wish::Reload,
        }
    }

    /// The next of them that wants an end.
    pub(super) async fn stop(&mut self) -> &'static str {
        loop {
            if let Wish::Stop(signal) = self.next().await {
                return signal;
            }
        }
    }
}
