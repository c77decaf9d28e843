//! A model of pets and orders in memory: the result and the effect of each
//! call, one call after the other.

use super::all;
use chrono::{DateTime, Utc};
use petstore_models::{Order, OrderStatus, Pet, PetStatus};
use petstore_store::{
    Creation, IDEMPOTENCY_KEYS_KEPT, NotOrdered, NotUpdated, OrderPage, OrderQuery,
};
use std::collections::BTreeMap;

/// A call of a client. Pets and orders are counted from the newest one. The number
/// `PLAYING` means a pet or an order that does not exist.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    Pet(Option<PetStatus>),
    PetOnce(Option<PetStatus>, Name),
    Order(usize),
    OrderOnce(usize, Name),
    Update(usize, OrderStatus),
    Look(usize),
    List(Option<OrderStatus>, Option<usize>, usize),
}

/// The number of an API key, and an idempotency key.
pub(super) type Name = (u64, &'static str);

pub(super) const PLAYING: usize = 2;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum CallResult {
    Pet(Pet),
    PetOnce(Creation),
    Order(Result<Order, NotOrdered>),
    OrderOnce(Creation<Order, NotOrdered>),
    Updated(Result<Order, NotUpdated>),
    Found(Option<Order>),
    Page(OrderPage),
}

/// A call with its ids and its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) call: Call,
    pub(super) pet: i64,
    pub(super) order: i64,
    pub(super) at: DateTime<Utc>,
}

#[derive(Clone, Default)]
pub(super) struct Model {
    pub(super) pets: Vec<Pet>,
    pub(super) orders: Vec<Order>,
    keys: BTreeMap<Name, (Kept, DateTime<Utc>)>,
}

/// The object that was created with an idempotency key.
#[derive(Clone)]
enum Kept {
    Pet(Pet),
    Order(Order),
}

/// Sets the status of a pet. If the pet already has this status, nothing changes.
fn change(pet: &mut Pet, status: PetStatus) {
    if pet.status.replace(status) != Some(status) {
        pet.version = pet.version.map(|version| version + 1);
    }
}

impl Model {
    /// Makes the call on the model, and returns whether its result is `result`. Ids, which
    /// the store chooses, are taken from `result`, and must be new.
    fn does(&mut self, made: Made, result: &CallResult) -> bool {
        match (made.call, result) {
            (Call::Pet(status), CallResult::Pet(pet)) => self.add_pet(status, pet),
            (Call::PetOnce(status, name), CallResult::PetOnce(result)) => {
                match (self.kept(name, made.at), result) {
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
            (Call::Order(_), CallResult::Order(result)) => self.order(made, result),
            (Call::OrderOnce(_, name), CallResult::OrderOnce(result)) => {
                match (self.kept(name, made.at), result) {
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
            (Call::Update(_, to), CallResult::Updated(result)) => self.update(made, to) == *result,
            (Call::Look(_), CallResult::Found(found)) => self.find(made.order).cloned() == *found,
            (Call::List(status, pet, limit), CallResult::Page(page)) => {
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

    fn order(&mut self, made: Made, result: &Result<Order, NotOrdered>) -> bool {
        let Some(pet) = self.pet(made.pet) else {
            return *result == Err(NotOrdered::NoPet);
        };
        if pet.status != Some(PetStatus::Available) {
            return *result == Err(NotOrdered::NotAvailable(pet.status));
        }
        change(pet, PetStatus::Pending);
        let Ok(order) = result else { return false };
        let is_new = self.find(order.id).is_none();
        self.orders.push(order.clone());
        let at: petstore_models::DateTime = made.at.into();
        let expected = Order {
            id: order.id,
            pet_id: made.pet,
            status: OrderStatus::Placed,
            placed_at: at.clone(),
            updated_at: at,
            version: Some(1),
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
        order.version = order.version.map(|version| version + 1);
        let before: DateTime<Utc> = order.updated_at.to_string().parse().expect("a time");
        order.updated_at = before.max(made.at).into();
        let order = order.clone();
        if let Some(pet) = self.pet(order.pet_id) {
            change(pet, pet_status);
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

    /// The id of the pet and of the order of a call; 0 if the call has none.
    pub(super) fn ids(&self, call: Call) -> (i64, i64) {
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

pub(super) fn query_of(
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

/// Looks for an order of the calls in which the model returns the same results as the
/// store and ends in the same state. Returns the model after these calls.
pub(super) fn in_some_order(
    model: &Model,
    calls: &[Made],
    results: &[CallResult],
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
        if !after.does(calls[next], &results[next]) {
            return None;
        }
        done.push(next);
        let found = in_some_order(&after, calls, results, done, ends_so);
        done.pop();
        found
    })
}
