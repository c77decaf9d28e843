//! Checks JSON before a type is parsed from it: it must be UTF-8 and valid JSON, must have at most 64 levels, and no
//! object may have the same property twice. An integer may be written as `-0`, and with OpenAPI 3.1 also as `1.0`. This
//! module also rewrites the messages of serde in JSON terms, because they name Rust types (`expected i64`, `expected
//! struct NewItem`).

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use std::{borrow::Cow, cell::Cell, collections::HashSet, fmt};

/// How deep arrays and objects may be nested.
const MAX_DEPTH: usize = 64;

/// The names of kinds of values in the messages of serde, and in JSON terms.
const KINDS: [(&str, &str); 3] = [
    ("sequence", "array"),
    ("map", "object"),
    ("floating point", "number"),
];

/// Returns a replacement for this text if it contains `-0`, which serde parses as a floating-point number, or `1.0`, if
/// this is an integer. `has_fractions` says whether an integer may have a fraction of zero. In messages the text is
/// called `what`.
///
/// # Errors
///
/// Returns an error if the text is not such JSON.
pub fn checked(what: &str, text: &[u8], has_fractions: bool) -> Result<Option<String>, String> {
    let text = std::str::from_utf8(text)
        .map_err(|error| format!("{what} is not UTF-8 from byte {} on", error.valid_up_to()))?;
    if text.is_empty() {
        return Err(format!("{what} is missing; send a JSON object"));
    }
    let is_respelled = read(text, has_fractions).or_else(|error| {
        // JSON does not limit numbers; the models limit the properties that they know.
        let out_of_range = error.to_string().starts_with("number out of range");
        let is_beyond_f64 = |number: &str| number.parse().is_ok_and(f64::is_infinite);
        let zero = |number: &str| is_beyond_f64(number).then(|| "0".to_owned());
        let bounded = out_of_range.then(|| respelled(text, zero));
        let bounded = bounded.flatten();
        bounded.map_or(Err(error), |text| read(&text, has_fractions))
    });
    match is_respelled {
        Ok(true) => Ok(respelled(text, |number| match number.split_once('.') {
            None if number == "-0" => Some("0".to_owned()),
            Some((whole, fraction))
                if has_fractions && fraction.bytes().all(|byte| byte == b'0') =>
            {
                Some(if whole == "-0" { "0" } else { whole }.to_owned())
            }
            _ => None,
        })),
        Ok(false) => Ok(None),
        Err(error) => Err(format!("{what} is not valid JSON: {error}")),
    }
}

/// Returns whether serde parses a number as a floating-point number although it may be an integer of the document.
fn read(text: &str, has_fractions: bool) -> serde_json::Result<bool> {
    let mut json = serde_json::Deserializer::from_str(text);
    let has_whole_float = Cell::new(false);
    let walk = Walk {
        depth: 0,
        has_fractions,
        has_whole_float: &has_whole_float,
    };
    walk.deserialize(&mut json).and_then(|()| json.end())?;
    Ok(has_whole_float.get())
}

/// Checks a value at this depth of nesting, without storing it.
#[derive(Clone, Copy)]
struct Walk<'a> {
    depth: usize,
    has_fractions: bool,
    has_whole_float: &'a Cell<bool>,
}

impl Walk<'_> {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.depth < MAX_DEPTH {
            Ok(Walk {
                depth: self.depth + 1,
                ..self
            })
        } else {
            Err(E::custom(format_args!(
                "it is nested deeper than {MAX_DEPTH} levels"
            )))
        }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        let is_negative_zero = number == 0.0 && number.is_sign_negative();
        if is_negative_zero || self.has_fractions && number.fract() == 0.0 {
            self.has_whole_float.set(true);
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let inside = self.deeper()?;
        while items.next_element_seed(inside)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let inside = self.deeper()?;
        let mut seen = HashSet::new();
        while let Some(Name(name)) = members.next_key()? {
            if seen.contains(&name) {
                let name: String = name.chars().take(64).collect();
                return Err(A::Error::custom(format_args!(
                    "the member `{name}` occurs twice"
                )));
            }
            seen.insert(name);
            members.next_value_seed(inside)?;
        }
        Ok(())
    }
}

/// The name of a property, unescaped; it is borrowed if nothing was escaped.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns the text with equivalent spellings for numbers that serde cannot parse, padded with blanks so that all columns
/// stay the same; `None` if there is no such number. The parser would stop at a number that no `f64` can hold, such as
/// `1e400`, even in a property that is ignored.
fn respelled(text: &str, spelling: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut json = text.as_bytes().to_vec();
    let mut rest = &mut json[..];
    while let Some(&first) = rest.first() {
        let length = match first {
            b'"' => string_length(rest),
            b'-' | b'0'..=b'9' => number_length(rest),
            _ => 1,
        };
        let (token, behind) = rest.split_at_mut(length);
        if let Some(new) = std::str::from_utf8(token).ok().and_then(&spelling) {
            token.fill(b' ');
            token[..new.len()].copy_from_slice(new.as_bytes());
        }
        rest = behind;
    }
    String::from_utf8(json).ok().filter(|json| json != text)
}

/// Returns the length of the string at the start, including its quotes.
fn string_length(json: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = json[1..].iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(json.len(), |end| end + 2)
}

/// Returns the length of the number at the start. The parser rejects invalid numbers.
fn number_length(json: &[u8]) -> usize {
    let in_number = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    json.iter().take_while(in_number).count()
}

/// Rewrites `…invalid type: FOUND, expected WANTED at line…`. Returns `None` if the message has another form. FOUND
/// contains text of the client, so only the last `expected` is certain to come from serde.
pub fn in_json_terms(message: &str) -> Option<String> {
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
mod tests;
