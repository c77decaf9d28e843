//! The reader that stays: when it does, and when it does not.

use super::*;
use crate::sqlite::rest::Rest;
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

fn rests(db: &Connection) -> bool {
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
    let mut rest = Rest::default();
    for _ in 0..3 {
        rest.begin(&own);
        assert!(rests(&own));
        assert!(!can_begin_anew(&other));
        rest.end(&own);
        assert!(can_begin_anew(&other));
        // What it wrote itself is no reason not to rest.
        write(&own);
    }
}

#[test]
fn where_another_writes_nobody_rests() {
    let folder = TempDir::new().expect("a temporary folder");
    let [own, other] = two(&folder);
    let mut rest = Rest::default();
    rest.begin(&own);
    for _ in 0..3 {
        write(&other);
        rest.begin(&own);
        assert!(!rests(&own));
        assert!(can_begin_anew(&other));
    }
    rest.begin(&own);
    assert!(rests(&own));
    // What comes meanwhile is seen by whoever reads next.
    write(&other);
    rest.end(&own);
    let seen: i64 = own
        .query_row("SELECT count(*) FROM t", [], |row| row.get(0))
        .expect("a number");
    assert_eq!(seen, 4);
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_store_with_nothing_to_write_holds_a_lock_on_its_log() {
    use std::{fs, os::unix::fs::MetadataExt as _};

    let fixture = in_a_file();
    for _ in 0..2 {
        let index = fs::metadata(fixture.folder.path().join("pets.db-shm")).expect("an index");
        let inode = format!(":{} ", index.ino());
        let until = Instant::now() + Duration::from_secs(10);
        // READ locks of the slots of readers, from byte 123 on.
        let held = |line: &str| {
            line.contains(&inode) && line.contains("READ") && {
                let mut words = line.split_whitespace().rev();
                words
                    .nth(1)
                    .is_some_and(|first| ("123"..="127").contains(&first))
            }
        };
        while !fs::read_to_string("/proc/locks")
            .expect("locks")
            .lines()
            .any(held)
        {
            assert!(Instant::now() < until, "no lock after ten seconds");
            yield_now().await;
        }
        fixture.create("Rex").await.expect("a task").expect("a pet");
    }
}
