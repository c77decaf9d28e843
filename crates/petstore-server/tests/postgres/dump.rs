//! Tests backup, upgrade and rollback with PostgreSQL's own tools: runs the commands of the pages
//! for owners. With `PETSTORE_TEST_OLD_PROGRAM` (see `rolling.rs`), the store is upgraded from an
//! earlier version in between.

use crate::{
    postgres::{programs, shared},
    process::Service,
    rolling::{old_program, schema, serve, stop},
};
use serde_json::Value;
use std::{env, path::Path, process::Command};
use tempfile::TempDir;

const BACKUP: &str = include_str!("../../../../book/src/petstore/backup.md");
const UPGRADES: &str = include_str!("../../../../examples/deploy/upgrades.md");

/// Returns the command or block of commands that begins with this text on a page.
fn commands<'p>(page: &'p str, first: &str) -> &'p str {
    let begin = page.find(first).expect("the page has the command");
    let end = page[begin..].find('`').expect("the end of the code");
    &page[begin..begin + end]
}

/// Runs commands of a page in a folder, with the names of the databases.
fn run(folder: &Path, socket: &Path, commands: &str, name: &str, new_name: &str) {
    let commands = commands.replace("NEW_NAME", new_name).replace("NAME", name);
    let path = env::var("PATH").expect("a path");
    let tools = programs().expect("PostgreSQL is installed");
    let output = Command::new("sh")
        .args(["-eu", "-c", &commands])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", tools.display()))
        .env("PGHOST", socket)
        .env("PGUSER", "postgres")
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{commands}: {output:?}");
}

fn names(service: &Service) -> Vec<Value> {
    let pets = service.pets();
    pets.iter().map(|pet| pet["name"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dump_from_before_an_upgrade_is_restored_with_the_documented_commands() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let (name, url) = (database.name(), database.url().to_string());
    let folder = TempDir::new().expect("a folder can be made");
    let run = |page, first, from: &str, to: &str| {
        run(
            folder.path(),
            cluster.socket(),
            commands(page, first),
            from,
            to,
        );
    };
    let restored = |number| format!("{name}_{number}");
    let url_of = |name_of_other: &str| url.replace(name, name_of_other);

    let mut old = serve(true, &url);
    old.key = old.shown_key();
    let key = old.key.clone();
    let first = old.add("before the dump", None);
    // This happens while the service runs.
    run(UPGRADES, "pg_dump --format", name, "");
    old.add("after the dump", None);
    stop(&mut old);
    let old_schema = schema(&database).await;
    let mut new = serve(false, &url);
    new.key.clone_from(&key);
    assert_eq!(names(&new), ["before the dump", "after the dump"]);
    let is_upgraded = schema(&database).await > old_schema;
    run(
        BACKUP,
        "pg_dump --format=custom --file=petstore-monday.dump NAME\ncreatedb",
        name,
        &restored(1),
    );
    let since = async |name: &str| -> i64 {
        let db = cluster.connect(name).await.expect("the database");
        let since = "SELECT min(since) FROM counted_operations";
        db.query_one(since, &[]).await.expect("a time").get(0)
    };
    assert!(since(&restored(1)).await > since(name).await);
    stop(&mut new);
    if let Some(mut old) = old_program().filter(|_| is_upgraded) {
        let rejected = old
            .args(["serve", "--listen", "127.0.0.1:0", "--database", &url])
            .current_dir(folder.path())
            .output()
            .expect("it runs");
        assert_eq!(rejected.status.code(), Some(1), "{rejected:?}");
    }

    // Restores the backup of the new version with the new version.
    let mut new = serve(false, &url_of(&restored(1)));
    new.key.clone_from(&key);
    assert_eq!(names(&new), ["before the dump", "after the dump"]);
    stop(&mut new);

    // Restores the backup of the old version with the old version.
    run(UPGRADES, "createdb NEW_NAME", name, &restored(2));
    let mut old = serve(true, &url_of(&restored(2)));
    old.key = key;
    assert_eq!(names(&old), ["before the dump"]);
    assert!(old.add("after the restore", None) > first);
    stop(&mut old);
}
