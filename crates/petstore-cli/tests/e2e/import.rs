//! Tests the messages of an import: invalid lines, files that cannot be imported again, and
//! services with a rate limit.

use crate::{
    interrupted::{each_is_there_once, pets},
    program::User,
    service::Service,
};
use serde_json::Value;

/// The rejected lines, as `--rejected` writes them.
fn rejected(user: &User, file: &str) -> Vec<(u64, String)> {
    let text = user.read(file);
    let lines = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let reason = line["reason"].as_str().expect("a reason").to_owned();
        (line["line"].as_u64().expect("a number"), reason)
    });
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines
}

#[test]
fn invalid_lines_are_reported_with_their_numbers_and_the_others_are_added() {
    let service = Service::start();
    let user = User::of(&service);
    let text = format!(
        "{}\n\n{}\n{}\n{}\n{}\n{}\n",
        r#"{"name":"pet 1","categoryId":1}"#,
        r#"{"name":"Rex""#,
        r#"{"name":"Rex","categoryId":7,"status":"gone"}"#,
        r#"{"name":"Rex","categoryId":7,"owner":"Ann"}"#,
        r#"{"name":"pet 2","categoryId":2}"#,
        "x".repeat(100_000),
    );
    user.write("pets.ndjson", &text);
    let import = [
        "pets",
        "import",
        "pets.ndjson",
        "--rejected",
        "rejected.ndjson",
    ];
    let finished = user.run(&import);
    let report = finished.json(3);
    assert_eq!(
        (&report["added"], &report["refused"]),
        (&2.into(), &4.into())
    );
    each_is_there_once(&service, 2);
    let expected = [
        (3, "EOF"),
        (4, "`gone`"),
        (5, "`owner`"),
        (7, "longer than 64 KiB"),
    ];
    let found = rejected(&user, "rejected.ndjson");
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((line, word), (found, reason)) in expected.iter().zip(&found) {
        assert_eq!(line, found);
        assert!(reason.contains(word), "{reason}");
        finished.reports(&[&format!("line {line} is rejected: {reason}")]);
    }
    let again = user.run(&import);
    again
        .reports(&["already imported: 6 of 6 lines"])
        .stdout_of(3);
    assert_eq!(rejected(&user, "rejected.ndjson"), found);
    each_is_there_once(&service, 2);
}

#[test]
fn the_columns_of_a_csv_file_are_identified_by_their_names() {
    let service = Service::start();
    let user = User::of(&service);
    user.write(
        "pets.csv",
        "\u{feff}status,categoryId,name\r\nsold,1,pet 1\r\n,2,\"pet 2\"\r\n,x,\"two\nlines\"\r\n,3,pet 3\r\nsold,4\r\n",
    );
    let finished = user.run(&["pets", "import", "pets.csv"]);
    assert_eq!(finished.json(3)["lines"], 5);
    finished.reports(&[
        "line 4 is rejected: categoryId",
        "line 7 is rejected: has 2 fields",
    ]);
    each_is_there_once(&service, 3);
}

#[test]
fn a_file_that_cannot_be_split_into_pets_is_rejected_as_a_whole() {
    let service = Service::start();
    let user = User::of(&service);
    for (text, word) in [
        ("name,categoryId\nRex,7\n\"Tom,8\nZoe,9\n", "line 3"),
        ("name,categoryId,stauts\nRex,7,sold\n", "`stauts`"),
        ("Rex,7\n", "`Rex`"),
        ("", "is empty"),
    ] {
        user.write("pets.csv", text);
        let finished = user.run(&["pets", "import", "pets.csv"]);
        assert_eq!(finished.stdout_of(2), "");
        finished.reports(&[word]);
    }
    assert!(service.pets().is_empty());
    assert!(!user.path("pets.csv.journal").exists());
}

#[test]
fn a_file_that_was_imported_is_not_imported_again() {
    let service = Service::start();
    let user = User::of(&service);
    user.write("pets.ndjson", &pets(3));
    let first = user.run(&["pets", "import", "pets.ndjson", "--output", "table"]);
    assert_eq!(first.stdout_of(0), "");
    first.reports(&["imported: 3 of 3 lines of pets.ndjson are done (3 added)"]);
    let again = user.run(&["pets", "import", "pets.ndjson", "--output", "table"]);
    again
        .reports(&["already imported: 3 of 3 lines"])
        .stdout_of(0);
    each_is_there_once(&service, 3);
    // A journal with another name belongs to another import.
    let other = user.run(&["pets", "import", "pets.ndjson", "--journal", "other"]);
    assert_eq!(other.json(0)["added"], 3);
    assert_eq!(service.pets().len(), 6);
}

#[test]
fn the_file_of_rejected_lines_cannot_replace_the_input_or_the_journal() {
    let service = Service::start();
    let user = User::of(&service);
    user.write("pets.ndjson", &pets(3));
    // `--refused` was the name of the flag up to version 1.2.0.
    for flag in ["--rejected", "--refused"] {
        for file in ["pets.ndjson", "./pets.ndjson.journal"] {
            let finished = user.run(&["pets", "import", "pets.ndjson", flag, file]);
            finished
                .reports(&["--rejected would overwrite"])
                .stdout_of(2);
        }
    }
    assert_eq!(user.read("pets.ndjson"), pets(3));
    assert!(service.pets().is_empty());
}

#[test]
fn an_import_waits_for_the_rate_limit() {
    let limits = ["--rate-limit-per-second", "100", "--rate-limit-burst", "20"];
    let service = Service::start_with(&limits);
    let user = User::of(&service);
    user.write("pets.ndjson", &pets(150));
    let report = user
        .run(&["pets", "import", "pets.ndjson", "--concurrency", "16"])
        .json(0);
    assert_eq!(report["added"], 150);
}
