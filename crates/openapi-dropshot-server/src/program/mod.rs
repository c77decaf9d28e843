//! Runs the program of a service from start to shutdown: logging, signals, both listeners, the reload of the certificate, systemd, and
//! the orderly shutdown.
//!
//! A service calls [`Program::begin`], opens its state with
//! [`open_state`](Program::open_state) if it has a database, and continues with
//! [`bind`](Program::bind) and [`run`](BoundProgram::run).

mod opening;
mod signals;
mod supervisor;

pub use opening::retry;

use crate::{
    ServiceInfo,
    admin::{Admin, CannotListen},
    config::{self, ConfigError, ServeSettings, Settings, TlsFiles},
    logging, open_files,
    pipeline::{Context, largest_body},
    server::{Bound, Server, StartError, Stopped},
    setup::Setup,
    state::State,
    tls::{Tls, certificate::CertificateDates},
};
use openapi_dropshot_types::Contract;
use sd_notify::NotifyState;
use signals::{Request, Signals};
use std::{
    error::Error,
    fmt,
    io::{self, Write as _},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::net::TcpSocket;

/// Runs the `main` of a program on a tokio runtime. If it returns an error, prints the error on stderr after all log lines are written.
/// The exit code is 2 if the settings cannot be used ([`ConfigError`] is among the causes of the error), as for a command line that
/// cannot be parsed, and 1 for any other error. `E` is `anyhow::Error` or a similar type.
pub fn main<E>(run: impl Future<Output = Result<(), E>>) -> ExitCode
where
    E: fmt::Display + From<io::Error> + AsRef<dyn Error + Send + Sync>,
{
    let log = logging::WriteOut;
    let done = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(E::from)
        .and_then(|runtime| {
            let done = runtime.block_on(run);
            // Tasks that still run have had their time to finish.
            runtime.shutdown_background();
            done
        });
    // Log lines are written before the error.
    drop(log);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            if is_usage_error(error.as_ref()) {
                ExitCode::from(config::USAGE)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

/// Whether the program was called with settings that cannot be used.
fn is_usage_error(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        let program = error.downcast_ref::<ProgramError>();
        if error.is::<ConfigError>() || matches!(program, Some(ProgramError::Config(_))) {
            return true;
        }
        next = error.source();
    }
    false
}

impl<X: clap::Args + Settings> ServeSettings<X> {
    /// Checks the settings against the operations of a document. The server does this when it is bound; a program can do it earlier,
    /// before it opens its state.
    ///
    /// # Errors
    ///
    /// Returns an error if `operation-limits` names an operation that the document does not have, or if a limit of an operation cannot
    /// be applied.
    pub fn check_operations<C: Contract>(&self) -> Result<(), ConfigError> {
        largest_body::<C>(&self.limits).map_err(ConfigError::new)?;
        Ok(())
    }
}

/// The reason why a program could not run or did not stop correctly.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// Two settings contradict each other, or the certificate cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The signal handlers cannot be installed.
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    /// The address of the API cannot be bound, or the API cannot be served.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The admin listener cannot be bound to its address.
    #[error(transparent)]
    Admin(#[from] CannotListen),
    /// A second signal arrived while the server was stopping.
    #[error("stopped at once by a second signal ({signal}); running requests were aborted")]
    SecondSignal {
        /// The name of the signal.
        signal: &'static str,
    },
    /// The state of the service was not closed.
    #[error("the store was not closed correctly")]
    Close(#[source] Box<dyn Error + Send + Sync>),
}

/// A program that logs and handles signals, but is not bound to an address yet. `X` are the settings that only this service has.
pub struct Program<X: clap::Args> {
    info: &'static ServiceInfo,
    signals: Signals,
    tls: Option<(TlsFiles, Tls)>,
    settings: ServeSettings<X>,
    /// Serves requests until the end of the program, so that `/readyz` can report that the service is stopping.
    admin: Option<Admin>,
    /// Reserves the address of the API until the server binds it.
    reserved: Option<TcpSocket>,
}

/// A program whose server is bound to its addresses, but does not accept connections yet.
pub struct BoundProgram<S: State> {
    info: &'static ServiceInfo,
    signals: Signals,
    tls: Option<TlsFiles>,
    delay: Duration,
    grace: Duration,
    bound: Bound<S>,
    admin: Option<Admin>,
    base_path: &'static str,
}

impl<X: clap::Args + Settings> Program<X> {
    /// Starts logging, handles the signals of the process, and reads the certificate. Must be
    /// called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if two settings contradict each other, or if the certificate cannot be used.
    pub fn begin(
        info: &'static ServiceInfo,
        settings: ServeSettings<X>,
    ) -> Result<Self, ProgramError> {
        settings.check()?;
        logging::init_with(info, &settings.log, settings.watch.access_log);
        for variable in ServeSettings::<X>::mistyped_variables(info) {
            tracing::warn!("{variable}");
        }
        // From here on, a signal stops the service in an orderly way.
        let signals = Signals::listen().map_err(ProgramError::Signals)?;
        let tls = match settings.tls.files()? {
            Some(files) => {
                let tls = Tls::load(&files)?;
                Some((files, tls))
            }
            None => None,
        };
        Ok(Program {
            info,
            signals,
            tls,
            settings,
            admin: None,
            reserved: None,
        })
    }

    /// Returns the settings that only this service has.
    #[must_use]
    pub fn service(&self) -> &X {
        &self.settings.service
    }

    /// Binds the addresses of the API `C` and of the admin listener.
    ///
    /// # Errors
    ///
    /// Returns an error if an address is in use, not allowed, or does not belong to this machine.
    pub fn bind<C, S>(mut self, state: S) -> Result<BoundProgram<S>, ProgramError>
    where
        C: Contract<Context = Context<S>>,
        S: State,
    {
        self.start_admin()?;
        drop(self.reserved.take());
        let (files, tls) = self.tls.unzip();
        let settings = self.settings;
        let limits = settings.limits;
        let (delay, grace) = (limits.shutdown_delay_seconds, limits.shutdown_grace_seconds);
        let bound = Bound::bind::<C>(Setup {
            listen: settings.listen.listen,
            tls,
            limits,
            rate_limit: settings.rate_limit,
            web: settings.web,
            lifecycle: settings.lifecycle,
            metrics: settings.watch.metrics.is_on(),
            rejected_lines: settings.watch.access_log_rejected_per_second,
            proxies: settings.proxies,
            ..Setup::new(self.info, state)
        })?;
        Ok(BoundProgram {
            info: self.info,
            signals: self.signals,
            tls: files,
            delay: delay.duration(),
            grace: grace.duration(),
            bound,
            admin: self.admin,
            base_path: C::BASE_PATH,
        })
    }
}

impl<S: State> BoundProgram<S> {
    /// Starts to serve requests, calls `started` with the base URL of the API, such as `http://127.0.0.1:8080/v1`, and prints `listening
    /// on BASE` on stdout. Serves until SIGTERM or SIGINT; SIGHUP reads the certificate again. Then it finishes the running requests and
    /// awaits `close`, which closes the state of the service.
    ///
    /// # Errors
    ///
    /// Returns an error if the admin listener cannot serve requests, if a second signal ended the process at once, or if `close` failed.
    pub async fn run<E>(
        mut self,
        started: impl FnOnce(&str),
        close: impl AsyncFnOnce() -> Result<(), E>,
    ) -> Result<(), ProgramError>
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        if let Err(error) = open_files::raise_limit() {
            tracing::warn!(
                "the limit of open files and sockets cannot be raised and is unchanged: {error}"
            );
        }
        let dates = self.tls.as_ref().map(CertificateDates::watch);
        let server = self.bound.start();
        let _admin = self
            .admin
            .inspect(|admin| report(admin, &server, self.info, dates.clone()));
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let base = format!("{scheme}://{}{}", server.address(), self.base_path);
        started(&base);
        // The only line on stdout, for scripts that wait for it.
        if let Err(PrintError(cause)) = print(&format!("listening on {base}\n")) {
            tracing::warn!("cannot write to stdout: {cause}; listening on {base}");
        }
        supervisor::notify(&[NotifyState::Ready]);
        supervisor::keep_alive();

        let signal = loop {
            match self.signals.next().await {
                Request::Stop(signal) => break signal,
                Request::Reload => {
                    reload(&server, self.tls.as_ref(), dates.as_deref());
                }
            }
        };
        supervisor::notify(&[NotifyState::Stopping]);
        server.leave();
        let grace = self.grace;
        tracing::info!(
            "stopping after {signal}: running requests may take up to {grace:?} to finish"
        );
        tokio::select! {
            done = stop(server, close, self.delay, grace) => done,
            signal = self.signals.stop() => Err(ProgramError::SecondSignal { signal }),
        }
    }
}

/// Starts to report the health and the metrics of this server.
fn report<S: State>(
    admin: &Admin,
    server: &Server<S>,
    info: &ServiceInfo,
    dates: Option<Arc<CertificateDates>>,
) {
    if let Some(metrics) = server.metrics() {
        metrics.counter(
            &info.metric("log_lines_lost_total"),
            "Log lines that were dropped, because they arrived faster than they could be written.",
            logging::lost_lines,
        );
        if let Some(dates) = dates {
            metrics.gauge(
                &info.metric("tls_certificate_expiry_timestamp_seconds"),
                "When the first certificate of the served chain expires, as a Unix timestamp in seconds; NaN if its dates cannot be read.",
                move || dates.earliest_expiry().map_or(f64::NAN, |expiry| expiry as f64),
            );
        }
    }
    admin.report_on(server);
}

/// Reads the certificate again. If it cannot be used, the server keeps the old one.
fn reload<S: State>(
    server: &Server<S>,
    files: Option<&TlsFiles>,
    dates: Option<&CertificateDates>,
) {
    supervisor::reloading();
    match files.map(Tls::load_again) {
        None => tracing::info!(
            "SIGHUP: the service uses plain http, so there is no certificate to reload"
        ),
        Some(Ok(tls)) => {
            server.replace_tls(tls);
            if let Some(dates) = dates {
                dates.read();
            }
            tracing::info!("SIGHUP: the certificate was reloaded for new connections");
        }
        Some(Err(error)) => {
            let cause = error.source().map(|cause| format!(": {cause}"));
            let cause = cause.unwrap_or_default();
            tracing::error!(
                "SIGHUP: cannot load the new certificate, so the old one stays in use: {error}{cause}"
            );
        }
    }
    supervisor::notify(&[NotifyState::Ready]);
}

/// Continues to serve for the shutdown delay, so that a load balancer can stop sending requests. Then lets running requests finish and
/// closes the state of the service.
async fn stop<S: State, E>(
    server: Server<S>,
    close: impl AsyncFnOnce() -> Result<(), E>,
    delay: Duration,
    grace: Duration,
) -> Result<(), ProgramError>
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    tokio::time::sleep(delay).await;
    let end = Instant::now() + grace;
    if server.stop(grace).await == Stopped::CutOff {
        tracing::warn!("some connections were still open after {grace:?} and were closed");
    }
    let left = crate::server::left_for_writes(end);
    match tokio::time::timeout(left, close()).await {
        Ok(closed) => closed.map_err(|error| ProgramError::Close(error.into()))?,
        Err(_) => tracing::warn!("the store was not closed within {left:?}"),
    }
    tracing::info!("stopped");
    Ok(())
}

/// Notifies systemd that the start continues and may take at least this long from now on, so that systemd does not end the process when
/// the unit's time limit (`TimeoutStartSec`) is over. Call it again before this time has passed, for as long as there is progress.
/// Without systemd, it does nothing.
pub fn extend_start_timeout(time: Duration) {
    supervisor::allow_start(time);
}

/// Stdout is closed, or its disk is full.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to stdout")]
pub struct PrintError(#[source] io::Error);

/// Writes to stdout. Unlike `print!`, it does not panic if the pipe is closed.
///
/// # Errors
///
/// Returns [`PrintError`] if stdout cannot be written.
pub fn print(text: &str) -> Result<(), PrintError> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(PrintError)
}
