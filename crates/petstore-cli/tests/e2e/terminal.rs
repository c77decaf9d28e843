//! Tests the output on a terminal: tables, a progress bar, and colours only if they are supported
//! and wanted. `script` of util-linux provides the terminal.

use crate::{
    interrupted::pets,
    program::{Finished, User},
    service::Service,
};
use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    process::Command,
    thread,
};
use test_support::{Need, skip};

/// Runs the program in a terminal, to which both stdout and stderr are connected.
fn at_a_terminal(user: &User, arguments: &[&str], variables: &[(&str, &str)]) -> Option<String> {
    let line = [&[env!("CARGO_BIN_EXE_petstore")], arguments]
        .concat()
        .join(" ");
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", user.folder.path())
        .env("TERM", "xterm")
        .env("PETSTORE_URL", &user.url)
        .env("PETSTORE_API_KEY", &user.key)
        .envs(variables.iter().copied())
        .current_dir(user.folder.path())
        .output();
    match output {
        Ok(output) => Some(Finished::from(output).stdout_of(0).to_owned()),
        Err(error) => {
            skip(Need::Script, format!("`script` cannot be run: {error}"));
            None
        }
    }
}

#[test]
fn a_terminal_gets_a_table_with_a_bold_header_unless_colours_are_disabled() {
    let service = Service::start();
    let user = User::of(&service);
    user.run(&["pets", "add", "--name", "Rex", "--category-id", "7"])
        .stdout_of(0);
    let Some(finished) = at_a_terminal(&user, &["pets", "list"], &[]) else {
        return;
    };
    assert_eq!(
        finished,
        "\u{1b}[1mID  STATUS     CATEGORY  NAME\u{1b}[0m\r\n 1  -                 7  Rex\r\n"
    );
    let plain = at_a_terminal(&user, &["pets", "list"], &[("NO_COLOR", "1")]);
    let plain = plain.expect("as before");
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    let json = at_a_terminal(&user, &["pets", "list", "--output", "json"], &[]);
    assert!(json.expect("as before").starts_with("[\r\n{"));
}

#[test]
fn a_terminal_shows_the_progress_of_an_import() {
    let service = Service::start();
    let user = User::of(&service);
    user.write("pets.ndjson", &pets(500));
    let Some(finished) = at_a_terminal(&user, &["pets", "import", "pets.ndjson"], &[]) else {
        return;
    };
    assert!(
        finished.contains("] 0 of 500 lines") || finished.contains(" of 500 lines"),
        "{finished:?}"
    );
    assert!(
        finished.contains("imported: 500 of 500 lines of pets.ndjson are done (500 added)"),
        "{finished:?}"
    );
    assert!(!finished.contains('{'), "no JSON for people: {finished:?}");
}

/// Characters that control a terminal, that change the direction of text, or that are invisible.
const HIDDEN: [char; 8] = [
    '\u{85}',
    '\u{9b}',
    '\u{202e}',
    '\u{2067}',
    '\u{200f}',
    '\u{61c}',
    '\u{200b}',
    '\u{e0041}',
];

/// Adds a pet whose name contains all of them, through the API; returns the name.
fn pet_with_a_hostile_name(user: &User) -> String {
    let name: String = HIDDEN.iter().flat_map(|hidden| ['a', *hidden]).collect();
    let arguments = ["pets", "add", "--name", &name, "--category-id", "7"];
    user.run(&arguments).stdout_of(0);
    name
}

fn assert_shows_none_of_them(output: &str) {
    for hidden in HIDDEN {
        assert!(
            !output.contains(hidden),
            "{}: {output:?}",
            hidden.escape_unicode()
        );
    }
}

#[test]
fn hidden_characters_of_names_are_replaced_on_a_terminal() {
    let service = Service::start();
    let user = User::of(&service);
    let name = pet_with_a_hostile_name(&user);
    for arguments in [
        &["pets", "list", "--output", "json"][..],
        &["pets", "list"],
        &["pets", "export"],
        &["pets", "export", "--format", "csv"],
    ] {
        let Some(shown) = at_a_terminal(&user, arguments, &[]) else {
            return;
        };
        assert_shows_none_of_them(&shown);
        let visible = if shown.contains('{') {
            "a\\u009b"
        } else {
            "a\u{fffd}"
        };
        assert!(shown.contains(visible), "{arguments:?}: {shown:?}");
    }
    // A program reads the name unchanged.
    let json = user.run(&["pets", "list", "--output", "json"]);
    let pets: serde_json::Value = serde_json::from_str(json.stdout_of(0)).expect("JSON");
    assert_eq!(pets[0]["name"], name);
    let csv = user.run(&["pets", "export", "--format", "csv"]);
    assert!(csv.stdout_of(0).contains(&name));
}

#[test]
fn hidden_characters_of_service_errors_are_replaced_on_a_terminal() {
    let service = Service::start();
    let mut user = User::of(&service);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    user.url = format!("http://{address}/v1");
    let message: String = HIDDEN.iter().collect();
    let body = serde_json::json!({
        "code": "not_found", "message": format!("gone {message}!"), "request_id": "r1",
    });
    let body = body.to_string();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 4096]);
            let head =
                "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nConnection: close";
            let _ = write!(
                stream,
                "{head}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    let finished = user.run(&["orders", "get", "1"]);
    finished.reports(&["gone \u{fffd}"]);
    assert_shows_none_of_them(&finished.err);
}
