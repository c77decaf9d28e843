//! Tests of webhooks: which endpoints get which events, and that only one caller makes each attempt.

use super::{AnyStore, create, keys};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use openapi_dropshot_webhooks::{Claim, Due, Failure, Finished, Next, Sent};
use petstore_models::{
    DeliveryStatus, EventType, PetStatus, Webhook, WebhookDelivery, WebhookStatus, WebhookUrl,
};
use petstore_store::{
    DeliveryQuery, Endpoint, EndpointChange, EndpointId, EndpointSecret, EventQuery, EventsAfter,
    KeyId, Missed, NewEndpoint, NewMessage,
};
use std::time::Duration;

pub(super) const ALL: &[EventType] = &[];
pub(super) const URL: &str = "https://example.com/hook";

pub(super) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

/// The time in the form of the contract.
pub(super) fn shown(seconds: i64) -> petstore_models::DateTime {
    at(seconds).into()
}

fn url(text: &str) -> WebhookUrl {
    text.parse().expect("a URL")
}

pub(super) fn id(number: u64) -> EndpointId {
    EndpointId::from_random(number)
}

/// Creates a key with this number.
pub(super) async fn key(store: &AnyStore, number: u8) -> KeyId {
    let key = keys::key(number, at(0));
    let id = key.id;
    store.create_key(key).await.expect("a key");
    id
}

pub(super) fn new_endpoint(key: KeyId, number: u64, types: &[EventType]) -> NewEndpoint {
    NewEndpoint {
        id: id(number),
        key,
        url: URL.to_owned(),
        types: types.to_vec(),
        description: None,
        master_id: "master".to_owned(),
        at: at(0),
    }
}

pub(super) async fn change(
    store: &AnyStore,
    key: KeyId,
    number: u64,
    change: EndpointChange,
) -> Endpoint {
    let changed = store.change_endpoint(key, id(number), change, at(1)).await;
    changed.expect("a result").expect("the endpoint")
}

/// Enables an endpoint as it is.
pub(super) async fn enable(store: &AnyStore, key: KeyId, number: u64) -> Endpoint {
    let found = store.endpoint(key, id(number)).await.expect("a result");
    let found = found.expect("the endpoint");
    change(store, key, number, as_seen(&found.webhook)).await
}

/// Enables an endpoint unless it was changed meanwhile.
fn as_seen(webhook: &Webhook) -> EndpointChange {
    EndpointChange::Enable {
        url: webhook.url.as_str().to_owned(),
        seen: webhook.updated_at.get().to_utc(),
    }
}

/// Creates an endpoint and enables it.
pub(super) async fn enabled(
    store: &AnyStore,
    key: KeyId,
    number: u64,
    types: &[EventType],
) -> Endpoint {
    let new = new_endpoint(key, number, types);
    let created = store.create_endpoint(new, 100).await.expect("a result");
    created.expect("the limit is not reached");
    enable(store, key, number).await
}

/// Creates the deliveries of all new events, like a server. Returns how many it created.
pub(super) async fn fan_out(store: &AnyStore) -> usize {
    let mut made = 0;
    loop {
        let from = store.webhook_position().await.expect("the position");
        let query = EventQuery {
            after: EventsAfter::Number(from),
            types: Vec::new(),
            limit: 3,
        };
        let page = store.list_events(query).await.expect("a page");
        let page = page.expect("no cursor is lost");
        let message = |event: &petstore_store::StoredEvent| {
            let position = event.position.position;
            let kind = match event.kind {
                EventType::PetCreated => EventType::PetCreated,
                _ => EventType::OrderPlaced,
            };
            let message = NewMessage {
                kind: kind.as_str().to_owned(),
                ..message(&format!("evt_{position}"))
            };
            (position, message)
        };
        let messages = page.events.iter().map(message).collect();
        let to = page.next.position;
        let added = store.add_deliveries(from, to, messages, at(10)).await;
        made += added.expect("a result");
        assert_eq!(store.webhook_position().await.expect("the position"), to);
        if !page.more {
            return made;
        }
    }
}

pub(super) fn message(id: &str) -> NewMessage {
    NewMessage {
        id: id.to_owned(),
        kind: EventType::PetCreated.as_str().to_owned(),
        payload: b"{}\0\xff".to_vec(),
    }
}

/// Creates a pet, which writes an event.
pub(super) async fn event(store: &AnyStore) {
    create(store, "Rex", Some(PetStatus::Available)).await;
}

pub(super) async fn claim(store: &AnyStore, now: i64, lease: i64) -> Vec<Due> {
    let mut claimed = Vec::new();
    for failing in [false, true] {
        let claim = Claim {
            failing,
            ..claims((now, lease), 100, 100, &[])
        };
        let found = store.claim_deliveries(claim).await;
        claimed.extend(
            found
                .expect("the deliveries")
                .into_iter()
                .map(|(due, _)| due),
        );
    }
    claimed.sort_by_key(|due| due.id);
    claimed
}

pub(super) fn claims(
    (now, lease): (i64, i64),
    limit: usize,
    per_endpoint: usize,
    busy: &[u64],
) -> Claim {
    Claim {
        now: at(now),
        lease_until: at(lease),
        limit,
        per_endpoint,
        failing: false,
        busy: busy.iter().map(|number| id(*number).to_string()).collect(),
    }
}

/// A result; [`finish`] sets its delivery.
pub(super) fn result(at: DateTime<Utc>, next: Next) -> Finished {
    let is_success = next == Next::Delivered;
    Finished {
        id: 0,
        endpoint: String::new(),
        lease_until: at,
        at,
        sent: Sent {
            duration: Duration::from_millis(17),
            status: Some(if is_success { 204 } else { 500 }),
            failure: (!is_success).then_some(Failure::Status),
            ..Sent::default()
        },
        next,
        disable: None,
    }
}

/// Stores a result. If it disables the endpoint, the other endpoints get a message.
pub(super) async fn finish(store: &AnyStore, due: &Due, lease: i64, result: Finished) {
    let finished = Finished {
        id: due.id,
        endpoint: due.endpoint.clone(),
        lease_until: at(lease),
        ..result
    };
    let notice = finished.disable.map(|_| message("evt_disabled"));
    let finished = store.finish_delivery(finished, notice);
    finished.await.expect("it is stored");
}

pub(super) async fn deliveries(store: &AnyStore, number: u64) -> Vec<WebhookDelivery> {
    let query = DeliveryQuery {
        endpoint: id(number),
        before: None,
        status: None,
        limit: 100,
    };
    let page = store.list_deliveries(query).await.expect("a page");
    assert!(!page.more);
    page.deliveries
}

pub(super) async fn get(store: &AnyStore, key: KeyId, number: u64) -> Endpoint {
    let found = store.endpoint(key, id(number)).await.expect("a result");
    found.expect("the endpoint")
}

pub(crate) async fn an_endpoint_is_returned_as_it_was_created_and_changed(store: AnyStore) {
    let (own, other) = (key(&store, 1).await, key(&store, 2).await);
    let types = [EventType::OrderPlaced, EventType::PetStatusChanged];
    let new = NewEndpoint {
        description: Some("Zoë's \0 endpoint".to_owned()),
        at: at(5),
        ..new_endpoint(own, 1, &types)
    };
    let created = store.create_endpoint(new, 1).await.expect("a result");
    let expected = Endpoint {
        id: id(1),
        key: own,
        webhook: Webhook {
            types: Some(types.to_vec().try_into().expect("some types")),
            description: Some("Zoë's \0 endpoint".parse().expect("a description")),
            ..Webhook::new(
                url(URL),
                id(1).as_str(),
                WebhookStatus::Pending,
                at(5),
                at(5),
            )
        },
        secret: EndpointSecret {
            generation: 1,
            previous_until: None,
            master_id: "master".to_owned(),
        },
        missed: None,
    };
    assert_eq!(created.as_ref(), Some(&expected));
    assert_eq!(get(&store, own, 1).await, expected);

    // Another key cannot read it.
    assert_eq!(store.endpoint(other, id(1)).await.expect("a result"), None);
    assert_eq!(store.list_endpoints(Some(other)).await.expect("a list"), []);
    let foreign = EndpointChange::Enable {
        url: URL.to_owned(),
        seen: at(0),
    };
    let changed = store.change_endpoint(other, id(1), foreign, at(6));
    assert_eq!(changed.await.expect("a result"), None);
    assert!(!store.delete_endpoint(other, id(1)).await.expect("a result"));

    let enabled = enable(&store, own, 1).await;
    let expected = Endpoint {
        webhook: Webhook {
            status: WebhookStatus::Enabled,
            updated_at: shown(1),
            ..expected.webhook
        },
        ..expected
    };
    assert_eq!(enabled, expected);
    // An update with the same URL does not change the status, and members that are not set are kept.
    let same = EndpointChange::Update {
        url: Some(URL.to_owned()),
        types: None,
        description: None,
    };
    assert_eq!(change(&store, own, 1, same).await, expected);
    let rotate = EndpointChange::Rotate {
        previous_until: Some(at(99)),
        master_id: "next".to_owned(),
    };
    let rotated = change(&store, own, 1, rotate).await;
    let expected = Endpoint {
        secret: EndpointSecret {
            generation: 2,
            previous_until: Some(at(99)),
            master_id: "next".to_owned(),
        },
        ..expected
    };
    assert_eq!(rotated, expected);
    let disabled = change(&store, own, 1, EndpointChange::Disable).await;
    let (missed, disabled) = (disabled.missed, disabled.webhook);
    assert_eq!(disabled.status, WebhookStatus::Disabled);
    assert_eq!(disabled.disabled_reason.as_deref(), Some("owner"));
    assert!(missed.is_some());
    assert_eq!(disabled.missed_since, Some(disabled.updated_at));
    let update = EndpointChange::Update {
        url: Some("https://example.org".to_owned()),
        types: Some(Vec::new()),
        description: Some(String::new()),
    };
    let updated = change(&store, own, 1, update).await;
    let expected = Endpoint {
        webhook: Webhook {
            url: url("https://example.org"),
            types: None,
            description: Some("".parse().expect("a description")),
            status: WebhookStatus::Pending,
            missed_since: disabled.missed_since,
            ..expected.webhook
        },
        missed,
        ..expected
    };
    assert_eq!(updated, expected);
    assert_eq!(
        store.list_endpoints(Some(own)).await.expect("a list"),
        [expected]
    );
}

pub(crate) async fn the_limit_of_endpoints_is_exact_under_concurrent_creations(store: AnyStore) {
    let (own, other) = (key(&store, 1).await, key(&store, 2).await);
    let creates = (0..20).map(|number| store.create_endpoint(new_endpoint(own, number, ALL), 5));
    let others = (20..24).map(|number| store.create_endpoint(new_endpoint(other, number, ALL), 5));
    let (created, others) = tokio::join!(join_all(creates), join_all(others));
    let count = |created: Vec<Result<Option<Endpoint>, _>>| {
        let created = created.into_iter();
        created
            .filter(|created| created.as_ref().expect("a result").is_some())
            .count()
    };
    assert_eq!((count(created), count(others)), (5, 4));
    let list = store.list_endpoints(Some(own)).await.expect("a list");
    assert_eq!(list.len(), 5);
    // After an endpoint is deleted, another one can be created.
    assert!(
        store
            .delete_endpoint(own, list[2].id)
            .await
            .expect("a result")
    );
    let again = join_all((30..34).map(|number| {
        let new = new_endpoint(own, number, ALL);
        store.create_endpoint(new, 5)
    }));
    assert_eq!(count(again.await), 1);
    // A lower limit applies, too, although more endpoints exist.
    assert!(
        store
            .delete_endpoint(own, list[0].id)
            .await
            .expect("a result")
    );
    let lowered = store.create_endpoint(new_endpoint(own, 40, ALL), 4).await;
    assert_eq!(lowered.expect("a result"), None);
}

pub(crate) async fn endpoints_of_a_key_are_listed_oldest_first(store: AnyStore) {
    let own = key(&store, 1).await;
    for (number, created_at) in [(1, 30), (2, 10), (3, 20)] {
        let new = NewEndpoint {
            at: at(created_at),
            ..new_endpoint(own, number, ALL)
        };
        store.create_endpoint(new, 9).await.expect("a result");
    }
    let list = store.list_endpoints(Some(own)).await.expect("a list");
    let ids: Vec<_> = list.iter().map(|endpoint| endpoint.id).collect();
    assert_eq!(ids, [2, 3, 1].map(id));
    let other = NewEndpoint {
        at: at(15),
        ..new_endpoint(key(&store, 2).await, 4, ALL)
    };
    store.create_endpoint(other, 9).await.expect("a result");
    let all = store.list_endpoints(None).await.expect("a list");
    let ids: Vec<_> = all.iter().map(|endpoint| endpoint.id).collect();
    assert_eq!(ids, [2, 4, 3, 1].map(id));
}

pub(crate) async fn an_endpoint_that_was_not_enabled_for_a_time_knows_the_events_that_it_missed(
    store: AnyStore,
) {
    let own = key(&store, 1).await;
    event(&store).await;
    enabled(&store, own, 1, ALL).await;
    event(&store).await;
    assert_eq!(fan_out(&store).await, 1);
    let position = async || store.webhook_position().await.expect("the position");
    let before = position().await;
    // An endpoint that misses nothing.
    change(&store, own, 1, EndpointChange::Disable).await;
    assert_eq!(enable(&store, own, 1).await.missed, None);

    let disabled = change(&store, own, 1, EndpointChange::Disable).await;
    let since = disabled.webhook.missed_since.expect("it may miss events");
    for _ in 0..3 {
        event(&store).await;
    }
    assert_eq!(fan_out(&store).await, 0);
    let to = position().await;
    let missed = Missed { after: before, to };
    let again = enable(&store, own, 1).await;
    assert_eq!(again.missed, Some(missed));
    assert_eq!(again.webhook.missed_since.as_ref(), Some(&since));
    // Disabled for the second time: the first events are still missed.
    event(&store).await;
    assert_eq!(fan_out(&store).await, 1);
    let moved = EndpointChange::Update {
        url: Some("https://example.org".to_owned()),
        types: None,
        description: None,
    };
    change(&store, own, 1, moved).await;
    event(&store).await;
    assert_eq!(fan_out(&store).await, 0);
    let to = position().await;
    let seen = get(&store, own, 1).await;
    let again = change(&store, own, 1, as_seen(&seen.webhook)).await;
    assert_eq!(again.missed, Some(Missed { to, ..missed }));
    assert_eq!(again.webhook.missed_since, Some(since));

    let catch_up = async |to| {
        let caught_up = change(&store, own, 1, EndpointChange::CatchUp(to)).await;
        caught_up.missed.map(|missed| missed.after)
    };
    assert_eq!(catch_up(before + 2).await, Some(before + 2));
    // Another caller is not as far.
    assert_eq!(catch_up(before + 1).await, Some(before + 2));
    assert_eq!(catch_up(to).await, None);
    assert_eq!(catch_up(before + 1).await, None);
}

pub(crate) async fn an_endpoint_gets_the_events_of_its_types_after_it_was_enabled(store: AnyStore) {
    let own = key(&store, 1).await;
    event(&store).await;
    enabled(&store, own, 1, ALL).await;
    enabled(&store, own, 2, &[EventType::PetCreated]).await;
    enabled(
        &store,
        own,
        3,
        &[EventType::OrderPlaced, EventType::OrderUpdated],
    )
    .await;
    let pending = store.create_endpoint(new_endpoint(own, 4, ALL), 9).await;
    pending.expect("a result").expect("an endpoint");
    enabled(&store, own, 5, ALL).await;
    change(&store, own, 5, EndpointChange::Disable).await;
    event(&store).await;
    event(&store).await;
    // This endpoint is enabled after these events, so it does not get them, although their deliveries were not created yet.
    enabled(&store, own, 6, ALL).await;
    assert_eq!(fan_out(&store).await, 4);
    for (number, expected) in [(1, 2), (2, 2), (3, 0), (4, 0), (5, 0), (6, 0)] {
        assert_eq!(deliveries(&store, number).await.len(), expected, "{number}");
    }
    let [second, first] =
        <[WebhookDelivery; 2]>::try_from(deliveries(&store, 1).await).expect("two");
    assert!(first.id < second.id);
    let (kind, status) = ("pet.created", DeliveryStatus::Waiting);
    let expected = WebhookDelivery::new(first.id, "evt_2", kind, status, 0, shown(10));
    assert_eq!(first, expected);

    // Events that happen while an endpoint is disabled are not delivered later.
    event(&store).await;
    enable(&store, own, 5).await;
    assert_eq!(fan_out(&store).await, 3);
    // Enabling an endpoint that is already enabled loses no events.
    event(&store).await;
    enable(&store, own, 5).await;
    assert_eq!(fan_out(&store).await, 4);
    assert_eq!(deliveries(&store, 5).await.len(), 1);
    assert_eq!(fan_out(&store).await, 0);
}

pub(crate) async fn only_one_of_many_callers_at_one_position_creates_the_deliveries(
    store: AnyStore,
) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    let from = store.webhook_position().await.expect("the position");
    let messages: Vec<_> = (from + 1..=from + 3)
        .map(|position| (position, message(&format!("evt_{position}"))))
        .collect();
    let callers = (0..8).map(|_| store.add_deliveries(from, from + 3, messages.clone(), at(1)));
    let made = join_all(callers).await.into_iter();
    let made: usize = made.map(|made| made.expect("a result")).sum();
    assert_eq!((made, deliveries(&store, 1).await.len()), (3, 3));
    let position = store.webhook_position().await.expect("the position");
    assert_eq!(position, from + 3);
    // Neither an earlier position nor a later one is accepted.
    for wrong in [from, from + 4] {
        let made = store.add_deliveries(wrong, from + 9, messages.clone(), at(1));
        assert_eq!(made.await.expect("a result"), 0);
    }
    assert_eq!(deliveries(&store, 1).await.len(), 3);
}

pub(crate) async fn a_deleted_endpoint_has_no_deliveries(store: AnyStore) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    enabled(&store, own, 2, ALL).await;
    event(&store).await;
    fan_out(&store).await;
    let claimed = claim(&store, 10, 20).await;
    assert!(store.delete_endpoint(own, id(1)).await.expect("a result"));
    assert!(!store.delete_endpoint(own, id(1)).await.expect("a result"));
    assert_eq!(store.endpoint(own, id(1)).await.expect("a result"), None);
    assert_eq!(deliveries(&store, 1).await, []);
    assert_eq!(deliveries(&store, 2).await.len(), 1);
    // A server that is sending one of its deliveries gets no error.
    for due in &claimed {
        finish(&store, due, 20, result(at(11), Next::RetryAt(at(12)))).await;
    }
    assert_eq!(claim(&store, 20, 30).await.len(), 1);
    let test = store.add_delivery(id(1), message("evt_x"), at(0));
    assert_eq!(test.await.expect("a result"), None);
    event(&store).await;
    assert_eq!(fan_out(&store).await, 1);
}

pub(crate) async fn an_endpoint_with_many_deliveries_is_deleted(store: AnyStore) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    let from = store.webhook_position().await.expect("the position");
    // There are more deliveries than one transaction deletes.
    let to = from + 5_001;
    let messages = (from + 1..=to).map(|position| (position, message("evt_x")));
    let messages = messages.collect();
    let made = store.add_deliveries(from, to, messages, at(1)).await;
    assert_eq!(made.expect("a result"), 5_001);
    assert!(store.delete_endpoint(own, id(1)).await.expect("a result"));
    assert_eq!(deliveries(&store, 1).await, []);
}
