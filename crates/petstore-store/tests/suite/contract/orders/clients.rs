//! Tests pets and orders as a state machine. In each round several clients make
//! calls at the same time; there must be a sequential order of these calls in
//! which the model returns the same results and has the same state at the end.

use super::{
    all,
    model::{Call, CallResult, Made, Model, PLAYING, in_some_order, query_of},
    repeated::order_once,
    walk_orders,
};
use crate::{
    contract::{self, AnyStore, once, walk},
    fixtures::new_order,
};
use chrono::{DateTime, TimeDelta, Utc};
use petstore_models::{NewPet, OrderStatus, PetStatus};
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{Config, TestCaseResult, TestRunner},
};
use std::{cell::RefCell, sync::Arc};
use tokio::{runtime::Handle, sync::Barrier, task::JoinSet, task::block_in_place};

#[derive(Clone, Debug)]
struct Round {
    /// The clock moves forward, or back, by this time before the round.
    wait: TimeDelta,
    calls: Vec<Call>,
}

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let pet_status = || {
        prop_oneof![
            4 => Just(Some(PetStatus::Available)),
            1 => proptest::option::of(select(PetStatus::ALL))
        ]
    };
    let name = || (1..3_u64, select(vec!["a", "b", "c"]));
    let one = || 0..=PLAYING;
    let listed = (
        proptest::option::of(select(OrderStatus::ALL)),
        proptest::option::of(one()),
        0..5_usize,
    );
    let call = prop_oneof![
        2 => pet_status().prop_map(Call::Pet),
        1 => (pet_status(), name()).prop_map(|(status, name)| Call::PetOnce(status, name)),
        4 => one().prop_map(Call::Order),
        4 => (one(), name()).prop_map(|(pet, name)| Call::OrderOnce(pet, name)),
        8 => (one(), select(OrderStatus::ALL)).prop_map(|(order, to)| Call::Update(order, to)),
        1 => one().prop_map(Call::Look),
        1 => listed.prop_map(|(status, pet, limit)| Call::List(status, pet, limit))
    ];
    let hours = prop_oneof![6 => Just(0_i64), 2 => 1..9_i64, 1 => 23..26_i64, 1 => -30..0_i64];
    let round = (hours, proptest::collection::vec(call, 1..=6)).prop_map(|(hours, calls)| Round {
        wait: TimeDelta::hours(hours),
        calls,
    });
    proptest::collection::vec(round, 4..14)
}

fn rex(status: Option<PetStatus>) -> NewPet {
    contract::new_pet("Rex", status)
}

async fn ask(store: &AnyStore, made: Made) -> CallResult {
    let Made {
        call,
        pet,
        order,
        at,
    } = made;
    let new = new_order(pet);
    match call {
        Call::Pet(status) => CallResult::Pet(store.create_pet(rex(status)).await.expect("a pet")),
        Call::PetOnce(status, (key_id, key)) => {
            let once = once::once(key_id, key, at);
            CallResult::PetOnce(once::create(store, rex(status), once).await)
        }
        Call::Order(_) => CallResult::Order(store.create_order(new, at).await.expect("a result")),
        Call::OrderOnce(_, (key_id, key)) => {
            CallResult::OrderOnce(order_once(store, pet, once::once(key_id, key, at)).await)
        }
        Call::Update(_, to) => {
            CallResult::Updated(store.update_order(order, to, at).await.expect("a result"))
        }
        Call::Look(_) => CallResult::Found(store.order(order).await.expect("a result")),
        Call::List(status, pet, limit) => {
            let query = query_of(made, status, pet, limit);
            CallResult::Page(store.list_orders(query).await.expect("a page"))
        }
    }
}

/// The store and its model grow from case to case, so a case that fails cannot
/// be shrunk.
pub(crate) async fn concurrent_calls_have_the_same_results_as_some_sequential_order(
    store: AnyStore,
) {
    let state = RefCell::new((Model::default(), DateTime::UNIX_EPOCH));
    let mut runner = TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        max_shrink_iters: 0,
        ..Config::default()
    });
    let result = block_in_place(|| {
        runner.run(&rounds(), |rounds| {
            let (model, now) = &mut *state.borrow_mut();
            Handle::current().block_on(play(&store, model, now, rounds))
        })
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    let (model, _) = state.into_inner();
    let ended = model.orders.iter().filter(|order| {
        matches!(
            order.status,
            OrderStatus::Delivered | OrderStatus::Cancelled
        )
    });
    assert!(ended.count() > 10, "the clients hardly met");
}

async fn play(
    store: &AnyStore,
    model: &mut Model,
    now: &mut DateTime<Utc>,
    rounds: Vec<Round>,
) -> TestCaseResult {
    for Round { wait, calls } in rounds {
        *now += wait;
        let calls: Vec<Made> = calls
            .into_iter()
            .map(|call| {
                // All calls have different times, so that the result shows whose time was stored.
                *now += TimeDelta::microseconds(1);
                let (pet, order) = model.ids(call);
                Made {
                    call,
                    pet,
                    order,
                    at: *now,
                }
            })
            .collect();
        let results = at_once(store, &calls).await;
        let pets = walk(store, None, 100).await;
        let orders = walk_orders(store, all(100)).await;
        let after = in_some_order(model, &calls, &results, &mut Vec::new(), &|model| {
            same(&model.pets, &pets, |pet| pet.id) && same(&model.orders, &orders, |order| order.id)
        });
        match after {
            Some(after) => *model = after,
            None => prop_assert!(false, "no order of {calls:#?} explains {results:#?}"),
        }
    }
    Ok(())
}

/// Makes all calls at the same moment.
async fn at_once(store: &AnyStore, calls: &[Made]) -> Vec<CallResult> {
    let start = Arc::new(Barrier::new(calls.len()));
    let mut asked = JoinSet::new();
    for (place, made) in calls.iter().copied().enumerate() {
        let (store, start) = (store.clone(), Arc::clone(&start));
        asked.spawn(async move {
            start.wait().await;
            (place, ask(&store, made).await)
        });
    }
    let mut results = asked.join_all().await;
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

fn same<T: Clone + PartialEq>(model: &[T], found: &[T], id: impl Fn(&T) -> i64) -> bool {
    let sorted = |items: &[T]| {
        let mut items = items.to_vec();
        items.sort_by_key(&id);
        items
    };
    sorted(model) == sorted(found)
}
