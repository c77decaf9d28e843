//! Writes records to stdout as a table, as JSON, as JSON lines, or as CSV. Records are written as
//! they arrive, so a long list is not kept in memory.

use super::{Form, Out, json, printable};
use crate::members::field_of;
use anstream::ColorChoice;
use anstyle::{Effects, Style};
use anyhow::{Context as _, Result};
use serde::Serialize;
use std::{
    io::{self, IsTerminal as _},
    marker::PhantomData,
};

/// The columns of a record in a table.
pub(crate) trait Record: Serialize {
    /// The names of the columns after the id.
    fn titles() -> String;
    fn id(&self) -> i64;
    /// Returns the values of the columns after the id, in the order of `titles`.
    fn columns(&self) -> String;
}

/// Writes records of one kind.
pub(crate) struct Writer<T> {
    out: Out,
    shape: Shape,
    records: PhantomData<fn(T)>,
    /// Whether anything was written, including a header.
    has_begun: bool,
    /// How many records were written.
    count: u64,
}

pub(super) enum Shape {
    /// The width of the id column, once it is known.
    Table(Option<usize>),
    JsonArray,
    Lines,
    /// CSV with these properties as columns.
    Csv(Vec<&'static str>),
}

impl<T: Record> Writer<T> {
    /// Several records, formatted for a terminal or for a program.
    pub(crate) fn list(form: Form) -> Self {
        Self::new(match form {
            Form::Table => Shape::Table(None),
            Form::Json => Shape::JsonArray,
        })
    }

    pub(super) fn new(shape: Shape) -> Self {
        Writer {
            out: Out::new(),
            shape,
            records: PhantomData,
            has_begun: false,
            count: 0,
        }
    }

    /// Returns how many records were written so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Writes some records; readers get them at once.
    pub(crate) fn write(&mut self, records: &[T]) -> Result<()> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        match &mut self.shape {
            Shape::Table(id_width) => {
                let width = *id_width.get_or_insert_with(|| width_of_ids(records));
                if is_first {
                    self.out.write(header::<T>(width))?;
                }
                for record in records {
                    self.out.write(row(record, width))?;
                }
            }
            Shape::JsonArray => {
                for (at, record) in records.iter().enumerate() {
                    let is_first = at == 0 && self.count == 0;
                    let before = if is_first { "[\n" } else { ",\n" };
                    self.out.write(before)?;
                    self.out.write(json(record)?)?;
                }
            }
            Shape::Lines => {
                for record in records {
                    self.out.write(json(record)?)?;
                    self.out.write("\n")?;
                }
            }
            Shape::Csv(columns) => {
                if is_first {
                    self.out.write(csv_line(&*columns)?)?;
                }
                for record in records {
                    let record = serde_json::to_value(record)?;
                    let record = record.as_object().context("a record has no members")?;
                    let fields = columns.iter().map(|member| field_of(record, member));
                    // CSV has no escapes, and files contain the text unchanged.
                    let line = if io::stdout().is_terminal() {
                        csv_line(fields.map(|field| printable(&field)))?
                    } else {
                        csv_line(fields)?
                    };
                    self.out.write(line)?;
                }
            }
        }
        self.count += u64::try_from(records.len())?;
        self.out.flush()?;
        Ok(())
    }

    /// Writes the text that follows the last record.
    pub(crate) fn end(mut self) -> Result<()> {
        if !self.has_begun {
            // A table without rows and a CSV file without records still have a header.
            self.write(&[])?;
        }
        if let Shape::JsonArray = self.shape {
            self.out
                .write(if self.count == 0 { "[]\n" } else { "\n]\n" })?;
        }
        Ok(self.out.flush()?)
    }
}

/// Writes one record, as a table on a terminal or as JSON for a program.
pub(crate) fn print_one<T: Record>(form: Form, record: T) -> Result<()> {
    let mut writer = Writer::new(match form {
        Form::Table => Shape::Table(None),
        Form::Json => Shape::Lines,
    });
    writer.write(&[record])?;
    writer.end()
}

fn width_of_ids(records: &[impl Record]) -> usize {
    let widths = records.iter().map(|record| record.id().to_string().len());
    widths.max().unwrap_or(0).max("ID".len())
}

fn header<T: Record>(id_width: usize) -> String {
    // `anstream` decides about colours from the terminal and NO_COLOR.
    let style = match anstream::AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => Style::new(),
        _ => Style::new().effects(Effects::BOLD),
    };
    let titles = T::titles();
    format!("{style}{:>id_width$}  {titles}{style:#}\n", "ID")
}

pub(super) fn row(record: &impl Record, id_width: usize) -> String {
    format!("{:>id_width$}  {}\n", record.id(), record.columns())
}

fn csv_line(fields: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields)?;
    Ok(writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_separators_quotes_and_newlines_is_one_csv_field() {
        let line = csv_line(["1", "a,\"b\"\nc"]).expect("written");
        assert_eq!(String::from_utf8_lossy(&line), "1,\"a,\"\"b\"\"\nc\"\n");
    }
}
