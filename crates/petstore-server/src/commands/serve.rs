//! `serve`: opens the store, listens, and stops when it is told to.

use super::{database, open_store};
use crate::logging;
use anyhow::{Context as _, bail};
use chrono::Utc;
use petstore_server::{
    Bound, Setup, Stopped,
    clock::SystemClock,
    config::ServeOptions,
    keys::{self, ApiKey, KeyName},
};
use petstore_store::Store;
use std::{
    env,
    io::{self, Write as _},
    net::SocketAddr,
    time::Duration,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

pub(crate) async fn run(options: ServeOptions) -> anyhow::Result<()> {
    let config = options.load()?;
    logging::init(&config.log);
    // From here on a signal stops the service as it should be stopped.
    let mut signals = Signals::listen()?;
    let grace = config.limits.shutdown_grace_seconds.duration();

    let store = open_store(&database(&config.store)?).await?;
    let bound = Bound::bind(Setup {
        listen: config.listen.listen,
        store: store.clone(),
        clock: std::sync::Arc::new(SystemClock),
        limits: config.limits,
        sunset: config.lifecycle.sunset,
    })?;
    let first_key = first_key(&*store).await?;
    let server = bound.start();
    let address = server.address();
    if let Some(key) = first_key {
        show_first_key(&key, address);
    }
    say_where(address);

    let signal = signals.next().await;
    tracing::info!("stopping after {signal}: requests that run have {grace:?} to finish");
    tokio::select! {
        done = stop(server, &*store, grace) => done,
        signal = signals.next() => {
            bail!("stopped at once by a second signal ({signal}); requests that ran were cut off")
        }
    }
}

/// Lets requests finish, then the writes that they left to the store.
async fn stop(
    server: petstore_server::Server,
    store: &dyn Store,
    grace: Duration,
) -> anyhow::Result<()> {
    if server.stop(grace).await == Stopped::CutOff {
        tracing::warn!("some connections were still open after {grace:?} and were cut off");
    }
    match tokio::time::timeout(grace, store.close()).await {
        Ok(closed) => closed.context("the store was not closed as it should")?,
        Err(_) => tracing::warn!("the store was not closed within {grace:?}"),
    }
    tracing::info!("stopped");
    Ok(())
}

/// Makes the first key of a store that has none. Under systemd there is nobody
/// to show it to, and a log is no place for a key.
async fn first_key(store: &dyn Store) -> anyhow::Result<Option<ApiKey>> {
    if store.has_keys().await? {
        return Ok(None);
    }
    if env::var_os("JOURNAL_STREAM").is_some() {
        tracing::warn!(
            "the store has no API key yet; make one with `petstore-server key create NAME`"
        );
        return Ok(None);
    }
    let (key, kept) = keys::make(KeyName::first(), Utc::now());
    Ok(store.create_first_key(kept).await?.then_some(key))
}

fn show_first_key(key: &ApiKey, address: SocketAddr) {
    let key = key.reveal();
    eprintln!(
        "The store has no API key yet. This is one, named `first`; it is shown only now:\n\
         \n    {key}\n\n\
         Try it:\n\
         \n    curl -H 'Authorization: Bearer {key}' http://{address}/v1/pets\n"
    );
}

/// The one line on stdout, for whoever waits for it.
fn say_where(address: SocketAddr) {
    let mut stdout = io::stdout().lock();
    let said = writeln!(stdout, "listening on http://{address}/v1").and_then(|()| stdout.flush());
    if let Err(error) = said {
        tracing::warn!("cannot write to stdout: {error}; listening on http://{address}/v1");
    }
}

/// The signals that stop the service.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Signals {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
