//! Tests SQLite files: their data is kept after the store is closed, files that are not a store are
//! rejected, and several processes may use a file.

mod backup;
mod moved;
mod processes;
mod rejections;
mod reopening;
mod upgrades;
mod written;

use crate::fixtures::new_pet;
use petstore_models::{NewPet, PetStatus};
use petstore_store::{DatabaseUrl, OpenError, Store};
use rusqlite::Connection;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;

/// A folder for one test, and the database in it.
struct Place {
    folder: TempDir,
    path: PathBuf,
}

fn place() -> Place {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("pets.db");
    Place { folder, path }
}

impl Place {
    /// Creates a closed store with this number of pets.
    async fn with_pets(pets: usize) -> Self {
        let place = place();
        let store = open(&place.path).await.expect("a new store");
        for number in 0..pets {
            store
                .create_pet(pet(format!("{number:0>200}")))
                .await
                .expect("a pet");
        }
        store.close().await.expect("closed");
        place
    }

    /// Creates the file of an interrupted opening: it has only the application id, which is
    /// set before the log is set up and the tables are created.
    async fn only_marked() -> Self {
        let made = Self::with_pets(0).await;
        let db = Connection::open(&made.path).expect("the database");
        let mark: i32 = db
            .pragma_query_one(None, "application_id")
            .expect("the mark");
        let place = place();
        let db = Connection::open(&place.path).expect("a new database");
        db.pragma_update(None, "application_id", mark)
            .expect("marked");
        place
    }

    /// Returns the names and the bytes of all files, to check whether any file was changed.
    fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let files = fs::read_dir(self.folder.path()).expect("the folder");
        let paths = files.map(|file| file.expect("a file").path());
        // The index of a log is shared memory, not data.
        let data = paths.filter(|path| {
            path.extension()
                .is_none_or(|extension| extension != "db-shm")
        });
        let mut contents: Vec<_> = data
            .map(|path| (path.clone(), fs::read(path).expect("its bytes")))
            .collect();
        contents.sort();
        contents
    }
}

async fn open(path: &Path) -> Result<Arc<dyn Store>, OpenError> {
    petstore_store::open(&DatabaseUrl::SqliteFile(path.to_owned())).await
}

async fn rejected(path: &Path) -> OpenError {
    match open(path).await {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error,
    }
}

fn pet(name: impl Into<String>) -> NewPet {
    new_pet(name, 7, Some(PetStatus::Available))
}
