//! Receives the signals that the program handles.

use std::io;
use tokio::signal::unix::{self, SignalKind};

/// What a signal requests.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    /// Read the certificate again.
    Reload,
    /// Stop; the name of the signal.
    Stop(&'static str),
}

/// The signals of this process. None of them ends it at once any longer.
pub(super) struct Signals {
    hangup: unix::Signal,
    terminate: unix::Signal,
    interrupt: unix::Signal,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Signals {
            hangup: unix::signal(SignalKind::hangup())?,
            terminate: unix::signal(SignalKind::terminate())?,
            interrupt: unix::signal(SignalKind::interrupt())?,
        })
    }

    /// The request of the next signal.
    pub(super) async fn next(&mut self) -> Request {
        tokio::select! {
            _ = self.terminate.recv() => Request::Stop("SIGTERM"),
            _ = self.interrupt.recv() => Request::Stop("SIGINT"),
            _ = self.hangup.recv() => Request::Reload,
        }
    }

    /// The name of the next signal that requests a stop.
    pub(super) async fn stop(&mut self) -> &'static str {
        loop {
            if let Request::Stop(signal) = self.next().await {
                return signal;
            }
        }
    }
}
