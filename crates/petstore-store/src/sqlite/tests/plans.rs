//! Tests with SQLite's query plans that the cost of a page does not grow with the
//! number of pets.

use super::*;
use crate::record::Record;
use petstore_models::Order;
use rusqlite::{Connection, StatementStatus};

/// The SQL statement that reads a page.
fn pages<R: Record>(statement: usize) -> &'static str {
    &R::statements().pages[statement]
}

fn plan(db: &Connection, sql: &str, parameters: impl rusqlite::Params) -> rusqlite::Result<String> {
    db.query_row(&format!("EXPLAIN QUERY PLAN {sql}"), parameters, |row| {
        row.get("detail")
    })
}

#[tokio::test]
async fn pages_of_pets_use_an_index_and_need_no_sorting() {
    let fixture = in_a_file();
    let plans = fixture.store.readers.read_here(|db| {
        Ok([
            plan(db, pages::<Pet>(0), (0, 20))?,
            plan(db, &pets::PAGE_OF_STATUS, ("sold", 0, 20))?,
        ])
    });
    assert_eq!(
        plans.expect("plans"),
        [
            "SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)",
            "SEARCH pets USING COVERING INDEX pets_by_status (status=? AND id>?)",
        ]
    );
}

#[tokio::test]
async fn pages_of_orders_use_an_index_and_need_no_sorting() {
    let fixture = in_a_file();
    let plans = fixture.store.readers.read_here(|db| {
        Ok([
            plan(db, pages::<Order>(0), (9, 20))?,
            plan(db, pages::<Order>(1), ("placed", 9, 20))?,
            plan(db, pages::<Order>(2), (7, 9, 20))?,
            plan(db, pages::<Order>(3), (7, "placed", 9, 20))?,
        ])
    });
    assert_eq!(
        plans.expect("plans"),
        [
            "SEARCH orders USING INTEGER PRIMARY KEY (rowid<?)",
            "SEARCH orders USING INDEX orders_by_status (status=? AND rowid<?)",
            "SEARCH orders USING INDEX orders_by_pet (pet_id=? AND rowid<?)",
            "SEARCH orders USING INDEX orders_by_pet_and_status (pet_id=? AND status=? AND rowid<?)",
        ]
    );
}

#[tokio::test]
async fn a_statement_is_prepared_once_for_all_values() {
    let fixture = in_a_file();
    let prepared_again = fixture.store.readers.read_here(|db| {
        let mut statement = db.prepare(&pets::PAGE_OF_STATUS)?;
        for (after, status) in [(0, "sold"), (7, "pending"), (9, "sold")] {
            assert!(statement.query((status, after, 20))?.next()?.is_none());
        }
        Ok(statement.get_status(StatementStatus::RePrepare))
    });
    assert_eq!(prepared_again.expect("asked"), 0);
}

#[tokio::test]
async fn expired_idempotency_keys_are_found_by_index_without_sorting() {
    let fixture = in_a_file();
    let steps = fixture.store.readers.read_here(|db| {
        let mut plan = db.prepare(&format!(
            "EXPLAIN QUERY PLAN {}",
            idempotency::DELETE_EXPIRED
        ))?;
        let steps = plan.query_map((0, 20), |row| row.get::<_, String>("detail"))?;
        steps.collect::<rusqlite::Result<Vec<_>>>()
    });
    let steps = steps.expect("a plan");
    let by_time =
        "SEARCH idempotency_keys USING COVERING INDEX idempotency_keys_by_time (created_at<?)";
    assert!(steps.iter().any(|step| step == by_time), "{steps:#?}");
    for step in &steps {
        assert!(
            !step.contains("SCAN") && !step.contains("TEMP"),
            "{steps:#?}"
        );
    }
}

#[tokio::test]
async fn a_debug_build_rejects_a_statement_without_a_suitable_index() {
    let fixture = in_a_file();
    let problem = |sql: &str| {
        let prepared = fixture.store.readers.read_here(|db| {
            let prepared = records::prepared(db, sql).map(drop);
            Ok(prepared.err().map(|error| error.to_string()))
        });
        prepared.expect("asked")
    };
    let page = "AND id > $3 ORDER BY id LIMIT $4";
    for sql in [
        "SELECT id FROM pets WHERE name = $1".to_owned(),
        "SELECT count(*) FROM orders".to_owned(),
        format!("SELECT id FROM pets WHERE name = $1 {page}"),
        format!("SELECT id FROM pets WHERE status = $1 AND name = $2 {page}"),
    ] {
        let problem = problem(&sql).unwrap_or_default();
        assert!(
            problem.starts_with("no index leads to the rows"),
            "{sql}: {problem}"
        );
    }
    let range = format!("SELECT id FROM pets WHERE status = $1 AND name >= $2 {page}");
    assert_eq!(problem(&range), None);
}
