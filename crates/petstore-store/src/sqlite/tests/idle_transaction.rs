//! The reader that stays: when it does, and when it does not.

use super::*;
use crate::sqlite::idle_transaction::IdleTransaction;
use rusqlite::Connection;
use std::time::{Duration, Instant};

/// The connection that rests, and one of somebody else.
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

/// Whether nobody reads what is in the log, so that it can begin anew.
fn can_begin_anew(db: &Connection) -> bool {
    db.query_row("PRAGMA wal_checkpoint(restart)", [], |row| row.get(0))
        .map(|busy: i64| busy == 0)
        .expect("an answer")
}

#[test]
fn the_log_can_begin_anew_once_the_rest_has_ended() {
    let folder = TempDir::new().expect("a temporary folder");
    let [own, other] = two(&folder);
    let mut idle = IdleTransaction::default();
    for _ in 0..3 {
        idle.begin(&own);
        assert!(is_idle(&own));
        assert!(!can_begin_anew(&other));
        idle.end(&own);
        assert!(can_begin_anew(&other));
        // What it wrote itself is no reason not to rest.
        write(&own);
    }
}

#[test]
fn where_another_writes_nobody_rests() {
    let folder = TempDir::new().expect("a temporary folder");
    let [own, other] = two(&folder);
    let mut idle = IdleTransaction::default();
    idle.begin(&own);
    for _ in 0..3 {
        write(&other);
        idle.begin(&own);
        assert!(!is_idle(&own));
        assert!(can_begin_anew(&other));
    }
    idle.begin(&own);
    assert!(is_idle(&own));
    // What comes meanwhile is seen by whoever reads next.
    write(&other);
    idle.end(&own);
    let seen: i64 = own
        .query_row("SELECT count(*) FROM t", [], |row| row.get(0))
        .expect("a number");
    assert_eq!(seen, 4);
}

/// Whether somebody holds one of the locks of those who read: bytes 123 to 127 of
/// the index of the log, of which Linux lists the first and the last.
#[cfg(target_os = "linux")]
fn is_read(index: &std::path::Path) -> bool {
    use std::{fs, os::unix::fs::MetadataExt as _};

    let inode = fs::metadata(index).expect("an index").ino();
    let locks = fs::read_to_string("/proc/locks").expect("locks");
    (123..=127).any(|byte| locks.contains(&format!(":{inode} {byte} {byte}\n")))
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_store_with_nothing_to_write_holds_a_lock_on_its_log() {
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
