//! Tests the output on a terminal: tables, a progress bar, and colours only
//! where they are supported and wanted. `script` of util-linux makes the
//! terminal.

use crate::{
    interrupted::pets,
    program::{Finished, User},
    service::Service,
    skip::skip,
};
use std::process::Command;

/// Runs the program in a terminal; both its streams are that terminal.
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
            skip(
                "PETSTORE_REQUIRE_SCRIPT",
                &format!("`script` cannot be run: {error}"),
            );
            None
        }
    }
}

#[test]
fn a_terminal_gets_a_table_whose_header_is_bold_unless_no_colour_is_wanted() {
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
fn a_terminal_sees_how_far_an_import_is() {
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
