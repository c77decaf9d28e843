//! Counts the values and requests that were tried.

use std::fmt;

/// How many valid and invalid things were tried.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    valid: usize,
    invalid: usize,
}

impl Tally {
    /// Counts one more.
    pub(super) fn count(&mut self, is_valid: bool) {
        if is_valid {
            self.valid += 1;
        } else {
            self.invalid += 1;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}+{}", self.valid, self.invalid))
    }
}
