//! Counts the calls of operations by principal, and records when each principal was last seen. By default, only deprecated
//! operations are counted. The counters are kept in memory, and [`UsageWriter`] adds them to the state of the service in batches,
//! because one write for each request would cost more than the request itself. A crash loses the counts of the last seconds.

use crate::{
    config::CountCalls,
    lock::lock,
    principals::Caller,
    state::{DeprecatedCalls, Seen, State, StateError, Usage},
};
use chrono::{DateTime, NaiveDate, Utc};
use foldhash::fast::RandomState;
use http::HeaderValue;
use openapi_dropshot_types::Operation;
use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    mem,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{sync::Notify, task::JoinHandle, time::timeout};

/// How often the counters are written, if they changed.
const PERIOD: Duration = Duration::from_secs(1);

/// The counts that are not written yet. Their number is at most the number of principals in use times the
/// number of counted operations.
#[derive(Debug)]
pub(crate) struct UsageCounters<P> {
    counted: CountCalls,
    pending: Mutex<Pending<P>>,
}

#[derive(Debug)]
struct Pending<P> {
    seen: HashMap<P, DateTime<Utc>, RandomState>,
    /// The counts by principal, index of the operation and day.
    by_day: HashMap<(P, usize, NaiveDate), DeprecatedCalls<P>, RandomState>,
    /// The day on which a call was last logged.
    logged: HashMap<(P, usize), NaiveDate, RandomState>,
}

impl<P: Clone + Eq + Hash> UsageCounters<P> {
    /// Creates counters for the calls of these operations.
    pub(crate) fn new(counted: CountCalls) -> Self {
        let pending = Pending {
            seen: HashMap::default(),
            by_day: HashMap::default(),
            logged: HashMap::default(),
        };
        UsageCounters {
            counted,
            pending: Mutex::new(pending),
        }
    }

    /// Whether the calls of an operation are counted.
    pub(crate) fn counts(&self, operation: &Operation) -> bool {
        self.counted == CountCalls::All || operation.deprecation.is_some()
    }

    /// Counts a request of a principal. `key_id` is the id of the principal in the log.
    pub(crate) fn record(
        &self,
        principal: &P,
        key_id: &str,
        operation: &'static Operation,
        now: DateTime<Utc>,
        user_agent: Option<&HeaderValue>,
    ) {
        let is_first_today = {
            let mut pending = lock(&self.pending);
            pending.add_seen(principal, now);
            self.counts(operation) && pending.count_call(principal, operation, now, user_agent)
        };
        if let (true, Some(deprecation)) = (is_first_today, operation.deprecation) {
            tracing::warn!(
                key_id,
                operation = operation.name,
                sunset = deprecation.sunset_header,
                "a deprecated operation is still called (logged once per key and day); {}",
                deprecation.note
            );
        }
    }

    /// Removes and returns the counts that are not written yet.
    fn take(&self) -> Usage<P> {
        let (seen, by_day) = {
            let mut pending = lock(&self.pending);
            (mem::take(&mut pending.seen), mem::take(&mut pending.by_day))
        };
        let mut calls: Vec<_> = by_day.into_values().collect();
        // Around midnight there are counts of two days. The later user agent must be stored last.
        calls.sort_unstable_by_key(|calls| calls.last_seen);
        Usage {
            calls,
            seen: seen
                .into_iter()
                .map(|(principal, at)| Seen { principal, at })
                .collect(),
        }
    }

    /// Puts back counts that could not be written.
    fn put_back(&self, usage: Usage<P>) {
        let mut pending = lock(&self.pending);
        for Seen { principal, at } in usage.seen {
            pending.add_seen(&principal, at);
        }
        for calls in usage.calls {
            pending.add_calls(calls);
        }
    }
}

impl<P: Clone + Eq + Hash> Pending<P> {
    fn add_seen(&mut self, principal: &P, at: DateTime<Utc>) {
        match self.seen.get_mut(principal) {
            Some(last) => *last = at.max(*last),
            None => {
                self.seen.insert(principal.clone(), at);
            }
        }
    }

    /// Counts a call, and returns whether it is the principal's first one on this day; only the first call
    /// is logged.
    fn count_call(
        &mut self,
        principal: &P,
        operation: &'static Operation,
        at: DateTime<Utc>,
        user_agent: Option<&HeaderValue>,
    ) -> bool {
        let today = at.date_naive();
        let counter = (principal.clone(), operation.index, today);
        if let Some(counted) = self.by_day.get_mut(&counter) {
            // The usual case: the call is counted without an allocation, and an earlier call was already
            // logged.
            counted.calls += 1;
            counted.first_seen = counted.first_seen.min(at);
            counted.last_seen = counted.last_seen.max(at);
            if let Some(value) = user_agent
                && counted.user_agent.as_deref().map(str::as_bytes) != Some(cut(value))
            {
                counted.user_agent = Some(readable(value));
            }
            return false;
        }
        self.add_calls(DeprecatedCalls {
            principal: principal.clone(),
            operation,
            calls: 1,
            first_seen: at,
            last_seen: at,
            user_agent: user_agent.map(readable),
        });
        let (principal, index, today) = counter;
        self.logged.insert((principal, index), today) != Some(today)
    }

    fn add_calls(&mut self, more: DeprecatedCalls<P>) {
        let day = more.last_seen.date_naive();
        let counter = (more.principal.clone(), more.operation.index, day);
        match self.by_day.entry(counter) {
            Entry::Vacant(entry) => {
                entry.insert(more);
            }
            Entry::Occupied(mut entry) => {
                let counted = entry.get_mut();
                counted.calls += more.calls;
                counted.first_seen = counted.first_seen.min(more.first_seen);
                if more.user_agent.is_some()
                    && (counted.user_agent.is_none() || more.last_seen >= counted.last_seen)
                {
                    counted.user_agent = more.user_agent;
                }
                counted.last_seen = counted.last_seen.max(more.last_seen);
            }
        }
    }
}

/// The longest stored `User-Agent`, in bytes.
const USER_AGENT: usize = 120;

fn cut(value: &HeaderValue) -> &[u8] {
    let bytes = value.as_bytes();
    &bytes[..bytes.len().min(USER_AGENT)]
}

/// Returns a `User-Agent` in the form in which it is stored and shown: with a limited length, without
/// control characters, and in ASCII, which is all that HTTP defines for it. A database may be unable to
/// store other characters, and would then reject the counters of all principals.
fn readable(value: &HeaderValue) -> String {
    let bytes = cut(value).iter();
    bytes
        .filter(|byte| !byte.is_ascii_control())
        .map(|&byte| if byte.is_ascii() { byte.into() } else { '?' })
        .collect()
}

/// The running task that writes the counters to the state of the service.
#[derive(Debug)]
pub(crate) struct UsageWriter {
    stop: Arc<Notify>,
    task: JoinHandle<()>,
}

impl UsageWriter {
    /// Starts the task. Must be called inside a tokio runtime.
    pub(crate) fn start<S: State>(
        counters: Arc<UsageCounters<Caller<S::Principal>>>,
        state: Arc<S>,
    ) -> Self {
        let stop = Arc::new(Notify::new());
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            let mut failing = false;
            loop {
                let last = timeout(PERIOD, stopped.notified()).await.is_ok();
                let written = write(&counters, &*state).await;
                log_change(&written, &mut failing);
                if last {
                    break;
                }
            }
        });
        UsageWriter { stop, task }
    }

    /// Writes the remaining counters and ends the task.
    pub(crate) async fn finish(self) {
        self.stop.notify_one();
        if let Err(error) = self.task.await {
            tracing::error!("the usage counters were not all written: {error}");
        }
    }
}

async fn write<S: State>(
    counters: &UsageCounters<Caller<S::Principal>>,
    state: &S,
) -> Result<(), StateError> {
    let usage = counters.take();
    if usage.is_empty() {
        return Ok(());
    }
    let of_principals = usage.clone().map(|caller| caller.principal);
    let written = state.record_usage(of_principals).await;
    if written.is_err() {
        // The counts are put back even if the outcome is unknown: counting a call twice is better than losing
        // it.
        counters.put_back(usage);
    }
    written
}

/// Logs one line when writing starts to fail and one when it works again, instead of one line per second.
fn log_change(written: &Result<(), StateError>, failing: &mut bool) {
    match written {
        Err(error) if !*failing => {
            tracing::warn!("the usage counters cannot be written and are kept in memory: {error}");
        }
        Ok(()) if *failing => tracing::info!("the usage counters can be written again"),
        _ => {}
    }
    *failing = written.is_err();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::{OPERATIONS, RETIRED};

    fn time(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).expect("a time")
    }

    const PRINCIPAL: u64 = 1;

    #[test]
    fn every_use_of_a_key_and_the_calls_of_configured_operations_are_counted() {
        let deprecated = OPERATIONS.iter().filter(|one| one.deprecation.is_some());
        for (counted, operations) in [
            (CountCalls::Deprecated, deprecated.count()),
            (CountCalls::All, OPERATIONS.len()),
        ] {
            let counters = UsageCounters::new(counted);
            for operation in &OPERATIONS {
                counters.record(&PRINCIPAL, "k_1", operation, time(5), None);
                counters.record(&PRINCIPAL, "k_1", operation, time(3), None);
            }
            let usage = counters.take();
            let seen = [Seen {
                principal: PRINCIPAL,
                at: time(5),
            }];
            assert_eq!(usage.seen, seen);
            assert_eq!(usage.calls.len(), operations);
            for delta in &usage.calls {
                let counted = (delta.calls, delta.first_seen, delta.last_seen);
                assert_eq!(counted, (2, time(3), time(5)));
            }
            assert!(counters.take().is_empty());
        }
    }

    #[test]
    fn usage_counts_that_could_not_be_written_are_added_to_later_counts() {
        let counters = UsageCounters::new(CountCalls::Deprecated);
        let count = |number| {
            for operation in &OPERATIONS {
                counters.record(&PRINCIPAL, "k_1", operation, time(number), None);
            }
        };
        count(1);
        let lost = counters.take();
        count(2);
        counters.put_back(lost);
        let usage = counters.take();
        assert_eq!(usage.seen.len(), 1);
        assert_eq!(usage.seen[0].at, time(2));
        for delta in &usage.calls {
            let counted = (delta.calls, delta.first_seen, delta.last_seen);
            assert_eq!(counted, (2, time(1), time(2)));
        }
    }

    #[test]
    fn each_day_is_counted_separately_with_the_last_user_agent() {
        let counters = UsageCounters::new(CountCalls::Deprecated);
        let call = |seconds, agent: Option<&'static str>| {
            let agent = agent.map(HeaderValue::from_static);
            let agent = agent.as_ref();
            counters.record(&PRINCIPAL, "k_1", &RETIRED, time(seconds), agent);
        };
        call(86_399, Some("old/1"));
        call(86_400, Some("new/2"));
        call(86_401, None);
        let calls = counters.take().calls;
        let calls = calls
            .iter()
            .map(|delta| (delta.calls, delta.user_agent.as_deref()));
        assert_eq!(
            calls.collect::<Vec<_>>(),
            [(1, Some("old/1")), (2, Some("new/2"))]
        );
    }

    #[test]
    fn a_stored_user_agent_is_short_and_printable() {
        let value = |bytes: &[u8]| HeaderValue::from_bytes(bytes).expect("a value");
        assert_eq!(readable(&value(b"curl/8.5\t(x)")), "curl/8.5(x)");
        assert_eq!(readable(&value(&[b'x'; 300])).len(), USER_AGENT);
        assert_eq!(readable(&value("Ж/1.0".as_bytes())), "??/1.0");
        assert_eq!(readable(&value(&[0xff; 300])), "?".repeat(USER_AGENT));
    }

    #[test]
    fn a_caller_is_logged_once_per_day() {
        let counters = UsageCounters::new(CountCalls::Deprecated);
        let logged =
            |seconds| lock(&counters.pending).count_call(&PRINCIPAL, &RETIRED, time(seconds), None);
        assert!(logged(0));
        assert!(!logged(86_399));
        assert!(logged(86_400));
        assert!(!logged(86_401));
    }
}
