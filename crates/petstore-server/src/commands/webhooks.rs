//! Commands `webhooks list` and `webhooks delete`: they read and change the store directly, even while a service uses it.

use super::{print, time, with_store};
use crate::cli::{ListFormat, WebhooksCommand};
use anyhow::{Context as _, bail};
use petstore_store::{Endpoint, EndpointId, Store};
use serde_json::{Value, json};

pub(crate) async fn run(command: WebhooksCommand) -> anyhow::Result<()> {
    match command {
        WebhooksCommand::List { format, settings } => {
            with_store(&settings, async |store| list(store, format).await).await
        }
        WebhooksCommand::Delete { id, settings } => {
            with_store(&settings, async |store| delete(store, &id).await).await
        }
    }
}

async fn list(store: &dyn Store, format: ListFormat) -> anyhow::Result<()> {
    let endpoints = store.list_endpoints(None).await?;
    match format {
        ListFormat::Text => {
            let lines: String = endpoints.iter().map(line).collect();
            print(&format!(
                "id\tkey\tstatus\tfailing since\tcreated\turl\n{lines}"
            ))
        }
        ListFormat::Json => {
            let webhooks: Vec<Value> = endpoints.iter().map(object).collect();
            // A later version may add properties.
            print(&format!(
                "{:#}\n",
                json!({ "format": 1, "webhooks": webhooks })
            ))
        }
    }
}

/// Returns a line of the list. New columns are added at the end, so that scripts keep working.
fn line(endpoint: &Endpoint) -> String {
    let reason = endpoint.reason.as_ref();
    let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
    format!(
        "{}\t{}\t{}{reason}\tfailing since {}\tcreated {}\t{}\n",
        endpoint.id,
        endpoint.key,
        endpoint.status,
        endpoint.failing_since.map_or_else(|| "-".to_owned(), time),
        time(endpoint.created_at),
        endpoint.url
    )
}

fn object(endpoint: &Endpoint) -> Value {
    json!({
        "id": endpoint.id.as_str(),
        "key": endpoint.key.as_str(),
        "url": endpoint.url,
        "types": endpoint.types,
        "description": endpoint.description,
        "status": endpoint.status,
        "disabled_reason": endpoint.reason,
        "created_at": time(endpoint.created_at),
        "updated_at": time(endpoint.updated_at),
        "failing_since": endpoint.failing_since.map(time),
        "missed_since": endpoint.missed.map(|missed| time(missed.since)),
    })
}

async fn delete(store: &dyn Store, text: &str) -> anyhow::Result<()> {
    let unknown = || {
        format!(
            "there is no webhook with the id `{text}`; `petstore-server webhooks list` lists all webhooks"
        )
    };
    let id: EndpointId = text.parse().ok().with_context(unknown)?;
    let endpoints = store.list_endpoints(None).await?;
    let found = endpoints.into_iter().find(|endpoint| endpoint.id == id);
    let Endpoint { key, url, .. } = found.with_context(unknown)?;
    if !store.delete_endpoint(key, id).await? {
        bail!(unknown());
    }
    tracing::info!(webhook_id = %id, key_id = %key, "a webhook was deleted");
    print(&format!("deleted {id} of the key {key}, {url}\n"))
}
