//! Tests the usage counters of deprecated operations, and the time of a key's
//! last use.

use super::{
    AnyStore,
    keys::{key, time},
};
use chrono::NaiveDate;
use petstore_store::{KeyId, KeyUse, Usage, UsageDelta, UsageRecord};
use tokio::task::JoinSet;

fn id(number: u8) -> KeyId {
    key(number, time(0)).id
}

fn delta(number: u8, operation: &str, calls: u64, seen: (i64, i64)) -> UsageDelta {
    UsageDelta {
        key: id(number),
        operation: operation.to_owned(),
        calls,
        first_seen: time(seen.0),
        last_seen: time(seen.1),
        user_agent: None,
    }
}

fn used(number: u8, at: i64) -> KeyUse {
    KeyUse {
        key: id(number),
        at: time(at),
    }
}

async fn record(store: &AnyStore, calls: Vec<UsageDelta>, uses: Vec<KeyUse>) {
    let usage = Usage { calls, uses };
    store.record_usage(usage).await.expect("it is taken down");
}

async fn with_keys(store: &AnyStore, numbers: &[u8]) {
    for &number in numbers {
        store.create_key(key(number, time(0))).await.expect("a key");
    }
}

async fn counters(store: &AnyStore) -> Vec<UsageRecord> {
    store.usage().await.expect("the counters")
}

pub(crate) async fn the_time_since_which_an_operation_is_counted_is_not_overwritten(
    store: AnyStore,
) {
    let counted = async || {
        let counted = store.counted_operations().await.expect("the operations");
        let counted = counted.into_iter();
        counted
            .map(|row| (row.operation, row.since))
            .collect::<Vec<_>>()
    };
    assert_eq!(counted().await, []);
    for (operations, at) in [(&["getPet"][..], 5), (&["addPet", "getPet"], 7), (&[], 9)] {
        let operations = operations.iter().map(|&name| name.to_owned()).collect();
        let begun = store.begin_counting(operations, time(at)).await;
        begun.expect("it is stored");
    }
    let expected = [
        ("addPet".to_owned(), time(7)),
        ("getPet".to_owned(), time(5)),
    ];
    assert_eq!(counted().await, expected);
}

pub(crate) async fn calls_are_added_up_and_the_first_and_last_times_are_kept(store: AnyStore) {
    with_keys(&store, &[1]).await;
    assert_eq!(counters(&store).await, []);
    // The second update has earlier times, because two servers share a store.
    for (calls, seen) in [(2, (20, 30)), (1, (10, 10)), (5, (25, 45))] {
        record(&store, vec![delta(1, "getPet", calls, seen)], vec![]).await;
    }
    let expected = UsageRecord {
        key: id(1),
        key_name: key(1, time(0)).name,
        operation: "getPet".to_owned(),
        calls: 8,
        first_seen: time(10),
        last_seen: time(45),
        last_user_agent: None,
    };
    assert_eq!(counters(&store).await, [expected]);
}

pub(crate) async fn calls_are_counted_by_day_and_old_days_are_deleted(store: AnyStore) {
    // In microseconds.
    const DAY: i64 = 86_400_000_000;
    with_keys(&store, &[1, 2]).await;
    let by = |delta: UsageDelta, agent: &str| UsageDelta {
        user_agent: Some(agent.to_owned()),
        ..delta
    };
    // Around midnight, one update contains two days of a key.
    let calls = vec![
        by(delta(1, "getPet", 2, (DAY - 9, DAY - 1)), "old/1"),
        by(delta(1, "getPet", 3, (DAY, DAY + 1)), "new/2"),
        delta(2, "getPet", 4, (DAY, DAY + 2)),
    ];
    record(&store, calls, vec![]).await;
    record(
        &store,
        vec![delta(1, "getPet", 5, (DAY + 7, DAY + 8))],
        vec![],
    )
    .await;
    let days = async || {
        let days = store.usage_by_day(NaiveDate::MIN).await.expect("the days");
        let days = days.iter().map(|row| {
            assert_eq!(row.operation, "getPet");
            (row.key, row.day.to_string(), row.calls)
        });
        days.collect::<Vec<_>>()
    };
    let of = |number, day: &str, calls| (id(number), day.to_owned(), calls);
    let mut expected = vec![
        of(1, "1970-01-01", 2),
        of(1, "1970-01-02", 8),
        of(2, "1970-01-02", 4),
    ];
    expected.sort_by_key(|(key, ..)| *key);
    assert_eq!(days().await, expected);
    let agents = counters(&store).await.into_iter();
    let agents: Vec<_> = agents
        .map(|row| (row.key, row.calls, row.last_user_agent))
        .collect();
    assert!(
        agents.contains(&(id(1), 10, Some("new/2".to_owned()))),
        "{agents:?}"
    );
    assert!(agents.contains(&(id(2), 4, None)), "{agents:?}");

    let later = 401 * DAY;
    record(&store, vec![delta(2, "getPet", 1, (later, later))], vec![]).await;
    expected.retain(|(_, day, _)| day != "1970-01-01");
    expected.push(of(2, "1971-02-06", 1));
    expected.sort();
    assert_eq!(days().await, expected);
    let last_day = NaiveDate::from_ymd_opt(1971, 2, 6).expect("a day");
    let days = store.usage_by_day(last_day).await.expect("the days");
    assert_eq!((days.len(), days[0].calls), (1, 1));
    let total: u64 = counters(&store).await.iter().map(|row| row.calls).sum();
    assert_eq!(total, 15);
}

pub(crate) async fn usage_counters_are_sorted_by_operation_and_then_by_the_time_of_the_last_call(
    store: AnyStore,
) {
    with_keys(&store, &[1, 2, 3]).await;
    let calls = vec![
        delta(3, "b", 1, (5, 9)),
        delta(1, "b", 1, (7, 7)),
        delta(2, "b", 1, (6, 9)),
        delta(2, "a", 1, (1, 1)),
    ];
    record(&store, calls, vec![]).await;
    let rows: Vec<_> = counters(&store).await;
    let rows: Vec<_> = rows.iter().map(|row| (&*row.operation, &row.key)).collect();
    let ids = [id(2), id(2), id(3), id(1)];
    let expected: Vec<_> = ["a", "b", "b", "b"].into_iter().zip(&ids).collect();
    assert_eq!(rows, expected);
}

pub(crate) async fn the_last_use_of_a_key_is_stored(store: AnyStore) {
    with_keys(&store, &[1, 2]).await;
    for uses in [
        vec![used(1, 10)],
        vec![],
        vec![used(1, 30), used(2, -5)],
        vec![used(1, 20)],
    ] {
        record(&store, vec![], uses).await;
    }
    let shown = |number: u8| {
        let store = store.clone();
        async move {
            let keys = store.list_keys().await.expect("the keys");
            let listed = keys.into_iter().find(|listed| listed.id == id(number));
            let found = store.find_key(&key(number, time(0)).hash).await;
            assert_eq!(found.expect("a result").map(|key| key.id), Some(id(number)));
            listed.expect("the key").last_used_at
        }
    };
    assert_eq!(shown(1).await, Some(time(30)));
    assert_eq!(shown(2).await, Some(time(-5)));
}

pub(crate) async fn usage_of_unknown_keys_is_not_returned(store: AnyStore) {
    with_keys(&store, &[1]).await;
    let calls = vec![delta(1, "a", 1, (1, 1)), delta(2, "a", 1, (1, 1))];
    record(&store, calls, vec![used(2, 1), used(1, 1)]).await;
    let rows = counters(&store).await;
    assert_eq!(rows.len(), 1);
    assert_eq!((&rows[0].key, rows[0].calls), (&id(1), 1));
    let keys = store.list_keys().await.expect("the keys");
    assert_eq!(keys[0].last_used_at, Some(time(1)));
}

pub(crate) async fn concurrent_usage_is_counted_exactly_once(store: AnyStore) {
    with_keys(&store, &[1, 2, 3]).await;
    let mut tasks = JoinSet::new();
    for round in 0..20 {
        let store = store.clone();
        tasks.spawn(async move {
            let mut numbers = [1, 2, 3];
            numbers.rotate_left(usize::from(round % 3_u8));
            let calls = numbers.map(|number| delta(number, "getPet", 1, (round.into(), 99)));
            let uses = numbers.map(|number| used(number, round.into()));
            record(&store, calls.to_vec(), uses.to_vec()).await;
        });
    }
    tasks.join_all().await;
    for row in counters(&store).await {
        assert_eq!((row.calls, row.first_seen), (20, time(0)), "{row:?}");
    }
    let keys = store.list_keys().await.expect("the keys");
    assert!(keys.iter().all(|key| key.last_used_at == Some(time(19))));
}
