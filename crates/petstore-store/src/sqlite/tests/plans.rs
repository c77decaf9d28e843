//! What a page costs must not grow with the number of pets: SQLite says how it
//! runs each query.

use super::*;
use rusqlite::Connection;

fn plan(db: &Connection, sql: &str, parameters: impl rusqlite::Params) -> rusqlite::Result<String> {
    db.query_row(&format!("EXPLAIN QUERY PLAN {sql}"), parameters, |row| {
        row.get("detail")
    })
}

#[tokio::test]
async fn pages_are_found_by_index_and_need_no_sorting() {
    let fixture = in_a_file();
    let plans = fixture.store.readers.read(|db| {
        Ok([
            plan(db, pets::PAGE, (0, 20))?,
            plan(db, pets::PAGE_OF_STATUS, (0, 20, "sold"))?,
        ])
    });
    assert_eq!(
        plans.expect("plans"),
        [
            "SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)",
            "SEARCH pets USING INDEX pets_by_status (status=? AND rowid>?)",
        ]
    );
}
