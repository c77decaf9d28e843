//! Runs the commands of `webhooks`.

use super::{
    events,
    walk::{self, Walk},
};
use crate::{
    cli::{ListenOptions, WebhooksCommand},
    exit::WrongUsage,
    output::{Form, Out, Writer, json, printable},
    settings::Service,
};
use anyhow::{Context as _, Result};
use chrono::Utc;
use openapi_dropshot_webhooks::{EgressRules, MasterKey, Secret, Sender, sign};
use petstore_client::{Client, NewWebhook, Redelivery, WebhookUpdate};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// How long a receiver on this machine has to respond.
const PATIENCE: Duration = Duration::from_secs(15);

pub(super) async fn run(service: &Service, command: WebhooksCommand, form: Form) -> Result<()> {
    let client = service.client()?;
    match command {
        WebhooksCommand::List => {
            let webhooks = client.list_webhooks().send().await;
            let webhooks = webhooks.context("the webhooks cannot be listed")?;
            print(form, webhooks.iter())
        }
        WebhooksCommand::Create { address, what } => {
            let types = (!what.types.is_empty()).then_some(what.types);
            let webhook = NewWebhook::builder()
                .url(address)
                .types(types)
                .description(what.description);
            let created = client.create_webhook().body(webhook).send().await;
            print(form, [&*created.context("the webhook was not created")?])
        }
        WebhooksCommand::Get { id } => {
            let webhook = client.get_webhook().webhook_id(id.as_str()).send().await;
            print(form, [&*webhook.with_context(|| cannot("fetch", &id))?])
        }
        WebhooksCommand::Update {
            id,
            address,
            what,
            all_types,
            status,
        } => {
            let types = (all_types || !what.types.is_empty()).then_some(what.types);
            let update = WebhookUpdate::builder()
                .url(address)
                .types(types)
                .description(what.description)
                .status(status);
            let request = client.update_webhook().webhook_id(id.as_str()).body(update);
            let webhook = request.send().await;
            print(form, [&*webhook.with_context(|| cannot("change", &id))?])
        }
        WebhooksCommand::Delete { id } => {
            let deleted = client.delete_webhook().webhook_id(id.as_str()).send().await;
            deleted.with_context(|| cannot("delete", &id)).map(drop)
        }
        WebhooksCommand::Verify { id } => {
            let webhook = client.verify_webhook().webhook_id(id.as_str()).send().await;
            print(form, [&*webhook.with_context(|| cannot("verify", &id))?])
        }
        WebhooksCommand::Rotate { id } => {
            let request = client.rotate_webhook_secret().webhook_id(id.as_str());
            let secret = request.send().await;
            let secret = secret.with_context(|| cannot("replace the secret of", &id))?;
            print(form, [&*secret])
        }
        WebhooksCommand::Test { id } => {
            let delivery = client.test_webhook().webhook_id(id.as_str()).send().await;
            print(form, [&*delivery.with_context(|| cannot("test", &id))?])
        }
        WebhooksCommand::Deliveries { id, status, page } => {
            let walk = Walk {
                what: "deliveries",
                page,
            };
            let mut request = client.list_webhook_deliveries().webhook_id(id.as_str());
            if let Some(limit) = walk.page_size() {
                request = request.limit(limit);
            }
            if let Some(status) = status {
                request = request.status(status);
            }
            if let Some(cursor) = &walk.page.cursor {
                request = request.cursor(cursor.as_str());
            }
            let next = walk.write(request.pages(), Writer::list(form)).await?;
            walk::say_next(next);
            Ok(())
        }
        WebhooksCommand::Redeliver {
            id,
            delivery,
            since,
            until,
            missed,
        } => {
            let which = Redelivery::builder()
                .delivery(delivery)
                .since(since)
                .until(until)
                .missed(missed.then_some(true));
            let request = client.redeliver_webhook().webhook_id(id.as_str());
            let result = request.body(which).send().await;
            let problem = || format!("cannot send deliveries of the webhook {id} again");
            print(form, [&*result.with_context(problem)?])
        }
        WebhooksCommand::Listen(options) => listen(&client, options, form).await,
    }
}

fn cannot(what: &str, id: &str) -> String {
    format!("cannot {what} the webhook {id}")
}

/// Prints values as lines of JSON, or each member of a value as a line with its name and value.
fn print<T: Serialize>(form: Form, values: impl IntoIterator<Item = T>) -> Result<()> {
    let mut out = Out::new();
    for value in values {
        let value = serde_json::to_value(value).context("cannot write a webhook")?;
        let text = match (form, &value) {
            (Form::Table, Value::Object(members)) => {
                let line = |(name, value)| format!("{name:<14}  {}\n", events::text(value));
                let lines = members.iter().map(line);
                lines.collect::<String>().into_bytes()
            }
            _ => json(&value)?,
        };
        out.write(text)?;
        out.write("\n")?;
    }
    Ok(out.flush()?)
}

/// Signs each event and sends it to a receiver.
async fn listen(client: &Client, options: ListenOptions, form: Form) -> Result<()> {
    let everywhere = ["0.0.0.0/0", "::/0"].map(|network| network.parse().expect("a network"));
    let rules = EgressRules {
        allow_http: true,
        allowed_networks: everywhere.to_vec(),
        ..EgressRules::default()
    };
    let checked = rules.check_url(&options.forward_to);
    checked.map_err(|error| WrongUsage(format!("`--forward-to`: {error}")))?;
    let agent = concat!("petstore/", env!("CARGO_PKG_VERSION"));
    let sender = Sender::new(rules, PATIENCE, agent)?;
    let secret = match options.secret_file {
        Some(file) => {
            let text = std::fs::read_to_string(&file);
            let text = text.with_context(|| format!("cannot read `{}`", file.display()))?;
            let unusable = |error| WrongUsage(format!("`{}`: {error}", file.display()));
            text.trim().parse::<Secret>().map_err(unusable)?
        }
        None => {
            let secret = MasterKey::from_bytes(&rand::random::<[u8; 32]>())?.secret("listen", 1);
            eprintln!("events are signed with the secret {}", secret.reveal());
            secret
        }
    };
    let (mut events, mut out) = (events::feed(client, options.follow)?, Out::new());
    while let Some(event) = events::next(&mut events).await? {
        let (id, kind) = (event["id"].as_str().unwrap_or_default(), &event["type"]);
        let body = event.to_string();
        let secret = std::slice::from_ref(&secret);
        let headers = sign(id, Utc::now(), body.as_bytes(), secret)?;
        let sent = sender.send(&options.forward_to, headers, body.into()).await;
        let (id, kind) = (printable(id), printable(kind.as_str().unwrap_or("-")));
        let time = sent.duration.as_millis();
        let failure = sent.failure.map(|failure| failure.to_string());
        let status = sent.status.map(|status| status.to_string());
        let status = status.or_else(|| failure.clone()).unwrap_or_default();
        if failure.is_some() {
            eprintln!("the receiver did not accept the event {id}: {status}");
        }
        out.write(match form {
            Form::Json => format!("{event}\n"),
            Form::Table => format!("{status:<10}  {time:>5} ms  {kind:<18}  {id}\n"),
        })?;
        out.flush()?;
    }
    Ok(())
}
