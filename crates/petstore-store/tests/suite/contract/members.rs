//! Tests every member of the contract's pets and orders with every method that writes
//! and reads them. The values are made from the schemas of the generated
//! types, so a new member of the contract is tested without an edit here.

use super::{AnyStore, once};
use crate::samples::Schemas;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use petstore_models::{NewOrder, NewPet, Order, OrderStatus, Pet, PetStatus};
use petstore_store::{Creation, NotOrdered, Once, OrderQuery, PetQuery};
use schemars::r#gen::SchemaSettings;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, from_value, json, to_value};
use std::collections::BTreeSet;
use tokio::task::yield_now;

/// This number of samples covers every value of every enum.
const SAMPLES: usize = 6;

fn schemas() -> Schemas {
    let mut generator = SchemaSettings::openapi3().into_generator();
    generator.subschema_for::<(NewPet, Pet, NewOrder, Order)>();
    Schemas::new(json!({"components": {"schemas": generator.take_definitions()}}))
}

fn made_of<T: DeserializeOwned>(members: &Value) -> T {
    from_value(members.clone()).expect("a value of the contract")
}

/// Asserts that a created value has each member of `new`, and all members of its schema.
#[track_caller]
fn assert_has_all_members(created: &impl Serialize, new: &Value, schema: &str) {
    let created = to_value(created).expect("JSON");
    for (member, value) in new.as_object().expect("an object") {
        assert_eq!(&created[member], value, "`{member}` of {created}");
    }
    let present = created.as_object().expect("an object").keys();
    let present: BTreeSet<String> = present.cloned().collect();
    let members = schemas().members(&format!("/components/schemas/{schema}"));
    assert_eq!(present, members.into_iter().collect(), "{created}");
}

/// Copies of the value, each with one member changed.
fn with_one_member_changed(sample: &Value, other: &Value) -> Vec<Value> {
    let members = sample.as_object().expect("an object").keys();
    let change = |member: &String| {
        let mut changed = sample.clone();
        changed[member] = other[member].clone();
        changed
    };
    members.map(change).collect()
}

fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
}

fn key(number: usize) -> Once {
    once::once(1, &number.to_string(), at(0))
}

pub(crate) async fn every_member_of_a_pet_is_stored_and_returned(store: AnyStore) {
    let schemas = schemas();
    let sample = |number| schemas.sample("/components/schemas/NewPet", number);
    let store = &store;

    // Creates one pet, then several pets in one batch.
    let mut created: Vec<Pet> = Vec::new();
    let first = store.create_pet(made_of(&sample(0))).await;
    created.push(first.expect("a pet"));
    let batch = (1..SAMPLES).map(|number| store.create_pet(made_of(&sample(number))));
    for pet in join_all(batch).await {
        created.push(pet.expect("a pet"));
    }
    // With an idempotency key: creates one pet, then several pets in one batch, then repeats them.
    let create_once =
        |number| async move { once::create(store, made_of(&sample(number)), key(number)).await };
    let mut with_keys = vec![create_once(0).await];
    with_keys.extend(join_all((1..SAMPLES).map(create_once)).await);
    for (number, creation) in with_keys.into_iter().enumerate() {
        let Creation::Added(pet) = creation else {
            panic!("{number}: {creation:?}")
        };
        assert_eq!(create_once(number).await, Creation::Repeated(pet.clone()));
        for other in with_one_member_changed(&sample(number), &sample(number + 1)) {
            let reused = once::create(store, made_of(&other), key(number)).await;
            assert_eq!(reused, Creation::KeyReused, "{other}");
        }
        created.push(pet);
    }

    for (number, pet) in created.iter().enumerate() {
        assert_has_all_members(pet, &sample(number % SAMPLES), "Pet");
        let found = store.pet(pet.id).await.expect("a result");
        assert_eq!(found.as_ref(), Some(pet));
    }
    // The order of the ids within a batch is not defined.
    created.sort_by_key(|pet| pet.id);
    for status in PetStatus::ALL.iter().copied().map(Some).chain([None]) {
        let matches = |pet: &&Pet| status.is_none() || pet.status == status;
        let expected: Vec<Pet> = created.iter().filter(matches).cloned().collect();
        assert!(!expected.is_empty(), "no sample has the status {status:?}");
        for after in [None, Some(0)] {
            let query = PetQuery {
                after,
                status,
                ..PetQuery::first(100)
            };
            let page = store.list_pets(query).await.expect("a page");
            assert_eq!(page.pets, expected, "{query:?}");
        }
    }
}

pub(crate) async fn every_member_of_an_order_is_stored_and_returned(store: AnyStore) {
    let schemas = schemas();
    let store = &store;
    let mut created: Vec<Order> = Vec::new();
    for number in 0..SAMPLES {
        let pet = super::create(store, "Rex", Some(PetStatus::Available)).await;
        // This member must refer to an existing pet.
        let mut new = schemas.sample("/components/schemas/NewOrder", number);
        new["petId"] = pet.id.into();
        let create = || made_of::<NewOrder>(&new);
        let order = if number % 2 == 0 {
            let placed = store.create_order(create(), at(0)).await;
            placed.expect("a result").expect("an order")
        } else {
            let Creation::Added(placed) = create_once(store, create(), key(number)).await else {
                panic!("the key is new");
            };
            let repeated = create_once(store, create(), key(number)).await;
            assert_eq!(repeated, Creation::Repeated(placed.clone()));
            let other = schemas.sample("/components/schemas/NewOrder", number + 1);
            for other in with_one_member_changed(&new, &other) {
                let reused = create_once(store, made_of(&other), key(number)).await;
                assert_eq!(reused, Creation::KeyReused, "{other}");
            }
            placed
        };
        assert_has_all_members(&order, &new, "Order");
        let found = store.order(order.id).await.expect("a result");
        assert_eq!(found.as_ref(), Some(&order));
        // Changes the status, at another time.
        let approved = store
            .update_order(order.id, OrderStatus::Approved, at(5))
            .await;
        let approved = approved.expect("a result").expect("a step");
        assert_has_all_members(&approved, &new, "Order");
        assert_ne!(approved.updated_at, approved.placed_at);
        let found = store.order(order.id).await.expect("a result");
        assert_eq!(found.as_ref(), Some(&approved));
        created.insert(0, approved);
    }

    for status in [None, Some(OrderStatus::Approved)] {
        for pet_id in [None, created.first().map(|order| order.pet_id)] {
            let matches = |order: &&Order| pet_id.is_none_or(|pet_id| order.pet_id == pet_id);
            let expected: Vec<Order> = created.iter().filter(matches).cloned().collect();
            let query = OrderQuery {
                before: None,
                status,
                pet_id,
                limit: 100,
            };
            let page = store.list_orders(query).await.expect("a page");
            assert_eq!(page.orders, expected, "{query:?}");
        }
    }
}

/// Creates an order. Tries again while another connection uses the key.
async fn create_once(store: &AnyStore, new: NewOrder, once: Once) -> Creation<Order, NotOrdered> {
    loop {
        let created = store.create_order_once(new.clone(), once.clone()).await;
        match created.expect("a result") {
            Creation::InFlight => yield_now().await,
            created => return created,
        }
    }
}
