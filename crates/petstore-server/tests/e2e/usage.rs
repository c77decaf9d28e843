//! Tests the command `usage` and the time of last use, during and after a run of the service.

use crate::{
    process::{Service, run_failing, run_ok},
    raw::Request,
    scrape::Watched,
};
use rustix::process::Signal;
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Counts are written to the store within a few seconds.
const SOON: Duration = Duration::from_secs(10);

/// Returns the rows below the header, split into columns.
fn rows(folder: &Path) -> Vec<Vec<String>> {
    let text = run_ok(folder, &["usage"]);
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').map(str::to_owned).collect());
    let header: Vec<String> = lines.next().expect("a header");
    assert_eq!(header[..4], ["key", "name", "operation", "calls"]);
    lines.collect()
}

#[test]
fn a_caller_of_a_deprecated_operation_is_counted_within_seconds() {
    let service = Service::start();
    let folder = service.folder.path();
    assert!(rows(folder).is_empty());
    let second = run_ok(folder, &["key", "create", "the shop's tablet"]);
    let second = Request::get("/v1/pets/1").key(second.trim());
    for _ in 0..3 {
        assert_eq!(service.get("/v1/pets/1").status, 404);
    }
    assert_eq!(service.send(&second).status, 404);
    assert_eq!(service.get("/v1/pets").status, 200);

    let called = Instant::now();
    let found = loop {
        let rows = rows(folder);
        if rows.len() == 2 {
            break rows;
        }
        assert!(called.elapsed() < SOON, "{rows:?}");
    };
    for (name, calls) in [("first", "3"), ("the shop's tablet", "1")] {
        let row = found.iter().find(|row| row[1] == name).expect("a row");
        assert!(row[0].starts_with("k_"), "{row:?}");
        assert_eq!(row[2..4], ["getPet", calls], "{row:?}");
        assert!(row[4] <= row[5] && row[4].starts_with("20"), "{row:?}");
        assert_eq!(row[6], "2030-12-05", "{row:?}");
        assert_eq!(row[7], "use `GET /pets` with a `status` filter");
        assert_eq!(row[8], "-", "no program named itself: {row:?}");
        assert!(row[9].parse::<i64>().is_ok(), "{row:?}");
    }
    let list = run_ok(folder, &["key", "list"]);
    assert_eq!(list.matches("last used 20").count(), 2, "{list}");
}

#[test]
fn usage_counts_are_stored_at_shutdown_and_added_up_after_the_next_start() {
    let mut service = Service::start();
    for total in [2, 4] {
        for _ in 0..2 {
            assert_eq!(service.get("/v1/pets/1").status, 404);
        }
        service.signal(Signal::TERM);
        let (status, _) = service.ended();
        assert_eq!(status.code(), Some(0), "{}", service.log.text());
        let rows = rows(service.folder.path());
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0][3], total.to_string());

        let key = service.key.clone();
        service = Service::start_in(service.folder.clone(), &[], &[]);
        service.key = key;
    }
}

#[test]
fn all_operations_are_counted_by_key_if_the_setting_is_all() {
    for (setting, expected) in [
        ("deprecated", &["getPet"][..]),
        ("all", &["getPet", "listPets"]),
    ] {
        let watched = Watched::start_with(&["--count-calls", setting]);
        let service = &watched.service;
        let folder = service.folder.path();
        // The deprecated operation is called last, so the other calls are stored with it at the
        // latest.
        for _ in 0..2 {
            assert_eq!(service.get("/v1/pets").status, 200);
        }
        assert_eq!(service.get("/v1/pets/1").status, 404);
        let called = Instant::now();
        let found = loop {
            let rows = rows(folder);
            if rows.iter().any(|row| row[2] == "getPet") {
                break rows;
            }
            assert!(called.elapsed() < SOON, "{rows:?}");
        };
        let operations: Vec<_> = found.iter().map(|row| row[2].as_str()).collect();
        assert_eq!(operations, expected);
        let export = run_ok(folder, &["usage", "--format", "json"]);
        let export: serde_json::Value = serde_json::from_str(&export).expect("JSON");
        assert_eq!(export["operations"].as_array().map(Vec::len), Some(1));
        let csv = run_ok(folder, &["usage", "--format", "csv"]);
        let page = page(&watched);
        let is_counted = setting == "all";
        assert_eq!(csv.contains("\nlistPets,k_"), is_counted, "{csv}");
        assert_eq!(
            page.contains("<h2>listPets <code>GET /pets</code></h2>"),
            is_counted,
            "{page}"
        );
        assert!(!page.contains("safe to remove"), "{page}");
        if !is_counted {
            assert_eq!(export["other_operations"], serde_json::json!([]));
            continue;
        }
        let row = &found[1];
        assert_eq!(row[1..4], ["first", "listPets", "2"]);
        assert_eq!(row[6..], ["-", "-", "-", "-"]);
        let other = &export["other_operations"][0];
        assert_eq!(other["operation"], "listPets", "{export}");
        assert_eq!(other["path"], "GET /pets", "{export}");
        assert_eq!(other["calls"], 2, "{export}");
        assert_eq!(other["callers"][0]["name"], "first", "{export}");
    }
}

#[test]
fn a_store_in_memory_has_no_usage_counters_to_show() {
    let folder = tempfile::TempDir::new().expect("a folder can be made");
    let arguments = ["usage", "--database", "sqlite::memory:"];
    let error = run_failing(folder.path(), &arguments, 1);
    assert!(error.contains("name a file with `--database`"), "{error}");
}

#[test]
fn the_export_and_the_page_show_each_day_and_the_last_user_agent() {
    let watched = Watched::start();
    let service = &watched.service;
    let folder = service.folder.path();
    let unused = page(&watched);
    assert!(
        unused.contains("getPet") && unused.contains("Sunset: 2030-12-05"),
        "{unused}"
    );
    assert!(unused.contains("since the counting began"), "{unused}");
    assert!(!unused.contains("<svg"), "{unused}");

    for agent in ["shop/1.0", "<b>shop</b>/2.0"] {
        let request = Request::get("/v1/pets/1")
            .key(&service.key)
            .header("User-Agent", agent);
        assert_eq!(service.send(&request).status, 404);
    }
    let called = Instant::now();
    let export = loop {
        let export = run_ok(folder, &["usage", "--format", "json"]);
        let export: serde_json::Value = serde_json::from_str(&export).expect("JSON");
        if export["operations"][0]["calls"] == 2 {
            break export;
        }
        assert!(called.elapsed() < SOON, "{export}");
    };
    let operation = &export["operations"][0];
    assert_eq!(export["format"], 1);
    for (member, expected) in [
        ("operation", "getPet"),
        ("path", "GET /pets/{petId}"),
        ("removed_on", "2030-12-05"),
    ] {
        assert_eq!(operation[member], expected, "{operation}");
    }
    assert_eq!(operation["is_unused"], false, "{operation}");
    assert_eq!(operation["days_without_calls"], 0, "{operation}");
    assert!(operation["days_left"].is_i64(), "{operation}");
    let caller = &operation["callers"][0];
    // The command `check --usage` reads these numbers, too.
    let texts = [
        &export["created_at"],
        &operation["last_seen"],
        &caller["key"],
        &caller["last_seen"],
    ];
    assert!(texts.iter().all(|text| text.is_string()), "{export}");
    assert_eq!(caller["name"], "first", "{caller}");
    assert_eq!(caller["last_user_agent"], "<b>shop</b>/2.0", "{caller}");
    let days = caller["days"].as_object().expect("days");
    let calls: u64 = days.values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(calls, 2, "{caller}");

    let csv = run_ok(folder, &["usage", "--format", "csv"]);
    let (header, rows) = csv.split_once('\n').expect("a header");
    assert!(header.starts_with("operation,key,name,day,calls,"), "{csv}");
    let day = days.keys().next().expect("a day");
    let row = rows
        .lines()
        .find(|row| row.contains(day.as_str()))
        .expect("a row");
    assert!(
        row.starts_with("getPet,k_") && row.contains(",first,"),
        "{csv}"
    );

    let page = page(&watched);
    for part in [
        "Still in use: 2 calls by 1 key",
        "<svg",
        "<title>",
        "&lt;b&gt;shop&lt;/b&gt;/2.0",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
    assert_eq!(service.get("/usage").status, 404, "it is not public");
    let name = "petstore_deprecated_operation_sunset_timestamp_seconds";
    let labels = [("operation", "getPet")];
    watched.scrape().assert(name, &labels, 1_922_659_200.0);
}

#[test]
fn usage_of_an_upgraded_store_is_counted_from_the_first_start_on() {
    let folder = std::sync::Arc::new(tempfile::TempDir::new().expect("a folder can be made"));
    // A store of version 1.0.0, which counted nothing, with a key that was created long ago.
    let path = folder.path().join("petstore.db");
    crate::migrate::oldest(&path);
    let db = rusqlite::Connection::open(&path).expect("the store");
    let key = "INSERT INTO api_keys (id, name, hash, created_at) VALUES ('k_mvbvqf8yh5d5', 'old', zeroblob(32), 1600000000000000)";
    db.execute_batch(key).expect("a key");
    drop(db);
    run_ok(folder.path(), &["migrate"]);
    let operation = || {
        let export = run_ok(folder.path(), &["usage", "--format", "json"]);
        let export: serde_json::Value = serde_json::from_str(&export).expect("JSON");
        export["operations"][0].clone()
    };
    let unknown = operation();
    assert_eq!(unknown["operation"], "getPet");
    for member in ["counted_since", "days_without_calls"] {
        assert!(unknown[member].is_null(), "{unknown}");
    }
    assert_eq!(unknown["is_unused"], false, "{unknown}");

    let before = chrono::Utc::now();
    let service = Service::start_in(folder.clone(), &[], &[]);
    let counted = operation();
    let since = |operation: &serde_json::Value| {
        let since = operation["counted_since"].as_str().expect("a time");
        since
            .parse::<chrono::DateTime<chrono::Utc>>()
            .expect("a time")
    };
    // The time is shown in whole seconds.
    assert!(
        since(&counted).timestamp() >= before.timestamp(),
        "{counted}"
    );
    assert_eq!(counted["days_without_calls"], 0, "{counted}");
    assert_eq!(counted["is_unused"], false, "{counted}");
    drop(service);
    let db = rusqlite::Connection::open(&path).expect("the store");
    let earlier = "UPDATE counted_operations SET since = since - 60 * 86400000000";
    db.execute_batch(earlier).expect("60 days");
    drop(db);
    let long_ago = since(&operation());
    let _again = Service::start_in(folder.clone(), &[], &[]);
    assert_eq!(
        since(&operation()),
        long_ago,
        "another start changes nothing"
    );
}

/// Returns the page of the admin listener.
fn page(watched: &Watched) -> String {
    let response = watched.ask("/usage");
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(
        response.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let policy = response
        .header("content-security-policy")
        .expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src"),
        "{policy}"
    );
    String::from_utf8(response.body).expect("text")
}
