//! Feeds of events: the cursor that a consumer stores, and the notification of consumers that wait for events.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use futures::future::BoxFuture;
use std::{sync::Arc, time::Duration};
use tokio::sync::{Mutex, watch};

/// The version of the layout of cursors.
const LAYOUT: u8 = 1;

/// The position of an event in a feed. For a consumer, it is an opaque text. Positions ascend in the order in which
/// the events were committed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FeedCursor {
    /// Changes whenever the store starts to use positions again, for example after a restore. It makes earlier cursors
    /// recognisable.
    pub incarnation: i64,
    /// The position; 0 before the first event.
    pub position: i64,
    /// A part of the id of the event at this position. If it differs although the incarnation is the same, the store
    /// has another history: the database was restored by other means than those of the service.
    pub check: u64,
}

impl FeedCursor {
    /// Parses what [`encode`](FeedCursor::encode) returned; `None` for any other text.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (layout, rest) = bytes.split_first()?;
        let (numbers, rest) = rest.as_chunks::<8>();
        let [incarnation, position, check] = numbers.try_into().ok()?;
        (*layout == LAYOUT && rest.is_empty()).then_some(FeedCursor {
            incarnation: i64::from_be_bytes(incarnation),
            position: i64::from_be_bytes(position),
            check: u64::from_be_bytes(check),
        })
    }

    /// Returns the cursor as text that consists of letters, digits, `-` and `_`.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut bytes = vec![LAYOUT];
        bytes.extend(self.incarnation.to_be_bytes());
        bytes.extend(self.position.to_be_bytes());
        bytes.extend(self.check.to_be_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

/// How often the store is checked for events of other servers while a request waits.
const POLL: Duration = Duration::from_millis(500);
/// The shortest time between two reads of a waiting consumer. It limits the reads if there are many events of other
/// types.
const PAUSE: Duration = Duration::from_millis(50);

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
        tokio::time::sleep(PAUSE).await;
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
    use futures::FutureExt as _;
    use std::{
        future::{pending, ready},
        sync::atomic::{AtomicI64, Ordering},
    };

    #[test]
    fn a_cursor_can_be_encoded_and_decoded_and_other_texts_are_rejected() {
        let cursor = FeedCursor {
            incarnation: -5,
            position: i64::MAX,
            check: u64::MAX - 1,
        };
        let text = cursor.encode();
        assert_eq!(FeedCursor::decode(&text), Some(cursor));
        let longer = format!("{text}AAAA");
        for other in ["", "now", "MTphOjI", &text[1..], &longer] {
            assert_eq!(FeedCursor::decode(other), None, "{other}");
        }
    }

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
}
