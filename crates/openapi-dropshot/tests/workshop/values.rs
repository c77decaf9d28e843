//! Tests values of schemas: accepted values are written back unchanged, and
//! values that break a rule are rejected with an error that names the rule.

use crate::workshop_models as models;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// Reads a value and writes it back; returns the error as text.
fn read<T: DeserializeOwned + Serialize>(value: &Value) -> Result<Value, String> {
    let text = value.to_string();
    let read: T = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    serde_json::to_value(&read).map_err(|error| error.to_string())
}

fn accepts<T: DeserializeOwned + Serialize>(values: &[Value]) {
    for value in values {
        assert_eq!(read::<T>(value).as_ref(), Ok(value));
    }
}

fn assert_rejects<T: DeserializeOwned + Serialize>(values: &[(Value, &str)]) {
    for (value, why) in values {
        let error = read::<T>(value).expect_err(&value.to_string());
        assert!(error.contains(why), "{value}: {error}");
    }
}

#[test]
fn an_enumeration_accepts_only_the_listed_strings() {
    accepts::<models::Kind>(&[
        json!("saw"),
        json!("Saw"),
        json!(""),
        json!("with \"quotes\" and {braces}"),
    ]);
    assert_rejects::<models::Kind>(&[
        (json!("SAW"), "must be one of `saw`, `Saw`"),
        (json!("with {braces}"), "found `with {braces}`"),
        (json!({ "saw": null }), "invalid type: map"),
        (json!(null), "invalid type: null"),
        (json!(0), "invalid type: integer"),
    ]);
    assert_rejects::<models::OnlyOne>(&[(json!("two"), "must be `one`, found `two`")]);
    assert_eq!(models::Kind::ALL.len(), 8);
    assert_eq!("3d-printer".parse(), Ok(models::Kind::V3dPrinter));
}

#[test]
fn integers_outside_the_bounds_are_rejected() {
    accepts::<models::PageSize>(&[json!(1), json!(50)]);
    assert_rejects::<models::PageSize>(&[
        (json!(0), "must be an integer from 1 to 50, found `0`"),
        (json!(51), "must be an integer from 1 to 50, found `51`"),
        (json!(-1), "expected u8"),
        (json!("7"), "invalid type: string"),
        (json!(7.5), "invalid type: floating point"),
    ]);
    accepts::<models::Even>(&[json!(4), json!(20)]);
    assert_rejects::<models::Even>(&[
        (
            json!(3),
            "must be an integer from 4 to 20 and a multiple of 4, found `3`",
        ),
        (json!(0), "multiple of 4"),
        (json!(21), "multiple of 4"),
    ]);
    assert_eq!((models::Even::MIN.get(), models::Even::MAX.get()), (4, 20));
    accepts::<models::Level>(&[json!(-1), json!(0), json!(10)]);
    assert_rejects::<models::Level>(&[(json!(1), "must be one of -1, 0, 10, found `1`")]);
    assert_eq!(models::PageSize::default().get(), 10);
}

#[test]
fn numbers_outside_the_bounds_are_rejected() {
    accepts::<models::Ratio>(&[json!(0.0), json!(0.1), json!(0.999_999_999_999)]);
    assert_rejects::<models::Ratio>(&[
        (json!(1.0), "must be a number from 0 below 1, found `1`"),
        (json!(-0.1), "from 0"),
        (json!("0"), "invalid type"),
    ]);
}

#[test]
fn a_string_with_a_wrong_number_of_characters_or_a_wrong_pattern_is_rejected() {
    accepts::<models::Code>(&[json!("ABC"), json!("ÄÖÜÉÑ")]);
    assert_rejects::<models::Code>(&[
        (json!("AB"), "must have 3 to 5 characters, found 2"),
        (json!("ABCDEF"), "must have 3 to 5 characters, found 6"),
        (json!("abc"), r"must match `^\p{Lu}+$`, found `abc`"),
        (json!("ABC\n"), "must match"),
    ]);
    accepts::<models::Name>(&[json!(""), json!("nul \u{0} and 🦀")]);
}

#[test]
fn values_of_a_format_are_accepted_only_in_standard_form_and_written_unchanged() {
    let tool = |member: &str, value: Value| {
        let mut tool = tool();
        tool[member] = value;
        tool
    };
    for (member, good) in [
        ("bought", json!("2024-02-29")),
        ("bought", json!("0000-01-01")),
        ("used", json!("2024-02-29T23:59:60Z")),
        ("used", json!("2024-01-01t00:00:00.120z")),
        ("used", json!("2024-01-01T00:00:00.123456789123+05:30")),
        ("used", json!("1999-12-31T23:59:59-00:00")),
        ("serial", json!("67e55044-10b1-426f-9247-bb680e5fe0c8")),
        ("serial", json!("67E55044-10B1-426F-9247-BB680E5FE0C8")),
        ("picture", json!("")),
        ("picture", json!("AQ==")),
        ("picture", json!("AQI=")),
        ("picture", json!("AR==")),
        ("picture", json!("/+8A")),
        ("address", json!("::1")),
        ("address", json!("127.0.0.1")),
        ("address", json!("0:0:0:0:0:0:0:1")),
        ("page", json!("anything")),
    ] {
        let whole = tool(member, good);
        assert_eq!(read::<models::Tool>(&whole), Ok(whole));
    }
    for (member, bad, why) in [
        (
            "bought",
            json!("2024-2-9"),
            "must be a date such as `2026-11-20`, found `2024-2-9`",
        ),
        ("bought", json!("2023-02-29"), "must be a date"),
        ("bought", json!("+2024-02-29"), "must be a date"),
        ("bought", json!(" 2024-02-29"), "must be a date"),
        (
            "used",
            json!("2024-02-29 00:00:00Z"),
            "must be a date and time",
        ),
        (
            "used",
            json!("2024-02-29T00:00:00"),
            "must be a date and time",
        ),
        (
            "used",
            json!("2024-02-29T00:00Z"),
            "must be a date and time",
        ),
        (
            "used",
            json!("2024-02-29T00:00:00+0100"),
            "must be a date and time",
        ),
        (
            "used",
            json!("2024-02-29T25:00:00Z"),
            "must be a date and time",
        ),
        (
            "used",
            json!("2024-02-29T00:00:00.Z"),
            "must be a date and time",
        ),
        (
            "serial",
            json!("67e5504410b1426f9247bb680e5fe0c8"),
            "must be a UUID",
        ),
        (
            "serial",
            json!("{67e55044-10b1-426f-9247-bb680e5fe0c8}"),
            "must be a UUID",
        ),
        ("picture", json!("AQ"), "must be Base64"),
        ("picture", json!("AQ=A"), "must be Base64"),
        ("picture", json!("A==="), "must be Base64"),
        ("picture", json!("A-_="), "must be Base64"),
        ("address", json!("localhost"), "must be an IP address"),
        ("address", json!("127.0.0.01"), "must be an IP address"),
    ] {
        let error = read::<models::Tool>(&tool(member, bad.clone())).expect_err(&bad.to_string());
        assert!(error.contains(why), "{bad}: {error}");
    }
}

#[test]
fn values_of_a_format_are_compared_by_meaning_and_not_by_text() {
    let moment = |text: &str| text.parse::<models::DateTime>().expect("a moment");
    assert_eq!(
        moment("2024-01-01T00:00:00Z"),
        moment("2024-01-01T01:00:00.000+01:00")
    );
    assert!(moment("2024-01-01T00:00:00Z") < moment("2024-01-01T00:00:01Z"));
    let bytes = models::Base64::from(vec![1, 2, 255]);
    assert_eq!(bytes.to_string(), "AQL/");
    assert_eq!(*bytes.get(), [1, 2, 255]);
    let date = chrono::NaiveDate::from_ymd_opt(2024, 2, 9).expect("a date");
    assert_eq!(
        models::Date::new(date).map(|date| date.to_string()),
        Ok("2024-02-09".to_owned())
    );
    let far = chrono::NaiveDate::from_ymd_opt(12024, 2, 9).expect("a date");
    assert!(models::Date::new(far).is_err());
    let now = chrono::DateTime::from_timestamp(0, 0).expect("a moment");
    assert_eq!(
        models::DateTime::from(now).to_string(),
        "1970-01-01T00:00:00Z"
    );
}

/// A tool with only its required members, and its defaults.
fn tool() -> Value {
    json!({
        "name": "Plane", "kind": "saw", "owner": null, "size": { "width": 2.5, "unit": "mm" },
        "count": 1, "colour": "grey", "empty": [], "3d": false,
    })
}

fn with(members: Value) -> Value {
    let mut tool = tool();
    for (name, value) in members.as_object().expect("an object") {
        tool[name] = value.clone();
    }
    tool
}

#[test]
fn absent_members_get_the_defaults_of_the_document() {
    let short = json!({ "name": "Plane", "kind": "saw", "owner": null, "size": { "width": 2.5 } });
    assert_eq!(read::<models::Tool>(&short), Ok(tool()));
}

#[test]
fn absent_and_null_are_distinguished() {
    accepts::<models::Tool>(&[
        with(json!({ "nickname": null, "otherKind": null, "maybeKind": null, "anything": null })),
        with(json!({ "nickname": "Jack", "otherKind": "saw", "maybeKind": "known" })),
        with(json!({ "owner": "me", "self": true, "type": "x", "x-y": 1, "x_y": 2 })),
    ]);
    let mut ownerless = tool();
    ownerless
        .as_object_mut()
        .expect("an object")
        .remove("owner");
    assert_rejects::<models::Tool>(&[
        (ownerless, "missing field `owner`"),
        (with(json!({ "price": null })), "invalid type: null"),
        (with(json!({ "count": null })), "invalid type: null"),
        (with(json!({ "tags": null })), "invalid type: null"),
        (with(json!({ "self": null })), "invalid type: null"),
        (with(json!({ "price": -1 })), "must be an integer from 0"),
    ]);
    // A part of `allOf` may require what another part leaves open.
    let part = with(
        json!({ "number": u64::MAX, "nickname": null, "parent": with(json!({ "number": 0, "nickname": "" })) }),
    );
    accepts::<models::Part>(&[part]);
    assert_rejects::<models::Part>(&[(with(json!({ "number": 1 })), "missing field `nickname`")]);
}

#[test]
fn objects_reject_arrays() {
    assert_rejects::<models::Ticket>(&[
        (
            json!(["67e55044-10b1-426f-9247-bb680e5fe0c8"]),
            "invalid type: sequence",
        ),
        (json!([]), "invalid type: sequence"),
        (json!("x"), "invalid type: string"),
        (json!(null), "invalid type: null"),
    ]);
    assert_rejects::<models::ToolSize>(&[(json!([2.5]), "invalid type: sequence")]);
}

#[test]
fn unknown_members_are_ignored_rejected_or_kept_as_the_schema_says() {
    let known = with(json!({}));
    assert_eq!(
        read::<models::Tool>(&with(json!({ "unknown": 1 }))),
        Ok(known)
    );
    let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    assert_rejects::<models::Ticket>(&[(json!({ "id": id, "more": 1 }), "unknown field `more`")]);
    assert_rejects::<models::Nothing>(&[(json!({ "more": 1 }), "unknown field `more`")]);
    accepts::<models::Nothing>(&[json!({})]);
    accepts::<models::Settings>(&[json!({ "theme": "dark", "size": 3 }), json!({})]);
    assert_rejects::<models::Settings>(&[(json!({ "size": "big" }), "invalid type: string")]);
    accepts::<models::OpenSettings>(&[json!({ "additional": "x", "more": [1, { "a": null }] })]);
}

#[test]
fn values_of_recursive_schemas_are_accepted() {
    let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    accepts::<models::Ticket>(&[json!({
        "id": id,
        "next": { "id": id, "left": { "leaves": [{}, { "ticket": { "id": id } }] } },
    })]);
}

#[test]
fn maps_and_arrays_keep_their_constraints() {
    accepts::<models::Labels>(&[json!({}), json!({ "a": "b" })]);
    assert_rejects::<models::Labels>(&[
        (json!({ "a": 1 }), "invalid type: integer"),
        (json!([]), "invalid type: sequence"),
    ]);
    accepts::<models::FewLabels>(&[json!({ "a": 1 })]);
    assert_rejects::<models::FewLabels>(&[
        (json!({}), "must have 1 to 2 members, found 0"),
        (
            json!({ "a": 1, "b": 2, "c": 3 }),
            "must have 1 to 2 members, found 3",
        ),
    ]);
    accepts::<models::Tags>(&[json!(["a"]), json!(["a", "b", "A"])]);
    assert_rejects::<models::Tags>(&[
        (json!([]), "must have 1 to 3 elements, found 0"),
        (
            json!(["a", "b", "a"]),
            "must not have the same element twice",
        ),
    ]);
    assert_rejects::<models::Pair>(&[(json!([1.5]), "must have 2 elements")]);
    accepts::<models::Bag>(&[json!({ "any": [{ "thing": null }] })]);
    assert_rejects::<models::Bag>(&[(json!(1), "invalid type: integer")]);
    accepts::<models::Anything>(&[json!(null), json!(1), json!([{}])]);
}

#[test]
fn components_that_refer_to_schemas_become_aliases_or_wrappers() {
    let same: models::SameTool = serde_json::from_value(tool()).expect("a tool");
    let named = models::NamedTool(same);
    assert_eq!(serde_json::to_value(&named).ok(), Some(tool()));
}
