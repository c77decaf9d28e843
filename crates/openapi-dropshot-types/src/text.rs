//! Parses values from the text of a parameter, and reports texts and values that break a rule of
//! the document.

use std::{borrow::Cow, fmt};

/// A value that breaks a rule of the document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Violation(Cow<'static, str>);

impl Violation {
    /// Creates a violation. The message says what was expected and what was found, as a phrase that
    /// starts in lower case.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Violation(message.into())
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Violation {}

/// A type whose values can be parsed from the text of a path, query or header parameter.
pub trait FromText: Sized {
    /// Reads the value from the decoded text of a parameter.
    ///
    /// # Errors
    ///
    /// Returns an error if the text breaks a rule of the document.
    fn from_text(text: &str) -> Result<Self, Violation>;
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        /// Accepts `-?(0|[1-9][0-9]*)`, as JSON does.
        impl FromText for $integer {
            fn from_text(text: &str) -> Result<Self, Violation> {
                let digits = text.strip_prefix('-').unwrap_or(text);
                let plain = digits.bytes().all(|byte| byte.is_ascii_digit())
                    && (digits == "0" || !digits.starts_with('0'));
                // Unsigned types cannot parse a minus sign.
                let text = if digits == "0" { digits } else { text };
                text.parse().ok().filter(|_| plain).ok_or_else(|| {
                    Violation::new(format!(
                        "must be an integer from {} to {} without leading zeros or plus sign, found `{}`",
                        <$integer>::MIN,
                        <$integer>::MAX,
                        shortened(text),
                    ))
                })
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

/// Accepts `true` and `false`.
impl FromText for bool {
    fn from_text(text: &str) -> Result<Self, Violation> {
        text.parse().map_err(|_| {
            Violation::new(format!(
                "must be `true` or `false`, found `{}`",
                shortened(text)
            ))
        })
    }
}

/// Accepts a number as JSON writes it.
impl FromText for f64 {
    fn from_text(text: &str) -> Result<Self, Violation> {
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        serde_json::from_str(text)
            .ok()
            .filter(|_| plain)
            .ok_or_else(|| Violation::new(format!("must be a number, found `{}`", shortened(text))))
    }
}

impl FromText for String {
    fn from_text(text: &str) -> Result<Self, Violation> {
        Ok(text.to_owned())
    }
}

/// Returns the first 64 characters of a text, so that a message stays readable whatever the client
/// sent.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 64;
    match text.char_indices().nth(LONGEST) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_in_json_notation_are_accepted() {
        assert_eq!(i32::from_text("-7"), Ok(-7));
        assert_eq!((i32::from_text("-0"), u8::from_text("-0")), (Ok(0), Ok(0)));
        assert_eq!(bool::from_text("true"), Ok(true));
        assert_eq!(f64::from_text("1e3"), Ok(1000.0));
        for text in ["+7", "07", "-00", "--0", "", " 7", "7.0", "2147483648"] {
            assert!(i32::from_text(text).is_err(), "{text}");
        }
        for text in ["True", "1", ""] {
            assert!(bool::from_text(text).is_err(), "{text}");
        }
        for text in ["inf", "NaN", "", "0x1", "1,5"] {
            assert!(f64::from_text(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_message_repeats_only_the_start_of_a_long_text() {
        let violation = bool::from_text(&"ü".repeat(100)).expect_err("no boolean");
        assert!(
            violation
                .to_string()
                .ends_with(&format!("`{}…`", "ü".repeat(64)))
        );
    }
}
