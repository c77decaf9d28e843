//! Commands `key create`, `key list` and `key revoke`: they read and change the store directly,
//! even while a service uses it.

use super::{key_log, print, time, with_store};
use crate::cli::{KeyCommand, ListFormat};
use anyhow::{Context as _, bail};
use chrono::Utc;
use openapi_dropshot_server::config::Rate;
use petstore_server::keys::{self, ApiKey};
use petstore_store::{KeyLimits, KeyRate, KeyRecord, NewKey, Revocation, Store};
use serde_json::{Value, json};

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
                scope,
            };
            let (key, new_key) = keys::make_limited(name, limits, now);
            with_store(&settings, async |store| create(store, key, new_key).await).await
        }
        KeyCommand::List { format, settings } => {
            with_store(&settings, async |store| list(store, format).await).await
        }
        KeyCommand::Revoke { key, settings } => {
            with_store(&settings, async |store| revoke(store, &key).await).await
        }
    }
}

async fn create(store: &dyn Store, key: ApiKey, new_key: NewKey) -> anyhow::Result<()> {
    let (id, name) = (new_key.id, new_key.name.clone());
    store.create_key(new_key).await?;
    key_log::created(&id, &name);
    eprintln!("created {id}, named `{name}`");
    print(&format!("{}\n", key.reveal()))
}

const HEADER: &str = "id\tname\tmade\tlast used\trevoked\texpires\trate\tscope\n";

async fn list(store: &dyn Store, format: ListFormat) -> anyhow::Result<()> {
    let keys = store.list_keys().await?;
    match format {
        ListFormat::Text => {
            let lines: String = keys.iter().map(line).collect();
            print(&format!("{HEADER}{lines}"))
        }
        ListFormat::Json => {
            let keys: Vec<Value> = keys.iter().map(object).collect();
            // A later version may add properties.
            print(&format!("{:#}\n", json!({ "format": 1, "keys": keys })))
        }
    }
}

/// The rate limit of a key, in the form that the flag `--rate` accepts.
fn rate(key: &KeyRecord) -> Option<String> {
    key.limits.rate.map(|rate| match rate {
        KeyRate::Off => "off".to_owned(),
        KeyRate::PerSecond(number) => number.to_string(),
    })
}

/// Returns a line of the list. The columns are separated by tabs, because a name may contain
/// spaces.
fn line(key: &KeyRecord) -> String {
    let made = time(key.created_at);
    let or_never = |at: Option<_>| at.map_or_else(|| "-".to_owned(), time);
    let (used, revoked) = (or_never(key.last_used_at), or_never(key.revoked_at));
    let expires = or_never(key.limits.expires_at);
    let rate = rate(key).unwrap_or_else(|| "-".to_owned());
    let (id, name, scope) = (&key.id, &key.name, key.limits.scope);
    // New columns are added at the end, so that scripts keep working.
    format!(
        "{id}\t{name}\tmade {made}\tlast used {used}\trevoked {revoked}\texpires {expires}\trate {rate}\tscope {scope}\n"
    )
}

fn object(key: &KeyRecord) -> Value {
    json!({
        "id": key.id.as_str(),
        "name": key.name,
        "created_at": time(key.created_at),
        "last_used_at": key.last_used_at.map(time),
        "revoked_at": key.revoked_at.map(time),
        "expires_at": key.limits.expires_at.map(time),
        "rate": rate(key),
        "scope": key.limits.scope.to_string(),
    })
}

/// Returns the key with this id. If there is none, returns the only valid key with this name.
fn find<'k>(keys: &'k [KeyRecord], text: &str) -> anyhow::Result<&'k KeyRecord> {
    if let Some(key) = keys.iter().find(|key| key.id.as_str() == text) {
        return Ok(key);
    }
    let named: Vec<_> = keys.iter().filter(|key| key.name == text).collect();
    let valid = named.iter().filter(|key| key.revoked_at.is_none());
    let valid: Vec<_> = valid.copied().collect();
    match (valid.as_slice(), named.is_empty()) {
        ([key], _) => Ok(key),
        ([], true) => bail!(
            "there is no key with the id or the name `{text}`; `petstore-server key list` lists all keys"
        ),
        ([], false) => bail!(
            "all keys with the name `{text}` have already been revoked; `petstore-server key list` lists all keys"
        ),
        (several, _) => {
            let ids: Vec<_> = several.iter().map(|key| key.id.as_str()).collect();
            bail!(
                "{} valid keys have the name `{text}`: {}; use the id of one of them",
                ids.len(),
                ids.join(", ")
            )
        }
    }
}

async fn revoke(store: &dyn Store, text: &str) -> anyhow::Result<()> {
    let keys = store.list_keys().await?;
    let KeyRecord { id, name, .. } = find(&keys, text)?;
    match store.revoke_key(*id, Utc::now()).await? {
        Revocation::Revoked => {
            key_log::revoked(id, name);
            print(&format!("revoked {id}, named `{name}`\n"))
        }
        Revocation::AlreadyRevoked(at) => print(&format!(
            "{id}, named `{name}`, was already revoked, {}\n",
            time(at)
        )),
        Revocation::Unknown => {
            bail!("the key `{id}` no longer exists, because the store was replaced meanwhile")
        }
    }
}
