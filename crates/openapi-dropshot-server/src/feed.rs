//! Feeds of events: the cursor that a consumer keeps, and the notification of consumers that wait for events.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use futures::future::BoxFuture;
use std::{sync::Arc, time::Duration};
use tokio::sync::{Mutex, watch};

/// Distinguishes the layout of a cursor from later ones.
const LAYOUT: u8 = 1;

/// The position of an event in a feed, as a consumer keeps it: an opaque text. Positions ascend in the order in which
/// the events were committed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FeedCursor {
    /// Changes whenever the positions of the store are used again, such as after a restore, so that earlier cursors
    /// are recognised.
    pub incarnation: i64,
    /// The position; 0 before the first event.
    pub position: i64,
    /// A part of the id of the event at this position. It shows that the store has another history although its
    /// incarnation is the same: the database was restored by other means than those of the service.
    pub check: u64,
}

impl FeedCursor {
    /// Reads what [`encode`](FeedCursor::encode) wrote; `None` for any other text.
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

    /// The cursor as text, of letters, digits, `-` and `_`.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut bytes = vec![LAYOUT];
        bytes.extend(self.incarnation.to_be_bytes());
        bytes.extend(self.position.to_be_bytes());
        bytes.extend(self.check.to_be_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

/// How often the store is polled for events of other servers while a request waits.
const POLL: Duration = Duration::from_millis(500);
/// The shortest time between two reads of a waiting consumer, however many events of other types there are.
const PAUSE: Duration = Duration::from_millis(50);

/// Wakes the requests that wait for events. A service has one, in its state.
#[derive(Debug)]
pub struct News {
    /// The position of the newest event that is known.
    newest: watch::Sender<i64>,
    /// Held by the request that polls the store on behalf of all waiting requests.
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
    /// Wakes the requests that wait: this server has stored events.
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

    /// Polls the store for the position of its newest event, and wakes the waiting requests when it has changed.
    /// `None` counts as unchanged.
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

/// Asks the store for the position of its newest event; `None` if it cannot be read.
pub trait Ask: Fn() -> BoxFuture<'static, Option<i64>> + Send + Sync + 'static {}

impl<A: Fn() -> BoxFuture<'static, Option<i64>> + Send + Sync + 'static> Ask for A {}

/// Receives notifications since it was created or last returned.
#[derive(Debug)]
pub struct Subscription {
    news: Arc<News>,
    receiver: watch::Receiver<i64>,
}

impl Subscription {
    /// Returns when there may be new events: this server has stored some, or those of another server are in the store,
    /// of which `newest` returns the position of the newest event. Only one of the waiting requests calls it.
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
    fn a_cursor_round_trips_and_other_texts_are_rejected() {
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
        // One of them asks for both.
        let (mut first, mut second) = (news.subscribe(), news.subscribe());
        let asked = Arc::new(AtomicI64::new(7));
        let next = move || ready(Some(asked.fetch_add(1, Ordering::Relaxed))).boxed();
        tokio::join!(first.changed(next.clone()), second.changed(next));
    }
}
