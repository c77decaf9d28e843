//! Formats pets and orders as rows of a table, and pets as CSV files.

use super::{
    printable,
    writer::{Record, Shape, Writer},
};
use crate::{cli::Format, members::members_of};
use chrono::{DateTime, SecondsFormat, Utc};
use petstore_client::{Order, Pet, WebhookDelivery};

/// The first columns of a CSV file. Properties that the contract gains later follow them.
const FIRST_COLUMNS: [&str; 4] = ["id", "name", "categoryId", "status"];
/// The text for a missing status in a table.
const NO_STATUS: &str = "-";

impl Record for Pet {
    fn titles() -> String {
        format!("{:<9}  {:>8}  NAME", "STATUS", "CATEGORY")
    }

    fn id(&self) -> i64 {
        self.id
    }

    fn columns(&self) -> String {
        let status = self.status.as_ref().map_or(NO_STATUS, |s| s.as_str());
        format!(
            "{:<9}  {:>8}  {}",
            printable(status),
            self.category_id,
            printable(&self.name)
        )
    }
}

impl Writer<Pet> {
    /// Creates a writer for a file of pets.
    pub(crate) fn file(format: Format) -> Self {
        Self::new(match format {
            Format::Ndjson => Shape::Lines,
            Format::Csv => Shape::Csv(csv_columns()),
        })
    }
}

/// Returns the properties of a pet, with those of [`FIRST_COLUMNS`] first.
fn csv_columns() -> Vec<&'static str> {
    let members = members_of::<Pet>();
    let first = FIRST_COLUMNS
        .into_iter()
        .filter(|name| members.contains(name));
    let others = members
        .iter()
        .copied()
        .filter(|name| !FIRST_COLUMNS.contains(name));
    first.chain(others).collect()
}

impl Record for Order {
    fn titles() -> String {
        format!("{:<9}  {:>8}  {:<20}  UPDATED", "STATUS", "PET", "PLACED")
    }

    fn id(&self) -> i64 {
        self.id
    }

    fn columns(&self) -> String {
        format!(
            "{:<9}  {:>8}  {}  {}",
            printable(self.status.as_str()),
            self.pet_id,
            to_the_second(self.placed_at),
            to_the_second(self.updated_at)
        )
    }
}

impl Record for WebhookDelivery {
    fn titles() -> String {
        format!(
            "{:<9}  {:>5}  {:<20}  {:<18}  LAST TRY",
            "STATUS", "TRIES", "CREATED", "TYPE"
        )
    }

    fn id(&self) -> i64 {
        self.id
    }

    fn columns(&self) -> String {
        let last = self.last_try.as_ref().map(|last| {
            let failure = last
                .failure
                .as_ref()
                .map_or("success", |failure| failure.as_str());
            let status = last.http_status.map(|status| format!(" {status}"));
            format!(
                "{}{} after {} ms",
                printable(failure),
                status.unwrap_or_default(),
                last.milliseconds
            )
        });
        format!(
            "{:<9}  {:>5}  {}  {:<18}  {}",
            printable(self.status.as_str()),
            self.tries,
            to_the_second(self.created_at),
            printable(&self.type_),
            last.as_deref().unwrap_or("-")
        )
    }
}

/// Formats a time as in the contract, but without fractions of a second.
fn to_the_second(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::{super::writer::row, *};

    #[test]
    fn control_characters_of_a_name_do_not_reach_the_terminal() {
        let pet = Pet::builder().id(7).name("Rex\u{1b}[2J\n").category_id(-3);
        let pet: Pet = pet.try_into().expect("a pet");
        assert_eq!(
            row(&pet, 2),
            " 7  -                -3  Rex\u{fffd}[2J\u{fffd}\n"
        );
    }

    #[test]
    fn control_characters_of_a_status_do_not_reach_the_terminal() {
        let order: Order = serde_json::from_str(
            r#"{"id": 2, "petId": 1, "status": "lost\u001b[2J",
                "placedAt": "2026-11-21T12:00:00.123456Z", "updatedAt": "2026-11-21T12:00:09Z"}"#,
        )
        .expect("an order");
        assert_eq!(
            row(&order, 2),
            " 2  lost\u{fffd}[2J          1  2026-11-21T12:00:00Z  2026-11-21T12:00:09Z\n"
        );
    }
}
