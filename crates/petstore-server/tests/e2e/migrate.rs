//! Tests the output of `migrate`: the schema versions before and after it. The tests of
//! `petstore-store` check that an upgrade loses no data.

use crate::process::{program, run_failing, run_ok};
use std::{
    env, fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::Command,
};
use tempfile::TempDir;

const UPGRADES: &str = include_str!("../../../../examples/deploy/upgrades.md");

/// A store of the first schema version.
pub(crate) fn oldest(path: &Path) {
    let schema =
        include_str!("../../../petstore-store/src/sqlite/migrations/0001_pets_and_keys.sql");
    let mark = i32::from_be_bytes(*b"pets");
    let db = rusqlite::Connection::open(path).expect("a file can be made");
    db.execute_batch(&format!(
        "{schema}; PRAGMA application_id = {mark}; PRAGMA user_version = 1;"
    ))
    .expect("the first schema");
}

#[test]
fn migrate_creates_a_missing_store_with_the_flag_create() {
    let folder = TempDir::new().expect("a folder can be made");
    let made = run_ok(folder.path(), &["migrate", "--create"]);
    let version = made
        .strip_prefix("`sqlite:petstore.db` is a new store, of schema version ")
        .unwrap_or_else(|| panic!("{made}"));
    let again = run_ok(folder.path(), &["migrate"]);
    let expected = format!(
        "`sqlite:petstore.db` already has schema version {}\n",
        version.trim()
    );
    assert_eq!(again, expected);
    assert_eq!(run_ok(folder.path(), &["key", "list"]).lines().count(), 1);
}

#[test]
fn migrate_upgrades_an_older_store_to_the_newest_schema() {
    let folder = TempDir::new().expect("a folder can be made");
    oldest(&folder.path().join("old.db"));
    let said = run_ok(folder.path(), &["migrate", "--database", "sqlite:old.db"]);
    let made = run_ok(folder.path(), &["migrate", "--create"]);
    let newest = made.trim().rsplit(' ').next().expect("a word");
    let expected = format!("`sqlite:old.db` was upgraded from schema version 1 to {newest}\n");
    assert_eq!(said, expected);
}

#[test]
fn migrate_rejects_a_database_of_another_program_unchanged() {
    let folder = TempDir::new().expect("a folder can be made");
    let path = folder.path().join("text.db");
    fs::write(&path, "no database at all").expect("can be written");
    let error = run_failing(
        folder.path(),
        &["migrate", "--database", "sqlite:text.db"],
        1,
    );
    assert!(error.contains("text.db"), "{error}");
    assert_eq!(fs::read(&path).expect("there"), b"no database at all");
    let error = run_failing(
        folder.path(),
        &["migrate", "--database", "sqlite::memory:"],
        1,
    );
    assert!(error.contains("a new store in each process"), "{error}");
}

#[test]
fn a_dry_run_lists_the_steps_and_changes_nothing() {
    let folder = TempDir::new().expect("a folder can be made");
    let path = folder.path().join("old.db");
    oldest(&path);
    let before = fs::read(&path).expect("there");
    let database = ["--database", "sqlite:old.db"];
    let dry_run = [&["migrate", "--dry-run"], &database[..]].concat();
    let said = run_ok(folder.path(), &dry_run);
    let start = "`sqlite:old.db` would be upgraded from schema version 1 to ";
    assert!(said.starts_with(start), "{said}");
    let newest: usize = said[start.len()..]
        .split(':')
        .next()
        .and_then(|number| number.parse().ok())
        .expect("a version");
    for (number, about) in [(3, "orders"), (newest - 1, "")] {
        let step = format!("\n  step {number} of {}: {about}", newest - 1);
        assert!(said.contains(&step), "{said}");
    }
    assert!(said.contains("It would take less than a second"), "{said}");
    assert!(said.ends_with("Nothing was changed.\n"), "{said}");
    assert_eq!(fs::read(&path).expect("there"), before);
    let left = fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(left, 1, "no log is left beside it");

    run_ok(folder.path(), &[&["migrate"], &database[..]].concat());
    let expected =
        format!("`sqlite:old.db` has schema version {newest}; there is nothing to upgrade\n");
    assert_eq!(run_ok(folder.path(), &dry_run), expected);
}

#[test]
fn only_serve_and_migrate_upgrade_a_store() {
    let folder = TempDir::new().expect("a folder can be made");
    let path = folder.path().join("petstore.db");
    oldest(&path);
    let before = fs::read(&path).expect("there");
    for command in [
        &["key", "list"][..],
        &["key", "create", "a"],
        &["key", "revoke", "k_000000000000"],
        &["usage"],
        &["usage", "--format", "json"],
    ] {
        let error = run_failing(folder.path(), command, 1);
        let start = "error: cannot open the database `sqlite:petstore.db`: it was written by an older version: its schema is 1, ";
        assert!(error.starts_with(start), "{command:?}: {error}");
        assert!(error.contains("`migrate --dry-run`"), "{error}");
        assert_eq!(fs::read(&path).expect("there"), before, "{command:?}");
        let left = fs::read_dir(folder.path()).expect("the folder").count();
        assert_eq!(left, 1, "no log is left beside it");
    }
    run_ok(folder.path(), &["migrate"]);
    run_ok(folder.path(), &["key", "create", "a"]);
    assert!(run_ok(folder.path(), &["key", "list"]).contains("\ta\t"));
}

/// Runs the commands of the page for SQLite in the situation of an owner who followed the guide:
/// there is a configuration file, and nothing else says where the store is.
#[test]
fn the_commands_in_the_upgrade_guide_find_the_store_through_the_configuration_file() {
    let folder = TempDir::new().expect("a folder can be made");
    let path = |name: &str| folder.path().join(name);
    for name in ["bin", "etc", "opt", "lib", "opt/new"] {
        fs::create_dir(path(name)).expect("a folder can be made");
    }
    let store = path("lib/petstore.db");
    oldest(&store);
    let settings = format!("database = \"sqlite:{}\"\n", store.display());
    fs::write(path("etc/petstore.toml"), settings).expect("can be written");
    let own = program(folder.path());
    for name in ["bin", "opt/new"] {
        symlink(own.get_program(), path(name).join("petstore-server")).expect("a link");
    }
    for (name, script) in [
        // The step that changes the user is left out.
        ("sudo", "[ \"$1\" != -u ] || shift 2; exec \"$@\""),
        ("systemctl", "echo \"$*\" >>\"$0.called\""),
        ("tar", "exit 0"),
        ("apt-get", "exit 0"),
    ] {
        let file = path("bin").join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("can be written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("can be changed");
    }
    let begin = UPGRADES.find("\n## SQLite").expect("a section");
    let section = &UPGRADES[begin..];
    let section = &section[..section.find("\n## PostgreSQL").expect("another section")];
    let blocks = section.split("```sh").skip(1);
    let commands: String = blocks.filter_map(|rest| rest.split("```").next()).collect();
    let here = |name| path(name).display().to_string();
    let commands = commands
        .replace("/etc/petstore/", &format!("{}/", here("etc")))
        .replace("/var/lib/petstore/", &format!("{}/", here("lib")))
        .replace("/opt/petstore-server-VERSION-PLATFORM", &here("opt/new"));
    let output = Command::new("sh")
        .args(["-eux", "-c", &commands])
        .current_dir(path("bin"))
        .env(
            "PATH",
            format!("{}:{}", here("bin"), env::var("PATH").expect("a path")),
        )
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    for part in [
        "would be upgraded from schema version 1",
        "is a valid store",
        "restored `sqlite:",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let called = fs::read_to_string(path("bin/systemctl.called")).expect("it is called");
    assert!(called.contains("stop petstore-server"), "{called}");
}
