//! The pets that stand in every store of the bench, decided by their number
//! alone, so that each answer can be held against what it has to be. The same
//! rule stands in SQL in the example `seed` of petstore-store.

use std::fmt::Write as _;

/// Pets on a page that is measured.
pub const PAGE: usize = 20;

/// Pets with the status that few have, in every store.
const FEW: i64 = 25;

/// The pet number `number`, from 1 on, of a store that holds `of` of them: as
/// JSON, with the members in the order of the contract.
#[must_use]
pub fn pet(number: i64, of: i64) -> String {
    let status = match number {
        _ if number % few(of) == 0 => ",\"status\":\"sold\"",
        _ if number % 4 == 1 => ",\"status\":\"available\"",
        _ if number % 4 == 2 => ",\"status\":\"pending\"",
        _ => "",
    };
    let category = number % 1000;
    format!(
        "{{\"name\":\"pet number {number}\",\"categoryId\":{category}{status},\"id\":{number}}}"
    )
}

/// The page of at most `limit` that begins after the pet number `after`, in the
/// same store.
#[must_use]
pub fn page(after: i64, filter: Filter, limit: usize, of: i64) -> String {
    let numbers = (after + 1..=of).filter(|&number| filter.takes(number, of));
    let mut text = String::from("[");
    for (place, number) in numbers.take(limit).enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let written = write!(text, "{comma}{}", pet(number, of));
        debug_assert!(written.is_ok(), "a String takes any text");
    }
    text.push(']');
    text
}

/// Which pets a list asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub enum Filter {
    /// All.
    All,
    /// Those with the status `available`: a quarter.
    Available,
    /// Those with the status `sold`: some 25, however many pets there are.
    Sold,
}

impl Filter {
    /// Whether the pet number `number` of `of` is among them.
    #[must_use]
    pub fn takes(self, number: i64, of: i64) -> bool {
        let sold = number % few(of) == 0;
        match self {
            Filter::All => true,
            Filter::Available => number % 4 == 1 && !sold,
            Filter::Sold => sold,
        }
    }

    /// The address of the first page of such a list.
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
    fn a_pet_is_what_the_seeding_query_makes_of_its_number() {
        assert_eq!(
            pet(1001, 100_000),
            r#"{"name":"pet number 1001","categoryId":1,"status":"available","id":1001}"#
        );
        assert_eq!(
            pet(4000, 100_000),
            r#"{"name":"pet number 4000","categoryId":0,"status":"sold","id":4000}"#
        );
        assert_eq!(
            pet(3, 100_000),
            r#"{"name":"pet number 3","categoryId":3,"id":3}"#
        );
    }

    #[test]
    fn a_page_goes_on_after_its_predecessor_and_ends_with_the_store() {
        assert!(page(0, Filter::Available, 20, 100).starts_with(&format!(
            "[{},{}",
            pet(1, 100),
            pet(5, 100)
        )));
        assert_eq!(
            page(98, Filter::All, 20, 100),
            format!("[{},{}]", pet(99, 100), pet(100, 100))
        );
        assert_eq!(page(100, Filter::All, 20, 100), "[]");
    }
}
