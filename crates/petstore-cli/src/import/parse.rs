//! Parses a record of the file as a pet. It rejects only records that cannot be
//! sent, or that would silently lose data; the service decides which pets are
//! valid.

use super::input::{LONGEST, Record};
use crate::{
    cli::Format,
    members::{from_fields, members_of},
};
use petstore_client::{NewPet, Pet};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// How the records of a file are read.
pub(super) enum Parser {
    Ndjson,
    /// The member of each column; none where the column is ignored.
    Csv(Vec<Option<&'static str>>),
}

impl Parser {
    /// Makes a parser for a file of this format; `header` is the first record of a CSV
    /// file. The error says what is wrong with the names in it.
    pub(super) fn new(format: Format, header: Option<&Record>) -> Result<Self, String> {
        match (format, header) {
            (Format::Ndjson, _) => Ok(Parser::Ndjson),
            (Format::Csv, Some(header)) => Ok(Parser::Csv(columns(&fields(header)?)?)),
            (Format::Csv, None) => Err("is empty; it has to begin with a line of names".to_owned()),
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

/// Returns the member to send, or `None` if it is ignored because the service sets it for
/// each pet, such as `id`. An error says that a pet has no such member, so that its value
/// would be lost.
fn is_sent(member: &str) -> Result<Option<&'static str>, String> {
    let sent = members_of::<NewPet>();
    let exported = members_of::<Pet>();
    match sent.iter().find(|name| **name == member) {
        Some(name) => Ok(Some(name)),
        None if exported.contains(&member) => Ok(None),
        None => Err(format!(
            "`{member}`, which is none of {}: correct it or take it out",
            exported.join(", ")
        )),
    }
}

fn from_json(text: &[u8]) -> Result<NewPet, String> {
    let members: Map<String, Value> = json(text)?;
    for (member, value) in &members {
        let is_sent = is_sent(member).map_err(|problem| format!("has a member {problem}"))?;
        if is_sent.is_some() && value.is_null() {
            return Err(format!("has no value for `{member}`: take it out"));
        }
    }
    json(text)
}

fn json<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|error| {
        let whole = error.to_string();
        // The parser sees one line; the caller adds its number in the file.
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
            Err("is no UTF-8".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

fn columns(header: &csv::StringRecord) -> Result<Vec<Option<&'static str>>, String> {
    let mut columns = Vec::with_capacity(header.len());
    for column in header.iter().map(str::trim) {
        let member = is_sent(column).map_err(|problem| format!("has a column {problem}"))?;
        if member.is_some() && columns.contains(&member) {
            return Err(format!("has the column `{column}` twice: take one out"));
        }
        columns.push(member);
    }
    // A record of empty fields lacks nothing but the columns that are missing.
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
            "has {} fields, and the file {} columns",
            fields.len(),
            columns.len()
        ));
    }
    let named = columns.iter().zip(fields);
    from_fields(named.filter_map(|(member, text)| Some(((*member)?, text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(text: &str) -> Record {
        Record {
            line: 1,
            text: text.as_bytes().to_vec(),
            is_cut: false,
        }
    }

    fn csv(header: &str, text: &str) -> Result<String, String> {
        let parser = Parser::new(Format::Csv, Some(&record(header)))?;
        json_of(parser.parse(&record(text)))
    }

    fn json(text: &str) -> Result<String, String> {
        json_of(Parser::Ndjson.parse(&record(text)))
    }

    fn json_of(pet: Result<NewPet, String>) -> Result<String, String> {
        pet.map(|pet| serde_json::to_string(&pet).expect("JSON"))
    }

    const REX: &str = r#"{"categoryId":7,"name":"Rex","status":"sold"}"#;

    #[test]
    fn both_formats_give_the_same_pet_also_from_an_export() {
        let exported = r#"{"id":3,"name":"Rex","categoryId":7,"status":"sold"}"#;
        assert_eq!(json(exported).as_deref(), Ok(REX));
        let exported = csv("id,name,categoryId,status", "3,Rex,7,sold");
        assert_eq!(exported.as_deref(), Ok(REX));
        let bare = Ok(r#"{"categoryId":-7,"name":"a, b"}"#);
        assert_eq!(
            csv("categoryId,status,name", "-7,,\"a, b\"").as_deref(),
            bare
        );
        assert_eq!(csv("categoryId,name", "-7,\"a, b\"").as_deref(), bare);
    }

    #[test]
    fn what_would_be_lost_is_refused() {
        let refused = json(r#"{"name":"Rex","categoryId":7,"stauts":"sold"}"#);
        assert!(refused.expect_err("a typing mistake").contains("`stauts`"));
        let refused = csv("name,categoryId,stauts", "");
        assert!(refused.expect_err("a typing mistake").contains("`stauts`"));
        assert!(json(r#"{"name":"Rex","categoryId":7,"status":null}"#).is_err());
        assert!(csv("name,name,categoryId", "").is_err());
        assert!(csv("name,status", "").is_err());
    }

    #[test]
    fn what_is_no_pet_says_why() {
        let reason = |result: Result<String, String>| result.expect_err("no pet");
        assert_eq!(
            reason(json("{\"name\":\"Rex\"}")),
            "missing field `categoryId` (column 14)"
        );
        assert!(reason(json("Rex")).contains("(column 1)"));
        let header = "name,categoryId";
        assert_eq!(
            reason(csv(header, "Rex")),
            "has 1 fields, and the file 2 columns"
        );
        for number in ["007", "+7", "7.0", "seven", "99999999999999999999"] {
            let reason = reason(csv(header, &format!("Rex,{number}")));
            assert!(reason.contains(number), "{reason}");
        }
    }

    #[test]
    fn a_status_that_the_client_does_not_know_is_for_the_service_to_judge() {
        let sent = Ok(r#"{"categoryId":7,"name":"Rex","status":"gone"}"#);
        let pet = json(r#"{"name":"Rex","categoryId":7,"status":"gone"}"#);
        assert_eq!(pet.as_deref(), sent);
        assert_eq!(csv("name,categoryId,status", "Rex,7,gone").as_deref(), sent);
    }
}
