//! Formats pets as rows of a table and as CSV files.

use super::{
    printable,
    writer::{Record, Shape, Writer},
};
use crate::{cli::Format, members::members_of};
use petstore_client::Pet;

/// The order of the columns of a CSV file. Other members follow as the contract gains
/// them.
const FIRST_COLUMNS: [&str; 4] = ["id", "name", "categoryId", "status"];
/// The text in a table for a pet without a status.
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
    /// A file of pets.
    pub(crate) fn file(format: Format) -> Self {
        Self::new(match format {
            Format::Ndjson => Shape::Lines,
            Format::Csv => Shape::Csv(csv_columns()),
        })
    }
}

/// The members of a pet, those of [`FIRST_COLUMNS`] first.
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

#[cfg(test)]
mod tests {
    use super::{super::writer::row, *};

    #[test]
    fn a_name_cannot_command_the_terminal() {
        let pet = Pet::builder().id(7).name("Rex\u{1b}[2J\n").category_id(-3);
        let pet: Pet = pet.try_into().expect("a pet");
        assert_eq!(
            row(&pet, 2),
            " 7  -                -3  Rex\u{fffd}[2J\u{fffd}\n"
        );
    }
}
