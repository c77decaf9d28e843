//! Logs each panic in one line, instead of the text that the standard library writes to
//! stderr.

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
