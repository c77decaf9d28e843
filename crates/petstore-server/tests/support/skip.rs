//! Prints that a test is skipped, and why, when it cannot run on this machine.

use std::{
    env,
    io::{self, Write as _},
};

/// Says that a test cannot be run here, past the capture of its output, in the
/// words that `cargo xtask test` gathers; or fails it where `required_by`, a
/// variable, is `1`.
#[track_caller]
pub(crate) fn skip(required_by: &str, why: &str) {
    assert!(
        env::var_os(required_by).is_none_or(|value| value != "1"),
        "{why}, and {required_by}=1"
    );
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    // If the output has no reader, the message is lost.
    let _ = writeln!(io::stderr(), "skipped: {test}: {why}");
}
