//! Tests of webhooks on several servers that share a database.

use super::{key, store};
use crate::postgres_server::shared;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use openapi_dropshot_webhooks::{Claim, Due, Finished, Next, Sent};
use petstore_store::{EndpointChange, EndpointId, NewEndpoint, NewMessage, Store, StoreError};
use std::sync::Arc;

const ENDPOINTS: u64 = 4;
const MESSAGES: i64 = 25;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn new_endpoint(number: u64) -> NewEndpoint {
    NewEndpoint {
        id: EndpointId::from_random(number),
        key: key(1).id,
        url: "https://example.com".to_owned(),
        types: Vec::new(),
        description: None,
        master_id: String::new(),
        at: at(0),
    }
}

/// Claims deliveries of endpoints that are not failing, and then of failing endpoints.
async fn claim(store: &dyn Store, limit: usize, per_endpoint: usize) -> Vec<Due> {
    let mut claimed = Vec::new();
    for failing in [false, true] {
        let found = store.claim_deliveries(Claim {
            now: at(0),
            lease_until: at(60),
            limit,
            per_endpoint,
            failing,
            busy: Vec::new(),
        });
        let found = found.await.expect("the deliveries");
        claimed.extend(found.into_iter().map(|(due, _)| due));
    }
    claimed
}

async fn enabled(store: &dyn Store, number: u64) {
    let new = new_endpoint(number);
    let (own, id, url) = (new.key, new.id, new.url.clone());
    let created = store.create_endpoint(new, 100).await.expect("a result");
    created.expect("the limit is not reached");
    let enable = store.change_endpoint(own, id, EndpointChange::Enable { url, seen: at(0) }, at(0));
    enable.await.expect("a result").expect("the endpoint");
}

/// Creates the deliveries of one more message.
async fn fan_out(store: &dyn Store) -> Result<usize, StoreError> {
    let from = store.webhook_position().await?;
    let message = NewMessage {
        id: format!("evt_{from}"),
        kind: "pet.created".to_owned(),
        payload: Vec::new(),
    };
    store
        .add_deliveries(from, from + 1, vec![(from + 1, message)], at(0))
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_servers_create_and_send_each_delivery_once() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let servers = [store(&database).await, store(&database).await];
    servers[0].create_key(key(1)).await.expect("a key");
    for number in 0..ENDPOINTS {
        enabled(&*servers[0], number).await;
    }
    let work = servers.iter().cycle().take(6).map(|server| {
        let server = Arc::clone(server);
        tokio::spawn(async move {
            let mut claimed = Vec::new();
            while server.webhook_position().await.expect("the position") < MESSAGES {
                fan_out(&*server).await.expect("a result");
                for due in claim(&*server, 10, 5).await {
                    // Half of the deliveries fail, so that the servers also change the endpoints.
                    let next = match due.id % 2 {
                        0 => Next::Delivered,
                        _ => Next::GivenUp,
                    };
                    let finished = Finished {
                        id: due.id,
                        endpoint: due.endpoint.clone(),
                        lease_until: at(60),
                        at: at(1),
                        sent: Sent::default(),
                        next,
                        disable: None,
                    };
                    let finished = server.finish_delivery(finished, None);
                    finished.await.expect("it is stored");
                    claimed.push(due);
                }
            }
            claimed
        })
    });
    let mut claimed = Vec::new();
    for done in join_all(work).await {
        claimed.extend(done.expect("no panic"));
    }
    loop {
        let more = claim(&*servers[0], 100, 100).await;
        if more.is_empty() {
            break;
        }
        claimed.extend(more);
    }
    let mut messages: Vec<_> = claimed
        .iter()
        .map(|due| (due.endpoint.clone(), due.message_id.clone()))
        .collect();
    messages.sort();
    let claims = messages.len();
    messages.dedup();
    let position = servers[0].webhook_position().await.expect("the position");
    let expected = ENDPOINTS * u64::try_from(position).expect("a small number");
    assert_eq!((claims as u64, messages.len() as u64), (expected, expected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_create_endpoints_concurrently_keep_the_limit() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let servers = [store(&database).await, store(&database).await];
    let creates = (0..16).map(|number: u64| {
        let server = &servers[usize::from(number.is_multiple_of(2))];
        server.create_endpoint(new_endpoint(number), 6)
    });
    let created = join_all(creates).await.into_iter();
    let created = created.filter(|created| created.as_ref().expect("a result").is_some());
    assert_eq!(created.count(), 6);
    let list = servers[0].list_endpoints(Some(key(1).id)).await;
    assert_eq!(list.expect("a list").len(), 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn endpoints_can_be_deleted_while_servers_create_and_claim_their_deliveries() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let servers = [store(&database).await, store(&database).await];
    let [one, two] = &servers;
    one.create_key(key(1)).await.expect("a key");
    for number in 0..8 {
        enabled(&**one, number).await;
    }
    let (two, own) = (Arc::clone(two), key(1).id);
    let busy = tokio::spawn(async move {
        for _ in 0..40 {
            fan_out(&*two).await.expect("a result");
            claim(&*two, 20, 5).await;
        }
    });
    for number in 0..8 {
        let deleted = one.delete_endpoint(own, EndpointId::from_random(number));
        assert!(deleted.await.expect("a result"));
    }
    busy.await.expect("no panic");
    let left = "SELECT count(*) FROM webhook_deliveries";
    let left = database.client().await.query_one(left, &[]).await;
    assert_eq!(left.expect("a row").get::<_, i64>(0), 0);
}
