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
        "set the limit of open files and sockets"
    );
    Ok(())
}

/// Open files that are kept free for the admin listener, the store and the log.
const RESERVE: u64 = 64;

/// How many connections may be open: as many as wanted, but not so many that the limit of open
/// files is reached, because then nothing else of the service can open a file or a connection.
pub(crate) fn connections(wanted: usize) -> usize {
    let Some(limit) = getrlimit(Resource::Nofile).current else {
        return wanted;
    };
    let free = limit.saturating_sub(open_now().saturating_add(RESERVE));
    let most = usize::try_from(free.max(RESERVE / 4)).unwrap_or(usize::MAX);
    if most < wanted {
        tracing::warn!(
            "at most {most} connections instead of {wanted}, because the limit of open files and sockets is {limit}; raise it (`ulimit -n`, `LimitNOFILE=`)"
        );
    }
    wanted.min(most)
}

/// The number of open files and sockets; an estimate on systems without `/proc`.
fn open_now() -> u64 {
    std::fs::read_dir("/proc/self/fd").map_or(64, |files| files.count() as u64)
}
