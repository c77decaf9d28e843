//! Connects to the host that accepts writes, counts the warnings that the server
//! sends, and cancels the statements of abandoned connections.

use super::{
    error::{Fault, Furthest, chain, is_warning},
    settings::{Backend, STARTED, row_of, set_up},
    tls,
    url::PostgresUrl,
};
use crate::OpenProblem;
use futures::future::try_join_all;
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime::Handle,
    sync::watch,
    task::JoinHandle,
    time::timeout,
};
use tokio_postgres::{
    AsyncMessage, CancelToken, Client, Connection, Error, Row, Statement, types::ToSql,
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The time limit for cancelling a statement, or for checking what a connection does.
const LOOK_TIMEOUT: Duration = Duration::from_secs(2);
/// After a failure, no connection that reads is opened for this long. So thousands of callers learn
/// at once that the database is unreachable, and do not all connect at the same time when it is
/// available again.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// How long a statement that writes may wait for one lock. After this time, it is rolled back, and its
/// caller learns that nothing was changed. The statements of a batch wait one after the other,
/// and so do the batches that follow, so this is much less than a batch may take.
const WRITE_LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a statement that writes may run, including all waits for locks. The commit does not count:
/// the server stops this timeout before the commit.
const WRITE_TIMEOUT: Duration = Duration::from_secs(8);

/// The purpose of a connection.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// The server cancels statements that take longer than this.
    Read(Duration),
    /// The server cancels statements that wait or run for too long, but never a commit:
    /// if a commit is cancelled while it waits for its replica, it reports success.
    Write,
    /// A migration may take long.
    Migrate,
}

impl Use {
    /// The statements that limit how long the server works.
    fn limits(self) -> String {
        let (statement, lock) = match self {
            Use::Read(limit) => (limit, Duration::ZERO),
            Use::Write => (WRITE_TIMEOUT, WRITE_LOCK_TIMEOUT),
            Use::Migrate => (Duration::ZERO, Duration::ZERO),
        };
        let plans = match self {
            Use::Read(_) => PLANS_OF_READS,
            Use::Write | Use::Migrate => "",
        };
        format!(
            "SET statement_timeout = {}; SET lock_timeout = {}; {plans}",
            statement.as_millis(),
            lock.as_millis()
        )
    }
}

/// A read is planned once for each connection, not for each execution: planning a page costs as
/// much as reading it. Every page is one scan of an index. The settings `enable_…` prevent a plan that was
/// made while a table was empty from scanning or sorting the whole table later. They also make the
/// estimated cost of other reads, such as the list of all keys, so high that the server would compile
/// these reads each time (`jit`), so `jit` is off. PostgreSQL 12 has no incremental sort.
const PLANS_OF_READS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
    SET enable_bitmapscan = off; SET enable_sort = off; SET jit = off;
    SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'enable_incremental_sort';";

/// The state of a connection in the server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Activity {
    /// The server that accepts writes now has no such process.
    Gone,
    /// It waits for the next statement.
    Idle,
    /// It waits for a lock that another transaction holds. A commit never waits for a lock.
    WaitsForLock,
    /// It runs a statement or a commit, which may wait for the disk or for a replica.
    Works,
}

/// A connection. Dropping it closes the socket at once.
pub(super) struct Session {
    client: Client,
    backend: Backend,
    /// The prepared statements by their SQL.
    statements: Mutex<HashMap<&'static str, Statement>>,
    warnings: Arc<AtomicU64>,
    driver: JoinHandle<()>,
    /// Closed when the driver ends.
    driven: watch::Receiver<()>,
    is_cut: AtomicBool,
    purpose: Use,
    /// Statements without a result so far, including those whose callers were dropped.
    unfinished: AtomicUsize,
    cancel: CancelToken,
    tls: MakeRustlsConnect,
    runtime: Handle,
    records_events: Arc<AtomicBool>,
}

impl Session {
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Whether changes write events.
    pub(super) fn records_events(&self) -> bool {
        self.records_events.load(Ordering::Relaxed)
    }

    /// Uses the connection for another purpose from now on.
    pub(super) async fn set_purpose(mut self, purpose: Use) -> Result<Self, Error> {
        self.client.batch_execute(&purpose.limits()).await?;
        self.purpose = purpose;
        Ok(self)
    }

    /// Prepares these statements in one round trip. Other statements are prepared when they are
    /// used for the first time.
    pub(super) async fn prepare(
        &self,
        statements: impl IntoIterator<Item = &'static str>,
    ) -> Result<(), Error> {
        let statements = statements.into_iter().map(|sql| self.prepared(sql));
        try_join_all(statements).await.map(|_| ())
    }

    async fn prepared(&self, sql: &'static str) -> Result<Statement, Error> {
        let known = self.statements.lock().get(sql).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.counted(self.client.prepare(sql)).await?;
        self.statements.lock().insert(sql, statement.clone());
        Ok(statement)
    }

    /// Returns the rows of a statement.
    pub(super) async fn query(
        &self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Error> {
        let statement = self.prepared(sql).await?;
        self.counted(self.client.query(&statement, parameters))
            .await
    }

    /// Returns the number of rows that a statement changed.
    pub(super) async fn execute(
        &self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, Error> {
        let statement = self.prepared(sql).await?;
        self.counted(self.client.execute(&statement, parameters))
            .await
    }

    /// Runs a statement, and counts it until its result arrives.
    async fn counted<T>(&self, call: impl Future<Output = T>) -> T {
        self.unfinished.fetch_add(1, Ordering::AcqRel);
        let result = call.await;
        self.unfinished.fetch_sub(1, Ordering::AcqRel);
        result
    }

    /// Returns when all statements that were sent so far have finished.
    pub(super) async fn finished(&self) -> Result<(), Error> {
        self.client.simple_query("").await.map(|_| ())
    }

    /// The number of warnings on this connection. A warning of a
    /// statement is counted before the statement's result is returned, since
    /// the server sends the warning first and one task reads both.
    pub(super) fn warnings(&self) -> u64 {
        self.warnings.load(Ordering::Acquire)
    }

    /// Closes the socket. Callers that wait for a result get an error. If the connection
    /// reads, the server also cancels its running statements. If it writes, nothing is cancelled,
    /// since a commit that waits for its replica must continue.
    pub(super) fn cut(&self) {
        // The connection counts as closed now, although the task may end later.
        let was_cut = self.is_cut.swap(true, Ordering::AcqRel);
        self.driver.abort();
        let is_busy = self.unfinished.load(Ordering::Acquire) > 0;
        if !was_cut && is_busy && matches!(self.purpose, Use::Read(_)) {
            self.cancel();
        }
    }

    /// Asks the server to cancel the running statement of this connection. This also works after
    /// `cut`. The server closes a connection that was cut after its statement has ended.
    pub(super) fn cancel(&self) {
        let (token, tls) = (self.cancel.clone(), self.tls.clone());
        self.runtime.spawn(async move {
            match timeout(LOOK_TIMEOUT, token.cancel_query(tls)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::debug!(cause = chain(&error), "a statement cannot be cancelled");
                }
                Err(_) => tracing::debug!("a statement cannot be cancelled in time"),
            }
        });
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Acquire)
    }

    /// Returns when the connection is closed.
    pub(super) async fn closed(&self) {
        let mut driven = self.driven.clone();
        // Nothing is ever sent: an error means that the driver has ended.
        while driven.changed().await.is_ok() {}
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_cut() || self.client.is_closed()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.cut();
    }
}

/// Opens connections. A store has one connector.
pub(super) struct Connector {
    url: PostgresUrl,
    tls: MakeRustlsConnect,
    /// The index of the host that was used last. It is tried first, because the other hosts may not respond.
    last_host: AtomicUsize,
    /// The last failure to open a connection that reads.
    last_failure: Mutex<Option<(Instant, Fault)>>,
    /// Whether the last attempt failed, for the log.
    is_away: AtomicBool,
    /// Locked while [`activity_of`](Self::activity_of) has a connection.
    looking: tokio::sync::Mutex<()>,
    /// Whether changes write events.
    pub(super) records_events: Arc<AtomicBool>,
}

impl Connector {
    pub(super) fn new(url: PostgresUrl) -> Result<Self, OpenProblem> {
        let tls = tls::connector(url.root_certificates())?;
        Ok(Self {
            url,
            tls,
            last_host: AtomicUsize::new(0),
            last_failure: Mutex::new(None),
            is_away: AtomicBool::new(false),
            looking: tokio::sync::Mutex::default(),
            records_events: Arc::new(AtomicBool::new(true)),
        })
    }

    /// Tries the host that was used last, then the other hosts in their order, and uses the first host
    /// that accepts writes.
    pub(super) async fn connect(&self, purpose: Use) -> Result<Session, Fault> {
        // The pause applies only to reads: the lanes have their own pauses.
        let is_read = matches!(purpose, Use::Read(_));
        if is_read
            && let Some((when, fault)) = &*self.last_failure.lock()
            && when.elapsed() < RETRY_AFTER
        {
            return Err(fault.clone());
        }
        let connected = self.try_hosts(purpose).await;
        let was_away = self.is_away.swap(connected.is_err(), Ordering::AcqRel);
        match &connected {
            Err(cause) if !was_away => {
                tracing::warn!(database = %self.url, %cause, "the database is not available");
            }
            Ok(_) if was_away => {
                tracing::info!(database = %self.url, "the database is available again");
            }
            _ => {}
        }
        if is_read {
            let failure = connected.as_ref().err();
            *self.last_failure.lock() = failure.map(|fault| (Instant::now(), fault.clone()));
        }
        connected
    }

    /// Like [`connect`](Self::connect), but returns errors for the owner who starts the service.
    pub(super) async fn connect_first(&self) -> Result<Session, OpenProblem> {
        self.try_hosts(Use::Migrate).await.map_err(|fault| {
            let reason = fault.to_string();
            match fault {
                Fault::NotDurable { setting, value } => OpenProblem::NotDurable { setting, value },
                Fault::NoHost {
                    furthest: Furthest::Refused,
                    ..
                } => OpenProblem::Refused(reason),
                Fault::NoHost {
                    furthest: Furthest::Tls,
                    ..
                } => OpenProblem::Tls(reason),
                _ => OpenProblem::Unreachable(reason),
            }
        })
    }

    /// Checks, over another connection, what the server does for `session`. If `session` was cut
    /// and waits for a lock, the server cancels its statement. Checking and cancelling are one
    /// statement, since a commit that begins between them must not be cancelled.
    pub(super) async fn activity_of(&self, session: &Session) -> Result<Activity, Fault> {
        // Only one check runs at a time, so that the database has at most one such connection.
        let _only = self.looking.lock().await;
        let look = self.try_hosts(Use::Read(LOOK_TIMEOUT)).await?;
        let Backend { id, started } = &session.backend;
        let is_cut = session.is_cut();
        let sql = format!(
            "SELECT state, wait_event_type,
                CASE WHEN {is_cut} AND wait_event_type = 'Lock' THEN pg_cancel_backend(pid) END
            FROM pg_stat_activity WHERE pid = {id} AND {STARTED} = '{started}'"
        );
        let late = || Fault::Deadline(LOOK_TIMEOUT);
        let found = timeout(LOOK_TIMEOUT, look.client.simple_query(&sql)).await;
        let found = found.map_err(|_| late())?.map_err(|_| late())?;
        let Some(row) = row_of(&found) else {
            return Ok(Activity::Gone);
        };
        Ok(match (row.get(0), row.get(1)) {
            (_, Some("Lock")) => Activity::WaitsForLock,
            (Some("idle"), _) => Activity::Idle,
            _ => Activity::Works,
        })
    }

    async fn try_hosts(&self, purpose: Use) -> Result<Session, Fault> {
        let mut reasons = Vec::new();
        let mut furthest = Furthest::Unreachable;
        let hosts: Vec<_> = self.url.hosts().enumerate().collect();
        let (before, from_last) = hosts.split_at(self.last_host.load(Ordering::Relaxed));
        let last_first = from_last.iter().take(1).chain(before);
        let limit = self.url.host_timeout();
        for &(place, (name, config)) in last_first.chain(from_last.iter().skip(1)) {
            let attempt = async {
                // Dropping an attempt that takes too long closes its socket.
                let (client, connection) = config.connect(self.tls.clone()).await?;
                let warnings = Arc::<AtomicU64>::default();
                let (driving, driven) = watch::channel(());
                let moved = drive(connection, Arc::clone(&warnings));
                let driver = tokio::spawn(async move {
                    let _ends_with_this = driving;
                    moved.await;
                });
                // If the attempt is dropped, the session is dropped, too, and closes its socket.
                let mut session = Session {
                    cancel: client.cancel_token(),
                    client,
                    backend: Backend::default(),
                    statements: Mutex::default(),
                    warnings,
                    driver,
                    driven,
                    is_cut: AtomicBool::new(false),
                    purpose,
                    unfinished: AtomicUsize::new(0),
                    tls: self.tls.clone(),
                    runtime: Handle::current(),
                    records_events: Arc::clone(&self.records_events),
                };
                let (backend, lack) = set_up(&session.client, &purpose.limits()).await?;
                session.backend = backend;
                Ok::<_, Error>((session, lack))
            };
            match timeout(limit, attempt).await {
                Ok(Ok((session, None))) => {
                    self.last_host.store(place, Ordering::Relaxed);
                    return Ok(session);
                }
                Ok(Ok((_, Some(fault)))) => return Err(fault),
                Ok(Err(error)) => {
                    furthest = furthest.max(Furthest::of(&error));
                    reasons.push(format!("{name}: {}", chain(&error)));
                }
                Err(_) => reasons.push(format!("{name}: no response within {} s", limit.as_secs())),
            }
        }
        Err(Fault::NoHost {
            reasons: reasons.join("; "),
            furthest,
        })
    }
}

/// Transfers data until the connection ends, and counts warnings.
async fn drive<S, T>(mut connection: Connection<S, T>, warnings: Arc<AtomicU64>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(message) = poll_fn(|cx| connection.poll_message(cx)).await {
        match message {
            Ok(AsyncMessage::Notice(notice)) if is_warning(&notice) => {
                warnings.fetch_add(1, Ordering::Release);
                tracing::warn!(
                    notice = notice.message(),
                    detail = notice.detail(),
                    "the database sent a warning"
                );
            }
            Ok(_) => {}
            Err(error) => {
                tracing::debug!(cause = chain(&error), "a connection to the database ended");
                break;
            }
        }
    }
}
