//! Compares the results of random sequences of calls with a model in memory.

use super::{AnyStore, once};
use crate::fixtures::{new_pet, pet_with_id, without_id};
use chrono::{DateTime, TimeDelta, Utc};
use petstore_models::{NewPet, Pet, PetStatus};
use petstore_store::{Creation, IDEMPOTENCY_KEYS_KEPT, PetPage, PetQuery};
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{Config, TestCaseResult, TestRunner},
};
use std::{cell::RefCell, collections::BTreeMap};
use tokio::{runtime::Handle, task::block_in_place};

#[derive(Clone, Debug)]
enum Call {
    Create(NewPet),
    /// With the number of an API key and an idempotency key.
    CreateOnce(NewPet, u64, String),
    /// The clock moves forward, or back.
    Wait(TimeDelta),
    /// Deletes at most this number of expired keys.
    Forget(usize),
    Get(i64),
    List(PetQuery),
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let status = || proptest::option::of(select(PetStatus::ALL));
    let pet = (any::<String>(), any::<i64>(), status())
        .prop_map(|(name, category_id, status)| new_pet(name, category_id, status));
    // Only a few values, so that the same value occurs again.
    let same =
        (select(vec!["Rex", "Tom"]), status()).prop_map(|(name, status)| new_pet(name, 7, status));
    let hours = prop_oneof![3 => 1..9_i64, 1 => 23..26_i64, 1 => -30..0_i64];
    let id = || prop_oneof![4 => -1..60_i64, 1 => any::<i64>()];
    let query =
        (proptest::option::of(id()), status(), 0..12_usize).prop_map(|(after, status, limit)| {
            PetQuery {
                after,
                status,
                limit,
            }
        });
    let call = prop_oneof![
        2 => pet.prop_map(Call::Create),
        4 => (same, 1..3_u64, "[ab]").prop_map(|(pet, key_id, key)| Call::CreateOnce(pet, key_id, key)),
        1 => hours.prop_map(|hours| Call::Wait(TimeDelta::hours(hours))),
        1 => (0..3_usize).prop_map(Call::Forget),
        2 => id().prop_map(Call::Get),
        2 => query.prop_map(Call::List)
    ];
    proptest::collection::vec(call, 1..20)
}

/// All pets (the index of a pet is its id minus one), the current time, and for each
/// used key, the pet and the time of its use.
struct Model {
    pets: Vec<Pet>,
    now: DateTime<Utc>,
    keys: BTreeMap<(u64, String), (Pet, DateTime<Utc>)>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            pets: Vec::new(),
            now: DateTime::UNIX_EPOCH,
            keys: BTreeMap::new(),
        }
    }
}

impl Model {
    fn create_once(&mut self, pet: NewPet, key_id: u64, key: String) -> Creation {
        let name = (key_id, key);
        match self.keys.get(&name) {
            Some((used, at)) if self.now - *at < IDEMPOTENCY_KEYS_KEPT => {
                if without_id(used) == pet {
                    Creation::Repeated(used.clone())
                } else {
                    Creation::KeyReused
                }
            }
            _ => {
                let pet = self.create(pet);
                self.keys.insert(name, (pet.clone(), self.now));
                Creation::Added(pet)
            }
        }
    }

    fn forget(&mut self, limit: usize) -> usize {
        let mut old: Vec<_> = self
            .keys
            .iter()
            .filter(|(_, (_, at))| self.now - *at >= IDEMPOTENCY_KEYS_KEPT)
            .map(|(name, (_, at))| (*at, name.clone()))
            .collect();
        old.sort();
        old.truncate(limit);
        for (_, name) in &old {
            self.keys.remove(name);
        }
        old.len()
    }

    fn create(&mut self, pet: NewPet) -> Pet {
        let pet = pet_with_id(self.pets.len() as i64 + 1, &pet);
        self.pets.push(pet.clone());
        pet
    }

    fn get(&self, id: i64) -> Option<Pet> {
        self.pets.iter().find(|pet| pet.id == id).cloned()
    }

    fn list(&self, query: PetQuery) -> PetPage {
        let matches = |pet: &&Pet| {
            query.after.is_none_or(|after| pet.id > after)
                && query.status.is_none_or(|status| pet.status == Some(status))
        };
        let mut matching = self.pets.iter().filter(matches).cloned();
        let pets = matching.by_ref().take(query.limit).collect();
        PetPage {
            pets,
            more: matching.next().is_some(),
        }
    }
}

/// The store and its model grow from case to case.
pub(crate) async fn any_sequence_of_calls_returns_the_same_as_the_model(store: AnyStore) {
    let model = RefCell::new(Model::default());
    let mut runner = TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    });
    let result = block_in_place(|| {
        runner.run(&calls(), |calls| {
            Handle::current().block_on(compare(&store, &mut model.borrow_mut(), calls))
        })
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

async fn compare(store: &AnyStore, model: &mut Model, calls: Vec<Call>) -> TestCaseResult {
    for call in calls {
        match call {
            Call::Create(pet) => {
                let created = store.create_pet(pet.clone()).await.expect("a pet");
                prop_assert_eq!(created, model.create(pet));
            }
            Call::CreateOnce(pet, key_id, key) => {
                // All keys have different ages: the store may delete keys of the same
                // age in any order, which would be visible after the clock is set back.
                model.now += TimeDelta::microseconds(1);
                let asked = once::once(key_id, &key, model.now);
                let created = once::create(store, pet.clone(), asked).await;
                prop_assert_eq!(created, model.create_once(pet, key_id, key));
            }
            Call::Wait(time) => model.now += time,
            Call::Forget(limit) => {
                let deleted = store.forget_idempotency_keys(model.now, limit).await;
                prop_assert_eq!(deleted.expect("a result"), model.forget(limit));
            }
            Call::Get(id) => {
                prop_assert_eq!(store.pet(id).await.expect("a result"), model.get(id))
            }
            Call::List(query) => {
                prop_assert_eq!(
                    store.list_pets(query).await.expect("a page"),
                    model.list(query)
                );
            }
        }
    }
    Ok(())
}
