//! Opens the state of the service at its start, and waits for a database that cannot be reached yet.

use super::{Program, ProgramError, supervisor};
use crate::{admin::Admin, config::Settings, listener, server::StartError};
use sd_notify::NotifyState;
use std::{
    fmt,
    net::SocketAddr,
    time::{Duration, Instant},
};
use tokio::net::TcpSocket;

/// The pause after the first failure. The pause doubles with each further failure.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

impl<X: clap::Args + Settings> Program<X> {
    /// Opens the state of the service. Calls `open` with growing pauses until it succeeds, as long as its
    /// errors are temporary and `database-wait-seconds` have not passed. Returns `None` if a signal to stop
    /// arrives before that.
    ///
    /// Meanwhile, the admin listener reports that the service is alive but not ready. The service reserves
    /// the address of the API, but does not accept connections yet, so that a load balancer tries another
    /// server before it sends a request. systemd is notified that the start continues.
    ///
    /// # Errors
    ///
    /// Returns an error if an address is in use, not allowed, or does not belong to this machine; otherwise
    /// the last error of `open`.
    pub async fn open_state<T, E>(
        &mut self,
        open: impl AsyncFnMut() -> Result<T, E>,
        is_temporary: impl Fn(&E) -> bool,
    ) -> Result<Option<T>, E>
    where
        E: fmt::Display + From<ProgramError>,
    {
        self.reserved = reserve(self.settings.listen.listen)?;
        self.start_admin()?;
        let admin = self.admin.as_ref();
        let limit = self.settings.start.database_wait_seconds.duration();
        tokio::select! {
            opened = opened(open, is_temporary, limit, admin) => opened.map(Some),
            () = supervisor::extend_start() => Ok(None),
            signal = self.signals.stop() => {
                supervisor::notify(&[NotifyState::Stopping]);
                tracing::info!("stopped after {signal}, before the service had started");
                Ok(None)
            }
        }
    }

    /// Starts to serve health and metrics, if the admin listener is switched on and does not run yet.
    pub(super) fn start_admin(&mut self) -> Result<(), ProgramError> {
        if self.admin.is_none() {
            let watch = &self.settings.watch;
            self.admin = Admin::listen(watch.admin_listen, watch.admin_hosts.clone())?;
            if let Some(admin) = &self.admin {
                tracing::info!("health and metrics on http://{}", admin.address());
            }
        }
        Ok(())
    }
}

/// Calls `open` with growing pauses until it succeeds, as long as its errors are temporary and `limit` has
/// not passed, as [`Program::open_state`] does. It is for commands that need a database. Each failure is
/// logged.
///
/// # Errors
///
/// Returns the last error of `open`.
pub async fn retry<T, E: fmt::Display>(
    open: impl AsyncFnMut() -> Result<T, E>,
    is_temporary: impl Fn(&E) -> bool,
    limit: Duration,
) -> Result<T, E> {
    opened(open, is_temporary, limit, None).await
}

/// Reserves an address without accepting connections; does nothing for port 0.
fn reserve(address: SocketAddr) -> Result<Option<TcpSocket>, ProgramError> {
    if address.port() == 0 {
        return Ok(None);
    }
    let bound = listener::bound_socket(address);
    let bound = bound.map_err(|source| StartError::Listen { address, source });
    Ok(Some(bound?))
}

async fn opened<T, E: fmt::Display>(
    mut open: impl AsyncFnMut() -> Result<T, E>,
    is_temporary: impl Fn(&E) -> bool,
    limit: Duration,
    admin: Option<&Admin>,
) -> Result<T, E> {
    let begin = Instant::now();
    let mut longest = FIRST_PAUSE;
    for attempt in 1.. {
        let error = match open().await {
            Ok(state) => {
                if attempt > 1 {
                    tracing::info!("the database was opened on attempt {attempt}");
                    supervisor::notify(&[NotifyState::Status("")]);
                }
                return Ok(state);
            }
            Err(error) => error,
        };
        let left = limit.saturating_sub(begin.elapsed());
        if !is_temporary(&error) || left.is_zero() {
            return Err(error);
        }
        // The pause is random, so that servers that lost their database at the same time do not all reconnect
        // at the same time.
        let pause = longest.mul_f64(rand::random_range(0.5..=1.0)).min(left);
        longest = LONGEST_PAUSE.min(longest * 2);
        tracing::warn!(
            "{error:#}; retrying in {:.1} s, giving up after another {:.0} s",
            pause.as_secs_f64(),
            left.as_secs_f64()
        );
        let reason = format!("{error:#}");
        supervisor::waits(&reason);
        if let Some(admin) = admin {
            admin.waits_for(reason);
        }
        tokio::time::sleep(pause).await;
    }
    unreachable!("the loop only ends with a return")
}
