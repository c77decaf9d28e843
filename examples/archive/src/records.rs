//! Adds records, and reads them page by page or as streams.

use crate::{
    Archive,
    database::Pool,
    models::{NewRecord, Record},
};
use futures::{Stream, TryStreamExt as _, stream};
use rusqlite::Connection;
use tokio::sync::watch;

/// How many records a stream reads at a time.
const AT_ONCE: usize = 100;

/// Reads at most `count` records after the id `after`.
pub(crate) fn page(db: &Connection, after: i64, count: usize) -> rusqlite::Result<Vec<Record>> {
    let text = "SELECT id, title FROM record WHERE id > ?1 ORDER BY id LIMIT ?2";
    let mut statement = db.prepare_cached(text)?;
    let rows = statement.query_map((after, count as i64), |row| {
        Ok(Record {
            id: row.get(0)?,
            title: row.get(1)?,
        })
    })?;
    rows.collect()
}

/// Adds a record, and notifies the streams that wait for new records.
pub(crate) async fn add(archive: &Archive, record: NewRecord) -> rusqlite::Result<Record> {
    let NewRecord { title, text } = record;
    let (title, text) = (String::from(title), String::from(text));
    let stored = title.clone();
    let id = archive.pool.run(move |db| {
        let insert = "INSERT INTO record (title, text) VALUES (?1, ?2)";
        db.execute(insert, (stored, text))?;
        Ok(db.last_insert_rowid())
    });
    let id = id.await?;
    archive.added.send_replace(());
    Ok(Record { id, title })
}

/// A stream of the records after the id `after`. If `added` is set, the stream then waits for new records.
pub(crate) fn follow(
    pool: Pool,
    after: i64,
    added: Option<watch::Receiver<()>>,
) -> impl Stream<Item = rusqlite::Result<Record>> + Send {
    let pages = stream::try_unfold(
        (pool, after, added),
        |(pool, after, mut added)| async move {
            loop {
                // `changed` below returns if a record is added from here on.
                if let Some(added) = &mut added {
                    added.mark_unchanged();
                }
                let records = pool.run(move |db| page(db, after, AT_ONCE)).await?;
                if let Some(last) = records.last().map(|last| last.id) {
                    let records = stream::iter(records.into_iter().map(Ok));
                    return Ok::<_, rusqlite::Error>(Some((records, (pool, last, added))));
                }
                let Some(added) = &mut added else {
                    return Ok(None);
                };
                if added.changed().await.is_err() {
                    return Ok(None);
                }
            }
        },
    );
    pages.try_flatten()
}
