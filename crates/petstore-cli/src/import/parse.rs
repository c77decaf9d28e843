//! Parses a record of the file as a pet. Rejects only records that cannot be sent, or that would
//! silently lose data; the service decides which pets are valid.

use super::input::{LONGEST, Record};
use crate::{
    cli::Format,
    members::{from_fields, members_of},
};
use petstore_client::{NewPet, Pet};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Parses the records of a file.
pub(super) enum Parser {
    Ndjson,
    /// The property for each column; `None` if the column is ignored.
    Csv(Vec<Option<&'static str>>),
}

impl Parser {
    /// Creates a parser for a file of this format; `header` is the first record of a CSV file. An
    /// error says which names in the header are wrong.
    pub(super) fn new(format: Format, header: Option<&Record>) -> Result<Self, String> {
        match (format, header) {
            (Format::Ndjson, _) => Ok(Parser::Ndjson),
            (Format::Csv, Some(header)) => Ok(Parser::Csv(columns(&fields(header)?)?)),
            (Format::Csv, None) => {
                Err("is empty; its first line must contain the names of the columns".to_owned())
            }
        }
    }

    pub(super) fn parse(&self, record: &Record) -> Result<NewPet, String> {
        if record.is_cut {
            return Err(format!("is longer than {} KiB", LONGEST / 1024));
        }
        match self {
            Parser::Ndjson => from_json(&record.text),
            Parser::Csv(columns) => from_csv(columns, &fields(record)?),
        }
    }
}

/// Returns the property to send, or `None` if it is ignored because the service sets it for each
/// pet, such as `id`. Returns an error if pets have no such property, because its value would be
/// lost.
fn is_sent(member: &str) -> Result<Option<&'static str>, String> {
    let sent = members_of::<NewPet>();
    let exported = members_of::<Pet>();
    match sent.iter().find(|name| **name == member) {
        Some(name) => Ok(Some(name)),
        None if exported.contains(&member) => Ok(None),
        None => Err(format!(
            "`{member}`, which is not one of {}: correct it or remove it",
            exported.join(", ")
        )),
    }
}

fn from_json(text: &[u8]) -> Result<NewPet, String> {
    let members: Map<String, Value> = json(text)?;
    for (member, value) in &members {
        let is_sent = is_sent(member).map_err(|problem| format!("has a member {problem}"))?;
        if is_sent.is_some() && value.is_null() {
            return Err(format!("has no value for `{member}`: remove it"));
        }
    }
    json(text)
}

fn json<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|error| {
        let whole = error.to_string();
        // The parser sees one line only; the caller adds the number of the line in the file.
        let place = format!(" at line {} column {}", error.line(), error.column());
        match whole.strip_suffix(&place) {
            Some(problem) => format!("{problem} (column {})", error.column()),
            None => whole,
        }
    })
}

fn fields(record: &Record) -> Result<csv::StringRecord, String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(record.text.len().max(64))
        .from_reader(record.text.as_slice());
    let mut fields = csv::StringRecord::new();
    match reader.read_record(&mut fields) {
        Ok(_) => Ok(fields),
        Err(error) if matches!(error.kind(), csv::ErrorKind::Utf8 { .. }) => {
            Err("is not valid UTF-8".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

fn columns(header: &csv::StringRecord) -> Result<Vec<Option<&'static str>>, String> {
    let mut columns = Vec::with_capacity(header.len());
    for column in header.iter().map(str::trim) {
        let member = is_sent(column).map_err(|problem| format!("has a column {problem}"))?;
        if member.is_some() && columns.contains(&member) {
            return Err(format!("has the column `{column}` twice: remove one"));
        }
        columns.push(member);
    }
    // If a record of empty fields cannot be parsed, required columns are missing.
    let empty = columns.iter().flatten().map(|member| (*member, ""));
    match from_fields::<NewPet>(empty) {
        Err(problem) if problem.starts_with("missing field") => Err(format!(
            "does not begin with a line that names all required columns: {problem}"
        )),
        _ => Ok(columns),
    }
}

fn from_csv(
    columns: &[Option<&'static str>],
    fields: &csv::StringRecord,
) -> Result<NewPet, String> {
    if fields.len() != columns.len() {
        return Err(format!(
            "has {} fields, but the file has {} columns",
            fields.len(),
            columns.len()
        ));
    }
    let named = columns.iter().zip(fields);
    from_fields(named.filter_map(|(member, text)| Some(((*member)?, text))))
}

#[cfg(test)]
mod tests;
