//! Records the orders in responses to clients, and compares these orders and their pets with the
//! stored data.

use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// The last status of each order in a response.
pub type Told = Arc<Mutex<BTreeMap<i64, String>>>;

/// Records a response.
pub fn note(told: &Told, order: &Value) {
    let (id, status) = (order["id"].as_i64(), order["status"].as_str());
    let mut told = told.lock().expect("no holder panics");
    told.insert(id.expect("an id"), status.expect("a status").to_owned());
}

/// Returns the possible statuses of an order that had this status, if one more transition was
/// requested.
fn can_be(told: &str) -> &'static [&'static str] {
    match told {
        "placed" => &["placed", "approved", "cancelled"],
        "approved" => &["approved", "delivered", "cancelled"],
        "delivered" => &["delivered"],
        _ => &["cancelled"],
    }
}

/// Compares orders with their responses, and each pet with its orders.
pub fn check(told: &Told, pets: &[Value], orders: &[Value]) {
    let told = told.lock().expect("no holder panics");
    let found: BTreeMap<_, _> = orders
        .iter()
        .map(|order| (order["id"].as_i64().expect("an id"), order))
        .collect();
    assert_eq!(found.len(), orders.len());
    for (id, told) in told.iter() {
        let status = found.get(id).and_then(|order| order["status"].as_str());
        let fits = status.is_some_and(|status| can_be(told).contains(&status));
        assert!(fits, "the order {id} was told as {told}, and is {status:?}");
    }
    let mut by_pet: BTreeMap<Option<i64>, Vec<&str>> = BTreeMap::new();
    for order in orders {
        let of_pet = by_pet.entry(order["petId"].as_i64()).or_default();
        of_pet.extend(order["status"].as_str());
    }
    for pet in pets {
        let of_pet = by_pet
            .get(&pet["id"].as_i64())
            .map_or(&[][..], Vec::as_slice);
        let count = |status| of_pet.iter().filter(|found| **found == status).count();
        let expected = match (count("placed") + count("approved"), count("delivered")) {
            (0, 0) => "available",
            (1, 0) => "pending",
            (0, 1) => "sold",
            _ => panic!("{pet} has the orders {of_pet:?}"),
        };
        assert_eq!(pet["status"], expected, "{pet}: {of_pet:?}");
    }
}
