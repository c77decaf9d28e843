//! Creates pets and orders for tests from the properties that a test needs. A new optional property
//! of the contract needs no change here.

use petstore_models::{NewOrder, NewPet, Pet, PetStatus};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, from_value, json, to_value};

pub fn new_pet(name: impl Into<String>, category_id: i64, status: Option<PetStatus>) -> NewPet {
    let pet = NewPet {
        status,
        ..made_of(json!({"name": "", "categoryId": category_id}))
    };
    // It does not use JSON, so that a name of a megabyte needs little memory.
    NewPet {
        name: name.into(),
        ..pet
    }
}

pub fn new_order(pet_id: i64) -> NewOrder {
    made_of(json!({"petId": pet_id}))
}

/// Returns the pet that a new pet becomes.
pub fn pet_with_id(id: i64, new: &NewPet) -> Pet {
    let mut members = members_of(new);
    members["id"] = id.into();
    members["version"] = 1.into();
    made_of(members)
}

/// Returns the properties of a pet that its creator sets.
pub fn without_id(pet: &Pet) -> NewPet {
    made_of(members_of(pet))
}

fn members_of(value: &impl Serialize) -> Value {
    to_value(value).expect("JSON")
}

fn made_of<T: DeserializeOwned>(members: Value) -> T {
    from_value(members).expect("a value of the contract")
}
