//! Counts the tables of an SQLite file. If its pages are in memory, it does not wait for the disk: `cargo run --example count -- FILE`.

use rusqlite::Connection;

fn count(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("pass an SQLite file")?;
    let connection = Connection::open(file)?;
    match sqlite_nowait::without_waiting(|| count(&connection)) {
        Some(tables) => println!("{} tables, from memory", tables?),
        None => println!("{} tables, from the disk", count(&connection)?),
    }
    Ok(())
}
