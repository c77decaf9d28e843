//! Tests which alternative is selected for a value.

use super::*;
use serde_json::json;
use std::collections::BTreeMap;

#[derive(Debug, PartialEq)]
enum Size {
    Number(i64),
    Text(String),
    Half(Half),
    Map(BTreeMap<String, i64>),
}

#[derive(Debug, PartialEq, serde::Deserialize, serde::Serialize)]
struct Half {
    a: i64,
}

fn one(value: &Value) -> Result<Size, String> {
    Alternatives::of(value)
        .or("`Number`", Size::Number)
        .or("`Text`", Size::Text)
        .one()
}

#[test]
fn exactly_one_alternative_must_accept_a_value() {
    assert_eq!(one(&json!(3)), Ok(Size::Number(3)));
    assert_eq!(one(&json!("3")), Ok(Size::Text("3".to_owned())));
    let error = one(&json!([])).expect_err("neither");
    assert!(
        error.starts_with("does not match any of the alternatives; `Number`: "),
        "{error}"
    );
    let value = json!({ "a": 1 });
    let both = Alternatives::of(&value)
        .or("`Half`", Size::Half)
        .or("`Map`", Size::Map)
        .one();
    assert_eq!(
        both,
        Err("must match only one alternative, but matches both `Half` and `Map`".to_owned())
    );
}

#[test]
fn any_of_selects_the_alternative_that_keeps_the_most_parts_of_the_value() {
    fn any(value: Value) -> Result<Size, String> {
        Alternatives::of(&value)
            .or("`Half`", Size::Half)
            .or("`Map`", Size::Map)
            .any()
    }
    assert!(matches!(any(json!({ "a": 1, "b": 2 })), Ok(Size::Map(_))));
    assert!(matches!(any(json!({ "a": 1 })), Ok(Size::Half(_))));
    assert!(any(json!(null)).is_err());
}

#[test]
fn a_discriminator_must_be_a_string() {
    assert_eq!(tag(&json!({ "kind": "x" }), "kind"), Ok("x"));
    assert!(tag(&json!({ "kind": 1 }), "kind").is_err());
    assert!(tag(&json!({}), "kind").is_err());
}

#[test]
fn an_alternative_is_serialised_with_its_discriminator() {
    let written = |value: Value| with_tag(&value, "kind", "half", serde_json::value::Serializer);
    for (value, expected) in [
        (json!({"a": 1}), json!({"a": 1, "kind": "half"})),
        (json!({"kind": null}), json!({"kind": "half"})),
        (json!({"kind": "Half"}), json!({"kind": "Half"})),
    ] {
        assert_eq!(written(value).expect("an object"), expected);
    }
}
