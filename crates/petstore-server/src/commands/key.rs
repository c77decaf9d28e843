//! Commands `key create`, `key list` and `key revoke`: they change and read the
//! store directly, also while a service is running on it.

use super::{print, time, with_store};
use crate::cli::KeyCommand;
use anyhow::{Context as _, bail};
use chrono::Utc;
use openapi_dropshot_server::{config::Rate, permissions::Scope};
use petstore_server::keys::{self, ApiKey};
use petstore_store::{KeyId, KeyLimits, KeyRate, KeyRecord, KeyScope, NewKey, Revocation, Store};

pub(crate) async fn run(command: KeyCommand) -> anyhow::Result<()> {
    match command {
        KeyCommand::Create {
            name,
            expires,
            rate,
            scope,
            settings,
        } => {
            let now = Utc::now();
            let expires_at = expires.map(|expiry| expiry.of_key(now)).transpose();
            let limits = KeyLimits {
                expires_at: expires_at.context("`--expires` cannot be used")?,
                rate: rate.map(|rate| match rate {
                    Rate::Off => KeyRate::Off,
                    Rate::PerSecond(number) => KeyRate::PerSecond(number),
                }),
                scope: match scope {
                    Scope::Read => KeyScope::Read,
                    Scope::ReadWrite => KeyScope::ReadWrite,
                },
            };
            let (key, new_key) = keys::make_limited(name, limits, now);
            with_store(&settings, async |store| create(store, key, new_key).await).await
        }
        KeyCommand::List { settings } => with_store(&settings, list).await,
        KeyCommand::Revoke { id, settings } => {
            let id: KeyId = id.parse()?;
            with_store(&settings, async |store| revoke(store, id).await).await
        }
    }
}

async fn create(store: &dyn Store, key: ApiKey, new_key: NewKey) -> anyhow::Result<()> {
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
    let KeyLimits {
        expires_at,
        rate,
        scope,
    } = key.limits;
    let expires = or_never(expires_at);
    let rate = match rate {
        None => "-".to_owned(),
        Some(KeyRate::Off) => "off".to_owned(),
        Some(KeyRate::PerSecond(number)) => number.to_string(),
    };
    // New columns are added at the end, so that scripts keep working.
    format!(
        "{id}\t{name}\tmade {made}\tlast used {used}\trevoked {revoked}\texpires {expires}\trate {rate}\tscope {scope}\n"
    )
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
