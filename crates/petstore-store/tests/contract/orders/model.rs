//! Pets and orders as a state machine: in each round several clients ask at the
//! same moment, and there must be an order of their calls, one after the other,
//! in which a model in memory gives the same answers and ends in the same state.

use super::{all, order_once, walk_orders};
use crate::{AnyStore, once, walk};
use chrono::{DateTime, TimeDelta, Utc};
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet, PetStatus};
use petstore_store::{
    Creation, IDEMPOTENCY_KEYS_KEPT, NotOrdered, NotUpdated, OrderPage, OrderQuery,
};
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{Config, TestCaseResult, TestRunner},
};
use std::{cell::RefCell, collections::BTreeMap, sync::Arc};
use tokio::{runtime::Handle, sync::Barrier, task::JoinSet, task::block_in_place};

/// What a client asks for. Pets and orders are counted from the newest one; a
/// number beyond the few that play is one that is not there.
#[derive(Clone, Copy, Debug)]
enum Call {
    Pet(Option<PetStatus>),
    PetOnce(Option<PetStatus>, Name),
    Order(usize),
    OrderOnce(usize, Name),
    Update(usize, OrderStatus),
    Look(usize),
    List(Option<OrderStatus>, Option<usize>, usize),
}

/// The number of an API key, and an idempotency key.
type Name = (u64, &'static str);

const PLAYING: usize = 2;

#[derive(Clone, Debug)]
struct Round {
    /// The clock goes on, or back, before it.
    wait: TimeDelta,
    calls: Vec<Call>,
}

/// What a client was answered.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Pet(Pet),
    PetOnce(Creation),
    Order(Result<Order, NotOrdered>),
    OrderOnce(Creation<Order, NotOrdered>),
    Updated(Result<Order, NotUpdated>),
    Found(Option<Order>),
    Page(OrderPage),
}

/// A call with the ids and the time that it is made with.
#[derive(Clone, Copy, Debug)]
struct Made {
    call: Call,
    pet: i64,
    order: i64,
    at: DateTime<Utc>,
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

#[derive(Clone, Default)]
struct Model {
    pets: Vec<Pet>,
    orders: Vec<Order>,
    keys: BTreeMap<Name, (Kept, DateTime<Utc>)>,
}

/// What was made with a key.
#[derive(Clone)]
enum Kept {
    Pet(Pet),
    Order(Order),
}

impl Model {
    /// Whether the call, made now, is answered so. What the store chooses, the
    /// ids, is taken from the answer, and must be new.
    fn does(&mut self, made: Made, answer: &Answer) -> bool {
        match (made.call, answer) {
            (Call::Pet(status), Answer::Pet(pet)) => self.add_pet(status, pet),
            (Call::PetOnce(status, name), Answer::PetOnce(answer)) => {
                match (self.kept(name, made.at), answer) {
                    (Some(Kept::Pet(first)), Creation::Repeated(pet)) => {
                        first == *pet && status == first.status
                    }
                    (Some(Kept::Pet(first)), Creation::KeyReused) => status != first.status,
                    (Some(Kept::Order(_)), Creation::KeyReused) => true,
                    (None, Creation::Added(pet)) => {
                        self.keys.insert(name, (Kept::Pet(pet.clone()), made.at));
                        self.add_pet(status, pet)
                    }
                    _ => false,
                }
            }
            (Call::Order(_), Answer::Order(answer)) => self.order(made, answer),
            (Call::OrderOnce(_, name), Answer::OrderOnce(answer)) => {
                match (self.kept(name, made.at), answer) {
                    (Some(Kept::Order(first)), Creation::Repeated(order)) => {
                        first == *order && made.pet == first.pet_id
                    }
                    (Some(Kept::Order(first)), Creation::KeyReused) => made.pet != first.pet_id,
                    (Some(Kept::Pet(_)), Creation::KeyReused) => true,
                    (None, Creation::Refused(reason)) => self.order(made, &Err(*reason)),
                    (None, Creation::Added(order)) => {
                        self.keys
                            .insert(name, (Kept::Order(order.clone()), made.at));
                        self.order(made, &Ok(order.clone()))
                    }
                    _ => false,
                }
            }
            (Call::Update(_, to), Answer::Updated(answer)) => self.update(made, to) == *answer,
            (Call::Look(_), Answer::Found(found)) => self.find(made.order).cloned() == *found,
            (Call::List(status, pet, limit), Answer::Page(page)) => {
                self.list(query_of(made, status, pet, limit)) == *page
            }
            _ => false,
        }
    }

    fn kept(&self, name: Name, now: DateTime<Utc>) -> Option<Kept> {
        let (kept, at) = self.keys.get(&name)?;
        (now - *at < IDEMPOTENCY_KEYS_KEPT).then(|| kept.clone())
    }

    fn add_pet(&mut self, status: Option<PetStatus>, pet: &Pet) -> bool {
        let is_new = self.pets.iter().all(|other| other.id != pet.id);
        self.pets.push(pet.clone());
        is_new && pet.status == status
    }

    fn find(&self, id: i64) -> Option<&Order> {
        self.orders.iter().find(|order| order.id == id)
    }

    fn pet(&mut self, id: i64) -> Option<&mut Pet> {
        self.pets.iter_mut().find(|pet| pet.id == id)
    }

    fn order(&mut self, made: Made, answer: &Result<Order, NotOrdered>) -> bool {
        let Some(pet) = self.pet(made.pet) else {
            return *answer == Err(NotOrdered::NoPet);
        };
        if pet.status != Some(PetStatus::Available) {
            return *answer == Err(NotOrdered::NotAvailable(pet.status));
        }
        pet.status = Some(PetStatus::Pending);
        let Ok(order) = answer else { return false };
        let is_new = self.find(order.id).is_none();
        self.orders.push(order.clone());
        let at: petstore_models::DateTime = made.at.try_into().expect("a time");
        let expected = Order {
            id: order.id,
            pet_id: made.pet,
            status: OrderStatus::Placed,
            placed_at: at.clone(),
            updated_at: at,
        };
        is_new && *order == expected
    }

    fn update(&mut self, made: Made, to: OrderStatus) -> Result<Order, NotUpdated> {
        use OrderStatus::{Approved, Cancelled, Delivered, Placed};
        let order = self.orders.iter_mut().find(|order| order.id == made.order);
        let order = order.ok_or(NotUpdated::NoOrder)?;
        let pet_status = match (order.status, to) {
            (Placed, Approved) => PetStatus::Pending,
            (Approved, Delivered) => PetStatus::Sold,
            (Placed | Approved, Cancelled) => PetStatus::Available,
            (from, _) => return Err(NotUpdated::NoStep { from }),
        };
        order.status = to;
        let before: DateTime<Utc> = order.updated_at.to_string().parse().expect("a time");
        order.updated_at = before.max(made.at).try_into().expect("a time");
        let order = order.clone();
        if let Some(pet) = self.pet(order.pet_id) {
            pet.status = Some(pet_status);
        }
        Ok(order)
    }

    fn list(&self, query: OrderQuery) -> OrderPage {
        let mut matching: Vec<_> = self
            .orders
            .iter()
            .filter(|order| query.status.is_none_or(|status| order.status == status))
            .filter(|order| query.pet_id.is_none_or(|pet| order.pet_id == pet))
            .cloned()
            .collect();
        matching.sort_by_key(|order| -order.id);
        let more = matching.len() > query.limit;
        matching.truncate(query.limit);
        OrderPage {
            orders: matching,
            more,
        }
    }

    /// The id of the pet, or the order, that a call means.
    fn ids(&self, call: Call) -> (i64, i64) {
        let newest = |mut ids: Vec<i64>, number: usize| {
            ids.sort_unstable();
            match number {
                PLAYING => i64::MAX,
                number => ids.iter().rev().nth(number).copied().unwrap_or(0),
            }
        };
        let pets = || self.pets.iter().map(|pet| pet.id).collect();
        let orders = || self.orders.iter().map(|order| order.id).collect();
        match call {
            Call::Order(pet) | Call::OrderOnce(pet, _) | Call::List(_, Some(pet), _) => {
                (newest(pets(), pet), 0)
            }
            Call::Update(order, _) | Call::Look(order) => (0, newest(orders(), order)),
            Call::Pet(_) | Call::PetOnce(..) | Call::List(_, None, _) => (0, 0),
        }
    }
}

fn query_of(
    made: Made,
    status: Option<OrderStatus>,
    pet: Option<usize>,
    limit: usize,
) -> OrderQuery {
    OrderQuery {
        status,
        pet_id: pet.map(|_| made.pet),
        ..all(limit)
    }
}

fn rex(status: Option<PetStatus>) -> NewPet {
    crate::new_pet("Rex", status)
}

async fn ask(store: &AnyStore, made: Made) -> Answer {
    let Made {
        call,
        pet,
        order,
        at,
    } = made;
    let new = NewOrder { pet_id: pet };
    match call {
        Call::Pet(status) => Answer::Pet(store.create_pet(rex(status)).await.expect("a pet")),
        Call::PetOnce(status, (key_id, key)) => {
            let once = once::once(key_id, key, at);
            Answer::PetOnce(once::create(store, rex(status), once).await)
        }
        Call::Order(_) => Answer::Order(store.create_order(new, at).await.expect("an answer")),
        Call::OrderOnce(_, (key_id, key)) => {
            Answer::OrderOnce(order_once(store, pet, once::once(key_id, key, at)).await)
        }
        Call::Update(_, to) => {
            Answer::Updated(store.update_order(order, to, at).await.expect("an answer"))
        }
        Call::Look(_) => Answer::Found(store.order(order).await.expect("an answer")),
        Call::List(status, pet, limit) => {
            let query = query_of(made, status, pet, limit);
            Answer::Page(store.list_orders(query).await.expect("a page"))
        }
    }
}

/// The store and its model grow from case to case, so a case that fails is not
/// tried again in smaller forms.
pub(crate) async fn any_calls_of_several_clients_are_answered_as_one_after_the_other(
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
                // No two calls have one time, so that it is seen whose counts.
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
        let answers = at_once(store, &calls).await;
        let pets = walk(store, None, 100).await;
        let orders = walk_orders(store, all(100)).await;
        let after = in_some_order(model, &calls, &answers, &mut Vec::new(), &|model| {
            same(&model.pets, &pets, |pet| pet.id) && same(&model.orders, &orders, |order| order.id)
        });
        match after {
            Some(after) => *model = after,
            None => prop_assert!(false, "no order of {calls:#?} explains {answers:#?}"),
        }
    }
    Ok(())
}

/// Makes all calls at the same moment.
async fn at_once(store: &AnyStore, calls: &[Made]) -> Vec<Answer> {
    let start = Arc::new(Barrier::new(calls.len()));
    let mut asked = JoinSet::new();
    for (place, made) in calls.iter().copied().enumerate() {
        let (store, start) = (store.clone(), Arc::clone(&start));
        asked.spawn(async move {
            start.wait().await;
            (place, ask(&store, made).await)
        });
    }
    let mut answers = asked.join_all().await;
    answers.sort_by_key(|(place, _)| *place);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn same<T: Clone + PartialEq>(model: &[T], found: &[T], id: impl Fn(&T) -> i64) -> bool {
    let sorted = |items: &[T]| {
        let mut items = items.to_vec();
        items.sort_by_key(&id);
        items
    };
    sorted(model) == sorted(found)
}

/// The model after all calls, in the first order in which it answers as the
/// store did and ends as the store is.
fn in_some_order(
    model: &Model,
    calls: &[Made],
    answers: &[Answer],
    done: &mut Vec<usize>,
    ends_so: &impl Fn(&Model) -> bool,
) -> Option<Model> {
    if done.len() == calls.len() {
        return ends_so(model).then(|| model.clone());
    }
    (0..calls.len()).find_map(|next| {
        if done.contains(&next) {
            return None;
        }
        let mut after = model.clone();
        if !after.does(calls[next], &answers[next]) {
            return None;
        }
        done.push(next);
        let found = in_some_order(&after, calls, answers, done, ends_so);
        done.pop();
        found
    })
}
