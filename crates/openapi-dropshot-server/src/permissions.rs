//! The limits of a principal: the operations that it may call, its rate limit, and its expiry.

use crate::config::Rate;
use chrono::{DateTime, Utc};
use http::Method;
use std::{fmt, str::FromStr};

/// The limits of a principal. By default, a principal may call every operation, has the rate limit
/// of the settings, and does not expire.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Permissions {
    /// The operations that the principal may call; others are rejected with 403.
    pub scope: Scope,
    /// The rate limit of the principal, in requests per second; `None` for the rate limit of the
    /// settings. The burst is always that of the settings.
    pub rate: Option<Rate>,
    /// The time at which the credential expires; from then on it is rejected with 401.
    pub expires_at: Option<DateTime<Utc>>,
}

/// The operations that a principal may call. The method of an operation decides which scope it
/// requires: `read` if the method is safe (RFC 9110, section 9.2.1), otherwise `write`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Scope {
    /// `read`: the operations with a safe method, such as GET.
    Read,
    /// `read,write`: all operations.
    #[default]
    ReadWrite,
}

impl Scope {
    /// Returns the scope as text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::ReadWrite => "read,write",
        }
    }

    /// Whether operations with this method may be called.
    #[must_use]
    pub fn allows(self, method: &str) -> bool {
        match self {
            Scope::ReadWrite => true,
            // Methods are case-sensitive, and an unknown method is not safe.
            Scope::Read => Method::from_bytes(method.as_bytes()).is_ok_and(|m| m.is_safe()),
        }
    }
}

/// The error of parsing an invalid [`Scope`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("write `read` or `read,write`")]
pub struct InvalidScope;

impl FromStr for Scope {
    type Err = InvalidScope;

    fn from_str(text: &str) -> Result<Self, InvalidScope> {
        [Scope::Read, Scope::ReadWrite]
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or(InvalidScope)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_for_reading_allows_safe_methods_only() {
        for method in ["GET", "HEAD", "OPTIONS", "QUERY"] {
            assert!(Scope::Read.allows(method), "{method}");
        }
        for method in ["POST", "PUT", "PATCH", "DELETE", "get", "", "NEW"] {
            assert!(!Scope::Read.allows(method), "{method}");
            assert!(Scope::ReadWrite.allows(method), "{method}");
        }
    }

    #[test]
    fn a_scope_can_be_parsed_from_its_display_text_and_other_texts_are_rejected() {
        for scope in [Scope::Read, Scope::ReadWrite] {
            assert_eq!(scope.to_string().parse(), Ok(scope));
        }
        for text in ["", "write", "write,read", "read, write", "READ"] {
            assert_eq!(text.parse::<Scope>(), Err(InvalidScope), "{text}");
        }
    }
}
