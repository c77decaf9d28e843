//! Tests the sources of the URL and the API key, and that the key is never
//! printed.

use crate::{
    program::{Finished, User, petstore},
    service::Service,
};
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
};

const LIST: [&str; 2] = ["pets", "list"];

/// Writes the configuration file that is used by default.
fn configure(user: &User, text: &str, mode: u32) {
    let file = user.path(".config/petstore/cli.toml");
    fs::create_dir_all(file.parent().expect("a folder")).expect("can be made");
    fs::write(&file, text).expect("can be written");
    fs::set_permissions(&file, Permissions::from_mode(mode)).expect("it is ours");
}

fn run(user: &User, arguments: &[&str], variables: &[(&str, &str)]) -> Finished {
    let mut command = petstore(user.folder.path());
    let output = command
        .args(arguments)
        .envs(variables.iter().copied())
        .output();
    Finished::from(output.expect("the program can be run"))
}

#[test]
fn the_configuration_file_may_have_a_key_if_only_its_owner_can_read_it() {
    let service = Service::start();
    let user = User::of(&service);
    let text = format!("url = {:?}\napi-key = {:?}\n", service.url, service.key);
    for mode in [0o600, 0o400] {
        configure(&user, &text, mode);
        assert_eq!(run(&user, &LIST, &[]).stdout_of(0), "[]\n");
    }
    for mode in [0o644, 0o640, 0o601, 0o620] {
        configure(&user, &text, mode);
        let finished = run(&user, &LIST, &[]);
        assert_eq!(finished.stdout_of(2), "");
        finished.reports(&[
            "other users can read it",
            &format!("(mode 0{mode:o})"),
            "chmod 600",
        ]);
        assert!(!finished.err.contains(&service.key), "{}", finished.err);
    }
    // Without a key, the file contains no secret.
    configure(&user, &format!("url = {:?}\n", service.url), 0o644);
    let key = ("PETSTORE_API_KEY", service.key.as_str());
    assert_eq!(run(&user, &LIST, &[key]).stdout_of(0), "[]\n");
}

#[test]
fn a_flag_takes_precedence_over_an_environment_variable_and_a_variable_over_the_file() {
    let (service, away) = (Service::start(), "http://127.0.0.1:1/v1");
    let user = User::of(&service);
    let key = ("PETSTORE_API_KEY", service.key.as_str());
    configure(
        &user,
        &format!("url = {away:?}\napi-key = \"of_the_file\"\n"),
        0o600,
    );
    let url = ("PETSTORE_URL", service.url.as_str());
    run(&user, &LIST, &[key, url]).stdout_of(0);
    run(&user, &LIST, &[url]).reports(&["401"]).stdout_of(5);
    let flagged = ["pets", "list", "--url", &service.url];
    run(&user, &flagged, &[key, ("PETSTORE_URL", away)]).stdout_of(0);
    user.write("other.toml", &format!("url = {:?}\n", service.url));
    run(&user, &["--config", "other.toml", "pets", "list"], &[key]).stdout_of(0);
    run(&user, &LIST, &[key, ("PETSTORE_CLI_CONFIG", "other.toml")]).stdout_of(0);
    let missing = run(&user, &["--config", "none.toml", "pets", "list"], &[key]);
    missing.reports(&["none.toml"]).stdout_of(2);
}

#[test]
fn an_error_in_the_configuration_file_does_not_repeat_its_values() {
    let service = Service::start();
    let user = User::of(&service);
    for (text, words) in [
        (
            format!("apikey = {:?}\n", service.key),
            "line 1: unknown field `apikey`",
        ),
        (
            format!("url = \"x\"\napi-key = {}\n", service.key),
            "line 2",
        ),
    ] {
        configure(&user, &text, 0o600);
        let finished = run(&user, &LIST, &[]);
        finished.reports(&["cli.toml", words]).stdout_of(2);
        assert!(!finished.err.contains(&service.key), "{}", finished.err);
    }
}

#[test]
fn without_a_key_the_error_names_the_variable_and_the_file() {
    let service = Service::start();
    let user = User::of(&service);
    let finished = run(&user, &LIST, &[]);
    finished
        .reports(&["PETSTORE_API_KEY", "cli.toml", "petstore-server key create"])
        .stdout_of(2);
    let empty = run(&user, &LIST, &[("PETSTORE_API_KEY", "")]);
    empty.reports(&["there is no API key"]).stdout_of(2);
}

#[test]
fn neither_the_help_nor_an_error_shows_the_api_key() {
    let service = Service::start();
    let user = User::of(&service);
    let variables = [
        ("PETSTORE_API_KEY", service.key.as_str()),
        ("PETSTORE_URL", "ftp://user:secret@pets.example/v1"),
    ];
    for arguments in [
        &["--help"][..],
        &["pets", "import", "--help"],
        &LIST,
        &["man"],
    ] {
        let finished = run(&user, arguments, &variables);
        let all = format!("{}{}", finished.out, finished.err);
        assert!(
            !all.contains(&service.key) && !all.contains("secret"),
            "{all}"
        );
    }
}
