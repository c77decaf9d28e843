//! Raises the limit of open files and sockets as far as the system allows. Each connection needs
//! one of them.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;

/// Raises the limit to the highest allowed value (the "hard" limit), and logs it.
///
/// # Errors
///
/// Returns an error if the system does not allow it, as in a sandbox; the limit is then unchanged.
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
        "set the limit of open files and sockets"
    );
    Ok(())
}

/// The number of open files that are reserved for the admin listener, the store and the log.
const RESERVE: u64 = 64;

/// Returns how many connections may be open: the wanted number, or fewer if the limit of open files
/// is too low for it. If connections used up this limit, no other part of the service could open a
/// file or a connection.
pub(crate) fn connections(wanted: usize) -> usize {
    let Some(limit) = getrlimit(Resource::Nofile).current else {
        return wanted;
    };
    let free = limit.saturating_sub(open_now().saturating_add(RESERVE));
    let most = usize::try_from(free.max(RESERVE / 4)).unwrap_or(usize::MAX);
    if most < wanted {
        tracing::warn!(
            "at most {most} connections instead of {wanted}, because the limit of open files and sockets is {limit}; raise the limit (`ulimit -n`, `LimitNOFILE=`)"
        );
    }
    wanted.min(most)
}

/// Returns the number of open files and sockets; an estimate on systems without `/proc`.
fn open_now() -> u64 {
    std::fs::read_dir("/proc/self/fd").map_or(64, |files| files.count() as u64)
}
