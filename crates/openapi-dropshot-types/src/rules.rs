//! The rules of strings, arrays and maps: lengths, patterns, and elements that must differ.

use crate::text::{FromText, Violation, shortened};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::OnceLock;

/// Whether a number is a multiple of another one (`multipleOf`) in decimal notation: `0.3` is a multiple of `0.1`, although neither has
/// an exact binary value.
pub fn is_multiple(value: f64, step: f64) -> bool {
    let times = value / step;
    // The rounding error of each of the two numbers, and of their quotient, is at most half a unit in the last place.
    (times - times.round()).abs() <= times.abs() * 2.0 * f64::EPSILON
}

/// A regular expression of a document (ECMA-262), compiled at its first use.
#[derive(Debug)]
pub struct Pattern {
    text: &'static str,
    flags: &'static str,
    regex: OnceLock<regress::Regex>,
}

impl Pattern {
    /// Creates a pattern. The flags are those of the `RegExp` constructor of JavaScript. The generator has already compiled the pattern; the first use of
    /// an invalid pattern panics.
    pub const fn new(text: &'static str, flags: &'static str) -> Self {
        Pattern {
            text,
            flags,
            regex: OnceLock::new(),
        }
    }

    /// Whether the pattern matches a part of the text.
    fn matches(&self, text: &str) -> bool {
        let compile = || {
            regress::Regex::with_flags(self.text, self.flags)
                .expect("the generator compiled the pattern")
        };
        self.regex.get_or_init(compile).find(text).is_some()
    }
}

/// The rules of a string.
#[derive(Debug)]
pub struct TextRules {
    /// `minLength`, in characters.
    pub min: Option<u64>,
    /// `maxLength`, in characters.
    pub max: Option<u64>,
    /// `pattern`
    pub pattern: Option<Pattern>,
}

impl TextRules {
    /// Checks a string.
    ///
    /// # Errors
    ///
    /// Returns an error if the string is too short or too long, or does not match the pattern.
    pub fn check(&self, text: &str) -> Result<(), Violation> {
        if self.min.is_some() || self.max.is_some() {
            check_count(text.chars().count(), self.min, self.max, "characters")?;
        }
        match &self.pattern {
            Some(pattern) if !pattern.matches(text) => Err(Violation::new(format!(
                "must match `{}`, found `{}`",
                pattern.text,
                shortened(text)
            ))),
            _ => Ok(()),
        }
    }
}

/// Returns the value of an enumeration of strings that has this text; `name` returns the text of a value.
///
/// # Errors
///
/// Returns an error if the text is not one of the values.
pub fn one_of<T: Copy>(
    text: &str,
    values: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, Violation> {
    let value = values.iter().find(|value| name(**value) == text);
    value.copied().ok_or_else(|| {
        let names: Vec<String> = values
            .iter()
            .map(|value| format!("`{}`", name(*value)))
            .collect();
        let number = if names.len() == 1 { "" } else { "one of " };
        let (names, found) = (names.join(", "), shortened(text));
        Violation::new(format!("must be {number}{names}, found `{found}`"))
    })
}

/// Checks the number of characters, elements or properties. `noun` is their name in the plural, for the message.
///
/// # Errors
///
/// Returns an error if there are fewer than `min` or more than `max`.
pub fn check_count(
    count: usize,
    min: Option<u64>,
    max: Option<u64>,
    noun: &str,
) -> Result<(), Violation> {
    let found = count as u64;
    if min.is_none_or(|min| min <= found) && max.is_none_or(|max| found <= max) {
        return Ok(());
    }
    let range = match (min, max) {
        (Some(min), Some(max)) if min == max => format!("{min} {noun}"),
        (Some(min), Some(max)) => format!("{min} to {max} {noun}"),
        (Some(1), None) => format!("at least 1 {}", noun.trim_end_matches('s')),
        (Some(min), None) => format!("at least {min} {noun}"),
        (None, Some(0)) => format!("no {noun}"),
        (None, Some(max)) => format!("at most {max} {noun}"),
        (None, None) => return Ok(()),
    };
    Err(Violation::new(format!("must have {range}, found {found}")))
}

/// Checks the names of properties (`propertyNames`), which must be valid texts of a type.
///
/// # Errors
///
/// Returns an error if a name breaks a rule of the type.
pub fn check_names<'n, T: FromText>(
    names: impl IntoIterator<Item = &'n String>,
) -> Result<(), Violation> {
    for name in names {
        T::from_text(name).map_err(|violation| {
            let name = shortened(name);
            Violation::new(format!(
                "the name `{name}` of a member is not valid: it {violation}"
            ))
        })?;
    }
    Ok(())
}

/// Checks the element at an index, from 0, which has its own type (`prefixItems`). It is not an error if there are fewer elements.
///
/// # Errors
///
/// Returns an error if the element is not a value of the type.
pub fn check_element<'v, T: Deserialize<'v>>(
    elements: &'v [Value],
    index: usize,
) -> Result<(), Violation> {
    let element = elements.get(index).map(T::deserialize);
    element.transpose().map(drop).map_err(|error| {
        Violation::new(format!(
            "must have a valid element at index {index}: {error}"
        ))
    })
}

/// Checks that no two elements are equal as JSON (`uniqueItems`).
///
/// # Errors
///
/// Returns an error if two elements are equal.
pub fn check_distinct<T: Serialize>(elements: &[T]) -> Result<(), Violation> {
    let mut seen = std::collections::BTreeSet::new();
    for element in elements {
        let mut key = serde_json::to_value(element)
            .map_err(|error| Violation::new(format!("cannot be written as JSON: {error}")))?;
        normalise(&mut key);
        key.sort_all_objects();
        if !seen.insert(key.to_string()) {
            return Err(Violation::new("must not have the same element twice"));
        }
    }
    Ok(())
}

/// Converts numbers without a fraction to integers, so that equal numbers have the same text.
fn normalise(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(normalise),
        Value::Object(members) => members.values_mut().for_each(normalise),
        Value::Number(number) if number.is_f64() => {
            let double = number.as_f64().unwrap_or_default();
            if double.fract() == 0.0 && double.abs() < 9e15 {
                *value = Value::from(double as i64);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(check: Result<(), Violation>) -> String {
        check.expect_err("the value breaks a rule").to_string()
    }

    #[test]
    fn a_count_outside_of_its_range_is_a_violation() {
        for (min, max, count, expected) in [
            (Some(2), Some(2), 1, "must have 2 members, found 1"),
            (Some(2), Some(3), 4, "must have 2 to 3 members, found 4"),
            (Some(1), None, 0, "must have at least 1 member, found 0"),
            (Some(2), None, 0, "must have at least 2 members, found 0"),
            (None, Some(0), 1, "must have no members, found 1"),
            (None, Some(5), 6, "must have at most 5 members, found 6"),
        ] {
            assert_eq!(message(check_count(count, min, max, "members")), expected);
        }
        assert_eq!(check_count(7, None, None, "members"), Ok(()));
    }

    #[test]
    fn multiples_of_decimal_fractions_are_recognised() {
        for (value, step, expected) in [
            (0.3, 0.1, true),
            (19.99, 0.01, true),
            (-0.07, 0.01, true),
            (0.0, 0.01, true),
            (1_234_567.89, 0.01, true),
            (0.005, 0.01, false),
            (19.995, 0.01, false),
            (1e-9, 0.1, false),
            (7.5, 2.5, true),
            (7.4, 2.5, false),
        ] {
            assert_eq!(is_multiple(value, step), expected, "{value} of {step}");
        }
    }

    #[test]
    fn the_length_of_a_string_is_counted_in_characters() {
        static RULES: TextRules = TextRules {
            min: None,
            max: Some(3),
            pattern: Some(Pattern::new("^[a-zü]*$", "u")),
        };
        assert_eq!(RULES.check("üüü"), Ok(()));
        assert_eq!(
            message(RULES.check("üüüü")),
            "must have at most 3 characters, found 4"
        );
        assert_eq!(
            message(RULES.check("A")),
            "must match `^[a-zü]*$`, found `A`"
        );
    }

    #[test]
    fn an_element_at_an_index_is_checked_by_type_if_the_array_is_long_enough() {
        let elements = [json!("a"), json!(1)];
        assert_eq!(check_element::<String>(&elements, 0), Ok(()));
        assert_eq!(check_element::<bool>(&elements, 2), Ok(()));
        assert_eq!(
            message(check_element::<String>(&elements, 1)),
            "must have a valid element at index 1: invalid type: integer `1`, expected a string"
        );
    }

    #[test]
    fn elements_with_equal_values_are_not_distinct() {
        assert_eq!(check_distinct(&[json!(1), json!(1.5)]), Ok(()));
        for (one, other) in [
            (json!(1), json!(1.0)),
            (json!({ "a": 1, "b": [2] }), json!({ "b": [2], "a": 1 })),
        ] {
            assert!(check_distinct(&[one, other]).is_err());
        }
    }
}
