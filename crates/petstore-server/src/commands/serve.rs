//! `serve`: opens the store, listens, and stops when it is told to.

use super::{
    database, open_store,
    signals::{Signals, Wish},
    supervisor,
};
use crate::logging;
use anyhow::{Context as _, bail};
use chrono::Utc;
use petstore_server::{
    Bound, Server, Setup, Stopped,
    admin::{self, Admin},
    clock::SystemClock,
    config::{ServeOptions, TlsFiles},
    keys::{self, ApiKey, KeyName},
    open_files,
    tls::Tls,
};
use petstore_store::Store;
use std::{
    env,
    io::{self, Write as _},
    sync::Arc,
    time::Duration,
};

pub(crate) async fn run(options: ServeOptions) -> anyhow::Result<()> {
    let config = options.load()?;
    logging::init_with(&config.log, config.watch.access_log);
    // From here on a signal stops the service as it should be stopped.
    let mut signals = Signals::listen()?;
    let delay = config.limits.shutdown_delay_seconds.duration();
    let grace = config.limits.shutdown_grace_seconds.duration();

    let tls = config.tls.as_ref().map(Tls::load).transpose()?;
    let store = open_store(&database(&config.store)?).await?;
    let bound = Bound::bind(Setup {
        listen: config.listen.listen,
        tls,
        store: store.clone(),
        clock: Arc::new(SystemClock),
        limits: config.limits,
        rate_limit: config.rate_limit,
        web: config.web,
        lifecycle: config.lifecycle,
        metrics: config.watch.metrics.is_on(),
    })?;
    let admin = admin::Bound::bind(config.watch.admin_listen)?;
    let first_key = first_key(&*store).await?;
    raise_open_files();
    let server = bound.start();
    // Answers up to the end, also that the service stops.
    let _admin = admin
        .map(|admin| watch(admin, &server, &store))
        .transpose()?;
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let base = format!("{scheme}://{}/v1", server.address());
    if let Some(key) = first_key {
        show_first_key(&key, &base);
    }
    say_where(&base);
    supervisor::ready();
    supervisor::keep_alive();

    let signal = loop {
        match signals.next().await {
            Wish::Stop(signal) => break signal,
            Wish::Reload => reload(&server, config.tls.as_ref()).await,
        }
    };
    supervisor::stopping();
    server.leave();
    tracing::info!("stopping after {signal}: requests that run have {grace:?} to finish");
    tokio::select! {
        done = stop(server, &*store, delay, grace) => done,
        signal = signals.stop() => {
            bail!("stopped at once by a second signal ({signal}); requests that ran were cut off")
        }
    }
}

/// Begins to tell of health and metrics.
fn watch(admin: admin::Bound, server: &Server, store: &Arc<dyn Store>) -> anyhow::Result<Admin> {
    let metrics = server.metrics();
    if let Some(metrics) = &metrics {
        metrics.counter(
            "petstore_log_lines_lost_total",
            "Lines of the log that were lost, because more came than could be written.",
            logging::lost_lines,
        );
    }
    let admin = admin
        .start(admin::Subject {
            readiness: server.readiness(),
            store: store.clone(),
            metrics,
        })
        .context("cannot answer on the admin listener")?;
    tracing::info!("health and metrics on http://{}", admin.address());
    Ok(admin)
}

/// Reads the certificate again. One that cannot be served does not end those
/// that go on with the old one.
async fn reload(server: &Server, files: Option<&TlsFiles>) {
    supervisor::reloading();
    match files.map(Tls::load) {
        None => tracing::info!("SIGHUP: the service speaks plain http, there is nothing to reload"),
        Some(Ok(tls)) => {
            server.show(tls).await;
            tracing::info!("SIGHUP: new connections get the certificate that was read now");
        }
        Some(Err(error)) => {
            let error = anyhow::Error::from(error);
            tracing::error!("SIGHUP: the old certificate is kept: {error:#}");
        }
    }
    supervisor::ready();
}

/// Goes on for a while, so that whoever sends traffic can learn that it should
/// not; lets requests finish, then the writes that they left to the store.
async fn stop(
    server: Server,
    store: &dyn Store,
    delay: Duration,
    grace: Duration,
) -> anyhow::Result<()> {
    tokio::time::sleep(delay).await;
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

/// Each connection is an open file. Where the limit cannot be raised, the one
/// that there is still holds.
fn raise_open_files() {
    let shown = |limit: Option<u64>| limit.map_or_else(|| "no limit".to_owned(), |n| n.to_string());
    match open_files::raise_limit() {
        Ok(raised) => tracing::info!(
            before = shown(raised.before),
            after = shown(raised.after),
            "the limit of open files and sockets"
        ),
        Err(error) => tracing::warn!(
            "the limit of open files and sockets cannot be raised, and stays as it was set: {error}"
        ),
    }
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

fn show_first_key(key: &ApiKey, base: &str) {
    let key = key.reveal();
    eprintln!(
        "The store has no API key yet. This is one, named `first`; it is shown only now:\n\
         \n    {key}\n\n\
         Try it:\n\
         \n    curl -H 'Authorization: Bearer {key}' {base}/pets\n"
    );
}

/// The one line on stdout, for whoever waits for it.
fn say_where(base: &str) {
    let mut stdout = io::stdout().lock();
    let said = writeln!(stdout, "listening on {base}").and_then(|()| stdout.flush());
    if let Err(error) = said {
        tracing::warn!("cannot write to stdout: {error}; listening on {base}");
    }
}
