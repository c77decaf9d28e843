//! Counts the open connections and the bytes of their incomplete requests, and closes connections if there are
//! too many.

use crate::lock::lock;
use fair_shares::{Share, Shares};
use futures::task::AtomicWaker;
use http::Version;
use std::{
    any::Any,
    collections::HashMap,
    future::{Future, poll_fn},
    hash::{BuildHasher as _, Hash, RandomState},
    pin::pin,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering},
    },
    task::{self, Poll},
    time::{Duration, Instant},
};
use tokio::sync::Notify;

/// A trusted connection is closed to make room for others only after it has been idle for this time.
const MIN_IDLE: Duration = Duration::from_millis(100);

/// How long a client has to send its first request, including the TLS handshake. After this time, its
/// connection can be closed to make room for others, unless the request had a valid key.
const FIRST_REQUEST: Duration = Duration::from_millis(500);

/// If a principal already has its share of the trusted connections, a further connection of it that has made no
/// progress for this time can be closed to make room for others, even if it has a running request.
const BEYOND_SHARE: Duration = Duration::from_secs(2);

/// To make room, the number of connections divided by this number is closed at once.
const CLOSED_AT_ONCE: usize = 16;

/// The number of bytes of incomplete requests that all connections together may have received, in addition to
/// the first [`FREE`] bytes of each connection.
const RECEIVED_LIMIT: usize = 16 << 20;
/// The time between two checks for connections that hold too many of these bytes.
const RECEIVED_PAUSE: Duration = Duration::from_millis(20);
/// Every connection has a buffer for this many bytes of an incomplete request.
const FREE: usize = 8 << 10;

/// The command to a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub(crate) enum Command {
    /// Serve requests.
    GoOn,
    /// Finish the running requests, and end.
    ShutDown,
    /// End at once.
    Close,
}

/// All open connections of a listener.
#[derive(Debug)]
pub(crate) struct Connections {
    open: Mutex<HashMap<u64, Arc<ConnectionState>>>,
    /// The highest number of open connections.
    limit: usize,
    next_id: AtomicU64,
    /// Notified at the end of each connection and, while there are too many connections, at the end of each
    /// request.
    changed: Notify,
    is_full: AtomicBool,
    /// Set before all connections are told to end, so that a connection that is opened at the same time also
    /// ends.
    is_ending: AtomicBool,
    /// The trusted connections, by the hash of their principal. Some places are always reserved for connections
    /// that are not trusted yet.
    trusted: Arc<Shares<u64>>,
    hasher: RandomState,
    /// The bytes of incomplete requests, beyond the first [`FREE`] bytes of each connection, that all
    /// connections have received.
    received: AtomicUsize,
    closed_receiving_at: AtomicU64,
    /// The number of connections that were closed to make room for others, and how many of those were not
    /// trusted.
    closed_for_others: AtomicU64,
    closed_without_key: AtomicU64,
    /// Since when a new connection has been waiting for room, in microseconds since the listener was started; 0
    /// if no connection is waiting.
    waits_since: AtomicU64,
    started: Instant,
}

/// The state of a connection, which the other connections can read.
#[derive(Debug, Default)]
struct ConnectionState {
    /// A number that is higher than that of every connection that was opened before.
    id: u64,
    command: AtomicU8,
    waker: AtomicWaker,
    /// The number of running requests and of responses that wait for the client.
    active: AtomicUsize,
    /// The number of responses that wait for the client.
    sending: AtomicUsize,
    /// For each HTTP/2 response that waits for the client: when the client last read a part of it, in
    /// microseconds since the listener was started. A response keeps its index.
    last_taken_at: Mutex<Vec<Option<u64>>>,
    /// When the connection was opened, in microseconds since the listener was started.
    opened: u64,
    /// When the last request began or ended, or when the client last read a part of a response, in microseconds
    /// since the listener was started.
    last_active: AtomicU64,
    /// The place among the trusted connections. The connection gets it after a request that was authenticated
    /// or needs no key, and loses it when a request has an invalid credential.
    trusted: Mutex<Option<Share<u64>>>,
    /// Whether the last request with a credential was authenticated, even if no place was free.
    had_key: AtomicBool,
    /// The number of HTTP/1.1 bytes that have arrived since the last request began.
    unparsed: AtomicUsize,
    /// The number of bytes that were read since the task of the connection was scheduled.
    read_in_turn: AtomicUsize,
    /// The bytes of this connection that [`Connections::received`] includes.
    received: AtomicUsize,
    had_large_response: AtomicBool,
    /// Whether the connection has had an HTTP/2 request.
    is_http2: AtomicBool,
    /// Set when a request of the connection opens a websocket. It keeps the values that the handler of the
    /// websocket needs. From then on, the connection is never idle.
    websocket: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// An open connection. It counts as open until this is dropped.
pub(crate) struct Connection {
    handle: Handle,
}

/// A reference to a connection that does not keep the connection open.
#[derive(Clone)]
pub(crate) struct Handle {
    state: Arc<ConnectionState>,
    connections: Arc<Connections>,
}

/// A request of a connection. While it exists, the connection is not idle.
pub(crate) struct Activity(Handle);

/// A response that the client has not read completely yet.
pub(crate) struct Sending {
    activity: Activity,
    /// The index of the time of an HTTP/2 response. An HTTP/1.1 connection sends one response at a time, so the
    /// time of the connection is sufficient.
    index: Option<usize>,
}

impl Connections {
    pub(crate) fn new(limit: usize) -> Self {
        Connections {
            open: Mutex::default(),
            limit,
            next_id: AtomicU64::new(0),
            changed: Notify::new(),
            is_full: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
            trusted: Arc::new(Shares::new((limit - limit / 8).clamp(1, limit))),
            hasher: RandomState::new(),
            received: AtomicUsize::new(0),
            closed_receiving_at: AtomicU64::new(0),
            closed_for_others: AtomicU64::new(0),
            closed_without_key: AtomicU64::new(0),
            waits_since: AtomicU64::new(0),
            started: Instant::now(),
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn open_now(&self) -> usize {
        lock(&self.open).len()
    }

    pub(crate) fn closed_for_others(&self) -> u64 {
        self.closed_for_others.load(Ordering::Relaxed)
    }

    /// Returns how long a new connection has been waiting for room.
    pub(crate) fn wait(&self) -> Duration {
        match self.waits_since.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            since => Duration::from_micros(self.now().saturating_sub(since)),
        }
    }

    /// Returns how many of the closed connections were not trusted.
    pub(crate) fn closed_without_key(&self) -> u64 {
        self.closed_without_key.load(Ordering::Relaxed)
    }

    pub(crate) fn open(self: &Arc<Self>) -> Connection {
        let opened = self.now();
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let state = Arc::new(ConnectionState {
            id,
            opened,
            last_active: AtomicU64::new(opened),
            ..ConnectionState::default()
        });
        lock(&self.open).insert(id, state.clone());
        if self.is_ending.load(Ordering::SeqCst) {
            state.send_command(Command::ShutDown);
        }
        let connections = self.clone();
        Connection {
            handle: Handle { state, connections },
        }
    }

    /// Returns when there is room for another connection. If there are too many connections, closes those that
    /// have been open longest without a valid credential, even if they are active: a client with a valid
    /// credential sends it first. If all other connections are trusted, closes the one that has been idle
    /// longest.
    pub(crate) async fn make_room(&self) {
        let begin = self.now();
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            {
                let open = lock(&self.open);
                let is_full = open.len() >= self.limit;
                self.is_full.store(is_full, Ordering::SeqCst);
                self.waits_since
                    .store(if is_full { begin } else { 0 }, Ordering::Relaxed);
                if !is_full {
                    return;
                }
                self.close_some(&open);
            }
            // After the pause, another connection may be old enough.
            let _ = tokio::time::timeout(MIN_IDLE, changed).await;
        }
    }

    fn close_some(&self, open: &HashMap<u64, Arc<ConnectionState>>) {
        let mut states = open.values();
        if states.any(|state| state.command() == Command::Close) {
            return;
        }
        let before = |time| self.now().saturating_sub(micros(time));
        let now = self.now();
        let strangers = || open.values().filter(move |state| state.is_stranger(now));
        let opened_before = before(FIRST_REQUEST);
        let old = strangers().filter(|state| state.opened <= opened_before);
        let oldest = first_by_key(old.collect(), self.closed_at_once(), |state| {
            (state.had_key(), state.id)
        });
        for stranger in oldest {
            self.close_for_others(stranger);
        }
        if strangers().next().is_some() {
            return;
        }
        let idle_since = before(MIN_IDLE);
        let idle = open
            .values()
            .filter(|state| state.is_idle_since(idle_since));
        if let Some(idle) = idle.min_by_key(|state| (state.last_active(), state.id)) {
            self.close_for_others(idle);
        }
    }

    fn close_for_others(&self, state: &ConnectionState) {
        self.closed_for_others.fetch_add(1, Ordering::Relaxed);
        if !state.had_key() {
            self.closed_without_key.fetch_add(1, Ordering::Relaxed);
        }
        state.send_command(Command::Close);
    }

    /// Closes some of the connections that use a part of [`RECEIVED_LIMIT`]: first those that are not trusted,
    /// and among them those that have waited longest.
    fn close_receiving(&self) {
        let (last, now) = (&self.closed_receiving_at, self.now());
        let is_due = |last: u64| (last + micros(RECEIVED_PAUSE) <= now).then_some(now);
        let (order, update) = (Ordering::Relaxed, Ordering::Relaxed);
        if last.fetch_update(order, update, is_due).is_err() {
            return;
        }
        let open = lock(&self.open);
        let holding = open
            .values()
            .filter(|state| state.received.load(Ordering::Relaxed) > 0);
        let holding = holding.filter(|state| state.command() != Command::Close);
        let order =
            |state: &&Arc<ConnectionState>| (state.is_trusted(), state.last_active(), state.id);
        for state in first_by_key(holding.collect(), self.closed_at_once(), order) {
            self.close_for_others(state);
        }
    }

    fn closed_at_once(&self) -> usize {
        (self.limit / CLOSED_AT_ONCE).max(1)
    }

    /// Repeatedly ends connections whose client has read nothing of a pending response for the time `stall`,
    /// even if it reads other responses, and connections that have had no complete request head for the time
    /// `idle`. Never returns.
    pub(crate) async fn end_stalled(&self, stall: Duration, idle: Duration) {
        loop {
            tokio::time::sleep(stall.min(idle) / 4).await;
            let now = self.now();
            let since = |time: Duration| now.saturating_sub(micros(time));
            for state in lock(&self.open).values() {
                let is_stalled = state.waits_since().is_some_and(|time| time <= since(stall));
                let is_idle = state.is_idle_since(since(idle));
                let is_idle_for_long = state.is_idle_since(since(2 * idle));
                let is_http2 = state.is_http2.load(Ordering::Relaxed);
                if is_stalled || is_idle_for_long || (is_idle && !is_http2) {
                    state.send_command(Command::Close);
                } else if is_idle {
                    // An HTTP/2 client is told not to send more requests, in case it is about to send one.
                    state.send_command(Command::ShutDown);
                }
            }
        }
    }

    /// Lets all connections finish their requests and then end.
    pub(crate) fn shut_down(&self) {
        self.is_ending.store(true, Ordering::SeqCst);
        for state in lock(&self.open).values() {
            state.send_command(Command::ShutDown);
        }
    }

    /// Ends all connections at once.
    pub(crate) fn close(&self) {
        for state in lock(&self.open).values() {
            state.send_command(Command::Close);
        }
    }

    /// Returns when no connection is open.
    pub(crate) async fn all_ended(&self) {
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if lock(&self.open).is_empty() {
                return;
            }
            changed.await;
        }
    }

    /// Returns the current time. It is never 0, because 0 means that no time is set.
    fn now(&self) -> u64 {
        micros(self.started.elapsed()) + 1
    }
}

/// Returns the `count` items with the lowest keys.
fn first_by_key<T, K: Ord>(mut items: Vec<T>, count: usize, key: impl FnMut(&T) -> K) -> Vec<T> {
    if count < items.len() {
        items.select_nth_unstable_by_key(count, key);
        items.truncate(count);
    }
    items
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl ConnectionState {
    fn last_active(&self) -> u64 {
        self.last_active.load(Ordering::Relaxed)
    }

    fn command(&self) -> Command {
        match self.command.load(Ordering::SeqCst) {
            0 => Command::GoOn,
            1 => Command::ShutDown,
            _ => Command::Close,
        }
    }

    fn send_command(&self, command: Command) {
        self.command.fetch_max(command as u8, Ordering::SeqCst);
        self.waker.wake();
    }

    /// Returns since when the oldest pending response has been waiting for its client.
    fn waits_since(&self) -> Option<u64> {
        let longest = lock(&self.last_taken_at).iter().flatten().min().copied();
        let is_sending = self.sending.load(Ordering::SeqCst) > 0;
        longest.or_else(|| is_sending.then(|| self.last_active()))
    }

    fn is_idle_since(&self, time: u64) -> bool {
        self.active.load(Ordering::SeqCst) == 0
            && self.last_active() <= time
            && self.websocket.get().is_none()
    }

    fn is_trusted(&self) -> bool {
        lock(&self.trusted).is_some()
    }

    fn had_key(&self) -> bool {
        self.had_key.load(Ordering::Relaxed)
    }

    /// Whether the connection can be closed at this time to make room for any other connection.
    fn is_stranger(&self, now: u64) -> bool {
        let has_waited = || self.last_active() + micros(BEYOND_SHARE) <= now;
        !self.is_trusted() && self.websocket.get().is_none() && (!self.had_key() || has_waited())
    }
}

impl Connection {
    pub(crate) fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Returns the command to the connection, and wakes the task when the command changes.
    pub(crate) fn command(&self, task: &task::Context<'_>) -> Command {
        self.handle.command(task)
    }

    pub(crate) fn is_websocket(&self) -> bool {
        self.handle.state.websocket.get().is_some()
    }

    pub(crate) fn is_trusted(&self) -> bool {
        self.handle.state.is_trusted()
    }

    /// Returns the counter of the bytes that were read since the task of the connection was scheduled.
    pub(crate) fn read_in_turn(&self) -> &AtomicUsize {
        &self.handle.state.read_in_turn
    }

    /// Returns the counter of the HTTP/1.1 bytes that have arrived since the last request began.
    pub(crate) fn unparsed(&self) -> &AtomicUsize {
        &self.handle.state.unparsed
    }

    /// Counts that the connection holds this many bytes of an incomplete request. Returns `false` if there is
    /// no room for them; in this case, other connections are closed to make room.
    pub(crate) fn try_hold(&self, bytes: usize) -> bool {
        let Handle { state, connections } = &self.handle;
        let wanted = bytes.saturating_sub(FREE);
        let held = state.received.load(Ordering::Relaxed);
        let sum = &connections.received;
        if wanted <= held {
            if wanted < held {
                sum.fetch_sub(held - wanted, Ordering::Relaxed);
                state.received.store(wanted, Ordering::Relaxed);
            }
            return true;
        }
        let more = wanted - held;
        let add = |sum: usize| Some(sum + more).filter(|sum| *sum <= RECEIVED_LIMIT);
        if sum
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .is_err()
        {
            connections.close_receiving();
            return false;
        }
        state.received.store(wanted, Ordering::Relaxed);
        true
    }

    /// Returns the result of the work, or `None` if the connection should end before the work is done.
    pub(crate) async fn unless_closed<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|task| match self.command(task) {
            Command::GoOn => work.as_mut().poll(task).map(Some),
            Command::ShutDown | Command::Close => Poll::Ready(None),
        })
        .await
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.try_hold(0);
        let Handle { state, connections } = &self.handle;
        lock(&connections.open).remove(&state.id);
        connections.changed.notify_waiters();
    }
}

impl Handle {
    /// Returns the command to the connection, and wakes the task when the command changes.
    pub(crate) fn command(&self, task: &task::Context<'_>) -> Command {
        self.state.waker.register(task.waker());
        self.state.command()
    }

    /// Records that the task of the connection was scheduled.
    pub(crate) fn begin_turn(&self) {
        self.state.read_in_turn.store(0, Ordering::Relaxed);
    }

    pub(crate) fn begin_request(&self) -> Activity {
        self.state.active.fetch_add(1, Ordering::SeqCst);
        Activity(self.clone())
    }

    /// Records that a request has arrived. Returns whether it arrived together with the previous one. If so,
    /// the task of the connection would serve it, and possibly many more, without a pause.
    pub(crate) fn note_request(&self, version: Version) -> bool {
        if version == Version::HTTP_2 {
            self.state.is_http2.store(true, Ordering::Relaxed);
            return false;
        }
        self.state.unparsed.swap(0, Ordering::Relaxed) == 0
    }

    fn note_time(&self) -> u64 {
        let now = self.connections.now();
        self.state.last_active.store(now, Ordering::Relaxed);
        now
    }
}

impl Sending {
    /// Records that the client has read a part of a response.
    pub(crate) fn go_on(&self) {
        let now = self.activity.0.note_time();
        self.set_time(Some(now));
    }

    fn set_time(&self, time: Option<u64>) {
        if let Some(index) = self.index
            && let Some(last) = lock(&self.activity.0.state.last_taken_at).get_mut(index)
        {
            *last = time;
        }
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.set_time(None);
        self.activity.0.state.sending.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Activity {
    /// Records that a response waits for the client.
    pub(crate) fn begin_sending(&self, version: Version) -> Sending {
        let now = self.0.note_time();
        self.0.state.sending.fetch_add(1, Ordering::SeqCst);
        let index = (version == Version::HTTP_2).then(|| {
            let mut times = lock(&self.0.state.last_taken_at);
            let free = times.iter().position(Option::is_none);
            let index = free.unwrap_or(times.len());
            match times.get_mut(index) {
                Some(free) => *free = Some(now),
                None => times.push(Some(now)),
            }
            index
        });
        Sending {
            activity: self.another(),
            index,
        }
    }

    /// Returns how many responses of the connection wait for the client.
    pub(crate) fn responses_sending(&self) -> usize {
        self.0.state.sending.load(Ordering::SeqCst)
    }

    /// Ends the connection that has been open longest without a valid credential.
    pub(crate) fn close_stranger(&self) {
        let connections = &self.0.connections;
        let open = lock(&connections.open);
        let strangers = open.values().filter(|state| !state.had_key());
        let busy = strangers.filter(|state| state.active.load(Ordering::SeqCst) > 0);
        let open = busy.filter(|state| state.command() != Command::Close);
        if let Some(oldest) = open.min_by_key(|state| state.opened) {
            connections.close_for_others(oldest);
        }
    }

    /// Ends the connection at once.
    pub(crate) fn close_connection(&self) {
        self.0.state.send_command(Command::Close);
    }

    /// Returns another activity of the same connection.
    pub(crate) fn another(&self) -> Activity {
        self.0.begin_request()
    }

    /// Records that the request opens a websocket. The values that its handler needs are kept as long as the
    /// connection exists.
    pub(crate) fn note_websocket(&self, kept: impl Send + Sync + 'static) {
        // A connection can have only one websocket.
        let _first = self.0.state.websocket.set(Box::new(kept));
    }

    /// Records that the client of the connection has a valid credential, or needs none. Each principal has a
    /// share of the trusted connections. Connections beyond this share are served, but they are closed to make
    /// room for others if they are idle or have waited for long.
    pub(crate) fn trust(&self, principal: &impl Hash) {
        let Handle { state, connections } = &self.0;
        let mut trusted = lock(&state.trusted);
        if trusted.is_some() {
            return;
        }
        let holder = connections.hasher.hash_one(principal);
        *trusted = connections.trusted.try_take(&holder, 1);
        if trusted.is_none() {
            self.0.note_time();
        }
        state.had_key.store(true, Ordering::Relaxed);
    }

    /// Records that the last credential of the client was not valid; an earlier credential may have been valid.
    pub(crate) fn distrust(&self) {
        let state = &self.0.state;
        *lock(&state.trusted) = None;
        state.had_key.store(false, Ordering::Relaxed);
    }

    /// Records that a response of the connection was large, or took long to compress.
    pub(crate) fn note_large_response(&self) {
        let state = &self.0.state;
        state.had_large_response.store(true, Ordering::Relaxed);
    }

    pub(crate) fn had_large_response(&self) -> bool {
        self.0.state.had_large_response.load(Ordering::Relaxed)
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        let Handle { state, connections } = &self.0;
        self.0.note_time();
        state.active.fetch_sub(1, Ordering::SeqCst);
        if connections.is_full.load(Ordering::SeqCst) {
            connections.changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the connection until it is told to end.
    fn run(connection: Connection) -> tokio::task::JoinHandle<()> {
        tokio::spawn(async move {
            connection.unless_closed(std::future::pending::<()>()).await;
        })
    }

    #[tokio::test]
    async fn the_oldest_untrusted_connection_is_closed_to_make_room_for_a_new_one_even_during_a_request()
     {
        let connections = Arc::new(Connections::new(4));
        let trusted = connections.open();
        trusted.handle().begin_request().trust(&1);
        let busy = connections.open();
        let request = busy.handle().begin_request();
        let (newer, newest) = (connections.open(), connections.open());
        let [trusted, busy, newer, newest] = [trusted, busy, newer, newest].map(run);
        connections.make_room().await;
        busy.await.expect("closed");
        assert!(!trusted.is_finished() && !newer.is_finished() && !newest.is_finished());
        assert_eq!(
            (connections.open_now(), connections.closed_for_others()),
            (3, 1)
        );
        assert_eq!(connections.closed_without_key(), 1);
        drop(request);
    }

    #[tokio::test]
    async fn a_connection_whose_credential_is_no_longer_valid_is_no_longer_trusted() {
        let connections = Arc::new(Connections::new(2));
        let (revoked, other) = (connections.open(), connections.open());
        revoked.handle().begin_request().trust(&1);
        assert!(revoked.is_trusted());
        revoked.handle().begin_request().distrust();
        assert!(!revoked.is_trusted());
        other.handle().begin_request().trust(&2);
        let (revoked, other) = (run(revoked), run(other));
        connections.make_room().await;
        revoked.await.expect("closed");
        assert!(!other.is_finished());
        assert_eq!(connections.closed_without_key(), 1);
    }

    #[tokio::test]
    async fn a_new_connection_waits_for_a_request_to_end_if_all_others_are_trusted_and_busy() {
        let connections = Arc::new(Connections::new(1));
        let busy = connections.open();
        let request = busy.handle().begin_request();
        request.trust(&1);
        let busy = run(busy);
        let waiting = tokio::spawn({
            let connections = connections.clone();
            async move { connections.make_room().await }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!waiting.is_finished() && !busy.is_finished());
        assert!(connections.wait() > Duration::ZERO);
        drop(request);
        waiting.await.expect("there is room");
        assert_eq!(connections.wait(), Duration::ZERO);
        busy.await.expect("closed");
        assert_eq!(connections.closed_without_key(), 0);
    }

    #[tokio::test]
    async fn one_principal_cannot_hold_all_trusted_connections() {
        let connections = Arc::new(Connections::new(800));
        let open: Vec<_> = (0..800).map(|_| connections.open()).collect();
        let trust = |connection: &Connection, principal: u8| {
            connection.handle().begin_request().trust(&principal);
            connection.handle.state.is_trusted()
        };
        let trusted = open.iter().filter(|connection| trust(connection, 1));
        assert_eq!(trusted.count(), 525, "three quarters of 700");
        let others = open.iter().rev().filter(|connection| trust(connection, 2));
        assert!(others.count() > 50);
    }

    #[tokio::test]
    async fn if_incomplete_requests_reach_their_memory_limit_the_oldest_untrusted_connection_is_closed()
     {
        let connections = Arc::new(Connections::new(9));
        let trusted = connections.open();
        trusted.handle().begin_request().trust(&1);
        let (older, newer) = (connections.open(), connections.open());
        assert!(trusted.try_hold(RECEIVED_LIMIT / 3) && older.try_hold(RECEIVED_LIMIT / 3));
        assert!(newer.try_hold(FREE) && newer.try_hold(RECEIVED_LIMIT / 3));
        let fourth = connections.open();
        assert!(fourth.try_hold(FREE), "needs no room");
        tokio::time::sleep(2 * RECEIVED_PAUSE).await;
        assert!(!fourth.try_hold(2 * FREE + RECEIVED_LIMIT / 3));
        let [trusted, older, newer] = [trusted, older, newer].map(run);
        older.await.expect("closed");
        assert!(!trusted.is_finished() && !newer.is_finished());
        assert!(fourth.try_hold(RECEIVED_LIMIT / 3), "there is room now");
        assert!(fourth.try_hold(0));
        assert_eq!(
            connections.received.load(Ordering::Relaxed),
            2 * (RECEIVED_LIMIT / 3 - FREE)
        );
    }

    #[tokio::test]
    async fn a_connection_whose_client_reads_nothing_is_closed() {
        let connections = Arc::new(Connections::new(9));
        let (stalled, idle) = (connections.open(), connections.open());
        let sending = (stalled.handle().begin_request()).begin_sending(Version::HTTP_11);
        let (stalled, idle) = (run(stalled), run(idle));
        let (soon, later) = (Duration::from_millis(20), Duration::from_secs(60));
        tokio::select! {
            () = connections.end_stalled(soon, later) => {}
            ended = stalled => ended.expect("closed"),
        }
        assert!(!idle.is_finished());
        drop(sending);
        tokio::select! {
            () = connections.end_stalled(later, soon) => {}
            ended = idle => ended.expect("told to end"),
        }
    }

    #[tokio::test]
    async fn a_connection_with_an_unread_response_is_closed_although_other_responses_are_read() {
        let connections = Arc::new(Connections::new(9));
        let hostile = connections.open();
        let request = hostile.handle().begin_request();
        let unread = request.begin_sending(Version::HTTP_2);
        let hostile = run(hostile);
        let (stall, idle) = (Duration::from_millis(40), Duration::from_secs(60));
        let others = async {
            loop {
                request.begin_sending(Version::HTTP_2).go_on();
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let ended = async {
            tokio::select! {
                () = connections.end_stalled(stall, idle) => {}
                () = others => {}
                ended = hostile => ended.expect("closed"),
            }
        };
        let ended = tokio::time::timeout(Duration::from_secs(20), ended).await;
        ended.expect("the connection with the unread response is closed");
        drop(unread);
    }

    #[tokio::test]
    async fn each_http2_response_has_its_own_stall_timeout() {
        let connections = Arc::new(Connections::new(9));
        let connection = connections.open();
        let request = connection.handle().begin_request();
        let tick = || {
            let now = connections.now();
            while connections.now() == now {}
        };
        let since = || request.0.state.waits_since();
        assert_eq!(since(), None);
        let first = request.begin_sending(Version::HTTP_2);
        let first_time = since();
        tick();
        let second = request.begin_sending(Version::HTTP_2);
        second.go_on();
        assert_eq!(since(), first_time, "the first one waits");
        tick();
        first.go_on();
        let second_time = since();
        assert!(second_time > first_time, "now the second one waits longest");
        drop(second);
        assert!(since() > second_time);
        let third = request.begin_sending(Version::HTTP_2);
        assert_eq!(
            lock(&request.0.state.last_taken_at).len(),
            2,
            "a free place is used"
        );
        drop((first, third));
        assert_eq!((since(), request.responses_sending()), (None, 0));
    }

    #[tokio::test]
    async fn shutdown_asks_every_connection_to_close_and_waits_for_the_end_of_all_connections() {
        let connections = Arc::new(Connections::new(9));
        let open = run(connections.open());
        connections.shut_down();
        connections.all_ended().await;
        open.await.expect("ended");
    }
}
