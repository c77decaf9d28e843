//! The cursor that a consumer of a feed of events stores.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

/// The version of the layout of cursors.
const LAYOUT: u8 = 1;

/// The position of an event in a feed. For a consumer, it is an opaque text. Positions ascend in the order in which
/// the events were committed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FeedCursor {
    /// Changes whenever the store starts to use positions again, for example after a restore. It makes earlier cursors
    /// recognisable.
    pub incarnation: i64,
    /// The position; 0 before the first event.
    pub position: i64,
    /// A part of the id of the event at this position. If it differs although the incarnation is the same, the store
    /// has another history: the database was restored by other means than those of the service.
    pub check: u64,
}

impl FeedCursor {
    /// Parses what [`encode`](FeedCursor::encode) returned; `None` for any other text.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (layout, rest) = bytes.split_first()?;
        let (numbers, rest) = rest.as_chunks::<8>();
        let [incarnation, position, check] = numbers.try_into().ok()?;
        (*layout == LAYOUT && rest.is_empty()).then_some(FeedCursor {
            incarnation: i64::from_be_bytes(incarnation),
            position: i64::from_be_bytes(position),
            check: u64::from_be_bytes(check),
        })
    }

    /// Returns the cursor as text that consists of letters, digits, `-` and `_`.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut bytes = vec![LAYOUT];
        bytes.extend(self.incarnation.to_be_bytes());
        bytes.extend(self.position.to_be_bytes());
        bytes.extend(self.check.to_be_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_can_be_encoded_and_decoded_and_other_texts_are_rejected() {
        let cursor = FeedCursor {
            incarnation: -5,
            position: i64::MAX,
            check: u64::MAX - 1,
        };
        let text = cursor.encode();
        assert_eq!(FeedCursor::decode(&text), Some(cursor));
        let longer = format!("{text}AAAA");
        for other in ["", "now", "MTphOjI", &text[1..], &longer] {
            assert_eq!(FeedCursor::decode(other), None, "{other}");
        }
    }
}
