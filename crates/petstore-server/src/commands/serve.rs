//! Command `serve`: opens the store, serves requests until a signal arrives,
//! and closes the store.

use super::{database, key_log::LoggedKeys, open_store};
use chrono::{TimeDelta, Utc};
use openapi_dropshot_server::{program::Program, state::causes};
use petstore_server::{
    Api, INFO, PetStore, Webhooks,
    config::ServeSettings,
    keys::{self, ApiKey, KeyName},
    usage,
};
use petstore_store::{DatabaseUrl, OpenError, ServerMark, Store, StoreError};
use std::env;

pub(crate) async fn run(settings: ServeSettings) -> anyhow::Result<()> {
    settings.check_operations::<Api>()?;
    let mut program = Program::begin(&INFO, settings)?;
    let settings = program.service().clone();
    let (url, events) = (database(&settings.store)?, settings.events);
    let webhooks = Webhooks::new(&settings.webhooks)?;
    if webhooks.is_some() && !events.events.is_on() {
        tracing::warn!(
            "webhooks are on (`webhook-key-file`), but events are off, so webhooks receive no events: set `events` to `on`"
        );
    }
    let open = async || {
        let store = open_store(&url).await?;
        let keys = LoggedKeys::new(&store.list_keys().await?);
        let first_key = first_key(&*store).await?;
        if let Err(error) = usage::begin_counting(&*store, Utc::now()).await {
            // The service must serve reads even if the disk is full.
            let causes = causes(&error);
            tracing::warn!(
                causes,
                "cannot store the time since which calls of deprecated operations are counted, so `usage` reports none of them as unused: {error}; the next start tries again"
            );
        }
        if let Err(error) = store.record_events(events.events.is_on()).await {
            let causes = causes(&error);
            tracing::warn!(
                causes,
                "cannot store whether events are recorded, so no events are recorded: {error}; the next start tries again"
            );
        }
        Ok((store, keys, first_key))
    };
    let Some((store, keys, first_key)) = program.open_state(open, is_temporary).await? else {
        return Ok(());
    };
    // It is dropped when the store is closed.
    let mark = mark(&url);
    let days = events.event_retention_days.get();
    let state = PetStore::new(store.clone())
        .keeping_events(TimeDelta::days(days.into()))
        .offering_webhooks(webhooks);
    let bound = program.bind::<Api, _>(state.clone())?;
    state.start_webhooks();
    let started = |base: &str| {
        if let Some(key) = first_key {
            show_first_key(&key, base);
        }
    };
    let watch = tokio::spawn(keys.watch(store.clone()));
    let close = async || {
        watch.abort();
        state.stop_webhooks().await;
        store.close().await
    };
    let ended = bound.run(started, close).await;
    drop(mark);
    Ok(ended?)
}

/// Marks the store as used, and logs a warning if another server already uses the same file.
fn mark(url: &DatabaseUrl) -> Option<ServerMark> {
    match petstore_store::mark_server(url) {
        Ok(mark) => {
            if mark.has_others() {
                tracing::warn!(
                    "another server uses `{url}`, too; nothing is lost, but writes wait for each other, and each server counts its rate limits separately: stop one of them, or use PostgreSQL"
                );
            }
            Some(mark)
        }
        Err(error) => {
            tracing::warn!("cannot find out whether another server uses `{url}`: {error:#}");
            None
        }
    }
}

/// Whether a later attempt to open the store may succeed without a change on this machine.
fn is_temporary(error: &anyhow::Error) -> bool {
    match (error.downcast_ref(), error.downcast_ref()) {
        (Some(error), _) => OpenError::is_temporary(error),
        (_, Some(error)) => matches!(error, StoreError::Unavailable { .. }),
        _ => false,
    }
}

/// Creates the first key of a store that has none. It does not do so under systemd or Kubernetes,
/// where nobody would see the key and where a log must not contain it.
async fn first_key(store: &dyn Store) -> anyhow::Result<Option<ApiKey>> {
    if store.has_keys().await? {
        return Ok(None);
    }
    let supervisors = ["JOURNAL_STREAM", "KUBERNETES_SERVICE_HOST"];
    if supervisors.iter().any(|name| env::var_os(name).is_some()) {
        tracing::warn!(
            "the store has no API key yet; create one with `petstore-server key create NAME`"
        );
        return Ok(None);
    }
    let (key, new_key) = keys::make(KeyName::first(), Utc::now());
    Ok(store.create_first_key(new_key).await?.then_some(key))
}

fn show_first_key(key: &ApiKey, base: &str) {
    let key = key.reveal();
    eprintln!(
        "The store has no API key yet. The service created this key, named `first`; it is shown only once:\n\
         \n    {key}\n\n\
         Try it:\n\
         \n    curl -H 'Authorization: Bearer {key}' {base}/pets\n"
    );
}
