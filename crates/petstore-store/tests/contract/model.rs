//! Any sequence of calls is answered as a list in memory would answer it.

use super::AnyStore;
use petstore_models::{NewPet, Pet, PetStatus};
use petstore_store::{PetPage, PetQuery};
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{Config, TestCaseResult, TestRunner},
};
use std::cell::RefCell;
use tokio::{runtime::Handle, task::block_in_place};

#[derive(Clone, Debug)]
enum Call {
    Create(NewPet),
    Get(i64),
    List(PetQuery),
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let status = || proptest::option::of(select(PetStatus::ALL));
    let pet =
        (any::<String>(), any::<i64>(), status()).prop_map(|(name, category_id, status)| NewPet {
            name,
            category_id,
            status,
        });
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
        pet.prop_map(Call::Create),
        id().prop_map(Call::Get),
        query.prop_map(Call::List)
    ];
    proptest::collection::vec(call, 1..20)
}

/// All pets, each at the place of its id, less one.
#[derive(Default)]
struct Model(Vec<Pet>);

impl Model {
    fn create(&mut self, pet: NewPet) -> Pet {
        let NewPet {
            name,
            category_id,
            status,
        } = pet;
        let pet = Pet {
            id: self.0.len() as i64 + 1,
            name,
            category_id,
            status,
        };
        self.0.push(pet.clone());
        pet
    }

    fn get(&self, id: i64) -> Option<Pet> {
        self.0.iter().find(|pet| pet.id == id).cloned()
    }

    fn list(&self, query: PetQuery) -> PetPage {
        let matches = |pet: &&Pet| {
            query.after.is_none_or(|after| pet.id > after)
                && query.status.is_none_or(|status| pet.status == Some(status))
        };
        let mut matching = self.0.iter().filter(matches).cloned();
        let pets = matching.by_ref().take(query.limit).collect();
        PetPage {
            pets,
            more: matching.next().is_some(),
        }
    }
}

/// The store and its model grow from case to case.
pub(crate) async fn any_calls_are_answered_as_a_list_would(store: AnyStore) {
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
            Call::Get(id) => {
                prop_assert_eq!(store.pet(id).await.expect("an answer"), model.get(id))
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
