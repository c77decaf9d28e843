//! Generates the pets that every store of the benchmark contains. The number of a pet determines all its
//! properties, so that each response can be compared with the expected one. The example `seed` of
//! petstore-store has the same rule in SQL.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Number of pets on a measured page.
pub const PAGE: usize = 20;

/// Number of pets with the rarest status, in every store.
const FEW: i64 = 25;

/// The properties of a pet in JSON, and their order.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Members {
    /// The order of the contract.
    AsDeclared,
    /// The order of the contract, with the version of the pet, which other services of the benchmark do
    /// not have.
    WithVersion,
    /// The order of the contract, but with the optional properties at the end.
    RequiredFirst,
}

/// Returns the pet with the number `number`, counted from 1, of a store that contains `of` pets, as
/// JSON.
#[must_use]
pub fn pet(number: i64, of: i64, members: Members) -> String {
    let status = match number {
        _ if number % few(of) == 0 => ",\"status\":\"sold\"",
        _ if number % 4 == 1 => ",\"status\":\"available\"",
        _ if number % 4 == 2 => ",\"status\":\"pending\"",
        _ => "",
    };
    let category = number % 1000;
    let name = format_args!("pet number {number}");
    json(name, category, status, number, members)
}

/// Returns a pet as JSON; `status` is empty or begins with a comma.
#[must_use]
pub fn json(
    name: fmt::Arguments<'_>,
    category: i64,
    status: &str,
    id: i64,
    members: Members,
) -> String {
    let (before, after) = match members {
        Members::AsDeclared => (status, ""),
        Members::WithVersion => (status, ",\"version\":1"),
        Members::RequiredFirst => ("", status),
    };
    format!("{{\"name\":\"{name}\",\"categoryId\":{category}{before},\"id\":{id}{after}}}")
}

/// Returns the page of at most `limit` pets that begins after the pet with the number `after`, in the
/// same store.
#[must_use]
pub fn page(after: i64, filter: Filter, limit: usize, of: i64, members: Members) -> String {
    let numbers = (after + 1..=of).filter(|&number| filter.takes(number, of));
    let pets = numbers.take(limit).map(|number| pet(number, of, members));
    format!("[{}]", pets.collect::<Vec<_>>().join(","))
}

/// A filter of a list.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Filter {
    /// All pets.
    All,
    /// Pets with the status `available`: a quarter of all.
    Available,
    /// Pets with the status `sold`: about 25, independent of the size of the store.
    Sold,
}

impl Filter {
    /// Returns whether the filter includes the pet with the number `number` of `of`.
    #[must_use]
    pub fn takes(self, number: i64, of: i64) -> bool {
        let sold = number % few(of) == 0;
        match self {
            Filter::All => true,
            Filter::Available => number % 4 == 1 && !sold,
            Filter::Sold => sold,
        }
    }

    /// Returns the path and the query of the first page of this list.
    #[must_use]
    pub fn target(self, limit: usize) -> String {
        let filter = match self {
            Filter::All => "",
            Filter::Available => "&status=available",
            Filter::Sold => "&status=sold",
        };
        format!("/v1/pets?limit={limit}{filter}")
    }
}

fn few(of: i64) -> i64 {
    (of / FEW).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pet_equals_the_pet_that_the_seeding_query_generates() {
        let available =
            r#"{"name":"pet number 1001","categoryId":1,"status":"available","id":1001}"#;
        assert_eq!(pet(1001, 100_000, Members::AsDeclared), available);
        let sold = r#"{"name":"pet number 4000","categoryId":0,"status":"sold","id":4000}"#;
        assert_eq!(pet(4000, 100_000, Members::AsDeclared), sold);
        let without = r#"{"name":"pet number 3","categoryId":3,"id":3,"version":1}"#;
        assert_eq!(pet(3, 100_000, Members::WithVersion), without);
    }

    #[test]
    fn a_page_begins_after_the_given_id_and_the_last_page_ends_with_the_last_pet() {
        let declared = |number| pet(number, 100, Members::AsDeclared);
        let page = |after, filter| page(after, filter, 20, 100, Members::AsDeclared);
        let first = page(0, Filter::Available);
        assert!(first.starts_with(&format!("[{},{}", declared(1), declared(5))));
        let last = format!("[{},{}]", declared(99), declared(100));
        assert_eq!(page(98, Filter::All), last);
        assert_eq!(page(100, Filter::All), "[]");
    }
}
