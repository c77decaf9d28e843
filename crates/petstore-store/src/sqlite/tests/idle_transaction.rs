//! Tests when the idle read transaction is open.

use super::*;
use crate::sqlite::idle_transaction::IdleTransaction;
use rusqlite::Connection;
use std::time::{Duration, Instant};

/// Returns the connection of the store, and another connection.
fn two(folder: &TempDir) -> [Connection; 2] {
    let path = folder.path().join("log.db");
    let own = Connection::open(&path).expect("a connection");
    own.pragma_update(None, "journal_mode", "wal")
        .expect("a log");
    own.execute_batch("CREATE TABLE t (n)").expect("a table");
    let other = Connection::open(&path).expect("a connection");
    other.busy_timeout(Duration::ZERO).expect("no wait");
    [own, other]
}

fn write(db: &Connection) {
    db.execute("INSERT INTO t VALUES (1)", []).expect("a write");
}

fn is_idle(db: &Connection) -> bool {
    !db.is_autocommit()
}

/// Whether no reader uses the log, so that it can start again from its beginning.
fn can_restart(db: &Connection) -> bool {
    db.query_row("PRAGMA wal_checkpoint(restart)", [], |row| row.get(0))
        .map(|busy: i64| busy == 0)
        .expect("a result")
}

#[test]
fn the_log_can_restart_after_the_idle_transaction_has_ended() {
    let folder = TempDir::new().expect("a temporary folder");
    let [own, other] = two(&folder);
    let mut idle = IdleTransaction::default();
    for _ in 0..3 {
        idle.begin(&own);
        assert!(is_idle(&own));
        assert!(!can_restart(&other));
        idle.end(&own);
        assert!(can_restart(&other));
        // The connection's own writes do not prevent the next idle transaction.
        write(&own);
    }
}

#[test]
fn no_idle_transaction_is_left_open_while_another_connection_writes() {
    let folder = TempDir::new().expect("a temporary folder");
    let [own, other] = two(&folder);
    let mut idle = IdleTransaction::default();
    idle.begin(&own);
    for _ in 0..3 {
        write(&other);
        idle.begin(&own);
        assert!(!is_idle(&own));
        assert!(can_restart(&other));
    }
    idle.begin(&own);
    assert!(is_idle(&own));
    // The next reader sees what was written meanwhile.
    write(&other);
    idle.end(&own);
    let seen: i64 = own
        .query_row("SELECT count(*) FROM t", [], |row| row.get(0))
        .expect("a number");
    assert_eq!(seen, 4);
}

/// Whether a process holds a read lock: one of the bytes 123 to 127 of the index of the log. Linux
/// lists the first and the last byte of each lock.
#[cfg(target_os = "linux")]
fn is_read(index: &std::path::Path) -> bool {
    use std::{fs, os::unix::fs::MetadataExt as _};

    let inode = fs::metadata(index).expect("an index").ino();
    let locks = fs::read_to_string("/proc/locks").expect("locks");
    (123..=127).any(|byte| locks.contains(&format!(":{inode} {byte} {byte}\n")))
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn an_idle_store_holds_a_read_lock_on_the_write_ahead_log() {
    let fixture = in_a_file();
    let index = fixture.folder.path().join("pets.db-shm");
    for _ in 0..2 {
        let until = Instant::now() + Duration::from_secs(10);
        while !is_read(&index) {
            assert!(Instant::now() < until, "no lock after ten seconds");
            yield_now().await;
        }
        fixture.create("Rex").await.expect("a task").expect("a pet");
    }
}
