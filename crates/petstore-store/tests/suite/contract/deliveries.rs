//! Tests of the deliveries of webhooks: only one caller makes each attempt, and its result is stored.

use super::{
    AnyStore, keys,
    webhooks::{
        ALL, URL, at, change, claim, claims, deliveries, enable, enabled, event, fan_out, finish,
        get, id, key, message, result, shown,
    },
};
use futures::future::join_all;
use openapi_dropshot_webhooks::{Claim, Disable, Due, Failure, Finished, Next};
use petstore_models::{DeliveryStatus, DeliveryTry, EventType, WebhookDelivery, WebhookStatus};
use petstore_store::{
    DeliveryQuery, EndpointChange, EndpointSecret, KeyLimits, NewKey, Redeliver, WebhookStats,
};
use std::collections::BTreeSet;

/// Claims as many deliveries as expected.
async fn claimed<const N: usize>(store: &AnyStore, claim: Claim) -> [(Due, EndpointSecret); N] {
    let claimed = store.claim_deliveries(claim).await.expect("the deliveries");
    claimed.try_into().expect("the expected number")
}

pub(crate) async fn a_delivery_is_claimed_again_when_its_lease_has_ended(store: AnyStore) {
    let own = key(&store, 1).await;
    enabled(&store, own, 1, ALL).await;
    event(&store).await;
    fan_out(&store).await;
    assert!(claim(&store, 9, 20).await.is_empty(), "it is due at 10");
    let [(first, secret)] = claimed(&store, claims((10, 20), 9, 9, &[])).await;
    let expected = EndpointSecret {
        generation: 1,
        previous_until: None,
        master_id: "master".to_owned(),
    };
    assert_eq!(secret, expected);
    assert_eq!(
        (first.endpoint.as_str(), first.url.as_str()),
        (id(1).as_str(), URL)
    );
    assert_eq!((first.message_id.as_str(), first.tries), ("evt_1", 0));
    assert_eq!(&first.payload[..], b"{}\0\xff");
    assert!(first.secrets.is_empty() && first.failing_since.is_none());
    assert!(claim(&store, 19, 30).await.is_empty());
    let [(again, _)] = claimed(&store, claims((20, 30), 9, 9, &[])).await;
    assert_eq!(again.id, first.id);

    // The first caller stores its results after its lease has ended.
    for next in [Next::Delivered, Next::GivenUp, Next::RetryAt(at(21))] {
        let late = Finished {
            disable: Some(Disable::Gone),
            ..result(at(22), next)
        };
        finish(&store, &first, 20, late).await;
    }
    let [waiting] = <[WebhookDelivery; 1]>::try_from(deliveries(&store, 1).await).expect("one");
    assert_eq!(
        (waiting.status, waiting.tries, waiting.last_try),
        (DeliveryStatus::Waiting, 0, None)
    );
    assert!(claim(&store, 29, 30).await.is_empty(), "it has its lease");
    assert_eq!(
        get(&store, own, 1).await.webhook.status,
        WebhookStatus::Enabled
    );
    finish(&store, &first, 30, result(at(25), Next::Delivered)).await;
    let [delivered] = <[WebhookDelivery; 1]>::try_from(deliveries(&store, 1).await).expect("one");
    let last = DeliveryTry {
        at: shown(25),
        http_status: Some(204),
        failure: None,
        milliseconds: 17,
    };
    assert_eq!(
        (delivered.status, delivered.tries, delivered.last_try),
        (DeliveryStatus::Delivered, 1, Some(last))
    );
    assert!(claim(&store, 1_000, 2_000).await.is_empty());
    // A result is stored only once.
    finish(&store, &first, 30, result(at(26), Next::GivenUp)).await;
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
            let of_endpoint = claim
                .iter()
                .filter(|(due, _)| due.endpoint == id(number).as_str());
            assert!(of_endpoint.count() <= 3);
        }
        claimed.extend(claim.into_iter().map(|(due, _)| due));
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
        async move {
            let claimed = store.claim_deliveries(claim).await.expect("the deliveries");
            claimed.into_iter().map(|(due, _)| due).collect::<Vec<_>>()
        }
    };
    assert!(claim(10, 11, 9, 9, &[1, 2]).await.is_empty());
    let only = claim(10, 11, 9, 2, &[1]).await;
    let second = id(2).to_string();
    assert_eq!(only.len(), 2);
    assert!(only.iter().all(|due| due.endpoint == second));
    assert_eq!(claim(11, 12, 1, 9, &[]).await.len(), 1);
    assert!(claim(12, 13, 0, 9, &[]).await.is_empty());
    assert!(claim(12, 13, 9, 0, &[]).await.is_empty());
    assert_eq!(claim(12, 13, 9, 9, &[]).await.len(), 6);

    let failing = claim(13, 20, 9, 9, &[1]).await;
    finish(&store, &failing[0], 20, result(at(14), Next::GivenUp)).await;
    let others = claim(20, 30, 9, 9, &[]).await;
    assert_eq!(others.len(), 3);
    assert!(others.iter().all(|due| due.endpoint == id(1).as_str()));
    let failing = Claim {
        failing: true,
        ..claims((20, 30), 9, 1, &[])
    };
    let [(due, _)] = claimed(&store, failing).await;
    assert_eq!(due.failing_since, Some(at(14)));
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
    assert_eq!(until_expiry[0].endpoint, id(1).as_str());
    store.revoke_key(revoked, at(16)).await.expect("revoked");
    assert!(claim(&store, 17, 18).await.is_empty());

    event(&store).await;
    // The deliveries are created at minute 10, when the second key is still valid.
    assert_eq!(fan_out(&store).await, 1);
    assert_eq!(deliveries(&store, 1).await.len(), 1);
    let from = store.webhook_position().await.expect("the position");
    let made = store
        .add_deliveries(from, from + 1, vec![(from + 1, message("evt_x"))], at(15))
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
    let failing = async || get(&store, own, 1).await.webhook.failing_since;

    let [first, second] = <[Due; 2]>::try_from(claim(&store, 10, 20).await).expect("two");
    let mut retry = result(at(11), Next::RetryAt(at(40)));
    (retry.sent.status, retry.sent.failure) = (None, Some(Failure::Timeout));
    finish(&store, &first, 20, retry).await;
    finish(&store, &second, 20, result(at(12), Next::GivenUp)).await;
    assert_eq!(failing().await, Some(shown(11)), "the first failure counts");
    let [given_up, waiting] =
        <[WebhookDelivery; 2]>::try_from(deliveries(&store, 1).await).expect("two");
    assert_eq!(
        (waiting.status, waiting.tries, waiting.next_try_at),
        (DeliveryStatus::Waiting, 1, Some(shown(40)))
    );
    let last = DeliveryTry {
        at: shown(11),
        http_status: None,
        failure: Some("timeout".to_owned()),
        milliseconds: 17,
    };
    assert_eq!(waiting.last_try, Some(last));
    assert_eq!(given_up.status, DeliveryStatus::GivenUp);

    assert!(claim(&store, 39, 50).await.is_empty());
    let again = claim(&store, 40, 50).await;
    assert_eq!((again.len(), again[0].tries), (1, 1));
    finish(&store, &again[0], 50, result(at(41), Next::Delivered)).await;
    assert_eq!(failing().await, None);

    for (reason, time) in [(Disable::Gone, 60), (Disable::Failing, 70)] {
        enable(&store, own, 1).await;
        let one = Redeliver::One(first.id);
        let changed = store.redeliver(id(1), one, at(time)).await;
        assert_eq!(changed.expect("a result"), 1);
        let due = claim(&store, time, time + 9).await;
        let disable = Finished {
            disable: Some(reason),
            ..result(at(time + 1), Next::GivenUp)
        };
        finish(&store, &due[0], time + 9, disable).await;
        let webhook = get(&store, own, 1).await.webhook;
        assert_eq!(
            (webhook.status, webhook.disabled_reason, webhook.updated_at),
            (
                WebhookStatus::Disabled,
                Some(reason.to_string()),
                shown(time + 1)
            )
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
    let disable = Finished {
        disable: Some(Disable::Failing),
        ..result(at(81), Next::RetryAt(at(82)))
    };
    finish(&store, &due[0], 90, disable).await;
    let webhook = get(&store, own, 1).await.webhook;
    assert_eq!(webhook.disabled_reason.as_deref(), Some("owner"));
    assert_eq!(webhook.failing_since, None);
    // The deliveries of the endpoint wait until it is enabled again.
    assert!(claim(&store, 82, 90).await.is_empty());
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
        let added = store.add_delivery(id(1), message(&format!("msg_{time}")), at(time));
        ids.push(added.await.expect("a result").expect("the endpoint"));
    }
    let claimed = claim(&store, 400, 500).await;
    assert_eq!(claimed.len(), 4);
    for (due, next) in
        claimed
            .iter()
            .zip([Next::GivenUp, Next::GivenUp, Next::GivenUp, Next::Delivered])
    {
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

pub(crate) async fn the_other_enabled_endpoints_of_the_key_get_a_message_when_one_is_disabled(
    store: AnyStore,
) {
    let (own, other) = (key(&store, 1).await, key(&store, 2).await);
    for (key, number) in [(own, 1), (own, 2), (own, 3), (other, 4)] {
        enabled(&store, key, number, &[EventType::OrderPlaced]).await;
    }
    change(&store, own, 3, EndpointChange::Disable).await;
    let first = store.add_delivery(id(1), message("evt_1"), at(10));
    first.await.expect("a result").expect("the endpoint");
    let due = claim(&store, 10, 20).await;
    let disable = Finished {
        disable: Some(Disable::Gone),
        ..result(at(11), Next::GivenUp)
    };
    // A result of another lease changes nothing.
    finish(&store, &due[0], 19, disable.clone()).await;
    assert_eq!(deliveries(&store, 2).await, []);
    for _ in 0..2 {
        finish(&store, &due[0], 20, disable.clone()).await;
    }
    let ids = async |number| -> Vec<_> {
        let found = deliveries(&store, number).await.into_iter();
        found.map(|delivery| delivery.message_id).collect()
    };
    assert_eq!(ids(1).await, ["evt_1"]);
    assert_eq!(ids(2).await, ["evt_disabled"]);
    assert_eq!((ids(3).await, ids(4).await), (vec![], vec![]));
    let sent = claim(&store, 11, 20).await;
    assert_eq!(&sent[0].payload[..], b"{}\0\xff");
    assert_eq!((sent.len(), sent[0].endpoint.as_str()), (1, id(2).as_str()));
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
    let own_deliveries: Vec<_> = claimed
        .iter()
        .filter(|due| due.endpoint == id(1).as_str())
        .collect();
    for due in &own_deliveries[..2] {
        finish(&store, due, 20, result(at(11), Next::Delivered)).await;
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
            100 => Next::Delivered,
            110 => Next::RetryAt(at(900)),
            _ => Next::GivenUp,
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
    };
    assert_eq!(stats().await, expected);
    let [(due, _)] = claimed(&store, claims((10, 20), 9, 1, &[2, 3])).await;
    finish(&store, &due, 20, result(at(11), Next::GivenUp)).await;
    let expected = WebhookStats {
        waiting: 5,
        ..expected
    };
    assert_eq!(stats().await, expected);
    // Only deliveries of enabled endpoints count as waiting, and an endpoint that its owner disabled does not count as disabled.
    change(&store, own, 2, EndpointChange::Disable).await;
    store.revoke_key(other, at(12)).await.expect("revoked");
    let expected = WebhookStats {
        waiting: 1,
        ..expected
    };
    assert_eq!(stats().await, expected);
    let claimed = claim(&store, 10, 20).await;
    let gone = Finished {
        disable: Some(Disable::Gone),
        ..result(at(13), Next::GivenUp)
    };
    finish(&store, &claimed[0], 20, gone).await;
    let expected = WebhookStats {
        waiting: 0,
        oldest_due: None,
        disabled: 1,
    };
    assert_eq!(stats().await, expected);
}
