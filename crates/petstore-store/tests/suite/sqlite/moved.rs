//! Tests a file that is removed or replaced while its store is open: the store confirms only
//! writes that the next start will find.

use super::{Place, open, pet};
use petstore_store::{Outcome, Store, StoreError};
use std::{
    error::Error as _,
    fs,
    path::{Path, PathBuf},
};

/// Checks that writes and the readiness check fail, and that the log says what to do.
async fn takes_no_writes(store: &dyn Store) {
    let rejections = [
        store.create_pet(pet("Tom")).await.expect_err("it is gone"),
        store.check().await.expect_err("it is gone"),
    ];
    for error in rejections {
        assert!(
            matches!(
                error,
                StoreError::Unavailable {
                    outcome: Outcome::NotApplied,
                    ..
                }
            ),
            "{error:?}"
        );
        let cause = error.source().expect("a cause for the log").to_string();
        assert!(
            cause.contains("pets.db") && cause.contains("put the file back"),
            "{cause}"
        );
    }
    assert!(
        store.pet(1).await.expect("a result").is_some(),
        "what was opened can still be read"
    );
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    name.into()
}

#[tokio::test]
async fn writes_fail_while_the_database_file_is_moved_away() {
    for suffix in ["", "-wal"] {
        let place = Place::with_pets(1).await;
        let store = open(&place.path).await.expect("the store");
        let file = beside(&place.path, suffix);
        let away = beside(&place.path, ".away");
        fs::rename(&file, &away).expect("moved");
        takes_no_writes(&*store).await;
        fs::rename(&away, &file).expect("moved back");
        store.check().await.expect("it is back");
        assert_eq!(store.create_pet(pet("Tom")).await.expect("a pet").id, 2);
        store.close().await.expect("closed");
        let again = open(&place.path).await.expect("the store");
        assert!(again.pet(2).await.expect("a result").is_some());
    }
}

#[tokio::test]
async fn writes_fail_after_the_database_file_was_replaced() {
    let place = Place::with_pets(1).await;
    let other = Place::with_pets(3).await;
    let store = open(&place.path).await.expect("the store");
    fs::rename(&other.path, &place.path).expect("replaced");
    takes_no_writes(&*store).await;
}

#[tokio::test]
async fn writes_fail_after_the_folder_was_removed() {
    let place = Place::with_pets(1).await;
    let store = open(&place.path).await.expect("the store");
    fs::remove_dir_all(place.folder.path()).expect("removed");
    takes_no_writes(&*store).await;
}
