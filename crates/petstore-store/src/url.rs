//! Parses the name of a database on a command line. [`open`](crate::open) opens
//! the database.

use crate::{OpenProblem, PostgresUrl};
use std::{fmt, path::PathBuf, str::FromStr};

/// The database to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// `sqlite:PATH`: a file, relative to the working folder or absolute.
    SqliteFile(PathBuf),
    /// `sqlite::memory:`: the data is lost when the process ends, and no other
    /// process can use it.
    SqliteMemory,
    /// `postgres://…`: a database that several servers can share.
    Postgres(PostgresUrl),
}

impl DatabaseUrl {
    /// Reads the certificates that the URL names, as [`open`](crate::open) does.
    ///
    /// # Errors
    ///
    /// [`OpenProblem::NoCertificates`]
    pub fn check_certificates(&self) -> Result<(), OpenProblem> {
        match self {
            Self::Postgres(url) => crate::postgres::check_certificates(url),
            Self::SqliteFile(_) | Self::SqliteMemory => Ok(()),
        }
    }
}

/// The error of parsing an invalid [`DatabaseUrl`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{problem}; write `sqlite:PATH` for a file, `sqlite::memory:` for a store in memory, which is lost when the service stops, or `postgres://USER@HOST/NAME`"
)]
pub struct InvalidDatabaseUrl {
    problem: String,
}

impl FromStr for DatabaseUrl {
    type Err = InvalidDatabaseUrl;

    fn from_str(text: &str) -> Result<Self, InvalidDatabaseUrl> {
        let reject = |problem: String| Err(InvalidDatabaseUrl { problem });
        if let Some(url) = PostgresUrl::parse(text) {
            return url.map(Self::Postgres).or_else(reject);
        }
        let Some(place) = text.strip_prefix("sqlite:") else {
            // The message must not contain the whole text: the URL of another database may hold a password.
            return match text.split_once(':') {
                Some((scheme, _)) => reject(format!("the scheme `{scheme}:` is not supported")),
                None => reject("a database URL must begin with its scheme".to_owned()),
            };
        };
        if place == ":memory:" {
            return Ok(Self::SqliteMemory);
        }
        if place.is_empty() || place.contains('\0') {
            return reject("the path of the database is missing or contains a NUL".to_owned());
        }
        // Other programs read options after `?`. Users would not expect a file
        // whose name ends with `?mode=ro`.
        if place.contains('?') {
            return reject("options after `?` are not supported".to_owned());
        }
        // `sqlite://pets.db` would be the file `/pets.db`, which is never intended.
        if place.starts_with("//") && !place.starts_with("///") {
            return reject("an SQLite database has no host, so `//` is not allowed".to_owned());
        }
        let path = place.strip_prefix("//").unwrap_or(place);
        Ok(Self::SqliteFile(PathBuf::from(path)))
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SqliteFile(path) => write!(f, "sqlite:{}", path.display()),
            Self::SqliteMemory => f.write_str("sqlite::memory:"),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests;
