//! Panics go to the log, in one line, instead of to stderr past it. That the
//! request which met one is answered, and the server goes on, is left to the
//! door.

use std::panic;

/// Makes every panic of the process an `error` of the log.
pub fn log_panics() {
    panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("a value that is no text");
        match panic.location() {
            Some(place) => tracing::error!(%place, "panicked: {message}"),
            None => tracing::error!("panicked: {message}"),
        }
    }));
}
