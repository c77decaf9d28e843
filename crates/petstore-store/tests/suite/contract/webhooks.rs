//! Tests of webhooks: which endpoints get which events, and that only one caller makes each attempt.

use super::{AnyStore, create, keys};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use petstore_models::{EventType, PetStatus};
use petstore_store::{
    Delivery, DeliveryAttempt, DeliveryClaim, DeliveryQuery, DeliveryResult, DeliveryStatus,
    DisabledReason, DueDelivery, Endpoint, EndpointChange, EndpointId, EndpointStatus, EventQuery,
    EventsAfter, KeyId, KeyLimits, NewEndpoint, NewKey, NewMessage, NextAttempt, Redeliver,
    WebhookStats,
};
use std::collections::BTreeSet;

const ALL: &[EventType] = &[];
const URL: &str = "https://example.com/hook";

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn id(number: u64) -> EndpointId {
    EndpointId::from_random(number)
}

/// Creates a key with this number.
async fn key(store: &AnyStore, number: u8) -> KeyId {
    let key = keys::key(number, at(0));
    let id = key.id;
    store.create_key(key).await.expect("a key");
    id
}

fn new_endpoint(key: KeyId, number: u64, types: &[EventType]) -> NewEndpoint {
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

async fn change(store: &AnyStore, key: KeyId, number: u64, change: EndpointChange) -> Endpoint {
    let changed = store.change_endpoint(key, id(number), change, at(1)).await;
    changed.expect("a result").expect("the endpoint")
}

/// Enables an endpoint as it is.
async fn enable(store: &AnyStore, key: KeyId, number: u64) -> Endpoint {
    let found = store.endpoint(key, id(number)).await.expect("a result");
    let found = found.expect("the endpoint");
    let (url, seen) = (found.url, found.updated_at);
    change(store, key, number, EndpointChange::Enable { url, seen }).await
}

/// Creates an endpoint and enables it.
async fn enabled(store: &AnyStore, key: KeyId, number: u64, types: &[EventType]) -> Endpoint {
    let new = new_endpoint(key, number, types);
    let created = store.create_endpoint(new, 100).await.expect("a result");
    created.expect("the limit is not reached");
    enable(store, key, number).await
}

/// Creates the deliveries of all new events, like a server. Returns how many it created.
async fn fan_out(store: &AnyStore) -> usize {
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
        let message = |event: &petstore_store::StoredEvent| NewMessage {
            position: event.position.position,
            message_id: format!("evt_{}", event.position.position),
            kind: match event.data {
                petstore_store::EventData::PetCreated(_) => EventType::PetCreated,
                _ => EventType::OrderPlaced,
            },
            payload: b"{}\0\xff".to_vec(),
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

/// Creates a pet, which writes an event.
async fn event(store: &AnyStore) {
    create(store, "Rex", Some(PetStatus::Available)).await;
}

async fn claim(store: &AnyStore, now: i64, lease: i64) -> Vec<DueDelivery> {
    let mut claimed = Vec::new();
    for failing in [false, true] {
        let claim = DeliveryClaim {
            failing,
            ..claims((now, lease), 100, 100, &[])
        };
        let found = store.claim_deliveries(claim).await;
        claimed.extend(found.expect("the deliveries"));
    }
    claimed.sort_by_key(|due| due.id);
    claimed
}

fn claims(
    (now, lease): (i64, i64),
    limit: usize,
    per_endpoint: usize,
    busy: &[u64],
) -> DeliveryClaim {
    DeliveryClaim {
        now: at(now),
        lease_until: at(lease),
        limit,
        per_endpoint,
        failing: false,
        busy: busy.iter().copied().map(id).collect(),
    }
}

fn result(at: DateTime<Utc>, next: NextAttempt) -> DeliveryResult {
    let is_success = next == NextAttempt::Delivered;
    DeliveryResult {
        at,
        status: Some(if is_success { 204 } else { 500 }),
        failure: (!is_success).then(|| "status".to_owned()),
        millis: 17,
        next,
        disable: None,
    }
}

async fn finish(store: &AnyStore, due: &DueDelivery, lease: i64, result: DeliveryResult) {
    let finished = store.finish_delivery(due.id, due.endpoint, at(lease), result);
    finished.await.expect("it is stored");
}

async fn deliveries(store: &AnyStore, number: u64) -> Vec<Delivery> {
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

async fn get(store: &AnyStore, key: KeyId, number: u64) -> Endpoint {
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
        url: URL.to_owned(),
        types: types.to_vec(),
        description: Some("Zoë's \0 endpoint".to_owned()),
        status: EndpointStatus::Pending,
        reason: None,
        generation: 1,
        previous_until: None,
        master_id: "master".to_owned(),
        created_at: at(5),
        updated_at: at(5),
        failing_since: None,
    };
    assert_eq!(created.as_ref(), Some(&expected));
    assert_eq!(get(&store, own, 1).await, expected);

    // Another key cannot read it.
    assert_eq!(store.endpoint(other, id(1)).await.expect("a result"), None);
    assert_eq!(store.list_endpoints(other).await.expect("a list"), []);
    let foreign = EndpointChange::Enable {
        url: URL.to_owned(),
        seen: at(0),
    };
    let changed = store.change_endpoint(other, id(1), foreign, at(6));
    assert_eq!(changed.await.expect("a result"), None);
    assert!(!store.delete_endpoint(other, id(1)).await.expect("a result"));

    let enabled = enable(&store, own, 1).await;
    let expected = Endpoint {
        status: EndpointStatus::Enabled,
        updated_at: at(1),
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
        generation: 2,
        previous_until: Some(at(99)),
        master_id: "next".to_owned(),
        ..expected
    };
    assert_eq!(rotated, expected);
    let disabled = change(&store, own, 1, EndpointChange::Disable).await;
    assert_eq!(disabled.status, EndpointStatus::Disabled);
    assert_eq!(disabled.reason, Some(DisabledReason::Owner));
    let update = EndpointChange::Update {
        url: Some("https://example.org".to_owned()),
        types: Some(Vec::new()),
        description: Some(None),
    };
    let updated = change(&store, own, 1, update).await;
    let expected = Endpoint {
        url: "https://example.org".to_owned(),
        types: Vec::new(),
        description: None,
        status: EndpointStatus::Pending,
        ..expected
    };
    assert_eq!(updated, expected);
    assert_eq!(store.list_endpoints(own).await.expect("a list"), [expected]);
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
    let list = store.list_endpoints(own).await.expect("a list");
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
    let list = store.list_endpoints(own).await.expect("a list");
    let ids: Vec<_> = list.iter().map(|endpoint| endpoint.id).collect();
    assert_eq!(ids, [2, 3, 1].map(id));
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
    let [second, first] = <[Delivery; 2]>::try_from(deliveries(&store, 1).await).expect("two");
    assert!(first.id < second.id);
    let expected = Delivery {
        id: first.id,
        message_id: "evt_2".to_owned(),
        kind: "pet.created".to_owned(),
        created_at: at(10),
        status: DeliveryStatus::Waiting,
        tries: 0,
        due_at: at(10),
        last: None,
    };
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
        .map(|position| NewMessage {
            position,
            message_id: format!("evt_{position}"),
            kind: EventType::PetCreated,
            payload: Vec::new(),
        })
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

pub(crate) async fn a_delivery_is_claimed_again_when_its_lease_has_ended(store: AnyStore) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    event(&store).await;
    fan_out(&store).await;
    assert_eq!(claim(&store, 9, 20).await, [], "it is due at 10");
    let first = claim(&store, 10, 20).await;
    let expected = DueDelivery {
        id: first[0].id,
        endpoint: id(1),
        url: URL.to_owned(),
        message_id: "evt_1".to_owned(),
        payload: b"{}\0\xff".to_vec(),
        tries: 0,
        generation: 1,
        previous_until: None,
        master_id: "master".to_owned(),
        failing_since: None,
    };
    assert_eq!(first, std::slice::from_ref(&expected));
    assert_eq!(claim(&store, 19, 30).await, []);
    assert_eq!(claim(&store, 20, 30).await, first);

    // The first caller stores its results after its lease has ended.
    for next in [
        NextAttempt::Delivered,
        NextAttempt::GivenUp,
        NextAttempt::RetryAt(at(21)),
    ] {
        let disable = Some(DisabledReason::Gone);
        let late = DeliveryResult {
            disable,
            ..result(at(22), next)
        };
        finish(&store, &expected, 20, late).await;
    }
    let [waiting] = <[Delivery; 1]>::try_from(deliveries(&store, 1).await).expect("one");
    assert_eq!(
        (waiting.status, waiting.tries, waiting.due_at, waiting.last),
        (DeliveryStatus::Waiting, 0, at(30), None)
    );
    assert_eq!(get(&store, own, 1).await.status, EndpointStatus::Enabled);
    finish(
        &store,
        &expected,
        30,
        result(at(25), NextAttempt::Delivered),
    )
    .await;
    let [delivered] = <[Delivery; 1]>::try_from(deliveries(&store, 1).await).expect("one");
    let last = DeliveryAttempt {
        at: at(25),
        status: Some(204),
        failure: None,
        millis: 17,
    };
    assert_eq!(
        (delivered.status, delivered.tries, delivered.last),
        (DeliveryStatus::Delivered, 1, Some(last))
    );
    assert_eq!(claim(&store, 1_000, 2_000).await, []);
    // A result is stored only once.
    finish(&store, &expected, 30, result(at(26), NextAttempt::GivenUp)).await;
    let again = deliveries(&store, 1).await;
    assert_eq!(again[0].status, DeliveryStatus::Delivered);
}

pub(crate) async fn concurrent_claims_return_each_delivery_once(store: AnyStore) {
    let own = key(&store, 1).await;
    for number in 1..=4 {
        enabled(&store, own, number, ALL).await;
    }
    for _ in 0..10 {
        event(&store).await;
    }
    assert_eq!(fan_out(&store).await, 40);
    let claims = (0..30).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let claimed = store.claim_deliveries(claims((10, 20), 7, 3, &[]));
            claimed.await.expect("the deliveries")
        })
    });
    let mut claimed = Vec::new();
    for claim in join_all(claims).await {
        let claim = claim.expect("no panic");
        assert!(claim.len() <= 7);
        for number in 1..=4 {
            let of_endpoint = claim.iter().filter(|due| due.endpoint == id(number));
            assert!(of_endpoint.count() <= 3);
        }
        claimed.extend(claim);
    }
    // A claim skips deliveries that another claim is locking, so this claim returns the rest.
    claimed.extend(claim(&store, 10, 20).await);
    let ids: BTreeSet<_> = claimed.iter().map(|due| due.id).collect();
    assert_eq!((claimed.len(), ids.len()), (40, 40));
}

pub(crate) async fn a_claim_skips_busy_endpoints_and_separates_failing_endpoints(store: AnyStore) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    enabled(&store, own, 2, ALL).await;
    for _ in 0..3 {
        event(&store).await;
    }
    fan_out(&store).await;
    let claim = |now, lease, limit, per_endpoint, busy: &[u64]| {
        let (store, claim) = (
            store.clone(),
            claims((now, lease), limit, per_endpoint, busy),
        );
        async move { store.claim_deliveries(claim).await.expect("the deliveries") }
    };
    assert_eq!(claim(10, 11, 9, 9, &[1, 2]).await, []);
    let only = claim(10, 11, 9, 2, &[1]).await;
    assert_eq!(
        only.iter().map(|due| due.endpoint).collect::<Vec<_>>(),
        [id(2); 2]
    );
    assert_eq!(claim(11, 12, 1, 9, &[]).await.len(), 1);
    assert_eq!(claim(12, 13, 0, 9, &[]).await, []);
    assert_eq!(claim(12, 13, 9, 0, &[]).await, []);
    assert_eq!(claim(12, 13, 9, 9, &[]).await.len(), 6);

    let failing = claim(13, 20, 9, 9, &[1]).await;
    finish(
        &store,
        &failing[0],
        20,
        result(at(14), NextAttempt::GivenUp),
    )
    .await;
    let others = claim(20, 30, 9, 9, &[]).await;
    assert_eq!(others.len(), 3);
    assert!(others.iter().all(|due| due.endpoint == id(1)));
    let failing = DeliveryClaim {
        failing: true,
        ..claims((20, 30), 9, 1, &[])
    };
    let claimed = store.claim_deliveries(failing).await.expect("a delivery");
    let since: Vec<_> = claimed.iter().map(|due| due.failing_since).collect();
    assert_eq!(since, [Some(at(14))]);
}

pub(crate) async fn a_revoked_or_expired_key_gets_no_deliveries(store: AnyStore) {
    let revoked = key(&store, 1).await;
    let expiring = NewKey {
        limits: KeyLimits {
            expires_at: Some(at(15)),
            ..KeyLimits::default()
        },
        ..keys::key(2, at(0))
    };
    store.create_key(expiring.clone()).await.expect("a key");
    enabled(&store, revoked, 1, ALL).await;
    enabled(&store, expiring.id, 2, ALL).await;
    event(&store).await;
    assert_eq!(fan_out(&store).await, 2);
    assert_eq!(claim(&store, 14, 14).await.len(), 2);
    let until_expiry = claim(&store, 15, 15).await;
    assert_eq!(until_expiry.len(), 1);
    assert_eq!(until_expiry[0].endpoint, id(1));
    store.revoke_key(revoked, at(16)).await.expect("revoked");
    assert_eq!(claim(&store, 17, 18).await, []);

    event(&store).await;
    // The deliveries are created at minute 10, when the second key is still valid.
    assert_eq!(fan_out(&store).await, 1);
    assert_eq!(deliveries(&store, 1).await.len(), 1);
    let from = store.webhook_position().await.expect("the position");
    let message = NewMessage {
        position: from + 1,
        message_id: "evt_x".to_owned(),
        kind: EventType::PetCreated,
        payload: Vec::new(),
    };
    let made = store
        .add_deliveries(from, from + 1, vec![message], at(15))
        .await;
    assert_eq!(made.expect("a result"), 0);
}

pub(crate) async fn the_result_of_a_delivery_is_stored_and_updates_the_state_of_the_endpoint(
    store: AnyStore,
) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    event(&store).await;
    event(&store).await;
    fan_out(&store).await;
    let failing = async || get(&store, own, 1).await.failing_since;

    let [first, second] = <[DueDelivery; 2]>::try_from(claim(&store, 10, 20).await).expect("two");
    let retry = DeliveryResult {
        status: None,
        failure: Some("timeout".to_owned()),
        ..result(at(11), NextAttempt::RetryAt(at(40)))
    };
    finish(&store, &first, 20, retry).await;
    finish(&store, &second, 20, result(at(12), NextAttempt::GivenUp)).await;
    assert_eq!(failing().await, Some(at(11)), "the first failure counts");
    let [given_up, waiting] = <[Delivery; 2]>::try_from(deliveries(&store, 1).await).expect("two");
    assert_eq!(
        (waiting.status, waiting.tries, waiting.due_at),
        (DeliveryStatus::Waiting, 1, at(40))
    );
    let last = DeliveryAttempt {
        at: at(11),
        status: None,
        failure: Some("timeout".to_owned()),
        millis: 17,
    };
    assert_eq!(waiting.last, Some(last));
    assert_eq!(given_up.status, DeliveryStatus::GivenUp);

    assert_eq!(claim(&store, 39, 50).await, []);
    let again = claim(&store, 40, 50).await;
    assert_eq!((again.len(), again[0].tries), (1, 1));
    finish(
        &store,
        &again[0],
        50,
        result(at(41), NextAttempt::Delivered),
    )
    .await;
    assert_eq!(failing().await, None);

    for (reason, time) in [(DisabledReason::Gone, 60), (DisabledReason::Failing, 70)] {
        enable(&store, own, 1).await;
        let one = Redeliver::One(first.id);
        let changed = store.redeliver(id(1), one, at(time)).await;
        assert_eq!(changed.expect("a result"), 1);
        let due = claim(&store, time, time + 9).await;
        let disable = DeliveryResult {
            disable: Some(reason),
            ..result(at(time + 1), NextAttempt::GivenUp)
        };
        finish(&store, &due[0], time + 9, disable).await;
        let endpoint = get(&store, own, 1).await;
        assert_eq!(
            (endpoint.status, endpoint.reason, endpoint.updated_at),
            (EndpointStatus::Disabled, Some(reason), at(time + 1))
        );
    }

    // An endpoint that is no longer enabled keeps its reason.
    enable(&store, own, 1).await;
    let one = store
        .redeliver(id(1), Redeliver::One(first.id), at(80))
        .await;
    assert_eq!(one.expect("a result"), 1);
    let due = claim(&store, 80, 90).await;
    change(&store, own, 1, EndpointChange::Disable).await;
    let disable = DeliveryResult {
        disable: Some(DisabledReason::Failing),
        ..result(at(81), NextAttempt::RetryAt(at(82)))
    };
    finish(&store, &due[0], 90, disable).await;
    let endpoint = get(&store, own, 1).await;
    assert_eq!(endpoint.reason, Some(DisabledReason::Owner));
    assert_eq!(endpoint.failing_since, None);
    // The deliveries of the endpoint wait until it is enabled again.
    assert_eq!(claim(&store, 82, 90).await, []);
    enable(&store, own, 1).await;
    assert_eq!(claim(&store, 82, 90).await.len(), 1);
}

pub(crate) async fn a_single_delivery_or_all_deliveries_of_a_period_can_be_sent_again(
    store: AnyStore,
) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    enabled(&store, own, 2, ALL).await;
    let mut ids = Vec::new();
    for time in [100, 200, 300, 400] {
        let added = store.add_test_delivery(
            id(1),
            format!("msg_{time}"),
            "endpoint.test".to_owned(),
            b"{}".to_vec(),
            at(time),
        );
        ids.push(added.await.expect("a result").expect("the endpoint"));
    }
    let claimed = claim(&store, 400, 500).await;
    assert_eq!(claimed.len(), 4);
    for (due, next) in claimed.iter().zip([
        NextAttempt::GivenUp,
        NextAttempt::GivenUp,
        NextAttempt::GivenUp,
        NextAttempt::Delivered,
    ]) {
        finish(&store, due, 500, result(at(450), next)).await;
    }
    // A period does not include its end, and only deliveries that were given up are sent again.
    let range = |since, until| Redeliver::Since {
        since: at(since),
        until: at(until),
    };
    let nothing = [
        (1, range(301, 1_000)),
        (1, range(0, 100)),
        (2, range(0, 1_000)),
        (2, Redeliver::One(ids[0])),
        (1, Redeliver::One(ids[3] + 1)),
    ];
    for (number, which) in nothing {
        let changed = store.redeliver(id(number), which, at(600)).await;
        assert_eq!(changed.expect("a result"), 0, "{number} {which:?}");
    }
    let changed = store.redeliver(id(1), range(100, 300), at(600)).await;
    assert_eq!(changed.expect("a result"), 2);
    let again = claim(&store, 600, 700).await;
    let found: Vec<_> = again
        .iter()
        .map(|due| (due.id, due.message_id.as_str(), due.tries))
        .collect();
    assert_eq!(found, [(ids[0], "msg_100", 0), (ids[1], "msg_200", 0)]);
    // A delivery that was delivered can be sent again, too.
    let changed = store
        .redeliver(id(1), Redeliver::One(ids[3]), at(600))
        .await;
    assert_eq!(changed.expect("a result"), 1);
    let again = claim(&store, 600, 700).await;
    assert_eq!(again.iter().map(|due| due.id).collect::<Vec<_>>(), [ids[3]]);
}

pub(crate) async fn pages_of_deliveries_begin_with_the_newest_and_keep_their_filter(
    store: AnyStore,
) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    enabled(&store, own, 2, ALL).await;
    for _ in 0..5 {
        event(&store).await;
    }
    fan_out(&store).await;
    let claimed = claim(&store, 10, 20).await;
    let own_deliveries: Vec<_> = claimed.iter().filter(|due| due.endpoint == id(1)).collect();
    for due in &own_deliveries[..2] {
        finish(&store, due, 20, result(at(11), NextAttempt::Delivered)).await;
    }
    let newest_first: Vec<_> = own_deliveries.iter().rev().map(|due| due.id).collect();
    let expected = [
        (None, newest_first.clone()),
        (Some(DeliveryStatus::Waiting), newest_first[..3].to_vec()),
        (Some(DeliveryStatus::Delivered), newest_first[3..].to_vec()),
        (Some(DeliveryStatus::GivenUp), Vec::new()),
    ];
    for (status, expected) in expected {
        for limit in [1, 2, 5, 6] {
            let (mut before, mut met) = (None, Vec::new());
            loop {
                let query = DeliveryQuery {
                    endpoint: id(1),
                    before,
                    status,
                    limit,
                };
                let page = store.list_deliveries(query).await.expect("a page");
                assert!(page.deliveries.len() <= limit);
                met.extend(page.deliveries.iter().map(|delivery| delivery.id));
                before = met.last().copied();
                if !page.more {
                    break;
                }
            }
            assert_eq!(met, expected, "{status:?} {limit}");
        }
    }
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
        finish(
            &store,
            due,
            20,
            result(at(11), NextAttempt::RetryAt(at(12))),
        )
        .await;
    }
    assert_eq!(claim(&store, 20, 30).await.len(), 1);
    let test = store.add_test_delivery(id(1), String::new(), String::new(), Vec::new(), at(0));
    assert_eq!(test.await.expect("a result"), None);
    event(&store).await;
    assert_eq!(fan_out(&store).await, 1);
}

pub(crate) async fn an_endpoint_with_many_deliveries_is_deleted(store: AnyStore) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    let from = store.webhook_position().await.expect("the position");
    let message = |position| NewMessage {
        position,
        message_id: String::new(),
        kind: EventType::PetCreated,
        payload: Vec::new(),
    };
    // There are more deliveries than one transaction deletes.
    let to = from + 5_001;
    let messages = (from + 1..=to).map(message).collect();
    let made = store.add_deliveries(from, to, messages, at(1)).await;
    assert_eq!(made.expect("a result"), 5_001);
    assert!(store.delete_endpoint(own, id(1)).await.expect("a result"));
    assert_eq!(deliveries(&store, 1).await, []);
}

pub(crate) async fn old_deliveries_are_deleted_up_to_the_limit(store: AnyStore) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    for _ in 0..6 {
        event(&store).await;
    }
    fan_out(&store).await;
    let claimed = claim(&store, 10, 1_000).await;
    for (due, time) in claimed.iter().zip([100, 110, 120, 130]) {
        let next = match time {
            100 => NextAttempt::Delivered,
            110 => NextAttempt::RetryAt(at(900)),
            _ => NextAttempt::GivenUp,
        };
        finish(&store, due, 1_000, result(at(time), next)).await;
    }
    let forget = async |before, limit| {
        let forgotten = store.forget_deliveries(at(before), limit).await;
        forgotten.expect("a result")
    };
    let ids = async || -> BTreeSet<_> {
        let left = deliveries(&store, 1).await.into_iter();
        left.map(|delivery| delivery.id).collect()
    };
    let of_places = |places: &[usize]| {
        places
            .iter()
            .map(|place| claimed[*place].id)
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(forget(100, 10).await, 0);
    assert_eq!(forget(130, 1).await, 1);
    assert_eq!(ids().await, of_places(&[1, 2, 3, 4, 5]));
    assert_eq!(forget(130, 10).await, 1);
    assert_eq!(ids().await, of_places(&[1, 3, 4, 5]));
    // Deliveries that have waited for too long are deleted, too.
    assert_eq!(forget(1_000, 10).await, 2);
    assert_eq!(forget(1_001, 10).await, 2);
    assert_eq!(ids().await, BTreeSet::new());
}

pub(crate) async fn the_statistics_count_deliveries_and_endpoints(store: AnyStore) {
    let stats = async || store.webhook_stats().await.expect("the numbers");
    assert_eq!(stats().await, WebhookStats::default());
    let (own, other) = (key(&store, 1).await, key(&store, 2).await);
    for (key, number) in [(own, 1), (own, 2), (other, 3)] {
        enabled(&store, key, number, ALL).await;
    }
    event(&store).await;
    event(&store).await;
    fan_out(&store).await;
    let expected = WebhookStats {
        waiting: 6,
        oldest_due: Some(at(10)),
        disabled: 0,
        given_up: 0,
    };
    assert_eq!(stats().await, expected);
    let claimed = store.claim_deliveries(claims((10, 20), 9, 1, &[2, 3]));
    let claimed = claimed.await.expect("a delivery");
    finish(
        &store,
        &claimed[0],
        20,
        result(at(11), NextAttempt::GivenUp),
    )
    .await;
    let expected = WebhookStats {
        waiting: 5,
        given_up: 1,
        ..expected
    };
    assert_eq!(stats().await, expected);
    // Only deliveries of enabled endpoints count as waiting.
    change(&store, own, 2, EndpointChange::Disable).await;
    store.revoke_key(other, at(12)).await.expect("revoked");
    let expected = WebhookStats {
        waiting: 1,
        disabled: 1,
        ..expected
    };
    assert_eq!(stats().await, expected);
}
