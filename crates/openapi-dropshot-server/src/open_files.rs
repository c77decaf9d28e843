//! Raises the limit of open files and sockets as far as the system allows. Each
//! connection needs one of them.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;

/// Raises the limit to the highest allowed value (the "hard" limit), and logs it.
///
/// # Errors
///
/// The system does not allow it, as in a sandbox; the limit is unchanged.
pub fn raise_limit() -> io::Result<()> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let current = maximum;
        setrlimit(Resource::Nofile, Rlimit { current, maximum })?;
    }
    let text = |limit: Option<u64>| limit.map_or_else(|| "no limit".to_owned(), |n| n.to_string());
    tracing::info!(
        before = text(current),
        after = text(maximum),
        "the limit of open files and sockets"
    );
    Ok(())
}
