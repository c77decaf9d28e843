//! Feeds of events: the cursor that a consumer stores, and the notification of consumers that wait for events.

use futures::future::BoxFuture;
use std::{sync::Arc, time::Duration};
use tokio::sync::{Mutex, watch};

pub use openapi_dropshot_types::feed::FeedCursor;

/// How often the store is checked for events of other servers while a request waits.
const POLL: Duration = Duration::from_millis(500);
/// The shortest time between two reads of a waiting consumer. It limits the reads if there are many events of other
/// types.
const PAUSE: Duration = Duration::from_millis(50);
/// The share of each waiting consumer in the pause, if there are more than some 100: with 1,000 consumers, each of them pauses for about
/// half a second. So all together read about 2,000 times per second.
const PAUSE_PER_CONSUMER: Duration = Duration::from_micros(500);

/// Wakes the requests that wait for events. The state of a service contains one.
#[derive(Debug)]
pub struct News {
    /// The position of the newest known event.
    newest: watch::Sender<i64>,
    /// Locked by the request that checks the store on behalf of all waiting requests.
    asking: Mutex<()>,
}

impl Default for News {
    fn default() -> Self {
        News {
            newest: watch::Sender::new(0),
            asking: Mutex::new(()),
        }
    }
}

impl News {
    /// Wakes the waiting requests, because this server has stored events.
    pub fn announce(&self) {
        self.newest.send_modify(|_| {});
    }

    /// Returns a receiver of notifications from now on. Subscribe before you read the store, so that you miss nothing
    /// between reading and waiting.
    #[must_use]
    pub fn subscribe(self: &Arc<Self>) -> Subscription {
        Subscription {
            news: Arc::clone(self),
            receiver: self.newest.subscribe(),
        }
    }

    /// Checks the store for the position of its newest event, and wakes the waiting requests if the position has
    /// changed. `None` counts as unchanged.
    async fn ask(&self, newest: impl Ask) {
        let _asking = self.asking.lock().await;
        loop {
            if let Some(found) = newest().await {
                self.newest
                    .send_if_modified(|known| std::mem::replace(known, found) != found);
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

/// Reads the position of the newest event from the store; `None` if it cannot be read.
pub trait Ask: Fn() -> BoxFuture<'static, Option<i64>> + Send + Sync + 'static {}

impl<A: Fn() -> BoxFuture<'static, Option<i64>> + Send + Sync + 'static> Ask for A {}

/// Receives the notifications that are sent after its creation, or after it last returned.
#[derive(Debug)]
pub struct Subscription {
    news: Arc<News>,
    receiver: watch::Receiver<i64>,
}

impl Subscription {
    /// Returns when there may be new events: either this server has stored some, or the store has events of another
    /// server. `newest` returns the position of the newest event in the store. Only one of the waiting requests calls
    /// it.
    pub async fn changed(&mut self, newest: impl Ask) {
        let consumers = self.news.newest.receiver_count() as f64;
        // All consumers are woken at the same moment. Different pauses then spread their reads.
        let pause = PAUSE_PER_CONSUMER.mul_f64(consumers * rand::random_range(0.5..1.5));
        tokio::time::sleep(pause.max(PAUSE)).await;
        tokio::select! {
            // The sender is never dropped.
            _changed = self.receiver.changed() => {}
            () = self.news.ask(newest) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{FutureExt as _, future::join_all};
    use std::{
        future::{pending, ready},
        sync::atomic::{AtomicI64, Ordering},
    };
    use tokio::time::{sleep, timeout};

    #[tokio::test]
    async fn events_of_this_and_of_other_servers_wake_waiting_requests() {
        let news = Arc::new(News::default());
        let mut subscription = news.subscribe();
        news.announce();
        subscription.changed(|| pending().boxed()).await;
        subscription.changed(|| ready(Some(7)).boxed()).await;
        // One of the waiting requests checks the store for both.
        let (mut first, mut second) = (news.subscribe(), news.subscribe());
        let asked = Arc::new(AtomicI64::new(7));
        let next = move || ready(Some(asked.fetch_add(1, Ordering::Relaxed))).boxed();
        tokio::join!(first.changed(next.clone()), second.changed(next));
    }

    // The time of this test is simulated.
    #[tokio::test(start_paused = true)]
    async fn a_thousand_waiting_consumers_do_not_read_twenty_times_per_second_each() {
        let (news, reads) = (Arc::new(News::default()), AtomicI64::new(0));
        let consumers = (0..1_000).map(|_| {
            let (mut subscription, reads) = (news.subscribe(), &reads);
            async move {
                loop {
                    subscription.changed(|| pending().boxed()).await;
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let announcing = async {
            loop {
                news.announce();
                sleep(Duration::from_millis(1)).await;
            }
        };
        let all = async { tokio::join!(join_all(consumers), announcing) };
        let _elapsed = timeout(Duration::from_secs(10), all).await;
        let reads = reads.into_inner();
        assert!((15_000..25_000).contains(&reads), "{reads} in 10 seconds");
    }
}
