//! Tests types in the form in which the generator writes them, with the macros of this crate.

use openapi_dropshot_types::{
    CheckedNumber, CheckedString, FromText,
    rules::{Pattern, TextRules},
    shapes::{Deprecated, Null, Nullable, ReadOnly},
};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Colour {
    Red,
    Blue,
}

impl Colour {
    const ALL: &'static [Colour] = &[Colour::Red, Colour::Blue];

    const fn as_str(self) -> &'static str {
        match self {
            Colour::Red => "red",
            Colour::Blue => "blue",
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(try_from = "i32")]
struct Limit(i32);

impl CheckedNumber for Limit {
    type Number = i32;

    const EXPECTED: &'static str = "an integer from 1 to 9";

    fn is_valid(number: i32) -> bool {
        (1..=9).contains(&number)
    }
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(try_from = "String")]
struct Word(String);

impl CheckedString for Word {
    fn rules() -> &'static TextRules {
        static RULES: TextRules = TextRules {
            min: Some(1),
            max: None,
            pattern: Some(Pattern::new("^[a-z]*$", "u")),
        };
        &RULES
    }
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
struct Mark {
    colour: Colour,
    #[serde(
        default,
        deserialize_with = "openapi_dropshot_types::members::present",
        skip_serializing_if = "Option::is_none"
    )]
    word: Option<Word>,
}

openapi_dropshot_types::objects!(Mark);
openapi_dropshot_types::string_enums!(Colour);
openapi_dropshot_types::checked_numbers!(Limit(i32));
openapi_dropshot_types::checked_strings!(Word);

#[test]
fn objects_reject_arrays_and_enums_reject_objects() {
    let mark: Mark = serde_json::from_value(json!({ "colour": "red" })).expect("valid");
    assert_eq!(
        mark,
        Mark {
            colour: Colour::Red,
            word: None
        }
    );
    assert_eq!(
        serde_json::to_value(&mark).ok(),
        Some(json!({ "colour": "red" }))
    );
    for value in [
        json!(["red", null]),
        json!({ "colour": { "red": null } }),
        json!({ "colour": "red", "word": null }),
        json!({ "colour": "green" }),
    ] {
        assert!(
            serde_json::from_value::<Mark>(value.clone()).is_err(),
            "{value}"
        );
    }
    assert_eq!(
        "green".parse::<Colour>().map_err(|error| error.to_string()),
        Err("must be one of `red`, `blue`, found `green`".to_owned())
    );
    assert_eq!(Colour::from_text("blue"), Ok(Colour::Blue));
    assert_eq!(Colour::Blue.to_string(), "blue");
}

#[test]
fn numbers_and_strings_that_break_a_rule_of_the_schema_are_rejected() {
    assert_eq!(Limit::try_from(9).map(Limit::get), Ok(9));
    assert_eq!(Limit::from_text("9").map(i32::from), Ok(9));
    let message = "must be an integer from 1 to 9, found ";
    for error in [
        Limit::try_from(10).expect_err("too great"),
        Limit::from_text("x").expect_err("no number"),
    ] {
        assert!(error.to_string().starts_with(message), "{error}");
    }
    assert!(serde_json::from_value::<Limit>(json!(0)).is_err());
    assert_eq!("ab".parse::<Word>().map(|word| word.as_str().len()), Ok(2));
    assert!("".parse::<Word>().is_err() && Word::from_text("A").is_err());
}

#[test]
fn shape_types_add_keywords_such_as_nullable_to_the_schema_of_a_member() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "for its schema only")]
    struct Shaped {
        #[schemars(with = "Nullable<String>")]
        nullable: Option<String>,
        #[schemars(with = "Deprecated<String>")]
        old: String,
        #[schemars(with = "ReadOnly<i64>")]
        made: i64,
        #[schemars(with = "Null")]
        nothing: (),
    }
    let schema = serde_json::to_value(schema_for!(Shaped)).expect("a schema is JSON");
    let members = &schema["properties"];
    assert_eq!(members["nullable"]["type"], json!(["string", "null"]));
    assert_eq!(members["old"]["deprecated"], json!(true));
    assert_eq!(members["made"]["readOnly"], json!(true));
    assert_eq!(members["nothing"]["type"], json!("null"));
    let required = schema["required"].as_array().map(Vec::len);
    assert_eq!(required, Some(4));
}
