//! Tests that a cursor is accepted only for the list and the filter it was created for.

use super::*;

fn statuses() -> impl Iterator<Item = Option<PetStatus>> {
    std::iter::once(None).chain(PetStatus::ALL.iter().copied().map(Some))
}

#[test]
fn a_cursor_is_accepted_only_with_the_filter_for_which_the_cursor_was_created() {
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
fn the_example_cursor_in_the_contract_is_valid() {
    assert_eq!(Position::read("MTphOjI", Some(PetStatus::Available)), Ok(2));
}

#[test]
fn a_cursor_that_this_service_did_not_create_is_rejected() {
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
    // Padding, the standard alphabet, bits after the last byte, and invalid characters.
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

fn filters() -> Vec<OrderFilter> {
    let statuses = std::iter::once(None).chain(OrderStatus::ALL.iter().copied().map(Some));
    let with = |status| {
        [None, Some(1), Some(-7), Some(i64::MIN)].map(|pet_id| OrderFilter { status, pet_id })
    };
    statuses.flat_map(with).collect()
}

#[test]
fn a_cursor_is_accepted_only_with_its_filters_and_is_short_enough() {
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
fn a_cursor_of_another_list_is_rejected() {
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
fn the_example_cursor_and_the_example_link_in_the_contract_are_valid() {
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
fn a_cursor_of_orders_that_this_service_did_not_create_is_rejected() {
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
