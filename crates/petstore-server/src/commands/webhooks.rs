//! Commands `webhooks list` and `webhooks delete`: they read and change the store directly, even while a service uses it.

use super::{print, with_store};
use crate::cli::{ListFormat, WebhooksCommand};
use anyhow::{Context as _, bail};
use petstore_models::DateTime;
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
            let names = "id\tkey\tstatus\tfailing since\tcreated\turl";
            print(&format!("{names}\n{lines}"))
        }
        ListFormat::Json => {
            let webhooks: Vec<Value> = endpoints.iter().map(object).collect();
            // A later version may add properties.
            let list = json!({ "format": 1, "webhooks": webhooks });
            print(&format!("{list:#}\n"))
        }
    }
}

/// Returns a line of the list. New columns are added at the end, so that scripts keep working.
fn line(endpoint: &Endpoint) -> String {
    let Endpoint { key, webhook, .. } = endpoint;
    let reason = webhook.disabled_reason.as_ref();
    let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
    let failing_since = webhook.failing_since.as_ref();
    format!(
        "{}\t{key}\t{}{reason}\tfailing since {}\tcreated {}\t{}\n",
        webhook.id,
        webhook.status,
        failing_since.map_or_else(|| "-".to_owned(), time),
        time(&webhook.created_at),
        webhook.url
    )
}

fn time(at: &DateTime) -> String {
    super::time(at.get().to_utc())
}

fn object(Endpoint { key, webhook, .. }: &Endpoint) -> Value {
    json!({
        "id": webhook.id,
        "key": key.as_str(),
        "url": webhook.url,
        "types": webhook.types.as_deref().unwrap_or_default(),
        "description": webhook.description,
        "status": webhook.status,
        "disabled_reason": webhook.disabled_reason,
        "created_at": time(&webhook.created_at),
        "updated_at": time(&webhook.updated_at),
        "failing_since": webhook.failing_since.as_ref().map(time),
        "missed_since": webhook.missed_since.as_ref().map(time),
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
    let Endpoint { key, webhook, .. } = found.with_context(unknown)?;
    if !store.delete_endpoint(key, id).await? {
        bail!(unknown());
    }
    tracing::info!(webhook_id = %id, key_id = %key, "a webhook was deleted");
    print(&format!("deleted {id} of the key {key}, {}\n", webhook.url))
}
