//! Tests the types of bodies: building, comparing, hashing, reading and writing values.

use petstore_client::{NewPet, Pet, PetStatus, types::OrderUpdate};
use std::collections::HashSet;

#[test]
fn values_are_compared_and_hashed() {
    let rex = NewPet::new(7, "Rex");
    let built = NewPet::builder().name("Rex").category_id(7).build();
    assert_eq!(built.expect("it has all members"), rex);
    let mut sold = rex.clone();
    sold.status = Some(PetStatus::Sold);
    assert_ne!(rex, sold);
    let set = HashSet::from([rex.clone(), sold, rex]);
    assert_eq!(set.len(), 2);
}

#[test]
fn the_error_of_a_builder_names_the_missing_member() {
    let missing = NewPet::builder().name("Rex").build();
    let missing = missing.expect_err("the category is missing");
    assert_eq!(
        missing.to_string(),
        "`categoryId` is required: set it with `category_id`"
    );
}

#[test]
fn a_status_that_this_version_does_not_know_is_kept() {
    let update = OrderUpdate::builder().status("eaten").build();
    let status = update.expect("the service decides").status;
    assert_eq!(status.to_string(), "eaten");
    assert_eq!("eaten".parse().ok(), Some(status));
}

#[test]
fn values_are_written_and_read_as_the_service_sends_them() {
    let text = r#"{"id":1,"name":"Rex","categoryId":7,"status":"available"}"#;
    let pet: Pet = serde_json::from_str(text).expect("it is a pet");
    let json = serde_json::to_value(&pet).expect("it can be written");
    assert_eq!(
        json,
        serde_json::from_str::<serde_json::Value>(text).expect("it is JSON")
    );
    assert_eq!(
        serde_json::from_value::<Pet>(json).expect("it is a pet"),
        pet
    );
}
