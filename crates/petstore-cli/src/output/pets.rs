//! Pets on stdout: as a table, as JSON, as lines of JSON, or as CSV. They are
//! written as they come, so that a long list needs no memory.

use super::{Form, Out, printable};
use crate::cli::Format;
use anstream::ColorChoice;
use anstyle::{Effects, Style};
use anyhow::Result;
use petstore_client::Pet;
use std::io;

/// The columns of a CSV file, named as in the contract.
const COLUMNS: [&str; 4] = ["id", "name", "categoryId", "status"];
/// What a table shows of a pet that has no status.
const NO_STATUS: &str = "-";

/// Writes pets.
pub(crate) struct PetWriter {
    out: Out,
    style: Shape,
    /// Whether anything was written, if only a header.
    has_begun: bool,
    /// How many were written.
    count: u64,
}

enum Shape {
    /// The width of the id, once it is known.
    Table(Option<usize>),
    JsonArray,
    Lines,
    Csv,
}

impl PetWriter {
    /// Several pets, on a terminal or for a program.
    pub(crate) fn list(form: Form) -> Self {
        Self::new(match form {
            Form::Table => Shape::Table(None),
            Form::Json => Shape::JsonArray,
        })
    }

    /// One pet, alike.
    pub(crate) fn one(form: Form) -> Self {
        Self::new(match form {
            Form::Table => Shape::Table(None),
            Form::Json => Shape::Lines,
        })
    }

    /// A file of pets.
    pub(crate) fn file(format: Format) -> Self {
        Self::new(match format {
            Format::Ndjson => Shape::Lines,
            Format::Csv => Shape::Csv,
        })
    }

    fn new(style: Shape) -> Self {
        PetWriter {
            out: Out::new(),
            style,
            has_begun: false,
            count: 0,
        }
    }

    /// How many were written so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Writes some; they arrive at once.
    ///
    /// # Errors
    ///
    /// Stdout cannot be written.
    pub(crate) fn write(&mut self, pets: &[Pet]) -> Result<()> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        match &mut self.style {
            Shape::Table(id_width) => {
                let width = *id_width.get_or_insert_with(|| width_of_ids(pets));
                if is_first {
                    self.out.write(header(width))?;
                }
                for pet in pets {
                    self.out.write(row(pet, width))?;
                }
            }
            Shape::JsonArray => {
                for (at, pet) in pets.iter().enumerate() {
                    let is_first = at == 0 && self.count == 0;
                    let before = if is_first { "[\n" } else { ",\n" };
                    self.out.write(before)?;
                    self.out.write(serde_json::to_string(pet)?)?;
                }
            }
            Shape::Lines => {
                for pet in pets {
                    self.out.write(serde_json::to_string(pet)? + "\n")?;
                }
            }
            Shape::Csv => {
                if is_first {
                    self.out.write(csv_line(&COLUMNS)?)?;
                }
                for pet in pets {
                    self.out.write(csv_line(&[
                        &pet.id.to_string(),
                        &pet.name,
                        &pet.category_id.to_string(),
                        pet.status.as_ref().map_or("", |status| status.as_str()),
                    ])?)?;
                }
            }
        }
        self.count += u64::try_from(pets.len())?;
        self.out.flush()?;
        Ok(())
    }

    /// Writes what comes after the last one.
    ///
    /// # Errors
    ///
    /// Stdout cannot be written.
    pub(crate) fn end(mut self) -> Result<u64> {
        if !self.has_begun {
            // A table without rows and a file without pets have their header.
            self.write(&[])?;
        }
        if let Shape::JsonArray = self.style {
            self.out
                .write(if self.count == 0 { "[]\n" } else { "\n]\n" })?;
        }
        self.out.flush()?;
        Ok(self.count)
    }
}

fn width_of_ids(pets: &[Pet]) -> usize {
    let widths = pets.iter().map(|pet| pet.id.to_string().len());
    widths.max().unwrap_or(0).max("ID".len())
}

fn header(id_width: usize) -> String {
    // `anstream` knows what terminal and NO_COLOR ask for.
    let style = match anstream::AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => Style::new(),
        _ => Style::new().effects(Effects::BOLD),
    };
    format!(
        "{style}{:>id_width$}  {:<9}  {:>8}  NAME{style:#}\n",
        "ID", "STATUS", "CATEGORY"
    )
}

fn row(pet: &Pet, id_width: usize) -> String {
    let status = pet.status.as_ref().map_or(NO_STATUS, |s| s.as_str());
    format!(
        "{:>id_width$}  {:<9}  {:>8}  {}\n",
        pet.id,
        printable(status),
        pet.category_id,
        printable(&pet.name)
    )
}

fn csv_line(fields: &[&str]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields)?;
    Ok(writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pet(name: &str) -> Pet {
        let pet = Pet::builder().id(7).name(name).category_id(-3);
        pet.try_into().expect("a pet")
    }

    #[test]
    fn a_name_cannot_command_the_terminal() {
        let row = row(&pet("Rex\u{1b}[2J\n"), 2);
        assert_eq!(row, " 7  -                -3  Rex\u{fffd}[2J\u{fffd}\n");
    }

    #[test]
    fn a_name_with_everything_in_it_is_one_field() {
        let line = csv_line(&["1", "a,\"b\"\nc"]).expect("written");
        assert_eq!(String::from_utf8_lossy(&line), "1,\"a,\"\"b\"\"\nc\"\n");
    }
}
