//! Tests how records of files are parsed as pets, and why records are rejected.

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
fn json_and_csv_lines_are_parsed_as_the_same_pet_even_if_they_were_exported() {
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
fn a_line_with_members_that_the_import_would_lose_is_rejected() {
    let refused = json(r#"{"name":"Rex","categoryId":7,"stauts":"sold"}"#);
    assert!(refused.expect_err("a typing mistake").contains("`stauts`"));
    let refused = csv("name,categoryId,stauts", "");
    assert!(refused.expect_err("a typing mistake").contains("`stauts`"));
    assert!(json(r#"{"name":"Rex","categoryId":7,"status":null}"#).is_err());
    assert!(csv("name,name,categoryId", "").is_err());
    assert!(csv("name,status", "").is_err());
}

#[test]
fn a_line_that_is_not_a_pet_is_rejected_with_the_reason() {
    let reason = |result: Result<String, String>| result.expect_err("no pet");
    assert_eq!(
        reason(json("{\"name\":\"Rex\"}")),
        "missing field `categoryId` (column 14)"
    );
    assert!(reason(json("Rex")).contains("(column 1)"));
    let header = "name,categoryId";
    assert_eq!(
        reason(csv(header, "Rex")),
        "has 1 fields, but the file has 2 columns"
    );
    for number in ["007", "+7", "7.0", "seven", "99999999999999999999"] {
        let reason = reason(csv(header, &format!("Rex,{number}")));
        assert!(reason.contains(number), "{reason}");
    }
}

#[test]
fn an_unknown_status_is_sent_to_the_service() {
    let sent = Ok(r#"{"categoryId":7,"name":"Rex","status":"gone"}"#);
    let pet = json(r#"{"name":"Rex","categoryId":7,"status":"gone"}"#);
    assert_eq!(pet.as_deref(), sent);
    assert_eq!(csv("name,categoryId,status", "Rex,7,gone").as_deref(), sent);
}
