//! The parts for a browser: JavaScript timers, and JavaScript values, which never leave their
//! thread.

use futures_util::future::{Either, select};
use send_wrapper::SendWrapper;
use std::{future::Future, pin::pin, time::Duration};
pub(crate) use web_time::Instant;

/// The longest time of a JavaScript timer: 2^31 - 1 milliseconds.
const LONGEST: Duration = Duration::from_millis(i32::MAX as u64);

/// A value of reqwest. It can be used as `Send` while it stays on its thread, and panics on another
/// thread.
pub(crate) type Local<T> = SendWrapper<T>;

pub(crate) fn local<T>(value: T) -> Local<T> {
    SendWrapper::new(value)
}

pub(crate) fn take<T>(value: Local<T>) -> T {
    value.take()
}

pub(crate) fn now() -> Instant {
    Instant::now()
}

pub(crate) fn sleep(time: Duration) -> impl Future<Output = ()> + Send {
    local(gloo_timers::future::sleep(time.min(LONGEST)))
}

/// Returns `None` if the future takes longer than the limit.
pub(crate) async fn timeout<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    match select(pin!(future), pin!(sleep(limit))).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}
