//! Tests idempotency keys, and that fingerprints never change.

use super::*;

fn hex(body: &str) -> String {
    let pet: NewPet = serde_json::from_str(body).expect("a new pet");
    let bytes = fingerprint(&pet);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_key_is_1_to_255_characters_of_printable_ascii() {
    for text in ["a", " ", "~", "a b", "\"\\", &"x".repeat(255)] {
        let key = IdempotencyKey::try_from(text.to_owned());
        assert_eq!(key.as_ref().map(IdempotencyKey::as_str), Ok(text));
    }
    for text in ["", "\t", "a\n", "\u{7f}", "é", &"x".repeat(256)] {
        assert_eq!(
            IdempotencyKey::try_from(text.to_owned()),
            Err(InvalidIdempotencyKey),
            "{text:?}"
        );
    }
}

#[test]
fn a_fingerprint_depends_on_the_parsed_value_and_not_on_the_json_formatting() {
    let one = hex(r#"{"name":"Rex","categoryId":7,"status":"sold"}"#);
    let same = r#" { "status" : "sold", "colour": [1], "categoryId" : 7, "name":"\u0052ex"}"#;
    assert_eq!(hex(same), one);
    for other in [
        r#"{"name":"Rex","categoryId":7}"#,
        r#"{"name":"Rex","categoryId":8,"status":"sold"}"#,
        r#"{"name":"rex","categoryId":7,"status":"sold"}"#,
        r#"{"name":"Rex","categoryId":7,"status":"pending"}"#,
    ] {
        assert_ne!(hex(other), one, "{other}");
    }
}

/// Servers of two versions may share one database, and keys are kept across an
/// upgrade. If this test fails, retries across an upgrade would be rejected.
#[test]
fn the_fingerprint_of_a_value_never_changes() {
    assert_eq!(
        hex(r#"{"name":"Rex","categoryId":7,"status":"available"}"#),
        "a502a3f0713a02e8ec0f210c03e83cdc8f6f6943506699cdc08151d5061d00d3"
    );
    assert_eq!(
        hex(r#"{"name":"","categoryId":-1}"#),
        "06c2047929242ffb1d48209aed66b315afd988719837ff4e65d20e602e421c53"
    );
    let order: NewOrder = serde_json::from_str("{\"petId\":7}").expect("a new order");
    assert_eq!(
        fingerprint(&order),
        <[u8; 32]>::from(Sha256::digest("order\n{\"petId\":7}"))
    );
}
