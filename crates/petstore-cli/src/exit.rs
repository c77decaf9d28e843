//! Declares the exit codes of the program. `--help`, the manual page and the README show the table
//! of exit codes.

use petstore_client::{Error, ErrorCode};

/// The result of a command. Each variant is an exit code, and [`MEANINGS`] describes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Refused = 3,
    Unknown = 4,
    Unauthorized = 5,
    NotFound = 6,
    /// The same code as `EX_TEMPFAIL` in `sysexits.h`.
    TryAgain = 75,
    Interrupted = 130,
    Terminated = 143,
}

/// The meaning of each exit code.
pub(crate) const MEANINGS: [(Exit, &str); 10] = [
    (Exit::Done, "the command succeeded"),
    (Exit::Failed, "the command failed; the message says why"),
    (
        Exit::Usage,
        "the command line or a setting is wrong; nothing was sent",
    ),
    (
        Exit::Refused,
        "an import finished, but some lines were rejected; or an order or its change was rejected",
    ),
    (
        Exit::Unknown,
        "an import finished, but lines that may have been added earlier were held back",
    ),
    (
        Exit::Unauthorized,
        "the service rejected the API key, or the scope of the key does not allow the command",
    ),
    (Exit::NotFound, "the pet or the order does not exist"),
    (
        Exit::TryAgain,
        "the service is unreachable or temporarily unavailable; run the same command again later",
    ),
    (
        Exit::Interrupted,
        "interrupted by SIGINT (Ctrl-C); run an import again to continue it",
    ),
    (
        Exit::Terminated,
        "interrupted by SIGTERM; run an import again to continue it",
    ),
];

impl Exit {
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    /// Returns the exit code for an error of the service.
    pub(crate) fn of_call(error: &Error) -> Self {
        match error.code() {
            Some(ErrorCode::Unauthorized | ErrorCode::InsufficientScope) => Exit::Unauthorized,
            Some(ErrorCode::NotFound) => Exit::NotFound,
            Some(ErrorCode::PetNotAvailable | ErrorCode::InvalidTransition) => Exit::Refused,
            _ if error.is_retryable() => Exit::TryAgain,
            _ => Exit::Failed,
        }
    }
}

/// An error that the caller has to correct before anything can be sent.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WrongUsage(pub(crate) String);

/// Returns the exit code for the error that ended a command.
pub(crate) fn of(error: &anyhow::Error) -> Exit {
    error
        .chain()
        .find_map(|cause| {
            if cause.is::<WrongUsage>() {
                return Some(Exit::Usage);
            }
            cause.downcast_ref::<Error>().map(Exit::of_call)
        })
        .unwrap_or(Exit::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[test]
    fn an_error_with_context_keeps_its_exit_code() {
        let wrong: anyhow::Result<()> = Err(WrongUsage("no".to_owned()).into());
        let wrong = wrong.context("cannot begin").expect_err("it is one");
        assert_eq!(of(&wrong), Exit::Usage);
        assert_eq!(of(&anyhow::anyhow!("something")), Exit::Failed);
    }
}
