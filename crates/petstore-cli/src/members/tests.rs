//! Tests that values of all types stay the same when they are converted to CSV fields and back.

use super::*;
use serde::Serialize;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Everything {
    text: String,
    long_number: i64,
    fraction: Option<f64>,
    is_true: Option<bool>,
    list: Option<Vec<i64>>,
    parts: Option<Parts>,
    kind: Option<Kind>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Parts {
    one: u8,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Large,
}

fn round(value: &Everything) -> Everything {
    let Ok(Value::Object(object)) = serde_json::to_value(value) else {
        panic!("an object")
    };
    let members = members_of::<Everything>();
    let texts: Vec<String> = members.iter().map(|name| field_of(&object, name)).collect();
    let fields = members
        .iter()
        .copied()
        .zip(texts.iter().map(String::as_str));
    from_fields(fields).expect("the same")
}

#[test]
fn a_value_of_any_type_is_unchanged_after_it_is_written_to_csv_and_read_again() {
    let full = Everything {
        text: "7".to_owned(),
        long_number: i64::MIN,
        fraction: Some(0.5),
        is_true: Some(false),
        list: Some(vec![1, 2]),
        parts: Some(Parts { one: 1 }),
        kind: Some(Kind::Large),
    };
    assert_eq!(round(&full), full);
    let least = Everything {
        text: String::new(),
        long_number: 0,
        fraction: None,
        is_true: None,
        list: None,
        parts: None,
        kind: None,
    };
    assert_eq!(round(&least), least);
}

#[test]
fn an_error_names_the_member_that_has_the_wrong_type() {
    let fields = [("text", ""), ("longNumber", "+7")].into_iter();
    let error = from_fields::<Everything>(fields).expect_err("no number of JSON");
    assert_eq!(error, "longNumber must be an integer (int64), found `+7`");
}
