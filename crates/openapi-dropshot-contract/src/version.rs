//! Versions in the order of semantic versioning (<https://semver.org>).

use std::fmt;

/// `MAJOR.MINOR.PATCH`, ordered by precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The number that increases if a client can break.
    pub major: u64,
    /// The number that increases if something was added.
    pub minor: u64,
    /// The number that increases if a bug was fixed.
    pub patch: u64,
}

impl Version {
    /// Parses `1.2.3`. Shorter forms such as `1.0`, which some documents of oasdiff have, are
    /// filled with zeros. Returns `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse().ok()).flatten()
        });
        let version = Version {
            major: parts.next()??,
            minor: parts.next().unwrap_or(Some(0))?,
            patch: parts.next().unwrap_or(Some(0))?,
        };
        parts.next().is_none().then_some(version)
    }

    /// Whether the next version may break a client of this version: if the next major number is
    /// larger or, before 1.0.0, if the next minor number is larger.
    pub fn allows_break(self, next: Version) -> bool {
        next.major > self.major || (self.major == 0 && next.major == 0 && next.minor > self.minor)
    }

    /// Returns the smallest version bump that leads from this version to a later one; `None` if the
    /// other version is not later.
    pub fn bump_to(self, next: Version) -> Option<Bump> {
        if next <= self {
            None
        } else if self.allows_break(next) {
            Some(Bump::Major)
        } else if next.minor > self.minor {
            Some(Bump::Minor)
        } else {
            Some(Bump::Patch)
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Which number of a version has to increase. The smallest bump is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// Nothing changed that clients can see.
    Patch,
    /// Something was added.
    Minor,
    /// A client can break.
    Major,
}

impl fmt::Display for Bump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bump::Patch => "patch",
            Bump::Minor => "minor",
            Bump::Major => "major",
        })
    }
}
