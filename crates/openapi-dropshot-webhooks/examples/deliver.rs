//! Delivers one message to an endpoint, with retries. The delivery is in memory; a service stores its deliveries in a database.
//! Run it with the URL of an endpoint, such as `cargo run --example deliver http://127.0.0.1:8000/`.

use chrono::{DateTime, Utc};
use openapi_dropshot_webhooks::{
    BoxError, Claim, Deliveries, Due, EgressRules, Engine, Finished, MasterKey, Next, Sender,
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::Notify;

/// A delivery and its due time, or `None` after the delivery has ended.
struct OneDelivery {
    delivery: Mutex<Option<(Due, DateTime<Utc>)>>,
    end: Arc<Notify>,
}

impl Deliveries for OneDelivery {
    async fn claim(&self, claim: Claim) -> Result<Vec<Due>, BoxError> {
        let mut delivery = self.delivery.lock().unwrap_or_else(PoisonError::into_inner);
        let due = delivery.as_mut().filter(|(delivery, at)| {
            *at <= claim.now && delivery.failing_since.is_some() == claim.failing
        });
        Ok(due
            .map(|(delivery, at)| {
                *at = claim.lease_until;
                delivery.clone()
            })
            .into_iter()
            .collect())
    }

    async fn finish(&self, finished: Finished) -> Result<(), BoxError> {
        println!("{:?}: {:?}", finished.sent.failure, finished.next);
        let mut delivery = self.delivery.lock().unwrap_or_else(PoisonError::into_inner);
        match (finished.next, delivery.as_mut()) {
            (Next::RetryAt(time), Some((delivery, at))) if finished.disable.is_none() => {
                delivery.tries += 1;
                delivery.failing_since.get_or_insert(finished.at);
                *at = time;
            }
            _ => {
                *delivery = None;
                self.end.notify_one();
            }
        }
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let url = std::env::args()
        .nth(1)
        .ok_or("pass the URL of an endpoint")?;
    // Addresses of this machine are allowed, because the receiver of an example usually runs here.
    let rules = EgressRules {
        allow_http: true,
        allowed_networks: vec!["127.0.0.0/8".parse()?, "::1/128".parse()?],
        proxy: None,
    };
    let secret = MasterKey::from_bytes(b"an example of a key: 32 bytes or more")?.secret("we_1", 1);
    println!("verify the message with the secret {}", secret.reveal());
    let due = Due {
        id: 1,
        endpoint: "we_1".into(),
        url: rules.check_url(&url)?.into(),
        message_id: "evt_1".into(),
        payload: r#"{"type":"book.added","data":{"id":7}}"#.into(),
        secrets: vec![secret],
        tries: 0,
        failing_since: None,
    };
    let end = Arc::new(Notify::new());
    let deliveries = OneDelivery {
        delivery: Mutex::new(Some((due, Utc::now()))),
        end: Arc::clone(&end),
    };
    let sender = Sender::new(rules, Duration::from_secs(15), "example")?;
    let engine = Engine::new(deliveries, sender);
    engine.run(end.notified(), Duration::from_secs(15)).await;
    Ok(())
}
