//! Defines the lines of a journal, and computes from them the state of each line of the input:
//! done, not sent, or sent at a known time without a known response.
//!
//! After a change of the format, journals of older versions must still be readable;
//! otherwise [`VERSION`] must be raised.

use crate::import::input::Fingerprint;
use bit_set::BitSet;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The version of the format of journals.
pub(super) const VERSION: u32 = 1;

/// The first line of a journal: the import to which it belongs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::import) struct Header {
    #[serde(rename = "petstore-import")]
    pub(super) version: u32,
    /// The prefix of all idempotency keys of the import.
    pub(super) run: Uuid,
    pub(super) url: String,
    pub(super) format: String,
    pub(super) input: Fingerprint,
    pub(super) begun: DateTime<Utc>,
}

/// Any other line of a journal: what happened to some lines of the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::import) enum Entry {
    /// The lines from `from` to `to`, both included, may be sent from now on.
    Sending {
        from: u64,
        to: u64,
        at: DateTime<Utc>,
        /// A hash of the API key that sends the lines; idempotency keys are valid for one API key
        /// only.
        key: String,
    },
    /// These lines were not sent after all.
    Unsent { from: u64, to: u64 },
    /// The line was added as a pet with this id.
    Added { line: u64, id: i64 },
    /// The service rejected the line permanently.
    Refused { line: u64, reason: String },
    /// The line is counted as done, because the caller chose `--unknown skip`.
    Skipped { line: u64 },
}

/// How long the service keeps an idempotency key after its creation.
const KEPT: TimeDelta = TimeDelta::hours(24);
/// The safety margin before that time: a request takes a while to arrive, and may be sent several
/// times.
const MARGIN: TimeDelta = TimeDelta::minutes(10);

/// The state of all lines.
#[derive(Debug)]
pub(in crate::import) struct State {
    /// The number of the last line.
    lines: u64,
    /// Added, rejected or skipped.
    settled: BitSet,
    /// The lines that were announced and have no result, unless the announcement was revoked.
    open: BitSet,
    windows: Vec<Window>,
    pub(in crate::import) added: u64,
    pub(in crate::import) refused: u64,
    pub(in crate::import) skipped: u64,
}

#[derive(Debug)]
struct Window {
    from: u64,
    to: u64,
    at: DateTime<Utc>,
    key: String,
}

impl State {
    pub(super) fn new(input: &Fingerprint) -> Self {
        State {
            lines: input.lines,
            settled: BitSet::new(),
            open: BitSet::new(),
            windows: Vec::new(),
            added: 0,
            refused: 0,
            skipped: 0,
        }
    }

    /// Applies an entry, or returns why the entry cannot belong to this input.
    pub(super) fn apply(&mut self, entry: Entry) -> Result<(), &'static str> {
        match entry {
            Entry::Sending { from, to, at, key } => {
                for line in self.checked(from, to)?.map(index) {
                    if !self.settled.contains(line) {
                        self.open.insert(line);
                    }
                }
                self.windows.push(Window { from, to, at, key });
            }
            Entry::Unsent { from, to } => {
                for line in self.checked(from, to)? {
                    self.open.remove(index(line));
                }
            }
            Entry::Added { line, .. } => self.added += self.settle(line)?,
            Entry::Refused { line, .. } => self.refused += self.settle(line)?,
            Entry::Skipped { line } => self.skipped += self.settle(line)?,
        }
        Ok(())
    }

    fn checked(&self, from: u64, to: u64) -> Result<std::ops::RangeInclusive<u64>, &'static str> {
        if from == 0 || to > self.lines {
            return Err("it names a line that the input does not have");
        }
        Ok(from..=to)
    }

    fn settle(&mut self, line: u64) -> Result<u64, &'static str> {
        self.checked(line, line)?;
        self.open.remove(index(line));
        Ok(u64::from(self.settled.insert(index(line))))
    }

    pub(in crate::import) fn is_settled(&self, line: u64) -> bool {
        self.settled.contains(index(line))
    }

    /// Whether the line may have been sent, and the response is unknown.
    pub(in crate::import) fn is_open(&self, line: u64) -> bool {
        self.open.contains(index(line))
    }

    /// Returns how many lines are done.
    pub(in crate::import) fn settled(&self) -> u64 {
        self.added + self.refused + self.skipped
    }

    /// Returns the last line of a range that starts at this line and has at most this many lines.
    /// The range ends before a line that may have been sent earlier, because such a line keeps its
    /// own time.
    pub(super) fn untouched_from(&self, line: u64, count: u64) -> u64 {
        let end = line.saturating_add(count - 1).min(self.lines);
        (line + 1..=end)
            .find(|next| self.open.contains(index(*next)))
            .map_or(end.max(line), |next| next - 1)
    }

    /// Whether the service still has the key of an open line: the line was sent less than 24 hours
    /// ago, and with the same API key. If the time of sending is in the future, the clock was
    /// changed, and the age is unknown.
    pub(super) fn can_send_again(&self, line: u64, now: DateTime<Utc>, key: &str) -> bool {
        let mut windows = self.windows.iter().rev();
        windows
            .find(|window| (window.from..=window.to).contains(&line))
            .is_some_and(|window| {
                let age = now - window.at;
                window.key == key && -MARGIN < age && age < KEPT - MARGIN
            })
    }
}

/// Returns the index of a line in a bit set: 100 million lines need 12 megabytes.
fn index(line: u64) -> usize {
    usize::try_from(line).expect("a line of a file that was read to its end")
}

#[cfg(test)]
mod tests;
