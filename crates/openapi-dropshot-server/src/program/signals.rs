//! Receives the signals that the program handles.

use std::io;
use tokio::signal::unix::{self, SignalKind};

/// The action that a signal requests.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    /// Read the certificate again.
    Reload,
    /// Stop. Contains the name of the signal.
    Stop(&'static str),
}

/// The signals of this process. While this exists, none of them ends the process at once.
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

    /// Waits for the next signal and returns the action that it requests.
    pub(super) async fn next(&mut self) -> Request {
        tokio::select! {
            _ = self.terminate.recv() => Request::Stop("SIGTERM"),
            _ = self.interrupt.recv() => Request::Stop("SIGINT"),
            _ = self.hangup.recv() => Request::Reload,
        }
    }

    /// Waits for the next signal that requests a stop and returns its name.
    pub(super) async fn stop(&mut self) -> &'static str {
        loop {
            if let Request::Stop(signal) = self.next().await {
                return signal;
            }
        }
    }
}
