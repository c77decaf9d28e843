//! Parses the name of a database on a command line. [`open`](crate::open) opens
//! the database.

use crate::{OpenProblem, PostgresUrl};
use std::{fmt, path::PathBuf, str::FromStr};

/// The database to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// `sqlite:PATH`: a file, relative to the working folder or absolute.
    SqliteFile(PathBuf),
    /// `sqlite::memory:`: nothing outlives the process, and no other process
    /// sees it.
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

/// A text that names no database.
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
            // Not the text itself: the URL of another database may hold a password.
            return match text.split_once(':') {
                Some((scheme, _)) => reject(format!("the scheme `{scheme}:` is not supported")),
                None => reject("a database URL begins with its scheme".to_owned()),
            };
        };
        if place == ":memory:" {
            return Ok(Self::SqliteMemory);
        }
        if place.is_empty() || place.contains('\0') {
            return reject("the path of the database is missing or has a NUL in it".to_owned());
        }
        // Other programs read options there; to make a file whose name ends
        // in `?mode=ro` would be a bad surprise.
        if place.contains('?') {
            return reject("options after `?` are not supported".to_owned());
        }
        // `sqlite://pets.db` would be the file `/pets.db`, which is never intended.
        if place.starts_with("//") && !place.starts_with("///") {
            return reject("an SQLite database has no host, so no `//`".to_owned());
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
