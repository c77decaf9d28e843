//! What is wrong with a body, in the words of JSON: the models are read by
//! serde, which speaks of Rust's types (`expected i64`, `expected struct
//! NewPet`). What is wrong is left to serde.

use crate::api::{ErrorCode, Refusal};

/// What serde calls a value that it found, and what JSON calls it.
const FOUND: [(&str, &str); 3] = [
    ("sequence", "array"),
    ("map", "object"),
    ("floating point", "number"),
];

/// The same refusal, in words that do not suppose Rust.
pub(super) fn plain(refusal: Refusal) -> Refusal {
    if refusal.code != ErrorCode::InvalidRequest {
        return refusal;
    }
    match reworded(&refusal.message) {
        Some(message) => Refusal {
            message: message.into(),
            ..refusal
        },
        None => refusal,
    }
}

/// `…invalid type: FOUND, expected WANTED at line…`; nothing where the message
/// has another form. What a client sent stands in FOUND, so that the last
/// `expected` is serde's.
fn reworded(message: &str) -> Option<String> {
    let (before, wanted) = message.rsplit_once(", expected ")?;
    let (wanted, place) = wanted.split_once(" at line ")?;
    let (kind, found) = ["invalid type: ", "invalid value: "]
        .into_iter()
        .find_map(|kind| before.split_once(kind).map(|(_, found)| (kind, found)))?;
    let (member, _) = before.split_once(kind)?;
    let found = FOUND
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

    #[test]
    fn types_are_called_what_json_calls_them() {
        for (theirs, ours) in [
            (
                "integer `7`, expected struct NewPet",
                "integer `7`, expected an object",
            ),
            (
                "sequence, expected struct NewPet",
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
            assert_eq!(reworded(&message), Some(expected), "{theirs}");
        }
    }

    #[test]
    fn what_a_client_sent_is_repeated_as_it_is() {
        let message = "x: invalid type: string \"invalid type: map, expected i64 at line 1\", expected i64 at line 1 column 3";
        let expected = message.replace(
            ", expected i64 at line 1 column",
            ", expected an integer (int64) at line 1 column",
        );
        assert_eq!(reworded(message), Some(expected));
    }

    #[test]
    fn other_messages_and_other_refusals_are_left_alone() {
        assert_eq!(
            reworded("missing field `categoryId` at line 1 column 2"),
            None
        );
        let code = ErrorCode::Unavailable;
        let message = "invalid type: map, expected i64 at line 1";
        assert_eq!(plain(Refusal::new(code, message)).message, message);
    }
}
