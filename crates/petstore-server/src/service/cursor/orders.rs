//! The filter of `GET /v1/store/orders`. Pages are ordered by descending id and
//! new orders get greater ids, so that a client that follows the pages gets
//! each order once.

use super::Filter;
use petstore_models::OrderStatus;

/// The filter of the list of orders.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::service) struct OrderFilter {
    pub(in crate::service) status: Option<OrderStatus>,
    pub(in crate::service) pet_id: Option<i64>,
}

impl Filter for OrderFilter {
    const LAYOUT: &'static str = "o";
    const PARAMETERS: &'static str = "`status` or `petId`";

    fn name(self) -> String {
        let pet = self
            .pet_id
            .map_or_else(|| "*".to_owned(), |id| id.to_string());
        format!("{},{pet}", letter(self.status))
    }

    fn from_name(name: &str) -> Option<Self> {
        let (status, pet) = name.split_once(',')?;
        let status = std::iter::once(None)
            .chain(OrderStatus::ALL.iter().copied().map(Some))
            .find(|&other| letter(other) == status)?;
        let pet_id = match pet {
            "*" => None,
            id => Some(id.parse().ok()?),
        };
        Some(OrderFilter { status, pet_id })
    }

    fn query(self) -> String {
        let status = self.status.map(|status| format!("&status={status}"));
        let pet = self.pet_id.map(|id| format!("&petId={id}"));
        status.into_iter().chain(pet).collect()
    }
}

const fn letter(status: Option<OrderStatus>) -> &'static str {
    match status {
        None => "*",
        Some(OrderStatus::Placed) => "p",
        Some(OrderStatus::Approved) => "a",
        Some(OrderStatus::Delivered) => "d",
        Some(OrderStatus::Cancelled) => "c",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::cursor::{CursorError, Position};
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    use petstore_models::PetStatus;

    fn filters() -> Vec<OrderFilter> {
        let statuses = std::iter::once(None).chain(OrderStatus::ALL.iter().copied().map(Some));
        let with = |status| {
            [None, Some(1), Some(-7), Some(i64::MIN)].map(|pet_id| OrderFilter { status, pet_id })
        };
        statuses.flat_map(with).collect()
    }

    #[test]
    fn a_cursor_is_read_back_with_its_own_filters_only_and_is_short_enough() {
        for filter in filters() {
            let last = i64::MIN;
            let text = Position { last, filter }.encode();
            assert!(text.parse::<petstore_models::Cursor>().is_ok(), "{text}");
            for asked in filters() {
                let expected = if asked == filter {
                    Ok(last)
                } else {
                    Err(CursorError::OtherFilter("`status` or `petId`"))
                };
                assert_eq!(Position::read(&text, asked), expected);
            }
        }
    }

    #[test]
    fn a_cursor_of_another_list_is_none_of_this_one() {
        let filter = OrderFilter {
            status: None,
            pet_id: None,
        };
        let of_orders = Position { last: 2, filter }.encode();
        let of_pets = Position {
            last: 2,
            filter: None::<PetStatus>,
        }
        .encode();
        assert_eq!(Position::read(&of_pets, filter), Err(CursorError::Foreign));
        assert_eq!(
            Position::read(&of_orders, None::<PetStatus>),
            Err(CursorError::Foreign)
        );
    }

    #[test]
    fn the_example_of_the_contract_is_a_cursor_and_its_link() {
        let filter = OrderFilter {
            status: Some(OrderStatus::Placed),
            pet_id: None,
        };
        assert_eq!(Position::read("bzpwLCo6Mg", filter), Ok(2));
        assert_eq!(
            Position { last: 2, filter }.next_link(1),
            "<?limit=1&status=placed&cursor=bzpwLCo6Mg>; rel=\"next\""
        );
        let both = OrderFilter {
            pet_id: Some(7),
            ..filter
        };
        let link = Position {
            last: 2,
            filter: both,
        }
        .next_link(5);
        assert!(
            link.starts_with("<?limit=5&status=placed&petId=7&cursor="),
            "{link}"
        );
    }

    #[test]
    fn what_this_service_did_not_write_is_refused() {
        let filter = OrderFilter {
            status: None,
            pet_id: Some(7),
        };
        for text in [
            "o:*,7:02", "o:*,07:2", "o:*,+7:2", "o:*:2", "o:,7:2", "o:x,7:2", "1:*,7:2", "o:*,7",
        ] {
            let cursor = URL_SAFE_NO_PAD.encode(text);
            assert_eq!(
                Position::read(&cursor, filter),
                Err(CursorError::Foreign),
                "{text}"
            );
        }
    }
}
