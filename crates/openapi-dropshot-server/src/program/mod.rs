//! The program of a service from its start to its end: logging, signals, both listeners, the
//! reload of the certificate, systemd, and a stop in order.
//!
//! A service calls [`Program::begin`], opens its state, and goes on with
//! [`bind`](Program::bind), [`start`](BoundProgram::start) and [`run`](RunningProgram::run).

mod signals;
mod supervisor;

use crate::{
    ServiceInfo,
    admin::{self, Admin, CannotListen, Subject},
    clock::SystemClock,
    config::{AdminListen, Lifecycle, Limits, Listen, RateLimit, ServeConfig, TlsFiles, Web},
    logging, open_files,
    pipeline::Context,
    server::{Bound, Server, Setup, StartError, Stopped},
    state::State,
    tls::{Tls, TlsError},
};
use openapi_dropshot_types::Contract;
use signals::{Request, Signals};
use std::{
    error::Error,
    fmt,
    io::{self, Write as _},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

/// Runs the `main` of a program on a tokio runtime: shows its error on stderr, after all log
/// lines are written.
pub fn main<E: fmt::Display + From<io::Error>>(
    run: impl Future<Output = Result<(), E>>,
) -> ExitCode {
    let log = logging::WriteOut;
    let done = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(E::from)
        .and_then(|runtime| {
            let done = runtime.block_on(run);
            // Tasks that still run had their time to finish.
            runtime.shutdown_background();
            done
        });
    // Log lines come before the error.
    drop(log);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Why a program could not run, or not end in order.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The process cannot have its signals.
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The API cannot be served.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The admin listener has no address.
    #[error(transparent)]
    Admin(#[from] CannotListen),
    /// The admin listener cannot respond.
    #[error("cannot respond on the admin listener")]
    AdminStart(#[source] io::Error),
    /// A second signal came while the server stopped.
    #[error("stopped at once by a second signal ({signal}); requests that ran were cut off")]
    SecondSignal {
        /// Its name.
        signal: &'static str,
    },
    /// The state of the service was not closed.
    #[error("the store was not closed as it should")]
    Close(#[source] Box<dyn Error + Send + Sync>),
}

/// A program that logs and takes signals, and has no address yet.
pub struct Program {
    info: &'static ServiceInfo,
    signals: Signals,
    tls: Option<(TlsFiles, Tls)>,
    listen: Listen,
    limits: Limits,
    rate_limit: RateLimit,
    web: Web,
    lifecycle: Lifecycle,
    metrics: bool,
    admin_listen: AdminListen,
}

/// A program whose server has its addresses, but does not respond yet.
pub struct BoundProgram<S: State> {
    lasting: Lasting,
    bound: Bound<S>,
    admin: Option<admin::Bound>,
    base_path: &'static str,
}

/// A program whose server responds.
pub struct RunningProgram<S: State> {
    lasting: Lasting,
    server: Server<S>,
    /// Responds up to the end, also that the service stops.
    _admin: Option<Admin>,
    base: String,
}

/// The parts of a program that last from its begin to its end.
struct Lasting {
    info: &'static ServiceInfo,
    signals: Signals,
    tls: Option<TlsFiles>,
    delay: Duration,
    grace: Duration,
}

impl Program {
    /// Begins to log, takes over the signals of the process, and reads the certificate. Returns
    /// the settings of the service itself too. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// The certificate cannot be used.
    pub fn begin<X>(
        info: &'static ServiceInfo,
        config: ServeConfig<X>,
    ) -> Result<(Self, X), ProgramError> {
        logging::init_with(info, &config.log, config.watch.access_log);
        // From here on a signal stops the service in order.
        let signals = Signals::listen().map_err(ProgramError::Signals)?;
        let tls = match config.tls {
            Some(files) => {
                let tls = Tls::load(&files)?;
                Some((files, tls))
            }
            None => None,
        };
        let program = Program {
            info,
            signals,
            tls,
            listen: config.listen,
            limits: config.limits,
            rate_limit: config.rate_limit,
            web: config.web,
            lifecycle: config.lifecycle,
            metrics: config.watch.metrics.is_on(),
            admin_listen: config.watch.admin_listen,
        };
        Ok((program, config.service))
    }

    /// Takes the addresses of the API `C` and of the admin listener.
    ///
    /// # Errors
    ///
    /// An address is taken, not allowed, or not of this machine.
    pub fn bind<C, S>(self, state: S) -> Result<BoundProgram<S>, ProgramError>
    where
        C: Contract<Context = Context<S>>,
        S: State,
    {
        let (files, tls) = self.tls.unzip();
        let lasting = Lasting {
            info: self.info,
            signals: self.signals,
            tls: files,
            delay: self.limits.shutdown_delay_seconds.duration(),
            grace: self.limits.shutdown_grace_seconds.duration(),
        };
        let bound = Bound::bind::<C>(Setup {
            info: self.info,
            state,
            listen: self.listen.listen,
            tls,
            clock: Arc::new(SystemClock),
            limits: self.limits,
            rate_limit: self.rate_limit,
            web: self.web,
            lifecycle: self.lifecycle,
            metrics: self.metrics,
        })?;
        Ok(BoundProgram {
            lasting,
            bound,
            admin: admin::Bound::bind(self.admin_listen)?,
            base_path: C::BASE_PATH,
        })
    }
}

impl<S: State> BoundProgram<S> {
    /// Begins to respond.
    ///
    /// # Errors
    ///
    /// The admin listener cannot respond.
    pub fn start(self) -> Result<RunningProgram<S>, ProgramError> {
        raise_open_files();
        let server = self.bound.start();
        let admin = match self.admin {
            Some(admin) => Some(start_admin(admin, &server, self.lasting.info)?),
            None => None,
        };
        let scheme = match self.lasting.tls {
            Some(_) => "https",
            None => "http",
        };
        Ok(RunningProgram {
            base: format!("{scheme}://{}{}", server.address(), self.base_path),
            lasting: self.lasting,
            server,
            _admin: admin,
        })
    }
}

impl<S: State> RunningProgram<S> {
    /// The base address of the API, such as `http://127.0.0.1:8080/v1`.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Prints `listening on BASE` on stdout and serves until SIGTERM or SIGINT; SIGHUP reads the
    /// certificate again. Then it finishes the requests that run, and awaits `close`, which
    /// closes the state of the service.
    ///
    /// # Errors
    ///
    /// A second signal ended the process at once, or `close` failed.
    pub async fn run<E>(
        self,
        close: impl AsyncFnOnce() -> Result<(), E>,
    ) -> Result<(), ProgramError>
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let RunningProgram {
            lasting,
            server,
            _admin,
            base,
        } = self;
        let Lasting {
            mut signals,
            tls,
            delay,
            grace,
            ..
        } = lasting;
        print_address(&base);
        supervisor::ready();
        supervisor::keep_alive();

        let signal = loop {
            match signals.next().await {
                Request::Stop(signal) => break signal,
                Request::Reload => reload(&server, tls.as_ref()).await,
            }
        };
        supervisor::stopping();
        server.leave();
        tracing::info!("stopping after {signal}: requests that run have {grace:?} to finish");
        tokio::select! {
            done = stop(server, close, delay, grace) => done,
            signal = signals.stop() => Err(ProgramError::SecondSignal { signal }),
        }
    }
}

/// Begins to report health and metrics.
fn start_admin<S: State>(
    admin: admin::Bound,
    server: &Server<S>,
    info: &ServiceInfo,
) -> Result<Admin, ProgramError> {
    let metrics = server.metrics();
    if let Some(metrics) = &metrics {
        metrics.counter(
            &info.metric("log_lines_lost_total"),
            "Lines of the log that were lost, because more came than could be written.",
            logging::lost_lines,
        );
    }
    let subject = Subject {
        readiness: server.readiness(),
        state: server.state().clone(),
        metrics,
    };
    let admin = admin.start(subject).map_err(ProgramError::AdminStart)?;
    tracing::info!("health and metrics on http://{}", admin.address());
    Ok(admin)
}

/// Reads the certificate again. Where it cannot be used, the server goes on with the old one.
async fn reload<S: State>(server: &Server<S>, files: Option<&TlsFiles>) {
    supervisor::reloading();
    match files.map(Tls::load) {
        None => tracing::info!("SIGHUP: the service speaks plain http, there is nothing to reload"),
        Some(Ok(tls)) => {
            server.replace_tls(tls).await;
            tracing::info!("SIGHUP: new connections get the certificate that was read now");
        }
        Some(Err(error)) => {
            let cause = error.source().map(|cause| format!(": {cause}"));
            let cause = cause.unwrap_or_default();
            tracing::error!("SIGHUP: the old certificate is kept: {error}{cause}");
        }
    }
    supervisor::ready();
}

/// Goes on for a while, so that a load balancer can learn that it should send no more; lets
/// requests finish, then closes the state of the service.
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
    if server.stop(grace).await == Stopped::CutOff {
        tracing::warn!("some connections were still open after {grace:?} and were cut off");
    }
    match tokio::time::timeout(grace, close()).await {
        Ok(closed) => closed.map_err(|error| ProgramError::Close(error.into()))?,
        Err(_) => tracing::warn!("the store was not closed within {grace:?}"),
    }
    tracing::info!("stopped");
    Ok(())
}

/// Each connection is an open file. Where the limit cannot be raised, the present limit holds.
fn raise_open_files() {
    let text = |limit: Option<u64>| limit.map_or_else(|| "no limit".to_owned(), |n| n.to_string());
    match open_files::raise_limit() {
        Ok(raised) => tracing::info!(
            before = text(raised.before),
            after = text(raised.after),
            "the limit of open files and sockets"
        ),
        Err(error) => tracing::warn!(
            "the limit of open files and sockets cannot be raised, and stays as it was set: {error}"
        ),
    }
}

/// The one line on stdout, for scripts that wait for it.
fn print_address(base: &str) {
    if let Err(error) = print(&format!("listening on {base}\n")) {
        let cause = error.0;
        tracing::warn!("cannot write to stdout: {cause}; listening on {base}");
    }
}

/// Stdout is closed, or its disk is full.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to stdout")]
pub struct PrintError(#[source] io::Error);

/// Writes to stdout. Unlike `print!`, it does not panic where the reader has gone.
///
/// # Errors
///
/// [`PrintError`]
pub fn print(text: &str) -> Result<(), PrintError> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(PrintError)
}
