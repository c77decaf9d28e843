//! Tests `pets list`, `add` and `get`, and the exit codes of commands.

use crate::{program::User, service::Service};
use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    process::Command,
    thread,
};

fn add(user: &User, name: &str, status: &str) -> i64 {
    let finished = user.run(&[
        "pets",
        "add",
        "--name",
        name,
        "--category-id",
        "7",
        "--status",
        status,
    ]);
    finished.json(0)["id"].as_i64().expect("an id")
}

#[test]
fn a_pet_that_is_added_is_printed_and_listed() {
    let service = Service::start();
    let user = User::of(&service);
    let finished = user.run(&["pets", "add", "--name", "-Rex", "--category-id", "-7"]);
    assert_eq!(
        finished.stdout_of(0),
        "{\"categoryId\":-7,\"id\":1,\"name\":\"-Rex\",\"version\":1}\n"
    );
    assert_eq!(finished.err, "");
    add(&user, "Tom", "sold");
    let sold = user.run(&["pets", "list", "--status", "sold"]).json(0);
    assert_eq!(
        sold,
        serde_json::json!([{"id": 2, "name": "Tom", "categoryId": 7, "status": "sold", "version": 1}])
    );
    let none = user.run(&["pets", "list", "--status", "pending"]);
    assert_eq!((none.stdout_of(0), none.err.as_str()), ("[]\n", ""));
}

#[test]
fn a_page_of_pets_shows_the_next_cursor_and_the_option_all_lists_every_page() {
    let service = Service::start();
    let user = User::of(&service);
    let ids: Vec<i64> = (0..5).map(|_| add(&user, "Rex", "sold")).collect();
    let found = |arguments: &[&str]| {
        let finished = user.run(&[&["pets", "list", "--status", "sold"], arguments].concat());
        let pets = finished.json(0);
        let pets = pets.as_array().expect("an array").iter();
        let ids: Vec<i64> = pets.map(|pet| pet["id"].as_i64().expect("an id")).collect();
        (ids, finished.err)
    };
    let (first, finished) = found(&["--limit", "2"]);
    assert_eq!(first, ids[..2]);
    let mut words = finished
        .split_whitespace()
        .skip_while(|word| *word != "--cursor");
    let cursor = words
        .nth(1)
        .unwrap_or_else(|| panic!("no cursor in {finished}"));
    let (next, _) = found(&["--limit", "2", "--cursor", cursor]);
    assert_eq!(next, ids[2..4]);
    assert_eq!(
        found(&["--limit", "2", "--all"]),
        (ids.clone(), String::new())
    );
    assert_eq!(found(&["--all"]), (ids.clone(), String::new()));
    assert_eq!(
        found(&["--all", "--cursor", cursor]),
        (ids[2..].to_vec(), String::new())
    );
}

#[test]
fn a_table_has_one_row_per_pet_and_contains_no_control_characters() {
    let service = Service::start();
    let user = User::of(&service);
    add(&user, "Rex\u{1b}[31m", "available");
    add(&user, "Tom", "sold");
    let finished = user.run(&["pets", "list", "--output", "table"]);
    let expected = "\
ID  STATUS     CATEGORY  NAME
 1  available         7  Rex\u{fffd}[31m
 2  sold              7  Tom
";
    assert_eq!(finished.stdout_of(0), expected);
}

#[test]
fn pets_get_prints_the_pet_and_writes_the_deprecation_to_stderr() {
    let service = Service::start();
    let user = User::of(&service);
    add(&user, "Rex", "sold");
    let finished = user.run(&["pets", "get", "1"]);
    assert_eq!(finished.json(0)["name"], "Rex");
    finished.reports(&[
        "warning: getPet is deprecated by the service since 20 November 2026",
        "removed on 5 December 2030",
        &format!("its replacement is {}/pets", service.url),
        "`petstore pets list --status STATUS`",
    ]);
    assert_eq!(finished.err.lines().count(), 1, "{}", finished.err);
    let missing = user.run(&["pets", "get", "99"]);
    assert_eq!(missing.stdout_of(6), "");
    missing.reports(&[
        "removed on 5 December 2030",
        "cannot fetch the pet 99",
        "404 not_found",
    ]);
}

#[test]
fn invalid_arguments_are_reported_before_anything_is_sent() {
    let service = Service::start();
    let user = User::of(&service);
    for (arguments, words) in [
        (&["pets", "list", "--limit", "0"][..], "from 1 to 100"),
        (&["pets", "list", "--limit", "101"], "from 1 to 100"),
        (
            &["pets", "list", "--status", "gone"],
            "available, pending, sold",
        ),
        (&["pets", "list", "--cursor", ""], "`cursor`"),
        (&["pets", "add", "--name", "Rex"], "--category-id"),
        (&["pets", "get", "Rex"], "Rex"),
        (&["pets", "import", "pets.ndjson"], "No such file"),
        (&["pets", "import", "pets.txt"], "--format"),
        (
            &["pets", "import", ".", "--format", "csv"],
            "is not a regular file",
        ),
        (
            &["pets", "import", "pets.csv", "--concurrency", "0"],
            "1..=256",
        ),
    ] {
        let finished = user.run(arguments);
        assert_eq!(finished.stdout_of(2), "", "{arguments:?}");
        finished.reports(&[words]);
    }
}

#[test]
fn a_rejected_key_and_an_unreachable_service_have_their_own_exit_codes() {
    let service = Service::start();
    let mut user = User::of(&service);
    let key = std::mem::replace(&mut user.key, "no_key_of_it".to_owned());
    let refused = user.run(&["pets", "list"]);
    assert_eq!(refused.stdout_of(5), "");
    refused.reports(&["401 unauthorized"]);
    assert!(!refused.err.contains("no_key_of_it"), "{}", refused.err);

    user.key = key;
    let nobody = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    user.url = format!("http://{}/v1", nobody.local_addr().expect("an address"));
    drop(nobody);
    let away = user.run(&["pets", "add", "--name", "Rex", "--category-id", "7"]);
    assert_eq!(away.stdout_of(75), "");
    assert!(
        !away.err.contains("--idempotency-key"),
        "it was never sent: {}",
        away.err
    );
}

#[test]
fn a_pet_whose_response_was_lost_is_added_only_once_if_the_printed_key_is_used_again() {
    let service = Service::start();
    let user = User::of(&service);
    let add = [
        "pets",
        "add",
        "--name",
        "Rex",
        "--category-id",
        "7",
        "--idempotency-key",
        "a1",
    ];
    let first = user.run(&add);
    let again = user.run(&add);
    assert_eq!(first.stdout_of(0), again.stdout_of(0));
    assert_eq!(service.pets().len(), 1);
    let other = user.run(&[
        "pets",
        "add",
        "--name",
        "Tom",
        "--category-id",
        "7",
        "--idempotency-key",
        "a1",
    ]);
    other.reports(&["422 idempotency_key_reused"]).stdout_of(1);
}

#[test]
fn the_error_for_a_url_without_the_api_version_names_the_version_and_not_a_missing_pet() {
    let service = Service::start();
    let mut user = User::of(&service);
    user.run(&["pets", "get", "99"]).stdout_of(6);
    user.url = user.url.trim_end_matches("/v1").to_owned();
    for arguments in [&["pets", "get", "99"][..], &["pets", "list"]] {
        let hint = "its version is missing: end --url or PETSTORE_URL with `/v1`";
        user.run(arguments).reports(&[hint]).stdout_of(1);
    }
}

#[test]
fn an_empty_pet_name_and_an_export_in_table_format_are_rejected() {
    let service = Service::start();
    let user = User::of(&service);
    for name in ["", "  "] {
        let finished = user.run(&["pets", "add", "--category-id", "7", "--name", name]);
        finished.reports(&["the name is empty"]).stdout_of(2);
    }
    let finished = user.run(&["pets", "export", "--output", "table"]);
    finished.reports(&["`export` writes no table"]).stdout_of(2);
    let exported = user.run(&["pets", "export", "--output", "json"]);
    assert_eq!(exported.stdout_of(0), "");
}

#[test]
fn help_lists_the_options_of_a_command_before_those_of_all_commands() {
    let service = Service::start();
    let help = User::of(&service).run(&["pets", "list", "--help"]);
    let help = help.stdout_of(0);
    let place = |text: &str| {
        help.find(text)
            .unwrap_or_else(|| panic!("no {text} in {help}"))
    };
    assert!(place("--status") < place("--all"));
    assert!(place("--all") < place("Global options:"));
    assert!(place("Global options:") < place("--url"));
    assert!(
        help.contains("[default: http://127.0.0.1:8080/v1]"),
        "{help}"
    );
    assert!(!help.contains("if not given"), "{help}");
}

#[test]
fn importing_a_pipe_is_rejected_at_once() {
    let service = Service::start();
    let user = User::of(&service);
    let made = Command::new("mkfifo")
        .arg(user.path("pets.ndjson"))
        .status();
    assert!(made.is_ok_and(|status| status.success()), "no pipe");
    let finished = user.start(&["pets", "import", "pets.ndjson"]).ended();
    finished.stdout_of(2);
    finished.reports(&["`pets.ndjson` is not a regular file: an import reads the file twice"]);
}

/// Sends chunks to its first connection as long as the client reads them.
fn endless() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/v1", listener.local_addr().expect("bound"));
    thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        // A response before the request would be a different error.
        assert!(
            connection
                .read(&mut [0; 4096])
                .is_ok_and(|length| length > 0)
        );
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
        let chunk = format!("100000\r\n{}\r\n", " ".repeat(1 << 20));
        connection.write_all(head.as_bytes()).expect("it is read");
        // This is more than the memory limit allows, and it ends even if the client reads everything.
        for _ in 0..1024 {
            if connection.write_all(chunk.as_bytes()).is_err() {
                return;
            }
        }
    });
    url
}

#[test]
fn a_command_that_gets_an_endless_response_ends_and_uses_limited_memory() {
    // In KiB: enough for the program, the memory that its threads reserve, and twice the largest
    // response.
    let limited = format!(
        "ulimit -v 1000000; exec '{}' pets get 1",
        env!("CARGO_BIN_EXE_petstore")
    );
    let output = Command::new("sh")
        .args(["-c", &limited])
        .env_clear()
        .env("PETSTORE_URL", endless())
        .env("PETSTORE_API_KEY", "petstore_any")
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("the response has more than 67108864 bytes"),
        "{said}"
    );
}
