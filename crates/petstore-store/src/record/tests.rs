//! Tests the statements of the tables, and where a page ends.

use super::*;

#[test]
fn a_statement_names_every_column_and_numbers_its_filters() {
    let orders = Order::statements();
    let select = "SELECT id, pet_id, status, placed_at, updated_at, version FROM orders WHERE";
    assert_eq!(orders.get, format!("{select} id = $1"));
    assert_eq!(
        orders.pages[3],
        format!("{select} pet_id = $1 AND status = $2 AND id < $3 ORDER BY id DESC LIMIT $4")
    );
}

#[test]
fn a_page_query_can_filter_by_a_range() {
    assert_eq!(
        page::<Order>(&["pet_id =", "placed_at >="]),
        "SELECT id, pet_id, status, placed_at, updated_at, version FROM orders \
         WHERE pet_id = $1 AND placed_at >= $2 AND id < $3 ORDER BY id DESC LIMIT $4"
    );
    assert_eq!(
        page_on_postgres::<Order>(&["pet_id =", "placed_at >="]),
        "SELECT id, pet_id, status, placed_at, updated_at, version FROM orders \
         WHERE (pet_id, id) < ($1, $3) AND (pet_id) >= ($1) AND placed_at >= $2 \
         ORDER BY pet_id DESC, id DESC LIMIT $4"
    );
}

#[test]
fn a_statement_on_postgresql_ends_a_page_that_exceeds_the_size_limit() {
    let pets = Pet::statements();
    assert_eq!(
        pets.pages_on_postgres[0],
        format!(
            "SELECT id, name, category_id, status, version FROM (\
             SELECT *, sum(octet_length(name)) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) \
             AS bytes FROM ({}) AS page) AS page \
             WHERE bytes IS NULL OR bytes <= {PAGE_BYTES} ORDER BY id",
            pets.pages[0]
        )
    );
}

#[test]
fn a_page_ends_at_its_limit_or_before_it_becomes_too_large() {
    let pet = |id: i64, bytes: usize| {
        let new = serde_json::json!({ "name": "x".repeat(bytes), "categoryId": 7 });
        pet_with_id(id, &serde_json::from_value(new).expect("a new pet"))
    };
    let half = PAGE_BYTES / 2;
    for (sizes, limit, fitting, has_more) in [
        (&[][..], 2, 0, false),
        (&[3, 3], 2, 2, false),
        (&[3, 3, 3], 2, 2, true),
        (&[3], 0, 0, true),
        (&[half, half, 1], 9, 2, true),
        (&[half, half], 9, 2, false),
        (&[PAGE_BYTES + 1], 9, 1, false),
        (&[PAGE_BYTES + 1, 1], 9, 1, true),
        (&[1, PAGE_BYTES], 9, 1, true),
    ] {
        let found = (1..).zip(sizes).map(|(id, bytes)| pet(id, *bytes));
        let (page, more) = split_page(found.collect(), limit);
        assert_eq!((page.len(), more), (fitting, has_more), "{sizes:?}");
    }
}

#[test]
fn the_size_of_a_text_is_the_size_of_its_json() {
    for text in ["Rex", "", "é\u{1f436}", "a\"b\\c", "\0\u{1}\u{1f}"] {
        let json = serde_json::to_string(text).expect("JSON");
        assert_eq!(json_bytes(text), json.len() - 2, "{json}");
    }
}

#[test]
fn every_column_of_a_record_gets_a_value() {
    let pet = r#"{"name":"Rex","categoryId":7}"#;
    let pet: NewPet = serde_json::from_str(pet).expect("a new pet");
    assert_eq!(Pet::values(&pet).len(), Pet::COLUMNS.len());
    let order: NewOrder = serde_json::from_str(r#"{"petId":1}"#).expect("a new order");
    let order = placed_order(1, &order, 0).expect("a time");
    assert_eq!(Order::values(&order).len(), Order::COLUMNS.len());
}

/// If a combination has no statement, a query with it panics.
#[test]
fn each_combination_of_the_filters_of_pets_has_a_statement() {
    for status in [None, Some(PetStatus::Sold)] {
        let page = Page::from(PetQuery {
            after: None,
            status,
            limit: 5,
        });
        assert_eq!(page.statement.contains(" status = $"), status.is_some());
    }
}

#[test]
fn the_statement_has_exactly_the_filters_of_the_query() {
    for status in [None, Some(OrderStatus::Placed)] {
        for pet_id in [None, Some(7)] {
            let page = Page::from(OrderQuery {
                before: None,
                status,
                pet_id,
                limit: 5,
            });
            let is_filter = |column| page.statement.contains(&format!(" {column} = $"));
            assert_eq!(is_filter("status"), status.is_some());
            assert_eq!(is_filter("pet_id"), pet_id.is_some());
            let last = format!("${}", page.parameters.len());
            assert!(page.statement.ends_with(&last), "{}", page.statement);
        }
    }
}
