//! Claims deliveries that are due, sends them, and stores the results, until the service stops.

use crate::{
    BoxError, Claim, Deliveries, Disable, Due, Failure, Finished, Next, Sender, Sent, next_try,
    sign,
};
use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use std::{
    collections::HashMap,
    fmt,
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{
    sync::Notify,
    task::{Id, JoinError, JoinSet},
    time::{Instant, sleep, timeout},
};

/// The greatest number of messages that are sent at the same time.
const MOST: usize = 64;
/// The greatest number of messages that are sent to one endpoint at the same time.
const MOST_PER_ENDPOINT: usize = 4;
/// The greatest number of messages that are sent to all failing endpoints together at the same time, one to each endpoint. They
/// often take as long as the timeout.
const MOST_FAILING: usize = 16;
/// An endpoint that takes at least this time for a message is slow for some time. While many messages are being sent, messages
/// for the other endpoints come first, so that a few slow endpoints cannot use all capacity.
const SLOW: Duration = Duration::from_secs(1);
/// An endpoint is slow for this many times the time that it took.
const SLOW_FACTOR: u32 = 3;
/// Messages for slow endpoints are sent only while fewer messages than this are being sent.
const MOST_WITH_SLOW: usize = 32;
/// How long all tries of an endpoint must have failed before it is disabled.
const FAILING: TimeDelta = TimeDelta::days(5);
/// How often deliveries are claimed if nothing wakes the engine.
const PERIOD: Duration = Duration::from_secs(1);
/// The least time between a claim and the next claim that [`Handle::wake`] causes: a service may call it after each write.
const WAKE_PAUSE: Duration = Duration::from_millis(50);
/// The pause after a claim that failed.
const CLAIM_PAUSE: Duration = Duration::from_secs(5);
/// The first pause after a result could not be stored; each further pause is twice as long.
const FINISH_PAUSE: Duration = Duration::from_secs(1);
/// The number of tries to store a result. With their pauses, they take about half a minute.
const FINISH_TRIES: u32 = 6;
/// A lease lasts this much longer than the timeout of a message, so that the result can be stored.
const LEASE_BEYOND_TIMEOUT: Duration = Duration::from_secs(60);

/// Delivers messages: at most 64 at once, at most 4 for one endpoint, and one at a time for an endpoint that is failing. Half of the
/// capacity is reserved for endpoints that respond within a second.
///
/// A status from 200 to 299 means that the message was delivered. After any other result, the engine tries the delivery again after the
/// pause that [`next_try`] returns, or gives it up. The engine disables an endpoint that responds with 410, and an endpoint whose tries
/// have all failed for five days.
pub struct Engine<D> {
    deliveries: D,
    sender: Sender,
    clock: Box<dyn Fn() -> DateTime<Utc> + Send + Sync>,
    handle: Arc<Handle>,
    is_claim_failing: AtomicBool,
    is_finish_failing: AtomicBool,
    period: Duration,
    claim_pause: Duration,
    finish_pause: Duration,
}

/// Wakes an engine, and returns its counters for metrics.
#[derive(Debug, Default)]
pub struct Handle {
    wake: Notify,
    delivered: AtomicU64,
    failed: AtomicU64,
}

impl Handle {
    /// Wakes the engine, so that it claims deliveries at once. Use it after messages were added.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// The number of tries that delivered a message.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.delivered.load(Relaxed)
    }

    /// The number of tries that failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failed.load(Relaxed)
    }
}

/// The deliveries that are being sent.
#[derive(Default)]
struct Running {
    tasks: JoinSet<()>,
    endpoints: HashMap<Id, Sending>,
    /// The endpoints that took long, and until when the others come first.
    slow: HashMap<String, Instant>,
}

/// A delivery that is being sent.
struct Sending {
    endpoint: String,
    /// Whether the endpoint was failing.
    failing: bool,
    begun: Instant,
}

impl Running {
    /// Removes a task that has ended. Returns whether its endpoint has no other task.
    fn remove(&mut self, task: Result<(Id, ()), JoinError>) -> bool {
        let id = match task {
            Ok((id, ())) => id,
            Err(error) => {
                tracing::error!(
                    "the task of a webhook delivery panicked; the delivery is sent again when its lease ends"
                );
                error.id()
            }
        };
        let Some(sent) = self.endpoints.remove(&id) else {
            return true;
        };
        let (now, time) = (Instant::now(), sent.begun.elapsed());
        if time >= SLOW {
            let until = self.slow.entry(sent.endpoint.clone()).or_insert(now);
            *until = (*until).max(now) + time.saturating_mul(SLOW_FACTOR);
        }
        let mut others = self.endpoints.values();
        !others.any(|other| other.endpoint == sent.endpoint)
    }

    /// Returns the endpoints with a delivery that is being sent, and the slow ones, unless they are claimed, too.
    fn busy(&mut self, with_slow: bool) -> Vec<String> {
        let now = Instant::now();
        self.slow.retain(|_, until| *until > now);
        let running = self.endpoints.values().map(|sending| &sending.endpoint);
        let slow = self.slow.keys().filter(|_| !with_slow);
        let mut busy: Vec<String> = running.chain(slow).cloned().collect();
        busy.sort_unstable();
        busy.dedup();
        busy
    }
}

impl<D: Deliveries> Engine<D> {
    /// Creates an engine that sends these deliveries with this sender.
    pub fn new(deliveries: D, sender: Sender) -> Self {
        Engine {
            deliveries,
            sender,
            clock: Box::new(Utc::now),
            handle: Arc::default(),
            is_claim_failing: AtomicBool::new(false),
            is_finish_failing: AtomicBool::new(false),
            period: PERIOD,
            claim_pause: CLAIM_PAUSE,
            finish_pause: FINISH_PAUSE,
        }
    }

    /// Sets another clock, for tests.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// The handle of this engine.
    #[must_use]
    pub fn handle(&self) -> Arc<Handle> {
        Arc::clone(&self.handle)
    }

    /// Delivers until the future `shutdown` completes. Then it claims no more deliveries, and waits at most `grace` for the
    /// deliveries that are being sent. Deliveries that take longer are sent again when their leases end.
    pub async fn run(self, shutdown: impl Future<Output = ()>, grace: Duration) {
        let (engine, mut running) = (Arc::new(self), Running::default());
        tokio::select! {
            biased;
            () = shutdown => {}
            () = engine.deliver_forever(&mut running) => {}
        }
        let all = async { while running.tasks.join_next().await.is_some() {} };
        if timeout(grace, all).await.is_err() {
            let left = running.tasks.len();
            tracing::warn!(
                left,
                "webhooks were still being sent at shutdown; they are sent again when their leases end"
            );
        }
        // Dropping `running` aborts the remaining tasks.
    }

    async fn deliver_forever(self: &Arc<Self>, running: &mut Running) {
        loop {
            let claimed = self.claim(running).await;
            self.report(&self.is_claim_failing, "claimed", &claimed);
            let pause = match claimed {
                Ok(()) => self.period,
                Err(_) => self.claim_pause,
            };
            let begun = Instant::now();
            let mut pause = pin!(sleep(pause));
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    () = self.handle.wake.notified(), if claimed.is_ok() => {
                        let deadline = pause.deadline().min(begun + WAKE_PAUSE);
                        pause.as_mut().reset(deadline);
                    }
                    Some(task) = running.tasks.join_next_with_id() => {
                        if running.remove(task) && claimed.is_ok() {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Claims as many deliveries as can be sent now, and starts a task for each.
    async fn claim(self: &Arc<Self>, running: &mut Running) -> Result<(), BoxError> {
        self.deliveries.prepare((self.clock)()).await?;
        // First the quick endpoints, then all that are not failing, and then the failing ones.
        for (with_slow, failing) in [(false, false), (true, false), (true, true)] {
            let count = running.tasks.len();
            let free = MOST.saturating_sub(count);
            let (limit, per_endpoint) = match (with_slow, failing) {
                (_, true) => {
                    let failing = running.endpoints.values();
                    let failing = failing.filter(|sending| sending.failing).count();
                    (free.min(MOST_FAILING.saturating_sub(failing)), 1)
                }
                (false, _) => (free, MOST_PER_ENDPOINT),
                (true, _) if running.slow.is_empty() => continue,
                (true, _) => (MOST_WITH_SLOW.saturating_sub(count), MOST_PER_ENDPOINT),
            };
            if limit == 0 {
                continue;
            }
            let now = (self.clock)();
            let lease = self.sender.timeout() + LEASE_BEYOND_TIMEOUT;
            let lease_until = (now + lease).trunc_subsecs(3);
            let claim = Claim {
                now,
                lease_until,
                limit,
                per_endpoint,
                failing,
                busy: running.busy(with_slow),
            };
            for due in self.deliveries.claim(claim).await? {
                let sending = Sending {
                    endpoint: due.endpoint.clone(),
                    failing,
                    begun: Instant::now(),
                };
                let task = Arc::clone(self).deliver(due, lease_until);
                let task = running.tasks.spawn(task);
                running.endpoints.insert(task.id(), sending);
            }
        }
        Ok(())
    }

    /// Sends a delivery once, and stores the result.
    async fn deliver(self: Arc<Self>, mut due: Due, lease_until: DateTime<Utc>) {
        let now = (self.clock)();
        let sent = match sign(&due.message_id, now, &due.payload, &due.secrets) {
            Ok(headers) => {
                let payload = std::mem::take(&mut due.payload);
                self.sender.send(&due.url, headers, payload).await
            }
            Err(error) => {
                tracing::error!(delivery = due.id, endpoint = due.endpoint, %error, "a webhook cannot be signed");
                Sent::failed(Failure::Signature)
            }
        };
        let counter = match sent.failure {
            None => &self.handle.delivered,
            Some(_) => &self.handle.failed,
        };
        counter.fetch_add(1, Relaxed);
        let at = (self.clock)().trunc_subsecs(3);
        self.finish(result(due, sent, lease_until, at)).await;
    }

    /// Stores a result. If all tries to store it fail, the delivery is sent again after its lease ends.
    async fn finish(&self, finished: Finished) {
        let mut pause = self.finish_pause;
        for tries in 1..=FINISH_TRIES {
            let stored = self.deliveries.finish(finished.clone()).await;
            self.report(&self.is_finish_failing, "finished", &stored);
            if stored.is_ok() || tries == FINISH_TRIES {
                return;
            }
            sleep(pause).await;
            pause *= 2;
        }
    }

    /// Logs the first error after a success, and the first success after an error.
    fn report(&self, is_failing: &AtomicBool, action: &str, result: &Result<(), BoxError>) {
        let was_failing = is_failing.swap(result.is_err(), Relaxed);
        match result {
            Err(error) if !was_failing => tracing::warn!(
                error = &**error as &dyn std::error::Error,
                "deliveries of webhooks cannot be {action}; the service tries again until the database works"
            ),
            Ok(()) if was_failing => tracing::info!("deliveries of webhooks are {action} again"),
            _ => {}
        }
    }
}

/// Determines what happens to a delivery and its endpoint after a try.
fn result(due: Due, sent: Sent, lease_until: DateTime<Utc>, at: DateTime<Utc>) -> Finished {
    let (next, disable) = match (sent.failure, sent.status) {
        (None, _) => (Next::Delivered, None),
        (Some(_), Some(410)) => (Next::GivenUp, Some(Disable::Gone)),
        (Some(failure), _) => {
            let pause = next_try(due.tries, sent.retry_after, rand::random());
            let next = pause.map_or(Next::GivenUp, |pause| {
                Next::RetryAt((at + pause).trunc_subsecs(3))
            });
            // If a message could not be signed, that is not a failure of the endpoint.
            let is_over = due.failing_since.is_some_and(|since| at - since >= FAILING)
                && failure != Failure::Signature;
            (next, is_over.then_some(Disable::Failing))
        }
    };
    Finished {
        id: due.id,
        endpoint: due.endpoint,
        lease_until,
        at,
        sent,
        next,
        disable,
    }
}

impl<D> fmt::Debug for Engine<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("sender", &self.sender)
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
