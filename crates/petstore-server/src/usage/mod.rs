//! Who still calls what is deprecated, and when a key was used last: counted
//! here as requests come, and written to the store by `writer` in batches, since
//! one write a request would cost more than the request. A crash loses what the
//! last seconds counted. What the owner is shown is left to `petstore-server
//! usage` and the metrics.

mod writer;

pub(crate) use writer::Writer;

use crate::api::{Named as _, Operation, OperationId};
use chrono::{DateTime, NaiveDate, Utc};
use petstore_store::{KeyId, KeyUse, Usage, UsageDelta};
use std::{
    collections::{HashMap, hash_map::Entry},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What is not in the store yet. As large as the number of keys that are in
/// use, times the number of deprecated operations.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Pending>);

#[derive(Debug, Default)]
struct Pending {
    uses: HashMap<KeyId, DateTime<Utc>>,
    calls: HashMap<(KeyId, OperationId), Calls>,
    /// On which day a caller was in the log last.
    logged: HashMap<(KeyId, OperationId), NaiveDate>,
}

#[derive(Clone, Copy, Debug)]
struct Calls {
    number: u64,
    first: DateTime<Utc>,
    last: DateTime<Utc>,
}

impl Ledger {
    /// Counts a request that came with a valid key.
    pub(crate) fn record(&self, key: &KeyId, operation: &Operation, now: DateTime<Utc>) {
        let is_new_today = {
            let mut pending = self.pending();
            pending.used(key, now);
            operation.deprecation.is_some() && pending.called(key, operation.id(), now)
        };
        if let (true, Some(deprecation)) = (is_new_today, operation.deprecation) {
            tracing::warn!(
                key_id = key.as_str(),
                operation = operation.name,
                sunset = deprecation.sunset_header,
                "a deprecated operation is still called, said once a day and key; {}",
                deprecation.note
            );
        }
    }

    /// Takes out what is not in the store yet.
    fn take(&self) -> Usage {
        let (uses, calls) = {
            let mut pending = self.pending();
            (mem::take(&mut pending.uses), mem::take(&mut pending.calls))
        };
        let delta = |((key, operation), calls): ((KeyId, OperationId), Calls)| UsageDelta {
            key,
            operation: operation.as_str().to_owned(),
            calls: calls.number,
            first_seen: calls.first,
            last_seen: calls.last,
        };
        Usage {
            calls: calls.into_iter().map(delta).collect(),
            uses: uses
                .into_iter()
                .map(|(key, at)| KeyUse { key, at })
                .collect(),
        }
    }

    /// Puts back what could not be written.
    fn put_back(&self, usage: Usage) {
        let mut pending = self.pending();
        for KeyUse { key, at } in usage.uses {
            pending.used(&key, at);
        }
        for delta in usage.calls {
            let Some(operation) = OperationId::from_name(&delta.operation) else {
                continue;
            };
            let calls = Calls {
                number: delta.calls,
                first: delta.first_seen,
                last: delta.last_seen,
            };
            pending.add((delta.key, operation), calls);
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        // A panic under the lock leaves counts that are right, or one less.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    fn used(&mut self, key: &KeyId, at: DateTime<Utc>) {
        match self.uses.get_mut(key) {
            Some(last) => *last = at.max(*last),
            None => {
                self.uses.insert(*key, at);
            }
        }
    }

    /// Whether the caller was not in the log yet on this day.
    fn called(&mut self, key: &KeyId, operation: OperationId, at: DateTime<Utc>) -> bool {
        let caller = (*key, operation);
        let calls = Calls {
            number: 1,
            first: at,
            last: at,
        };
        self.add(caller, calls);
        let today = at.date_naive();
        self.logged.insert(caller, today) != Some(today)
    }

    fn add(&mut self, caller: (KeyId, OperationId), more: Calls) {
        match self.calls.entry(caller) {
            Entry::Vacant(entry) => {
                entry.insert(more);
            }
            Entry::Occupied(mut entry) => {
                let calls = entry.get_mut();
                calls.number += more.number;
                calls.first = calls.first.min(more.first);
                calls.last = calls.last.max(more.last);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::OPERATIONS;

    fn time(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).expect("a time")
    }

    fn key() -> KeyId {
        KeyId::from_random(1)
    }

    #[test]
    fn every_use_of_a_key_counts_and_only_calls_of_what_is_deprecated() {
        let ledger = Ledger::default();
        for operation in OPERATIONS {
            ledger.record(&key(), operation, time(5));
            ledger.record(&key(), operation, time(3));
        }
        let usage = ledger.take();
        let uses = [KeyUse {
            key: key(),
            at: time(5),
        }];
        assert_eq!(usage.uses, uses);
        let deprecated = OPERATIONS.iter().filter(|one| one.deprecation.is_some());
        assert_eq!(usage.calls.len(), deprecated.count());
        for delta in &usage.calls {
            let counted = (delta.calls, delta.first_seen, delta.last_seen);
            assert_eq!(counted, (2, time(3), time(5)));
        }
        assert!(ledger.take().is_empty());
    }

    #[test]
    fn what_could_not_be_written_is_added_to_what_came_since() {
        let ledger = Ledger::default();
        let count = |number| {
            for operation in OPERATIONS {
                ledger.record(&key(), operation, time(number));
            }
        };
        count(1);
        let lost = ledger.take();
        count(2);
        ledger.put_back(lost);
        let usage = ledger.take();
        assert_eq!(usage.uses.len(), 1);
        assert_eq!(usage.uses[0].at, time(2));
        for delta in &usage.calls {
            let counted = (delta.calls, delta.first_seen, delta.last_seen);
            assert_eq!(counted, (2, time(1), time(2)));
        }
    }

    #[test]
    fn a_caller_is_logged_once_a_day() {
        let mut pending = Pending::default();
        let mut logged = |seconds| pending.called(&key(), OperationId::GetPet, time(seconds));
        assert!(logged(0));
        assert!(!logged(86_399));
        assert!(logged(86_400));
        assert!(!logged(86_401));
    }
}
