//! The parts for an operating system: timers of tokio, and values that can move between threads.

use futures_util::FutureExt as _;
pub(crate) use std::time::Instant;
use std::{future::Future, time::Duration};

/// A value of reqwest.
pub(crate) type Local<T> = T;

pub(crate) fn local<T>(value: T) -> Local<T> {
    value
}

pub(crate) fn take<T>(value: Local<T>) -> T {
    value
}

/// The clock of tokio, so that a test can pause it.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

pub(crate) fn sleep(time: Duration) -> impl Future<Output = ()> + Send {
    tokio::time::sleep(time)
}

/// Returns `None` if the future takes longer than the limit.
pub(crate) fn timeout<F: Future>(
    limit: Duration,
    future: F,
) -> impl Future<Output = Option<F::Output>> {
    tokio::time::timeout(limit, future).map(Result::ok)
}
