//! Tests the group commit: which writes share a transaction.

use super::*;
use crate::write_queue::{BATCH, BATCH_BYTES, QUEUE, QUEUE_BYTES};
use std::time::Duration;
use tokio::time::timeout;

#[tokio::test]
async fn writes_that_wait_together_share_a_commit() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    let creates: Vec<_> = (0..50)
        .map(|number| fixture.create(number.to_string()))
        .collect();
    fixture.until_queued(50).await;
    gate.open().await;
    for create in creates {
        create.await.expect("no panic").expect("a pet");
    }
    assert_eq!(
        fixture.store.stats(),
        WriteStats {
            batches: 2,
            writes: 51,
            // The first write is alone in its batch; all other writes waited for it.
            sizes: [1, 0, 0, 0, 0, 0, 1, 0, 0],
            queued: 0
        }
    );
}

#[tokio::test]
async fn the_number_of_writes_in_a_batch_is_bounded() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    let creates: Vec<_> = (0..BATCH + 1)
        .map(|number| fixture.create(number.to_string()))
        .collect();
    fixture.until_queued(BATCH + 1).await;
    gate.open().await;
    for create in creates {
        create.await.expect("no panic").expect("a pet");
    }
    assert_eq!(fixture.store.stats().batches, 3);
}

#[tokio::test]
async fn writes_beyond_the_byte_limit_of_a_batch_go_into_the_next_batch() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    let name = "x".repeat(BATCH_BYTES / 4);
    let creates: Vec<_> = (0..9).map(|_| fixture.create(name.clone())).collect();
    fixture.until_queued(9).await;
    gate.open().await;
    for create in creates {
        create.await.expect("no panic").expect("a pet");
    }
    // The gate, four, four, one.
    assert_eq!(fixture.store.stats().batches, 4);
}

#[tokio::test]
async fn the_total_size_of_queued_writes_is_bounded() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    let name = "x".repeat(QUEUE_BYTES / 16);
    // A single caller gets at most three quarters.
    let accepted: Vec<_> = (0..12).map(|_| fixture.create(name.clone())).collect();
    fixture.until_queued(12).await;
    let rejected = fixture.create(name).await.expect("no panic");
    assert!(
        matches!(rejected, Err(StoreError::Overloaded)),
        "{rejected:?}"
    );
    let small = fixture.create_for(1, "small");
    fixture.until_queued(13).await;
    gate.open().await;
    for create in accepted.into_iter().chain([small]) {
        create.await.expect("no panic").expect("a pet");
    }
    assert_eq!(fixture.names().await.len(), 13);
}

#[tokio::test]
async fn a_single_write_is_committed_at_once() {
    let fixture = in_a_file();
    for number in 1..=3 {
        fixture
            .create("Rex")
            .await
            .expect("no panic")
            .expect("a pet");
        assert_eq!(
            fixture.store.stats(),
            WriteStats {
                batches: number,
                writes: number,
                sizes: [number, 0, 0, 0, 0, 0, 0, 0, 0],
                queued: 0
            }
        );
    }
}

#[tokio::test]
async fn a_failed_write_is_undone_and_the_rest_of_its_batch_is_committed() {
    let fixture = in_a_file();
    fixture.store.create_key(key(1)).await.expect("a key");
    let gate = fixture.gate().await;
    let before = fixture.create("before");
    let store = Arc::clone(&fixture.store);
    let failing = tokio::spawn(async move {
        let twice = store.writer.write(|db| {
            records::insert::<Pet>(db, &pet("half"))?;
            Err::<(), _>(rusqlite::Error::InvalidQuery)
        });
        twice.await
    });
    let after = fixture.create("after");
    fixture.until_queued(3).await;
    gate.open().await;

    let (before, after) = (
        before.await.expect("no panic"),
        after.await.expect("no panic"),
    );
    assert_eq!(
        [before.expect("a pet").id, after.expect("a pet").id],
        [1, 2]
    );
    failing
        .await
        .expect("no panic")
        .expect_err("the write failed");
    assert_eq!(fixture.names().await, ["before", "after"]);
}

#[tokio::test]
async fn a_write_that_panics_is_undone_and_the_rest_of_its_batch_is_committed() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    let store = Arc::clone(&fixture.store);
    let panicking = tokio::spawn(async move {
        let write = store.writer.write(|db| -> rusqlite::Result<()> {
            records::insert::<Pet>(db, &pet("half"))?;
            panic!("for the test");
        });
        write.await
    });
    fixture.until_queued(1).await;
    let other = fixture.create("whole");
    fixture.until_queued(2).await;
    gate.open().await;

    let failed = panicking.await.expect("no panic of the caller");
    assert!(
        matches!(failed, Err(StoreError::Internal { .. })),
        "{failed:?}"
    );
    other.await.expect("no panic").expect("a pet");
    fixture
        .create("next")
        .await
        .expect("no panic")
        .expect("the writer continues");
    assert_eq!(fixture.names().await, ["whole", "next"]);
}

#[tokio::test]
async fn aborting_the_caller_does_not_cancel_a_queued_write() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    let create = fixture.create("Rex");
    fixture.until_queued(1).await;
    create.abort();
    assert!(create.await.expect_err("cancelled").is_cancelled());
    gate.open().await;
    fixture
        .create("Tom")
        .await
        .expect("no panic")
        .expect("a pet");
    assert_eq!(fixture.names().await, ["Rex", "Tom"]);
}

#[tokio::test]
async fn a_full_queue_rejects_writes_at_once_and_does_not_start_them() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    // A single caller gets at most three quarters.
    let all = QUEUE / 4 * 3;
    let accepted: Vec<_> = (0..all)
        .map(|number| fixture.create(number.to_string()))
        .collect();
    fixture.until_queued(all).await;
    let rejected = timeout(Duration::from_secs(10), fixture.create("too many")).await;
    let rejected = rejected
        .expect("it does not wait for the writer")
        .expect("no panic");
    assert!(
        matches!(rejected, Err(StoreError::Overloaded)),
        "{rejected:?}"
    );
    let other = fixture.create_for(1, "other");
    fixture.until_queued(all + 1).await;
    gate.open().await;
    for create in accepted.into_iter().chain([other]) {
        create.await.expect("no panic").expect("a pet");
    }
    let names = fixture.names().await;
    assert_eq!(names.len(), all + 1);
    let place = names.iter().position(|name| name == "other");
    // The writer had already received the first write; after it, the keys take turns.
    assert_eq!(place, Some(2));
    fixture
        .create("later")
        .await
        .expect("no panic")
        .expect("there is room again");
}

#[tokio::test]
async fn closing_finishes_the_writes_in_the_queue() {
    let fixture = in_a_file();
    let gate = fixture.gate().await;
    let creates: Vec<_> = (0..BATCH + 1)
        .map(|number| fixture.create(number.to_string()))
        .collect();
    fixture.until_queued(creates.len()).await;
    let store = Arc::clone(&fixture.store);
    let closing = tokio::spawn(async move { store.close().await });
    // The task above sends its message before this one continues.
    yield_now().await;
    gate.open().await;
    closing.await.expect("no panic").expect("closed");
    for create in creates {
        create.await.expect("no panic").expect("a pet");
    }
    let late = fixture
        .create("late")
        .await
        .expect("no panic")
        .expect_err("closed");
    assert_eq!(outcome(&late), Some(crate::Outcome::NotApplied));
}
