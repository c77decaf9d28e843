//! Connects to the host that accepts writes, checks its settings, and counts
//! the warnings that the server sends.

use super::{
    error::{Fault, Furthest, chain, is_warning},
    tls,
    url::PostgresUrl,
};
use crate::{OpenProblem, record::PAGE_BYTES};
use futures::{TryStreamExt as _, future::try_join_all};
use std::{
    collections::HashMap,
    future::poll_fn,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinHandle,
    time::timeout,
};
use tokio_postgres::{
    AsyncMessage, Client, Connection, Error, Row, SimpleQueryMessage, Statement, types::ToSql,
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long one host may take to connect, so that a host that hangs does not
/// keep us from the next one.
const HOST_TIMEOUT: Duration = Duration::from_secs(2);
/// After a failure no connection is tried for this long: callers that come in by
/// the thousand learn at once that the database is gone, and when it is back
/// it is not met by all of them together.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// The purpose of a connection.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// Statements that take too long are ended by the server.
    Read(Duration),
    /// Nothing is ever cancelled: a commit that waits for its replica and is
    /// cancelled reports success.
    Write,
}

/// A connection. To drop it closes the socket at once.
pub(super) struct Session {
    client: Client,
    /// The prepared statements by their SQL.
    statements: Mutex<HashMap<&'static str, Statement>>,
    warnings: Arc<AtomicU64>,
    driver: JoinHandle<()>,
    is_cut: AtomicBool,
}

impl Session {
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Prepares these statements in one round trip; others are prepared when they are
    /// used first.
    pub(super) async fn prepare(
        &self,
        statements: impl IntoIterator<Item = &'static str>,
    ) -> Result<(), Error> {
        let statements = statements.into_iter().map(|sql| self.prepared(sql));
        try_join_all(statements).await.map(|_| ())
    }

    async fn prepared(&self, sql: &'static str) -> Result<Statement, Error> {
        let known = locked(&self.statements).get(sql).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql).await?;
        locked(&self.statements).insert(sql, statement.clone());
        Ok(statement)
    }

    /// Returns the rows of a statement.
    pub(super) async fn query(
        &self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Error> {
        let statement = self.prepared(sql).await?;
        self.client.query(&statement, parameters).await
    }

    /// The rows of a page, until they exceed its size in bytes. The rest is discarded when it
    /// arrives.
    pub(super) async fn page(
        &self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Error> {
        let statement = self.prepared(sql).await?;
        let parameters = parameters.iter().copied();
        let mut rows = pin!(self.client.query_raw(&statement, parameters).await?);
        let (mut found, mut bytes) = (Vec::new(), 0);
        while let Some(row) = rows.try_next().await? {
            bytes += row.raw_size_bytes();
            found.push(row);
            // A row is a little larger than its texts.
            if bytes > 2 * PAGE_BYTES && found.len() > 1 {
                break;
            }
        }
        Ok(found)
    }

    /// Returns the number of rows that a statement changed.
    pub(super) async fn execute(
        &self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, Error> {
        let statement = self.prepared(sql).await?;
        self.client.execute(&statement, parameters).await
    }

    /// The number of warnings on this connection. One that belongs to a
    /// statement is counted before the statement's result is returned, since
    /// the server sends it before and one task reads both.
    pub(super) fn warnings(&self) -> u64 {
        self.warnings.load(Ordering::Acquire)
    }

    /// Closes the socket without a word, and without a request to cancel what
    /// the server is doing. Callers that wait for a result get an error.
    pub(super) fn cut(&self) {
        // The task ends in its own time, the connection counts as closed now.
        self.is_cut.store(true, Ordering::Release);
        self.driver.abort();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_cut.load(Ordering::Acquire) || self.client.is_closed()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.cut();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes connections. There is one for a store.
pub(super) struct Connector {
    url: PostgresUrl,
    tls: MakeRustlsConnect,
    last_failure: Mutex<Option<(Instant, Fault)>>,
}

impl Connector {
    pub(super) fn new(url: PostgresUrl) -> Result<Self, OpenProblem> {
        let tls = tls::connector(url.root_certificates())?;
        Ok(Self {
            url,
            tls,
            last_failure: Mutex::new(None),
        })
    }

    /// Tries the hosts in their order, and uses the first one that accepts writes.
    pub(super) async fn connect(&self, purpose: Use) -> Result<Session, Fault> {
        if let Some((when, fault)) = &*locked(&self.last_failure)
            && when.elapsed() < RETRY_AFTER
        {
            return Err(fault.clone());
        }
        let connected = self.try_hosts(purpose).await;
        let mut last_failure = locked(&self.last_failure);
        match (&connected, &*last_failure) {
            (Err(cause), None) => {
                tracing::warn!(database = %self.url, %cause, "the database is not available")
            }
            (Ok(_), Some(_)) => {
                tracing::info!(database = %self.url, "the database is available again")
            }
            _ => {}
        }
        *last_failure = connected
            .as_ref()
            .err()
            .map(|fault| (Instant::now(), fault.clone()));
        connected
    }

    /// As [`connect`](Self::connect), for the owner who starts the service.
    pub(super) async fn connect_first(&self) -> Result<Session, OpenProblem> {
        self.try_hosts(Use::Write).await.map_err(|fault| {
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

    async fn try_hosts(&self, purpose: Use) -> Result<Session, Fault> {
        let mut reasons = Vec::new();
        let mut furthest = Furthest::Unreachable;
        for (name, config) in self.url.hosts() {
            let attempt = async {
                // Dropping an attempt that takes too long closes its socket.
                let (client, connection) = config.connect(self.tls.clone()).await?;
                let warnings = Arc::<AtomicU64>::default();
                let driver = tokio::spawn(drive(connection, Arc::clone(&warnings)));
                let session = Session {
                    client,
                    statements: Mutex::default(),
                    warnings,
                    driver,
                    is_cut: AtomicBool::new(false),
                };
                let lack = set_up(&session.client, purpose).await?;
                Ok::<_, Error>((session, lack))
            };
            match timeout(HOST_TIMEOUT, attempt).await {
                Ok(Ok((session, None))) => return Ok(session),
                Ok(Ok((_, Some(fault)))) => return Err(fault),
                Ok(Err(error)) => {
                    furthest = furthest.max(Furthest::of(&error));
                    reasons.push(format!("{name}: {}", chain(&error)));
                }
                Err(_) => reasons.push(format!(
                    "{name}: no response within {} s",
                    HOST_TIMEOUT.as_secs()
                )),
            }
        }
        Err(Fault::NoHost {
            reasons: reasons.join("; "),
            furthest,
        })
    }
}

/// Settings of the role or the database could make a wrong result out of a
/// right one: a statement timeout cancels commits, and without warnings nobody
/// would learn of it. Returns what makes the server unfit.
async fn set_up(db: &Client, purpose: Use) -> Result<Option<Fault>, Error> {
    let statement_timeout = match purpose {
        Use::Read(limit) => limit.as_millis(),
        Use::Write => 0,
    };
    let sql = format!(
        "SET client_min_messages = warning;
         SET default_transaction_isolation = 'read committed';
         SET statement_timeout = {statement_timeout};
         SET lock_timeout = 0;
         SELECT current_setting('fsync'), set_config('synchronous_commit', current_setting('synchronous_commit'), false)"
    );
    // What is found now is set for the session, so that a server that is
    // reloaded with less does not lessen it for connections that are open.
    lacking(db, &sql).await
}

/// Looks again at what [`set_up`] has looked at, as the server has it now.
pub(super) async fn check(db: &Client) -> Result<Option<Fault>, Error> {
    let sql = "SELECT (SELECT reset_val FROM pg_settings WHERE name = 'fsync'),
         (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit')";
    lacking(db, sql).await
}

/// Returns the setting that allows lost writes, if there is one; `sql` selects the two
/// settings. `remote_write` and `local` are weaker than `on`: if the server has a
/// standby, a write that was completed could be missing on it.
async fn lacking(db: &Client, sql: &str) -> Result<Option<Fault>, Error> {
    let found = db.simple_query(sql).await?;
    let row = found.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let enough: [(&'static str, &[&str]); 2] = [
        ("fsync", &["on"]),
        ("synchronous_commit", &["on", "remote_apply"]),
    ];
    let lacks = enough
        .into_iter()
        .enumerate()
        .find_map(|(column, (setting, enough))| {
            let value = row.and_then(|row| row.get(column)).unwrap_or_default();
            (!enough.contains(&value)).then(|| Fault::NotDurable {
                setting,
                value: value.to_owned(),
            })
        });
    Ok(lacks)
}

/// Moves bytes until the connection ends, and counts warnings.
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
                    message = notice.message(),
                    detail = notice.detail(),
                    "the database warns"
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
