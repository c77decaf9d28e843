//! Tests hostile clients over raw sockets and raw HTTP/2: clients that read nothing, send only half
//! of a request, use up all connections, or break the rules of HTTP. The memory of the service must
//! stay below 256 MB, and other clients must be served within a second.
//!
//! `PETSTORE_TEST_PROGRAM` names another build of the program, such as a release build.

mod admin;
mod attacked;
mod budgets;
mod crowd;
mod descriptors;
mod heads;
mod http1;
mod http2;
mod lockout;
mod streams;
mod tls;
mod unread;

use petstore_test_support::{attack, frames, memory, probe, process, raw, scrape};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Each of these tests uses the whole machine, so they run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    openapi_dropshot_server::open_files::raise_limit()
        .expect("the limit of open files can be raised");
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
