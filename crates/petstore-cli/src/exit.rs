//! With which code the program ends. The tables of `--help`, of the manual page
//! and of the README are this one.

use petstore_client::{Error, ErrorCode};
use std::fmt;

/// How a command went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All of it was done.
    Done,
    /// Something failed, and the message says what.
    Failed,
    /// The command line or the settings are wrong; nothing was sent.
    Usage,
    /// An import went through the whole file, and some lines were refused; or
    /// the states of pet and order do not allow what was asked for.
    Refused,
    /// An import went through the whole file, but for lines that may
    /// have been added before.
    Unknown,
    /// The service does not take the key.
    Unauthorized,
    /// There is no such pet or order.
    NotFound,
    /// The service could not be reached, or not now (`EX_TEMPFAIL` of
    /// sysexits.h).
    TryAgain,
    /// SIGINT came.
    Interrupted,
    /// SIGTERM came.
    Terminated,
}

/// What each exit code means.
pub(crate) const MEANINGS: [(Exit, &str); 10] = [
    (Exit::Done, "all of it was done"),
    (Exit::Failed, "something failed, and the message says what"),
    (
        Exit::Usage,
        "the command line or the settings are wrong; nothing was sent",
    ),
    (
        Exit::Refused,
        "an import is through, and some lines were refused; or an order or its step was refused",
    ),
    (
        Exit::Unknown,
        "an import is through, but for lines that may have been added before",
    ),
    (Exit::Unauthorized, "the service does not take the API key"),
    (Exit::NotFound, "there is no such pet or order"),
    (
        Exit::TryAgain,
        "the service cannot be reached, or not now: run the same command later",
    ),
    (
        Exit::Interrupted,
        "SIGINT (Ctrl-C); an import goes on when it is run again",
    ),
    (
        Exit::Terminated,
        "SIGTERM; an import goes on when it is run again",
    ),
];

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Refused => 3,
            Exit::Unknown => 4,
            Exit::Unauthorized => 5,
            Exit::NotFound => 6,
            Exit::TryAgain => 75,
            Exit::Interrupted => 130,
            Exit::Terminated => 143,
        }
    }

    /// What an error of the service means.
    pub(crate) fn of_call(error: &Error) -> Self {
        match error.code() {
            Some(ErrorCode::Unauthorized) => Exit::Unauthorized,
            Some(ErrorCode::NotFound) => Exit::NotFound,
            Some(ErrorCode::PetNotAvailable | ErrorCode::InvalidTransition) => Exit::Refused,
            _ if error.is_retryable() => Exit::TryAgain,
            _ => Exit::Failed,
        }
    }
}

/// An error for which the caller has to change something before anything can be
/// sent.
#[derive(Debug)]
pub(crate) struct WrongUsage(pub(crate) String);

impl fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}

/// The code for an error that ended a command.
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
    fn an_error_keeps_its_code_under_what_is_said_of_it() {
        let wrong: anyhow::Result<()> = Err(WrongUsage("no".to_owned()).into());
        let wrong = wrong.context("cannot begin").expect_err("it is one");
        assert_eq!(of(&wrong), Exit::Usage);
        assert_eq!(of(&anyhow::anyhow!("something")), Exit::Failed);
    }
}
