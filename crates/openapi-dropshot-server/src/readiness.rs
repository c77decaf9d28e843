//! The phase of the server between start and shutdown. `/readyz` reports it to a load
//! balancer, and the pipeline uses it to reject requests.

use std::{
    pin::pin,
    sync::atomic::{AtomicU8, Ordering},
};
use tokio::sync::Notify;

/// A phase of a server. A server goes through the phases in this order, and never goes back.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[repr(u8)]
pub enum Phase {
    /// The server is bound to its address, but does not accept connections yet.
    Starting,
    /// The server responds to requests.
    Ready,
    /// The server still responds, but will stop soon: load balancers should send no more requests.
    Leaving,
    /// The server finishes running requests and rejects new ones.
    Stopping,
}

/// The phase of one server.
#[derive(Debug)]
pub struct Readiness {
    phase: AtomicU8,
    changed: Notify,
}

impl Readiness {
    const PHASES: [Phase; 4] = [
        Phase::Starting,
        Phase::Ready,
        Phase::Leaving,
        Phase::Stopping,
    ];

    pub(crate) const fn new() -> Self {
        Readiness {
            phase: AtomicU8::new(Phase::Starting as u8),
            changed: Notify::const_new(),
        }
    }

    /// Returns the current phase.
    #[must_use]
    pub fn phase(&self) -> Phase {
        Self::PHASES[usize::from(self.phase.load(Ordering::Acquire))]
    }

    /// Returns when the server stops.
    pub(crate) async fn stopped(&self) {
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if self.phase() == Phase::Stopping {
                return;
            }
            changed.await;
        }
    }

    /// Advances to a phase; never returns to an earlier phase.
    pub(crate) fn advance(&self, to: Phase) {
        self.phase.fetch_max(to as u8, Ordering::AcqRel);
        self.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_never_returns_to_an_earlier_phase() {
        let readiness = Readiness::new();
        assert_eq!(readiness.phase(), Phase::Starting);
        for phase in Readiness::PHASES {
            readiness.advance(phase);
            readiness.advance(Phase::Starting);
            assert_eq!(readiness.phase(), phase);
        }
    }
}
