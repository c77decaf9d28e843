//! Writes results to stdout and warnings to stderr. It is not an error if the reader of stdout
//! stops reading.

mod records;
mod text;
mod writer;

pub(crate) use text::{json, printable, printable_lines};
pub(crate) use writer::{Record, Writer, print_one};

use clap::ValueEnum;
use petstore_client::Deprecation;
use std::{
    collections::BTreeSet,
    io::{self, BufWriter, IsTerminal as _, Stdout, Write as _},
    sync::{Mutex, PoisonError},
};

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Columns, for people
    Table,
    /// JSON, for programs
    Json,
}

impl Form {
    /// Returns the chosen format. The default is a table for a terminal and JSON for programs.
    pub(crate) fn choose(form: Option<Form>) -> Self {
        form.unwrap_or(if io::stdout().is_terminal() {
            Form::Table
        } else {
            Form::Json
        })
    }
}

pub(crate) struct Out(BufWriter<Stdout>);

impl Out {
    pub(crate) fn new() -> Self {
        Out(BufWriter::new(io::stdout()))
    }

    pub(crate) fn write(&mut self, text: impl AsRef<[u8]>) -> io::Result<()> {
        self.0.write_all(text.as_ref()).map_err(marked)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(marked)
    }
}

/// Marks an error of stdout, as opposed to an error of the connection to the service.
fn marked(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        io::Error::new(error.kind(), ReaderEnded)
    } else {
        error
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the reader of stdout has ended")]
struct ReaderEnded;

/// Whether a command ended because the reader of its output needs no more output, for example
/// `head`.
pub(crate) fn reader_ended(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .is_some_and(|inner| inner.is::<ReaderEnded>())
    })
}

/// Prints on stderr what the service has deprecated, once per operation.
pub(crate) fn say_deprecation(deprecation: &Deprecation) {
    static SAID: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let is_new = SAID
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(deprecation.operation());
    if is_new {
        eprintln!("{}", warning(deprecation));
    }
}

fn warning(deprecation: &Deprecation) -> String {
    let mut text = format!(
        "warning: {} is deprecated by the service",
        deprecation.operation()
    );
    if let Some(since) = deprecation.since() {
        text += &format!(" since {}", since.format("%-d %B %Y"));
    }
    if let Some(sunset) = deprecation.sunset() {
        text += &format!(", and removed on {}", sunset.format("%-d %B %Y"));
    }
    if let Some(successor) = deprecation.successor() {
        text += &format!("; its replacement is {}", printable(successor));
    }
    if deprecation.operation() == "getPet" {
        text += ": use `petstore pets list --status STATUS`";
    }
    text
}

/// Formats a number with thousands separators: `100,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_thousands_separators() {
        let texts = [0, 999, 1_000, 100_000, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "100,000", "1,234,567"]);
    }

    #[test]
    fn a_broken_connection_is_not_reported_as_a_closed_pipe() {
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(reader_ended(&marked(pipe()).into()));
        assert!(!reader_ended(&pipe().into()));
    }
}
