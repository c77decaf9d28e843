//! Connects to the host that takes writes, checks its settings, and counts the
//! warnings that come over the connection.

use super::{
    error::{Fault, PostgresError, chain},
    tls,
    url::PostgresUrl,
};
use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex, PoisonError,
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
    AsyncMessage, Client, Connection, Error, SimpleQueryMessage,
    error::{DbError, Severity, SqlState},
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long one host may take to connect, so that a host that hangs does not
/// keep us from the next one.
const HOST_TIMEOUT: Duration = Duration::from_secs(2);
/// After a failure no connection is tried for this long: callers that come in by
/// the thousand learn at once that the database is gone, and when it is back
/// it is not met by all of them together.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// What a connection is for.
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
    warnings: Arc<AtomicU64>,
    driver: JoinHandle<()>,
    is_cut: AtomicBool,
}

impl Session {
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// How many warnings came over this connection. One that belongs to a
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

/// Makes connections. There is one for a store.
pub(super) struct Connector {
    url: PostgresUrl,
    tls: MakeRustlsConnect,
    last_failure: Mutex<Option<(Instant, Rejection)>>,
}

/// Why there is no connection.
#[derive(Clone, Debug)]
pub(super) struct Rejection {
    pub(super) fault: Fault,
    kind: Kind,
}

/// How near to a connection the hosts let us come; the nearest one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Unreachable,
    Tls,
    Refused,
    NotDurable,
}

impl Connector {
    pub(super) fn new(url: PostgresUrl) -> Result<Self, PostgresError> {
        let tls = tls::connector(url.root_certificates())?;
        Ok(Self {
            url,
            tls,
            last_failure: Mutex::new(None),
        })
    }

    /// Tries the hosts in their order, and takes the first one that can write.
    pub(super) async fn connect(&self, purpose: Use) -> Result<Session, Fault> {
        if let Some((when, rejection)) = &*self
            .last_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            && when.elapsed() < RETRY_AFTER
        {
            return Err(rejection.fault.clone());
        }
        let connected = self.try_hosts(purpose).await;
        let failure = connected
            .as_ref()
            .err()
            .map(|rejection| (Instant::now(), rejection.clone()));
        let mut last_failure = self
            .last_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match (&failure, &*last_failure) {
            (Some((_, new)), None) => {
                tracing::warn!(database = %self.url, cause = %new.fault, "the database is not available")
            }
            (None, Some(_)) => {
                tracing::info!(database = %self.url, "the database is available again")
            }
            _ => {}
        }
        *last_failure = failure;
        drop(last_failure);
        connected.map_err(|rejection| rejection.fault)
    }

    /// As [`connect`](Self::connect), for the owner who starts the service.
    pub(super) async fn connect_first(&self) -> Result<Session, PostgresError> {
        self.try_hosts(Use::Write)
            .await
            .map_err(|Rejection { fault, kind }| {
                let (database, reason) = (self.url.to_string(), fault.to_string());
                match (fault, kind) {
                    (Fault::NotDurable { setting, value }, _) => PostgresError::NotDurable {
                        database,
                        setting,
                        value,
                    },
                    (_, Kind::Refused) => PostgresError::Refused { database, reason },
                    (_, Kind::Tls) => PostgresError::Tls { database, reason },
                    _ => PostgresError::Unreachable { database, reason },
                }
            })
    }

    async fn try_hosts(&self, purpose: Use) -> Result<Session, Rejection> {
        let mut reasons = Vec::new();
        let mut kind = Kind::Unreachable;
        for (name, config) in self.url.hosts() {
            let attempt = async {
                // Dropping an attempt that takes too long closes its socket.
                let (client, connection) = config.connect(self.tls.clone()).await?;
                let warnings = Arc::<AtomicU64>::default();
                let driver = tokio::spawn(drive(connection, Arc::clone(&warnings)));
                let session = Session {
                    client,
                    warnings,
                    driver,
                    is_cut: AtomicBool::new(false),
                };
                let lack = set_up(&session.client, purpose).await?;
                Ok::<_, Error>((session, lack))
            };
            match timeout(HOST_TIMEOUT, attempt).await {
                Ok(Ok((session, None))) => return Ok(session),
                Ok(Ok((_, Some(fault)))) => {
                    return Err(Rejection {
                        fault,
                        kind: Kind::NotDurable,
                    });
                }
                Ok(Err(error)) => {
                    kind = kind.max(kind_of(&error));
                    reasons.push(format!("{name}: {}", chain(&error)));
                }
                Err(_) => reasons.push(format!(
                    "{name}: no answer within {} s",
                    HOST_TIMEOUT.as_secs()
                )),
            }
        }
        Err(Rejection {
            fault: Fault::NoHost(reasons.join("; ")),
            kind,
        })
    }
}

fn kind_of(error: &Error) -> Kind {
    match error.code() {
        // 28: login; 3D000: no such database; 42501: no right to connect.
        Some(code) if code.code().starts_with("28") => Kind::Refused,
        Some(&(SqlState::INVALID_CATALOG_NAME | SqlState::INSUFFICIENT_PRIVILEGE)) => Kind::Refused,
        Some(_) => Kind::Unreachable,
        // The one kind of error that can be told by its text only.
        None if error.to_string().contains("TLS") => Kind::Tls,
        None if error.to_string().contains("authentication") => Kind::Refused,
        None => Kind::Unreachable,
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
    let found = db.simple_query(&sql).await?;
    let row = found.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let value = |column| row.and_then(|row| row.get(column)).unwrap_or_default();
    Ok(lacks("fsync", value(0)).or_else(|| lacks("synchronous_commit", value(1))))
}

/// Looks again at what [`set_up`] has looked at, as the server has it now.
pub(super) async fn check(db: &Client) -> Result<Option<Fault>, Error> {
    let rows = db
        .simple_query(
            "SELECT name, reset_val FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')",
        )
        .await?;
    Ok(rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) if row.get(0) == Some("fsync") => {
            lacks("fsync", row.get(1).unwrap_or_default())
        }
        SimpleQueryMessage::Row(row) => lacks("synchronous_commit", row.get(1).unwrap_or_default()),
        _ => None,
    }))
}

/// `remote_write` and `local` are less than `on`: with a standby, a write that
/// was completed could be missing on it.
fn lacks(setting: &'static str, value: &str) -> Option<Fault> {
    let enough = matches!(
        (setting, value),
        (_, "on") | ("synchronous_commit", "remote_apply")
    );
    (!enough).then(|| Fault::NotDurable {
        setting,
        value: value.to_owned(),
    })
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

/// By the severity that is not translated; one that is unknown counts too.
fn is_warning(notice: &DbError) -> bool {
    !matches!(
        notice.parsed_severity(),
        Some(Severity::Notice | Severity::Info | Severity::Log | Severity::Debug)
    )
}
