//! The filter of `GET /v1/pets`. Pages are ordered by ascending id and new pets
//! get greater ids, so that a client that follows the pages gets each pet once.

use super::Filter;
use petstore_models::PetStatus;

impl Filter for Option<PetStatus> {
    const LAYOUT: &'static str = "1";
    const PARAMETERS: &'static str = "`status`";

    fn name(self) -> String {
        letter(self).to_owned()
    }

    fn from_name(name: &str) -> Option<Self> {
        std::iter::once(None)
            .chain(PetStatus::ALL.iter().copied().map(Some))
            .find(|&status| letter(status) == name)
    }

    fn query(self) -> String {
        self.map_or_else(String::new, |status| format!("&status={status}"))
    }
}

const fn letter(status: Option<PetStatus>) -> &'static str {
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
    use crate::service::cursor::{CursorError, Position};
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

    fn statuses() -> impl Iterator<Item = Option<PetStatus>> {
        std::iter::once(None).chain(PetStatus::ALL.iter().copied().map(Some))
    }

    #[test]
    fn a_cursor_is_read_back_with_its_own_filter_only() {
        for status in statuses() {
            for after in [1, 20, i64::MAX] {
                let text = Position {
                    last: after,
                    filter: status,
                }
                .encode();
                for asked in statuses() {
                    let read = Position::read(&text, asked);
                    assert_eq!(
                        read,
                        if asked == status {
                            Ok(after)
                        } else {
                            Err(CursorError::OtherFilter("`status`"))
                        }
                    );
                }
            }
        }
    }

    #[test]
    fn a_cursor_is_short_enough_for_the_contract() {
        let longest = Position {
            last: i64::MIN,
            filter: Some(PetStatus::Available),
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
            last: 2,
            filter: Some(PetStatus::Available),
        };
        assert_eq!(
            position.next_link(2),
            "<?limit=2&status=available&cursor=MTphOjI>; rel=\"next\""
        );
        let position = Position {
            last: 2,
            filter: None,
        };
        assert_eq!(
            position.next_link(20),
            "<?limit=20&cursor=MToqOjI>; rel=\"next\""
        );
    }
}
