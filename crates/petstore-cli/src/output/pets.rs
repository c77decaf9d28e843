//! How pets look on stdout; when and where to is left to `writer`.

use super::{
    printable,
    writer::{Record, Shape, Writer},
};
use crate::cli::Format;
use petstore_client::Pet;

/// The columns of a CSV file, named as in the contract.
const CSV_TITLES: [&str; 4] = ["id", "name", "categoryId", "status"];
/// What a table shows of a pet that has no status.
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
            Format::Csv => Shape::Csv {
                titles: &CSV_TITLES,
                fields: csv_fields,
            },
        })
    }
}

fn csv_fields(pet: &Pet) -> Vec<String> {
    let status = pet.status.as_ref().map_or("", |status| status.as_str());
    vec![
        pet.id.to_string(),
        pet.name.clone(),
        pet.category_id.to_string(),
        status.to_owned(),
    ]
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
