//! The cursor of `GET /v1/pets`: the id after which a page begins and the
//! filter it was made with, as a text that clients pass back without reading
//! it. It holds no secret and no state of the server; a walk along cursors
//! meets each pet once because ids only ascend.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use petstore_models::PetStatus;

/// Names the layout, so that a later one can tell this one apart.
const VERSION: &str = "1";

/// Where a page begins.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Position {
    /// The id of the last pet before it.
    pub(super) after: i64,
    /// The filter of the walk.
    pub(super) status: Option<PetStatus>,
}

/// Why a cursor is refused; the text continues "`cursor` …".
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum CursorError {
    #[error("is none that this service made; follow the `Link` header of an earlier answer")]
    Foreign,
    #[error("was made with another `status` filter; pass the same one, or begin without a cursor")]
    OtherFilter,
}

impl Position {
    /// The id after which the page of a cursor begins.
    ///
    /// # Errors
    ///
    /// The text is not exactly what this module writes, or belongs to another
    /// filter.
    pub(super) fn read(text: &str, status: Option<PetStatus>) -> Result<i64, CursorError> {
        let position = Self::decode(text)
            // A cursor has one spelling; with two, caches and logs would take
            // one page for two.
            .filter(|position| position.encode() == text)
            .ok_or(CursorError::Foreign)?;
        if position.status == status {
            Ok(position.after)
        } else {
            Err(CursorError::OtherFilter)
        }
    }

    /// The value of `Link` (RFC 8288) to the page that begins here. It is
    /// relative, so that it is right behind any proxy.
    pub(super) fn next_link(self, limit: i64) -> String {
        let cursor = self.encode();
        match self.status {
            Some(status) => {
                format!("<?limit={limit}&status={status}&cursor={cursor}>; rel=\"next\"")
            }
            None => format!("<?limit={limit}&cursor={cursor}>; rel=\"next\""),
        }
    }

    fn encode(self) -> String {
        let filter = filter_name(self.status);
        URL_SAFE_NO_PAD.encode(format!("{VERSION}:{filter}:{}", self.after))
    }

    fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let mut parts = std::str::from_utf8(&bytes).ok()?.splitn(3, ':');
        if parts.next()? != VERSION {
            return None;
        }
        let filter = parts.next()?;
        let status = std::iter::once(None)
            .chain(PetStatus::ALL.iter().copied().map(Some))
            .find(|&status| filter_name(status) == filter)?;
        let after = parts.next()?.parse().ok()?;
        Some(Position { after, status })
    }
}

/// The filter in one letter: a cursor goes into every address of a walk.
const fn filter_name(status: Option<PetStatus>) -> &'static str {
    match status {
        None => "*",
        Some(PetStatus::Available) => "a",
        Some(PetStatus::Pending) => "p",
        Some(PetStatus::Sold) => "s",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statuses() -> impl Iterator<Item = Option<PetStatus>> {
        std::iter::once(None).chain(PetStatus::ALL.iter().copied().map(Some))
    }

    #[test]
    fn a_cursor_is_read_back_with_its_own_filter_only() {
        for status in statuses() {
            for after in [1, 20, i64::MAX] {
                let text = Position { after, status }.encode();
                for asked in statuses() {
                    let read = Position::read(&text, asked);
                    assert_eq!(
                        read,
                        if asked == status {
                            Ok(after)
                        } else {
                            Err(CursorError::OtherFilter)
                        }
                    );
                }
            }
        }
    }

    #[test]
    fn a_cursor_is_short_enough_for_the_contract() {
        let longest = Position {
            after: i64::MIN,
            status: Some(PetStatus::Available),
        }
        .encode();
        assert!(longest.parse::<petstore_models::Cursor>().is_ok());
    }

    #[test]
    fn the_example_of_the_contract_is_a_cursor() {
        assert_eq!(Position::read("MTphOjI", Some(PetStatus::Available)), Ok(2));
    }

    #[test]
    fn what_this_service_did_not_write_is_refused() {
        let texts = [
            "1:a:02",
            "1:a:+2",
            "1:a:2 ",
            "2:a:2",
            "1:x:2",
            "1:a",
            "a:2",
            "1:a:",
            "1:a:9223372036854775808",
        ];
        for text in texts {
            let cursor = URL_SAFE_NO_PAD.encode(text);
            assert_eq!(
                Position::read(&cursor, Some(PetStatus::Available)),
                Err(CursorError::Foreign),
                "{text}"
            );
        }
        // Padding, the other alphabet, and bits beyond the last byte.
        for cursor in ["MTphOjI=", "MTphOj/", "MTphOjJ", "!", "MTphOjI\n", "é"] {
            assert_eq!(
                Position::read(cursor, Some(PetStatus::Available)),
                Err(CursorError::Foreign),
                "{cursor}"
            );
        }
    }

    #[test]
    fn a_link_is_relative_and_keeps_limit_and_filter() {
        let position = Position {
            after: 2,
            status: Some(PetStatus::Available),
        };
        assert_eq!(
            position.next_link(2),
            "<?limit=2&status=available&cursor=MTphOjI>; rel=\"next\""
        );
        let position = Position {
            after: 2,
            status: None,
        };
        assert_eq!(
            position.next_link(20),
            "<?limit=20&cursor=MToqOjI>; rel=\"next\""
        );
    }
}
