//! Versions in the order of semantic versioning (<https://semver.org>).

use std::fmt;

/// `MAJOR.MINOR.PATCH`, ordered by precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Increases if a client can break.
    pub major: u64,
    /// Increases if something was added.
    pub minor: u64,
    /// Increases if a bug was fixed.
    pub patch: u64,
}

impl Version {
    /// Reads `1.2.3`; shorter forms as oasdiff's documents have them (`1.0`)
    /// are filled with zeros. `None` for anything else.
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

    /// Whether a client of this version may break with the next: a larger
    /// major number, or before 1.0.0 a larger minor one.
    pub fn allows_break(self, next: Version) -> bool {
        next.major > self.major || (self.major == 0 && next.major == 0 && next.minor > self.minor)
    }

    /// The smallest step from this version to a later one; `None` if the
    /// other is not later.
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

/// Which number of a version has to increase, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// Nothing that a client sees changed.
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
