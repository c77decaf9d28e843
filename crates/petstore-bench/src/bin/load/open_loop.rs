//! Sends requests at times that are set in advance, whether or not earlier requests have a
//! response. A late response delays the requests after it, and this waiting time counts as latency.
//! A load generator that waited for each response would send no requests while the service is
//! blocked, and would not measure the delay ("coordinated omission").

use anyhow::Context as _;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::{
    cell::Cell,
    io,
    time::{Duration, Instant},
};
use tokio::{net::unix::pipe, sync::Semaphore};

/// How often the schedule checks whether requests are due. The timers of tokio tick only once per
/// millisecond, which would be visible in every latency. A separate thread would take processor
/// time from the service for each tick.
const TICK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000,
};

/// The times at which requests are due, at equal distances from `start` to `end`.
pub(crate) struct Schedule {
    start: Instant,
    total: u64,
    between: f64,
    due: Semaphore,
    /// The number of requests that connections have taken.
    taken: Cell<u64>,
}

impl Schedule {
    pub(crate) fn new(start: Instant, end: Instant, rate: f64) -> Self {
        let seconds = end.duration_since(start).as_secs_f64();
        Self {
            start,
            total: (seconds * rate) as u64,
            between: rate.recip(),
            due: Semaphore::new(0),
            taken: Cell::new(0),
        }
    }

    /// Releases requests when they are due. Returns after it has released all of them and has told
    /// each of `connections` that there are no more.
    pub(crate) async fn keep(&self, connections: usize) -> anyhow::Result<()> {
        let timer = timer().context("cannot make a timer")?;
        let mut released = 0;
        while released < self.total {
            timer.readable().await?;
            // The number of ticks is ignored, because the clock is read.
            match timer.try_read(&mut [0; 8]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                ticks => ticks?,
            };
            let passed = self.start.elapsed().as_secs_f64();
            let due = ((passed / self.between) as u64 + 1).min(self.total);
            self.due.add_permits(due.saturating_sub(released) as usize);
            released = released.max(due);
        }
        self.due.add_permits(connections);
        Ok(())
    }

    /// Waits for the next request and returns when it was due; `None` after the last one.
    pub(crate) async fn next(&self) -> Option<Instant> {
        // The semaphore is never closed.
        self.due.acquire().await.ok()?.forget();
        let number = self.taken.replace(self.taken.get() + 1);
        let after = Duration::from_secs_f64(number as f64 * self.between);
        (number < self.total).then(|| self.start + after)
    }
}

/// Returns a timer that can be read once per [`TICK`].
fn timer() -> io::Result<pipe::Receiver> {
    let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
    let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
    let every = Itimerspec {
        it_interval: TICK,
        it_value: TICK,
    };
    timerfd_settime(&timer, TimerfdTimerFlags::empty(), &every)?;
    // It is not a pipe, but is read in the same way.
    pipe::Receiver::from_owned_fd_unchecked(timer)
}
