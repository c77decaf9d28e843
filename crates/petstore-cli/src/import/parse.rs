//! From the text of a record to a pet, or to the reason why it is none. What a
//! pet may be is decided by the service; here is only what cannot be sent, and
//! what would be lost without a word.

use super::input::{LONGEST, Record};
use crate::cli::Format;
use petstore_client::{NewPet, PetStatus};
use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// How the records of a file are read.
pub(super) enum Parser {
    Ndjson,
    Csv(Columns),
}

/// What stands where in a CSV file.
pub(super) struct Columns {
    name: usize,
    category_id: usize,
    status: Option<usize>,
    count: usize,
}

/// A line of JSON. A member that it does not have would be lost: the pet is
/// sent with those that the client knows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Line {
    name: String,
    category_id: i64,
    #[serde(default, deserialize_with = "given")]
    status: Option<PetStatus>,
    /// Of the service that it was exported from; this one gives its own.
    #[serde(rename = "id")]
    _id: Option<IgnoredAny>,
}

/// `null` is no status, for the service neither.
fn given<'de, D: Deserializer<'de>>(status: D) -> Result<Option<PetStatus>, D::Error> {
    PetStatus::deserialize(status).map(Some)
}

impl Parser {
    /// For a file of that format, whose first record this is.
    ///
    /// # Errors
    ///
    /// The header of a CSV file names columns that are none of a pet's, or
    /// misses some; the text says so.
    pub(super) fn new(format: Format, header: Option<&Record>) -> Result<Self, String> {
        match (format, header) {
            (Format::Ndjson, _) => Ok(Parser::Ndjson),
            (Format::Csv, Some(header)) => Ok(Parser::Csv(Columns::read(&fields(header)?)?)),
            (Format::Csv, None) => Err("is empty; it has to begin with a line of names".to_owned()),
        }
    }

    /// # Errors
    ///
    /// Why it is no pet.
    pub(super) fn parse(&self, record: &Record) -> Result<NewPet, String> {
        if record.is_cut {
            return Err(format!("is longer than {} KiB", LONGEST / 1024));
        }
        match self {
            Parser::Ndjson => from_json(&record.text),
            Parser::Csv(columns) => columns.pet(&fields(record)?),
        }
    }
}

fn from_json(text: &[u8]) -> Result<NewPet, String> {
    let line: Line = serde_json::from_slice(text).map_err(|error| {
        let whole = error.to_string();
        // It is a line of its own for the parser, and not for who reads this.
        let place = format!(" at line {} column {}", error.line(), error.column());
        match whole.strip_suffix(&place) {
            Some(problem) => format!("{problem} (column {})", error.column()),
            None => whole,
        }
    })?;
    pet(line.name, line.category_id, line.status)
}

fn pet(name: String, category_id: i64, status: Option<PetStatus>) -> Result<NewPet, String> {
    let pet = NewPet::builder().name(name).category_id(category_id);
    let pet = match status {
        Some(status) => pet.status(status),
        None => pet,
    };
    NewPet::try_from(pet).map_err(|error| error.to_string())
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

impl Columns {
    fn read(header: &csv::StringRecord) -> Result<Self, String> {
        let mut places = [None; 3];
        for (at, column) in header.iter().enumerate() {
            let place = match column.trim() {
                "name" => &mut places[0],
                "categoryId" => &mut places[1],
                "status" => &mut places[2],
                "id" => continue,
                other => {
                    return Err(format!(
                        "has a column `{other}`, which is none of name, categoryId, status and id: correct it or take it out"
                    ));
                }
            };
            if place.replace(at).is_some() {
                return Err(format!("has the column `{column}` twice: take one out"));
            }
        }
        match places {
            [Some(name), Some(category_id), status] => Ok(Columns {
                name,
                category_id,
                status,
                count: header.len(),
            }),
            _ => Err(
                "does not begin with a line that names the columns `name` and `categoryId`"
                    .to_owned(),
            ),
        }
    }

    fn pet(&self, fields: &csv::StringRecord) -> Result<NewPet, String> {
        if fields.len() != self.count {
            return Err(format!(
                "has {} fields, and the file {} columns",
                fields.len(),
                self.count
            ));
        }
        let category_id = &fields[self.category_id];
        // As JSON has it, so that `007` and `+7` are none here either.
        let category_id = serde_json::from_str(category_id)
            .map_err(|_| format!("categoryId must be an integer (int64), found `{category_id}`"))?;
        let status = self
            .status
            .map(|at| &fields[at])
            .filter(|status| !status.is_empty());
        let status = status.map(|status| {
            // The service says what it may be.
            let unknown = |_| PetStatus::Unknown(status.to_owned());
            status.parse().unwrap_or_else(unknown)
        });
        pet(fields[self.name].to_owned(), category_id, status)
    }
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
        shown(parser.parse(&record(text)))
    }

    fn json(text: &str) -> Result<String, String> {
        shown(Parser::Ndjson.parse(&record(text)))
    }

    fn shown(pet: Result<NewPet, String>) -> Result<String, String> {
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
        let found = json(r#"{"name":"Rex","categoryId":7,"status":"gone"}"#);
        assert_eq!(found.as_deref(), sent);
        assert_eq!(csv("name,categoryId,status", "Rex,7,gone").as_deref(), sent);
    }
}
