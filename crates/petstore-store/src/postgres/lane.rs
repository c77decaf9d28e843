//! Implements a lane: a task that writes over one connection.
//!
//! A lane takes writes from the queue only while it is connected. If no lane is connected, the lanes
//! reject the waiting writes until one of them is connected again.
//!
//! # Writes that the database does not complete
//!
//! The server itself cancels a statement that waits for a lock or runs for too long, and rolls it
//! back. So if a batch is not complete at its deadline, it is usually a commit that
//! waits for its replica or its disk. Its callers learn that the outcome is unknown. The
//! lane takes no further write and opens no other connection until the server has finished with
//! this connection. So a database that does not complete writes has only one connection of each lane,
//! and not one more after each deadline. A commit is never cancelled: it would become visible
//! without its replica, although it can still be lost. Only a wait for a lock is cancelled, which
//! happens before the commit.

use super::{
    batch::{Batch, Ended, Results},
    error::{self, Fault},
    orders, pets,
    session::{Activity, Session, Use},
    writer::Shared,
};
use crate::StoreError;
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout, timeout_at},
};

/// How long a batch may take. After this time, it is unknown whether it was committed.
const DEADLINE: Duration = Duration::from_secs(10);
/// If a batch takes longer than this, its results are returned one by one, because a write may
/// wait for a lock. The results of a faster batch are returned together, which costs less.
const TOGETHER: Duration = Duration::from_millis(20);
/// The pause after a connection could not be opened; it doubles with each failure.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// The longest pause while no lane is connected.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause while another lane is connected.
const LONGEST_PAUSE_OF_ONE: Duration = Duration::from_secs(5);
/// The pause between two checks of a batch that exceeded its deadline.
const LOOK: Duration = Duration::from_secs(2);

/// A task with its own connection.
pub(super) struct Lane(Arc<Shared>);

/// What a lane does next.
enum Next {
    /// Continue with this connection.
    Keep,
    /// Open another connection.
    Connect,
    /// Wait for the batch, which has exceeded its deadline.
    Wait,
    /// The queue is closed and empty.
    End,
}

/// While this exists, its lane counts as a lane that takes writes.
struct Working<'lane>(&'lane watch::Sender<usize>);

impl<'lane> Working<'lane> {
    fn new(lanes: &'lane watch::Sender<usize>) -> Self {
        lanes.send_modify(|lanes| *lanes += 1);
        Self(lanes)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|lanes| *lanes -= 1);
    }
}

impl Lane {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// Writes until the queue is closed and empty. A lane without a connection opens one when
    /// another lane has taken writes.
    pub(super) async fn run(self, mut session: Option<Arc<Session>>) {
        if session.is_none() {
            tokio::select! {
                () = self.0.demand.notified() => {}
                () = self.ended() => return,
            }
        }
        loop {
            let connected = match session.take() {
                Some(connected) => connected,
                None => match self.connect().await {
                    Some(connected) => connected,
                    None => return,
                },
            };
            let next = match self.serve(&connected).await {
                Next::Wait => self.wait_for(&connected).await,
                next => next,
            };
            match next {
                Next::Keep => session = Some(connected),
                Next::Connect | Next::Wait => {}
                Next::End => return,
            }
        }
    }

    /// Takes and commits batches as long as the connection works.
    async fn serve(&self, session: &Arc<Session>) -> Next {
        let _working = Working::new(&self.0.working);
        loop {
            let batch = tokio::select! {
                biased;
                () = session.closed() => return Next::Connect,
                batch = self.0.next_batch() => batch,
            };
            let Some((batch, _held)) = batch else {
                return Next::End;
            };
            if batch.len() == 0 {
                continue;
            }
            self.0.demand.notify_one();
            match self.commit(batch, session).await {
                Next::Keep => {}
                next => return next,
            }
        }
    }

    async fn commit(&self, mut batch: Batch, session: &Arc<Session>) -> Next {
        let (writes, warnings) = (batch.len(), session.warnings());
        // It is unknown which of the transactions caused a warning.
        let confirmed = || match session.warnings() == warnings {
            true => Ok(()),
            false => Err(StoreError::unknown(Fault::Warned)),
        };
        let deadline = Instant::now() + DEADLINE;
        let (results, mut errors) = (Results::default(), Vec::new());
        let mut run = Box::pin(batch.run(session, &results));
        let is_late = loop {
            let next = deadline.min(Instant::now() + TOGETHER);
            let done = timeout_at(next, &mut run).await;
            errors.extend(self.pass_on(results.take(), &confirmed()));
            if done.is_ok() || next == deadline {
                break done.is_err();
            }
        };
        drop(run);
        if is_late {
            self.reject(batch, &StoreError::unknown(Fault::Late(DEADLINE)));
            return Next::Wait;
        }
        if let Some(error) = confirmed().as_ref().err().or(errors.first()) {
            log(writes, error);
        }
        let has_failed = errors.iter().any(|error| {
            matches!(error, StoreError::Unavailable { .. }) && !error::is_timeout(error)
        });
        match has_failed {
            // After a failover, the connection may lead to a host that no longer accepts writes.
            true => Next::Connect,
            false => Next::Keep,
        }
    }

    /// Passes the results of writes that ended to their callers. Returns the errors.
    fn pass_on(
        &self,
        ended: Vec<Box<dyn Ended>>,
        confirmed: &Result<(), StoreError>,
    ) -> Vec<StoreError> {
        if ended.is_empty() {
            return Vec::new();
        }
        // An existing key and a locked row are expected results, not failures.
        let errors = ended.iter().flat_map(|ended| ended.errors());
        let is_failure =
            |error: &&_| !matches!(error, StoreError::KeyExists) && !error::is_locked(error);
        let errors = errors.filter(is_failure);
        let errors: Vec<StoreError> = errors.cloned().collect();
        let done = match confirmed {
            Ok(()) => ended.iter().map(|ended| ended.succeeded()).sum(),
            Err(_) => 0,
        };
        // Counts the writes before any caller can continue and read the statistics.
        let error = confirmed.as_ref().err().or(errors.first());
        self.0.batches.ended(done as u64, error);
        for ended in ended {
            ended.respond(confirmed);
        }
        errors
    }

    /// Returns this error to the callers of the writes of a batch that have not ended.
    fn reject(&self, batch: Batch, error: &StoreError) {
        log(batch.len(), error);
        // Counts the failure before any caller can continue and read the statistics.
        self.0.batches.ended(0, Some(error));
        batch.reject(error);
    }

    /// Opens a connection, with as many attempts as necessary. Returns `None` after the queue is closed and empty.
    async fn connect(&self) -> Option<Arc<Session>> {
        let mut pause = FIRST_PAUSE;
        loop {
            let opened = tokio::select! {
                opened = self.open() => opened,
                () = self.ended() => return None,
            };
            let error = match opened {
                Ok(session) => return Some(session),
                Err(error) => error,
            };
            let longest = match *self.0.working.borrow() {
                0 => LONGEST_PAUSE,
                _ => LONGEST_PAUSE_OF_ONE,
            };
            pause = pause.min(longest);
            tokio::select! {
                () = sleep(pause) => {}
                () = self.until_last() => {}
                () = self.reject_writes(&error) => return None,
                () = self.ended() => return None,
            }
            pause *= 2;
        }
    }

    async fn open(&self) -> Result<Arc<Session>, StoreError> {
        let session = self.0.connector.connect(Use::Write).await;
        let session = session.map_err(StoreError::not_applied)?;
        let has_events = session.records_events();
        let statements: [&'static str; 5] = [
            &pets::INSERT[usize::from(has_events)],
            &pets::INSERT_ONCE[usize::from(has_events)],
            &orders::CREATE[usize::from(has_events)],
            &orders::CREATE_ONCE[usize::from(has_events)],
            &orders::UPDATE[usize::from(has_events)],
        ];
        let late = || StoreError::not_applied(Fault::Deadline(DEADLINE));
        let prepared = timeout(DEADLINE, session.prepare(statements)).await;
        let prepared = match prepared {
            Ok(prepared) => prepared.map_err(error::read_failed),
            Err(_) => Err(late()),
        };
        match prepared {
            Ok(()) => Ok(Arc::new(session)),
            Err(error) => {
                // Closes the connection and cancels its statements: further connections may wait for the same lock.
                session.cut();
                session.cancel();
                Err(error)
            }
        }
    }

    /// Waits until the server has finished a batch that exceeded its deadline, and checks it from time to time.
    async fn wait_for(&self, session: &Session) -> Next {
        let mut finished = pin!(session.finished());
        let mut watched = pin!(self.watch(session));
        let blocked = StoreError::not_applied(Fault::Blocked);
        let mut rejected = pin!(self.reject_writes(&blocked));
        loop {
            tokio::select! {
                done = &mut finished, if !session.is_cut() => match done {
                    Ok(()) => return Next::Keep,
                    // The server may still run the statement.
                    Err(_) if session.is_cut() => {}
                    Err(_) => return Next::Connect,
                },
                () = &mut watched => return Next::Connect,
                () = &mut rejected => return Next::End,
                () = self.ended() => return Next::End,
            }
        }
    }

    /// Returns when the server no longer works for this connection.
    async fn watch(&self, session: &Session) {
        loop {
            match self.0.connector.activity_of(session).await {
                // Idle means that the result of the statement was lost.
                Ok(Activity::Gone | Activity::Idle) => return,
                Ok(Activity::WaitsForLock) if !session.is_cut() => {
                    // If the statement is cancelled, statements that were sent after it must not run. So the
                    // connection is closed first. The next check cancels the statement.
                    session.cut();
                    continue;
                }
                Ok(Activity::WaitsForLock | Activity::Works) => {}
                Err(cause) => tracing::debug!(%cause, "cannot check the state of a slow write"),
            }
            sleep(LOOK).await;
        }
    }

    /// Rejects the waiting writes while no lane takes them. Returns after the queue is
    /// closed and empty.
    async fn reject_writes(&self, error: &StoreError) {
        let mut working = self.0.working.subscribe();
        loop {
            let is_alone = *working.borrow_and_update() == 0;
            tokio::select! {
                biased;
                // The sender is never dropped.
                _changed = working.changed() => {}
                batch = self.0.next_batch(), if is_alone => match batch {
                    Some((batch, _)) if batch.len() == 0 => {}
                    Some((batch, _held)) => self.reject(batch, error),
                    None => return,
                },
            }
        }
    }

    /// Returns when the last of the other lanes stops taking writes.
    async fn until_last(&self) {
        let mut working = self.0.working.subscribe();
        if *working.borrow_and_update() == 0 {
            return std::future::pending().await;
        }
        // The sender is never dropped.
        let _last = working.wait_for(|lanes| *lanes == 0).await;
    }

    /// Returns after the queue is closed and empty.
    async fn ended(&self) {
        let mut ended = self.0.ended.subscribe();
        // The sender is never dropped.
        let _ended = ended.wait_for(|ended| *ended).await;
    }
}

fn log(writes: usize, error: &StoreError) {
    let cause = error::cause(error);
    tracing::error!(writes, cause, "writes failed: {error}");
}
