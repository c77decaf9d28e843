//! The value of `Idempotency-Key`, from its two forms to the one key that both
//! mean. Which characters there may be is left to the contract, and checked
//! before.

use petstore_store::{IdempotencyKey, InvalidIdempotencyKey};

/// The key that a valid value names: what stands between the quotes (RFC 8941,
/// section 3.3.3), or the whole value where there are none.
///
/// # Errors
///
/// The value breaks the contract: it never comes here.
pub(super) fn read(value: &str) -> Result<IdempotencyKey, InvalidIdempotencyKey> {
    let Some(quoted) = value.strip_prefix('"') else {
        return value.to_owned().try_into();
    };
    let text = quoted.strip_suffix('"').ok_or(InvalidIdempotencyKey)?;
    let mut key = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        key.push(match character {
            '\\' => characters.next().ok_or(InvalidIdempotencyKey)?,
            plain => plain,
        });
    }
    key.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use petstore_models::IdempotencyKey as Header;

    fn key(value: &str) -> Option<String> {
        let header: Header = value.parse().ok()?;
        let key = read(header.as_str()).expect("the contract lets no other value in");
        Some(key.as_str().to_owned())
    }

    #[test]
    fn quotes_do_not_belong_to_the_key() {
        for (value, expected) in [
            ("a1", "a1"),
            ("\"a1\"", "a1"),
            ("\"a b\"", "a b"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
            (r#"a"b\c"#, r#"a"b\c"#),
            ("'a,b;c=1'", "'a,b;c=1'"),
            ("~", "~"),
        ] {
            assert_eq!(key(value).as_deref(), Some(expected), "{value}");
        }
    }

    #[test]
    fn both_forms_hold_255_characters() {
        let longest = "x".repeat(255);
        let escaped = "\\\"".repeat(255);
        assert_eq!(key(&longest), Some(longest.clone()));
        assert_eq!(key(&format!("\"{longest}\"")), Some(longest.clone()));
        assert_eq!(key(&format!("\"{escaped}\"")), Some("\"".repeat(255)));
        assert_eq!(key(&format!("{longest}x")), None);
        assert_eq!(key(&format!("\"{longest}x\"")), None);
    }

    #[test]
    fn what_the_contract_excludes_is_no_key() {
        for value in [
            "",
            "\"\"",
            "\"",
            "\"a",
            "\"a\"b",
            "\"a\";p=1",
            "\"a\", \"b\"",
            "a b",
            "a, b",
            " a",
            "a ",
            "\u{7f}",
            "é",
            "\"é\"",
            "a\tb",
            "\"a\tb\"",
            r#""a\b""#,
            r#""a\"#,
            "a\n",
        ] {
            assert_eq!(key(value), None, "{value:?}");
        }
    }
}
