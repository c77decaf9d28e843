//! `key create`, `key list` and `key revoke`: work on the store directly, also
//! while a service runs on it.

use super::{database, open_store};
use crate::{cli::KeyCommand, logging};
use anyhow::{Context as _, bail};
use chrono::{DateTime, SecondsFormat, Utc};
use petstore_server::{
    config::StoreCommandOptions,
    keys::{self, KeyName},
};
use petstore_store::{DatabaseUrl, KeyId, KeyRecord, Revocation, Store};
use std::{
    io::{self, Write as _},
    sync::Arc,
};

pub(crate) async fn run(command: KeyCommand) -> anyhow::Result<()> {
    match command {
        KeyCommand::Create { name, options } => {
            let store = open(options).await?;
            finish(&*store, create(&*store, name).await).await
        }
        KeyCommand::List { options } => {
            let store = open(options).await?;
            finish(&*store, list(&*store).await).await
        }
        KeyCommand::Revoke { id, options } => {
            let id: KeyId = id.parse()?;
            let store = open(options).await?;
            finish(&*store, revoke(&*store, id).await).await
        }
    }
}

async fn open(options: StoreCommandOptions) -> anyhow::Result<Arc<dyn Store>> {
    let (settings, log) = options.load()?;
    logging::init(&log);
    let url = database(&settings)?;
    if url == DatabaseUrl::SqliteMemory {
        bail!(
            "`{url}` is a store inside one process, which no other command can reach; name a file with `--database`"
        );
    }
    open_store(&url).await
}

/// Closes the store in any case; what the command said goes first.
async fn finish(store: &dyn Store, done: anyhow::Result<()>) -> anyhow::Result<()> {
    let closed = store.close().await;
    done?;
    closed.context("the store was not closed as it should")
}

async fn create(store: &dyn Store, name: KeyName) -> anyhow::Result<()> {
    let (key, kept) = keys::make(name, Utc::now());
    store.create_key(kept).await?;
    print(&format!("{}\n", key.reveal()))
}

async fn list(store: &dyn Store) -> anyhow::Result<()> {
    let lines: String = store.list_keys().await?.iter().map(line).collect();
    print(&lines)
}

/// Columns with tabs between them, since a name may have spaces.
fn line(key: &KeyRecord) -> String {
    let made = time(key.created_at);
    let revoked = key.revoked_at.map_or_else(|| "-".to_owned(), time);
    format!("{}\t{}\tmade {made}\trevoked {revoked}\n", key.id, key.name)
}

async fn revoke(store: &dyn Store, id: KeyId) -> anyhow::Result<()> {
    match store.revoke_key(id.clone(), Utc::now()).await? {
        Revocation::Revoked => print(&format!("revoked {id}\n")),
        Revocation::AlreadyRevoked(at) => {
            print(&format!("{id} was revoked already, {}\n", time(at)))
        }
        Revocation::Unknown => {
            bail!("there is no key `{id}`; `petstore-server key list` shows those that there are")
        }
    }
}

fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Unlike `print!`, does not panic where nobody reads.
fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .context("cannot write to stdout")
}
