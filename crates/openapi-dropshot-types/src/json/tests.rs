//! Tests which texts are accepted as JSON, which numbers are replaced, and the text of messages.

use super::*;

fn problem(body: &[u8]) -> Option<String> {
    checked("the body", body, false).err()
}

fn without_beyond_f64(text: &str) -> Option<String> {
    respelled(text, |number| {
        let is_beyond_f64 = number.parse().is_ok_and(f64::is_infinite);
        is_beyond_f64.then(|| "0".to_owned())
    })
}

#[test]
fn minus_zero_is_replaced_by_zero_and_other_numbers_are_unchanged() {
    for (text, expected) in [
        (r#"{"a":-0}"#, Some(r#"{"a":0 }"#)),
        (
            r#"[-0, {"-0": "-0", "b": [-0]}, 1e400]"#,
            Some(r#"[0 , {"-0": "-0", "b": [0 ]}, 1e400]"#),
        ),
        ("[-0.0, -0e1]", None),
        ("[0, -1, 1.5]", None),
    ] {
        let replaced = checked("the body", text.as_bytes(), false).expect("it is valid");
        assert_eq!(replaced.as_deref(), expected, "{text}");
    }
    assert!(checked("the body", b"[-00]", false).is_err());
}

#[test]
fn an_integer_of_openapi_3_1_may_have_a_fraction_of_zero() {
    for (text, expected) in [
        (r#"{"a":1.0,"b":"1.0"}"#, Some(r#"{"a":1  ,"b":"1.0"}"#)),
        ("[-0.0, -12.00, -0]", Some("[0   , -12   , 0 ]")),
        ("[1.50, 1e2, 2]", None),
    ] {
        let replaced = checked("the body", text.as_bytes(), true).expect("it is valid");
        assert_eq!(replaced.as_deref(), expected, "{text}");
    }
}

#[test]
fn valid_bodies_are_accepted_whatever_their_members_are() {
    for body in [
        "{}",
        "null",
        " [1, -2, 3.5, 1e9, true, null, \"x\"] ",
        r#"{"name": "a\u0000b 🐕", "other": {"name": 1}, "list": [{"name": 1}, {"name": 2}]}"#,
        "18446744073709551616",
        "{\"x\": 1e400, \"y\": [-1.5E+999999999999999999999, 7]}",
    ] {
        assert_eq!(problem(body.as_bytes()), None, "{body}");
    }
}

#[test]
fn a_duplicate_member_is_reported_at_any_depth() {
    for body in [
        r#"{"name": 1, "name": 1}"#,
        r#"{"x": [{"y": {"name": 1, "other": 2, "name": 3}}]}"#,
        r#"{"name": 1, "n\u0061me": 1}"#,
    ] {
        let problem = problem(body.as_bytes()).expect(body);
        assert!(problem.contains("`name`"), "{problem}");
    }
}

#[test]
fn json_nested_64_levels_deep_is_accepted_and_65_levels_are_rejected() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert_eq!(problem(nested(64).as_bytes()), None);
        for depth in [65, 100_000] {
            let problem = problem(nested(depth).as_bytes()).expect("too deep");
            assert!(problem.contains("64 levels"), "{problem}");
        }
    }
}

#[test]
fn invalid_json_is_rejected_with_its_place() {
    for (body, text) in [
        (&b""[..], "missing"),
        (b"{", "line 1 column 1"),
        (b"{\"a\": 1,}", "column 9"),
        (b"{} {}", "trailing"),
        (b"{\"a\": \"\\ud800\"}", "column"),
        (b"{\"a\": \"\xff\"}", "UTF-8 from byte 7"),
        (b"\xef\xbb\xbf{}", "column 1"),
        (b"{'a': 1}", "column 2"),
        (b"[1e400, 1e400.5]", "column 13"),
        (b"{\"1e400\": 1e400, \"b\": 01}", "column 24"),
    ] {
        let problem = problem(body).expect("rejected");
        assert!(problem.contains(text), "{problem}");
    }
}

#[test]
fn numbers_too_large_for_f64_are_replaced_without_moving_the_rest_of_the_text() {
    for (text, expected) in [
        (r#"{"a": 1e400, "b": 1}"#, Some(r#"{"a": 0    , "b": 1}"#)),
        (
            r#"["1e400", "\"1e400", -1E+999]"#,
            Some(r#"["1e400", "\"1e400", 0      ]"#),
        ),
        ("[1e308, 0, -1, 1.5]", None),
        ("1e400.5", None),
        ("-", None),
        ("1e+", None),
        ("\"1e400", None),
        ("\"\\", None),
        ("\"inf\"", None),
    ] {
        assert_eq!(without_beyond_f64(text).as_deref(), expected, "{text}");
    }
    let long = format!("[{}]", "9".repeat(400));
    let expected = format!("[0{}]", " ".repeat(399));
    assert_eq!(without_beyond_f64(&long), Some(expected));
}

#[test]
fn messages_use_the_type_names_of_json() {
    for (theirs, ours) in [
        (
            "integer `7`, expected struct NewItem",
            "integer `7`, expected an object",
        ),
        (
            "sequence, expected struct NewItem",
            "array, expected an object",
        ),
        ("map, expected i64", "object, expected an integer (int64)"),
        (
            "floating point `1.0`, expected u32",
            "number `1.0`, expected an integer (uint32)",
        ),
        ("null, expected a string", "null, expected a string"),
        ("null, expected f64", "null, expected a number"),
    ] {
        let message =
            format!("unable to parse JSON body: x: invalid type: {theirs} at line 1 column 7");
        let expected = message.replace(theirs, ours);
        assert_eq!(in_json_terms(&message), Some(expected), "{theirs}");
    }
}

#[test]
fn values_from_the_client_are_quoted_unchanged_in_messages() {
    let message = "x: invalid type: string \"invalid type: map, expected i64 at line 1\", expected i64 at line 1 column 3";
    let expected = message.replace(
        ", expected i64 at line 1 column",
        ", expected an integer (int64) at line 1 column",
    );
    assert_eq!(in_json_terms(message), Some(expected));
}

#[test]
fn messages_without_rust_type_names_are_not_changed() {
    assert_eq!(
        in_json_terms("missing field `bookId` at line 1 column 2"),
        None
    );
}
