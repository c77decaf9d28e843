//! Commands `key create`, `key list` and `key revoke`: they change and read the
//! store directly, also while a service is running on it.

use super::{print, time, with_store};
use crate::cli::KeyCommand;
use anyhow::bail;
use chrono::Utc;
use petstore_server::keys::{self, KeyName};
use petstore_store::{KeyId, KeyRecord, Revocation, Store};

pub(crate) async fn run(command: KeyCommand) -> anyhow::Result<()> {
    match command {
        KeyCommand::Create { name, settings } => {
            with_store(&settings, async |store| create(store, name).await).await
        }
        KeyCommand::List { settings } => with_store(&settings, list).await,
        KeyCommand::Revoke { id, settings } => {
            let id: KeyId = id.parse()?;
            with_store(&settings, async |store| revoke(store, id).await).await
        }
    }
}

async fn create(store: &dyn Store, name: KeyName) -> anyhow::Result<()> {
    let (key, new_key) = keys::make(name, Utc::now());
    store.create_key(new_key).await?;
    print(&format!("{}\n", key.reveal()))
}

async fn list(store: &dyn Store) -> anyhow::Result<()> {
    let lines: String = store.list_keys().await?.iter().map(line).collect();
    print(&lines)
}

/// Columns with tabs between them, since a name may have spaces.
fn line(key: &KeyRecord) -> String {
    let made = time(key.created_at);
    let or_never = |at: Option<_>| at.map_or_else(|| "-".to_owned(), time);
    let (used, revoked) = (or_never(key.last_used_at), or_never(key.revoked_at));
    let (id, name) = (&key.id, &key.name);
    format!("{id}\t{name}\tmade {made}\tlast used {used}\trevoked {revoked}\n")
}

async fn revoke(store: &dyn Store, id: KeyId) -> anyhow::Result<()> {
    match store.revoke_key(id, Utc::now()).await? {
        Revocation::Revoked => print(&format!("revoked {id}\n")),
        Revocation::AlreadyRevoked(at) => {
            print(&format!("{id} was revoked already, {}\n", time(at)))
        }
        Revocation::Unknown => {
            bail!("there is no key `{id}`; `petstore-server key list` lists all keys")
        }
    }
}
