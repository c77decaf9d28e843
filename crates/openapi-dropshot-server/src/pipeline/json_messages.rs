//! Rewrites serde's messages about a body in JSON terms, because they name Rust's types
//! (`expected i64`, `expected struct NewItem`).

use openapi_dropshot_types::{Condition, Contract, Rejection};

/// The names of kinds of values in serde's messages, and in JSON terms.
const KINDS: [(&str, &str); 3] = [
    ("sequence", "array"),
    ("map", "object"),
    ("floating point", "number"),
];

/// The same rejection; the message of an invalid request is in the terms of JSON.
pub(super) fn in_json_terms<C: Contract>(rejection: Rejection) -> Rejection {
    if rejection.error.code != C::error(Condition::InvalidRequest).code {
        return rejection;
    }
    match rewritten(&rejection.message) {
        Some(message) => Rejection {
            message: message.into(),
            ..rejection
        },
        None => rejection,
    }
}

/// `…invalid type: FOUND, expected WANTED at line…`; nothing where the message
/// has another form. What a client sent is in FOUND, so that the last
/// `expected` is serde's.
fn rewritten(message: &str) -> Option<String> {
    let (before, wanted) = message.rsplit_once(", expected ")?;
    let (wanted, place) = wanted.split_once(" at line ")?;
    let (kind, found) = ["invalid type: ", "invalid value: "]
        .into_iter()
        .find_map(|kind| before.split_once(kind).map(|(_, found)| (kind, found)))?;
    let (member, _) = before.split_once(kind)?;
    let found = KINDS
        .into_iter()
        .find_map(|(theirs, ours)| Some(format!("{ours}{}", found.strip_prefix(theirs)?)))
        .unwrap_or_else(|| found.to_owned());
    let wanted = wanted_in_json(wanted);
    Some(format!(
        "{member}{kind}{found}, expected {wanted} at line {place}"
    ))
}

fn wanted_in_json(wanted: &str) -> String {
    match wanted {
        "i8" | "i16" | "i32" | "i64" => format!("an integer (int{})", &wanted[1..]),
        "u8" | "u16" | "u32" | "u64" => format!("an integer (uint{})", &wanted[1..]),
        "f32" | "f64" => "a number".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "an object".to_owned(),
        "unit" => "`null`".to_owned(),
        other if other.starts_with("struct ") => "an object".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::TestContract;

    #[test]
    fn type_names_in_messages_are_those_of_json() {
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
            assert_eq!(rewritten(&message), Some(expected), "{theirs}");
        }
    }

    #[test]
    fn values_from_the_client_are_quoted_unchanged_in_messages() {
        let message = "x: invalid type: string \"invalid type: map, expected i64 at line 1\", expected i64 at line 1 column 3";
        let expected = message.replace(
            ", expected i64 at line 1 column",
            ", expected an integer (int64) at line 1 column",
        );
        assert_eq!(rewritten(message), Some(expected));
    }

    #[test]
    fn messages_of_other_rejections_are_not_changed() {
        assert_eq!(rewritten("missing field `bookId` at line 1 column 2"), None);
        let message = "invalid type: map, expected i64 at line 1";
        let rejection = TestContract::reject(Condition::Unavailable, message);
        assert_eq!(in_json_terms::<TestContract>(rejection).message, message);
    }
}
