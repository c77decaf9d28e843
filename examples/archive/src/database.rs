//! The database: a pool of connections. Each connection serves one request at a time, on a thread for blocking work.

use rusqlite::Connection;
use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::Semaphore;

/// A connection pool. For PostgreSQL, use the pool of a crate such as `deadpool-postgres`.
#[derive(Clone)]
pub(crate) struct Pool {
    idle: Arc<Mutex<Vec<Connection>>>,
    places: Arc<Semaphore>,
}

impl Pool {
    /// Opens connections to the database of this file.
    pub(crate) fn open(file: &Path, connections: usize) -> rusqlite::Result<Self> {
        let open = |_| {
            let connection = Connection::open(file)?;
            connection.busy_timeout(Duration::from_secs(5))?;
            connection.execute_batch(
                "PRAGMA journal_mode = WAL;
                 CREATE TABLE IF NOT EXISTS record (id INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL)",
            )?;
            Ok::<_, rusqlite::Error>(connection)
        };
        let all = (0..connections).map(open).collect::<Result<Vec<_>, _>>()?;
        Ok(Pool {
            idle: Arc::new(Mutex::new(all)),
            places: Arc::new(Semaphore::new(connections)),
        })
    }

    /// Waits for a connection and runs work with it. The work runs to its end even if the request is cancelled before.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        let places = Arc::clone(&self.places);
        let place = places.acquire_owned().await.expect("it is never closed");
        let idle = Arc::clone(&self.idle);
        let worked = tokio::task::spawn_blocking(move || {
            let lock = || idle.lock().expect("nothing panics with the lock");
            let connection = lock().pop().expect("there is one for each place");
            let result = work(&connection);
            lock().push(connection);
            drop(place);
            result
        });
        worked.await.expect("the work does not panic")
    }
}
