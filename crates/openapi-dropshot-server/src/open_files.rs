//! Raises the limit of open files and sockets, of which each connection is
//! one, as far as the system lets a process raise it by itself.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;

/// The limit before and after it was raised; `None` where there is none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Raised {
    /// What the process was started with.
    pub before: Option<u64>,
    /// What it has now.
    pub after: Option<u64>,
}

/// Raises the limit to the highest that is allowed ("hard" limit).
///
/// # Errors
///
/// The system does not allow it, as in a sandbox; the limit stays.
pub fn raise_limit() -> io::Result<Raised> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        setrlimit(
            Resource::Nofile,
            Rlimit {
                current: maximum,
                maximum,
            },
        )?;
    }
    Ok(Raised {
        before: current,
        after: maximum,
    })
}
