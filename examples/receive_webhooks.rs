//! Receives events of the pet store: verifies each request, returns challenges, and prints each event once.
//!
//! ```sh
//! export PETSTORE_WEBHOOK_SECRET=whsec_…
//! cargo run --bin receive_webhooks -- 127.0.0.1:3000
//! petstore webhooks listen --forward-to http://127.0.0.1:3000/events
//! ```

use anyhow::Context as _;
use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use petstore_client::{
    Event, FeedItem,
    webhooks::{Received, Webhooks},
};
use std::{
    collections::HashSet,
    env,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::net::TcpListener;

/// A receiver in production stores the ids for longer than a week, in the same transaction as the events.
struct Receiver {
    webhooks: Webhooks,
    seen: Mutex<HashSet<String>>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let secret = env::var("PETSTORE_WEBHOOK_SECRET");
    let secret = secret.context("set PETSTORE_WEBHOOK_SECRET to the secret of the webhook")?;
    let address = env::args().nth(1);
    let address = address.unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let receiver = Receiver {
        webhooks: Webhooks::new([secret])?,
        seen: Mutex::default(),
    };
    let app = Router::new()
        .route("/events", post(receive))
        .with_state(Arc::new(receiver));
    let listener = TcpListener::bind(&address).await?;
    println!("receiving at http://{}/events", listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}

/// `Bytes` is the body exactly as it was received. The signature is over these bytes.
async fn receive(
    State(receiver): State<Arc<Receiver>>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, String) {
    let message = match receiver.webhooks.verify(&headers, &body) {
        Ok(Received::Event(message)) => message,
        Ok(Received::Challenge(challenge)) => return (StatusCode::OK, challenge),
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()),
    };
    let mut seen = receiver.seen.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.insert(message.id.clone()) {
        match message.event {
            FeedItem::Known(Event::PetCreated(event)) => println!("new pet: {}", event.data.name),
            FeedItem::Known(Event::OrderPlaced(event)) => {
                println!("ordered: {}", event.data.pet_id)
            }
            FeedItem::Known(_) => println!("another event: {}", message.id),
            FeedItem::Unknown(event) => println!("of another type: {}", event["type"]),
        }
    }
    (StatusCode::OK, String::new())
}
