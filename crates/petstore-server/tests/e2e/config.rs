//! Tests the precedence of the sources of a setting: flag, variable, file and default.

use crate::process::{Service, program, run, run_failing, run_ok};
use std::{fs, sync::Arc};
use tempfile::TempDir;

fn folder_with(config: &str) -> Arc<TempDir> {
    let folder = TempDir::new().expect("a folder can be made");
    fs::write(folder.path().join("petstore.toml"), config).expect("a file can be written");
    Arc::new(folder)
}

/// Returns the database that was created.
fn made(folder: &TempDir) -> String {
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .expect("the folder is there")
        .filter_map(|entry| entry.expect("can be read").file_name().into_string().ok())
        .filter(|name| name.ends_with(".db"))
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    names.remove(0)
}

#[test]
fn flags_override_variables_variables_override_the_file_and_the_file_overrides_defaults() {
    let file = "database = \"sqlite:file.db\"\n";
    let variable = ("PETSTORE_DATABASE", "sqlite:variable.db");
    let named = ("PETSTORE_CONFIG", "petstore.toml");

    let made_with = |arguments: &[&str], variables: &[(&str, &str)]| {
        let folder = folder_with(file);
        let _service = Service::start_in(folder.clone(), arguments, variables);
        made(&folder)
    };
    let flag = ["--database", "sqlite:flag.db"];
    assert_eq!(made_with(&flag, &[variable, named]), "flag.db");
    assert_eq!(made_with(&[], &[variable, named]), "variable.db");
    assert_eq!(made_with(&[], &[named]), "file.db");
    assert_eq!(made_with(&["--config", "petstore.toml"], &[]), "file.db");
    assert_eq!(made_with(&[], &[]), "petstore.db");
}

#[test]
fn the_commands_that_open_the_store_read_the_same_settings() {
    let folder = folder_with("database = \"sqlite:file.db\"\nmax-in-flight = 7\n");
    for command in [&["migrate", "--create"][..], &["key", "create", "a"]] {
        let arguments = [command, &["--config", "petstore.toml"]].concat();
        run_ok(folder.path(), &arguments);
    }
    assert_eq!(made(&folder), "file.db");
}

#[test]
fn an_unusable_file_is_reported_with_its_path_and_the_reason() {
    for (config, named) in [
        (
            "# mine\n\nlistne = \"127.0.0.1:1\"",
            "line 3: the key `listne` is unknown; write `listen`",
        ),
        (
            "[colours]\nred = 1",
            "line 1: the key `colours` is unknown; the keys are the names of the flags",
        ),
        (
            "max_in_flight = 1",
            "line 1: the key `max_in_flight` is unknown; write `max-in-flight`",
        ),
        (
            "log = \"info\"\nmax-in-flight = 0",
            "line 2: the value of `max-in-flight` cannot be used: write a whole number, 1 or more",
        ),
        (
            "listen = \"here\"",
            "line 1: the value of `listen` cannot be used: write an IP address and a port",
        ),
        ("body-read-seconds = \"10s\"", "write a number of seconds"),
        ("listen = ", "it is not valid TOML"),
        (
            "# mine\nlisten = 127.0.0.1:8080",
            "line 2: the value of `listen` is a text and needs quotes, as in `listen = ",
        ),
        (
            "compression = true",
            "line 1: the value of `compression` cannot be used: write `\"on\"`, with quotes",
        ),
        (
            "rate-limit-burst = 4294967296",
            "the number is too large; write at most 4294967295",
        ),
        (
            "log = \"warning\"",
            "`warning` is not a level; write `warn`",
        ),
        ("log = \"inf\"", "`inf` is not a level; write `info`"),
    ] {
        let folder = folder_with(config);
        let error = run_failing(folder.path(), &["serve", "--config", "petstore.toml"], 2);
        let start = "error: the configuration file `petstore.toml` cannot be used: ";
        assert!(
            error.starts_with(start) && error.contains(named),
            "{config}: {error}"
        );
    }
    let folder = TempDir::new().expect("a folder can be made");
    let error = run_failing(folder.path(), &["serve", "--config", "none.toml"], 2);
    assert!(
        error.starts_with("error: cannot read the configuration file `none.toml`"),
        "{error}"
    );
}

#[test]
fn an_invalid_value_is_reported_with_its_source() {
    let folder = TempDir::new().expect("a folder can be made");
    for (name, value, help) in [
        (
            "listen",
            "here",
            "write an IP address and a port, as in `127.0.0.1:8080`",
        ),
        (
            "listen",
            "",
            "write an IP address and a port, as in `127.0.0.1:8080`",
        ),
        (
            "max-in-flight",
            "1O",
            "write a whole number, 1 or more, in digits only",
        ),
        (
            "rate-limit-burst",
            "99999999999",
            "the number is too large; write at most 4294967295",
        ),
        ("log", "warning", "`warning` is not a level; write `warn`"),
        ("sunset", "maybe", "announce"),
        (
            "trusted-proxies",
            "proxy",
            "`proxy` is neither an address nor a network",
        ),
    ] {
        let flag = format!("--{name}");
        let error = run_failing(folder.path(), &["serve", &flag, value], 2);
        assert!(error.contains(&flag) && error.contains(help), "{error}");

        let variable = format!("PETSTORE_{}", name.replace('-', "_").to_uppercase());
        let mut command = program(folder.path());
        let output = command.arg("serve").env(&variable, value).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let error = String::from_utf8(output.stderr).expect("text");
        let start =
            format!("error: the value {value:?} of the variable `{variable}` cannot be used: ");
        assert!(error.starts_with(&start) && error.contains(help), "{error}");
        assert!(!error.contains(&flag), "{error}");
    }
}

#[test]
fn a_mistyped_database_creates_no_store() {
    let service = Service::start();
    let folder = service.folder.path();
    for command in [
        &["key", "list"][..],
        &["key", "create", "a"],
        &["key", "revoke", "k_000000000000"],
        &["usage"],
        &["migrate"],
        &["migrate", "--dry-run"],
    ] {
        let arguments = [command, &["--database", "sqlite:typo.db"]].concat();
        let error = run_failing(folder, &arguments, 1);
        let start = "error: cannot open the database `sqlite:typo.db`: there is no store; ";
        assert!(error.starts_with(start), "{command:?}: {error}");
        assert!(error.contains("typing mistake"), "{error}");
        assert!(!folder.join("typo.db").exists(), "{command:?}");
    }
}

#[test]
fn two_servers_on_one_file_work_and_the_second_one_logs_a_warning() {
    let first = Service::start();
    let id = first.add("Rex", None);
    let mut second = Service::start_in(first.folder.clone(), &[], &[]);
    second.key.clone_from(&first.key);
    let line = second.log.wait_for("another server uses");
    assert!(
        line.contains("WARN") && line.contains("sqlite:petstore.db"),
        "{line}"
    );
    assert!(
        !first.log.text().contains("another server"),
        "{}",
        first.log.text()
    );
    assert_eq!(second.get(&format!("/v1/pets/{id}")).status, 200);
    let other = second.add("Tom", None);
    assert_eq!(first.get(&format!("/v1/pets/{other}")).status, 200);
    drop((first, second));
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let alone = [(); 2].map(|()| {
        let service = Service::start_in(folder.clone(), &[], &[]);
        assert!(!service.showed_a_key() || !service.log.text().contains("another server"));
        service.log.text()
    });
    assert!(!alone.concat().contains("another server"), "{alone:?}");
}

#[test]
fn settings_that_exclude_each_other_are_rejected() {
    let folder = TempDir::new().expect("a folder can be made");
    let error = run_failing(folder.path(), &["serve", "--body-budget-bytes", "10"], 2);
    assert!(
        error.contains("`body-budget-bytes`") && error.contains("`body-max-bytes`"),
        "{error}"
    );
}

#[test]
fn a_flag_that_cannot_be_used_is_a_usage_error() {
    let folder = TempDir::new().expect("a folder can be made");
    for arguments in [
        &["serve", "--listen", "here"][..],
        &["serve", "--sunset", "maybe"],
        &["serve", "--min-stability", "high"],
        &["serve", "--rate-limit-per-second", "0"],
        &["serve", "--cors-origins", "shop.example"],
        &["serve", "--compression", "brotli"],
        &["serve", "--shutdown-delay-seconds", "-1"],
        &["serve", "--log", "loud=loud=loud"],
        &["serve", "--request-deadline-seconds", "0"],
        &["serve", "--lissen", "127.0.0.1:1"],
        &["key"],
        &[],
    ] {
        let error = run_failing(folder.path(), arguments, 2);
        assert!(!error.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_effective_settings_are_printed_as_an_equivalent_file() {
    let folder = folder_with("max-in-flight = 7\nlisten = \"127.0.0.1:1\"\n");
    let arguments = ["config", "--config", "petstore.toml", "--sunset", "enforce"];
    let printed = run_ok(folder.path(), &arguments);
    for line in [
        "max-in-flight = 7\n",
        "listen = \"127.0.0.1:1\"\n",
        "sunset = \"enforce\"\n",
        "database = \"sqlite:petstore.db\"\n",
        "body-max-bytes = 65536\n",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(!printed.contains("tls-cert"), "{printed}");
    fs::write(folder.path().join("printed.toml"), &printed).expect("a file can be written");
    let again = run_ok(folder.path(), &["config", "--config", "printed.toml"]);
    assert_eq!(again, printed);
    assert!(
        !folder.path().join("petstore.db").exists(),
        "it only prints"
    );
}

#[test]
fn config_rejects_what_serve_rejects_with_the_same_message() {
    let folder = folder_with("");
    let same_address = "error: `listen` and `admin-listen` are the same address and port;";
    let certificates = "error: the value of `database` cannot be used: the certificates to trust cannot be read from `none.pem`";
    let both = |listen, admin| vec!["--listen", listen, "--admin-listen", admin];
    for (arguments, message) in [
        (both("127.0.0.1:9", "127.0.0.1:9"), same_address),
        (both("0.0.0.0:9", "127.0.0.1:9"), same_address),
        (both("[::1]:9", "[::]:9"), same_address),
        (
            vec![
                "--database",
                "postgres://a@127.0.0.1:9/a?sslrootcert=none.pem",
            ],
            certificates,
        ),
        (
            vec!["--operation-limits", "createPets.body-bytes=1000"],
            "error: `operation-limits` names `createPets`, which is not an operation of the document; remove it",
        ),
        (
            vec!["--max-in-flight", "-1"],
            "error: invalid value '-1' for '--max-in-flight': write a whole number, 1 or more",
        ),
    ] {
        let errors = ["config", "serve"].map(|command| {
            let arguments = [&[command], arguments.as_slice()].concat();
            run_failing(folder.path(), &arguments, 2)
        });
        assert!(errors[0].starts_with(message), "{}", errors[0]);
        assert_eq!(errors[0], errors[1]);
    }
}

#[test]
fn serve_starts_with_the_greatest_limits_that_config_accepts() {
    let folder = folder_with("");
    let most = usize::MAX.to_string();
    let limits = ["--max-in-flight", &most, "--max-connections", &most];
    run_ok(folder.path(), &[&["config"], &limits[..]].concat());
    Service::start_in(folder, &limits, &[]);
}

#[test]
fn the_password_of_the_database_is_not_printed() {
    let folder = TempDir::new().expect("a folder can be made");
    let url = "postgres://petstore:hunter2@db.example/pets";
    let printed = run_ok(folder.path(), &["config", "--database", url]);
    assert!(printed.contains("db.example/pets"), "{printed}");
    assert!(!printed.contains("hunter2"), "{printed}");

    let url = "mysql://petstore:hunter2@db.example/pets";
    let error = run_failing(folder.path(), &["config", "--database", url], 2);
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn a_variable_that_resembles_a_setting_is_a_warning() {
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let mistyped = [("PETSTORE_MAX_INFLIGHT", "7"), ("PETSTORE_LISTNE", "1")];
    let texts = [
        "the variable `PETSTORE_LISTNE` is not a setting and has no effect; write `PETSTORE_LISTEN`",
        "the variable `PETSTORE_MAX_INFLIGHT` is not a setting and has no effect; write `PETSTORE_MAX_IN_FLIGHT`",
    ];
    let config = |variables: &[(&str, &str)]| {
        let mut command = program(folder.path());
        let output = command
            .arg("config")
            .envs(variables.iter().copied())
            .output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8(output.stdout).expect("text");
        assert!(printed.contains("max-in-flight = 512\n"), "{printed}");
        String::from_utf8(output.stderr).expect("text")
    };
    let warned = config(&mistyped);
    let lines: Vec<_> = warned.lines().collect();
    assert_eq!(lines.len(), 2, "{warned}");
    for (line, text) in lines.iter().zip(texts) {
        assert!(line.starts_with(&format!("warning: {text}")), "{line}");
    }
    let service = Service::start_in(folder.clone(), &[], &mistyped);
    for text in texts {
        let line = service.log.wait_for(text);
        assert!(line.contains("WARN"), "{line}");
    }

    // These are variables of the command-line client and of tests, and variables that Kubernetes
    // sets for a Service `petstore`.
    let of_others = [
        "URL",
        "API_KEY",
        "CLI_CONFIG",
        "TEST_PROGRAM",
        "REQUIRE_POSTGRES",
        "PORT",
        "SERVICE_HOST",
        "SERVICE_PORT",
        "SERVICE_PORT_HTTP",
        "PORT_8080_TCP",
        "PORT_8080_TCP_ADDR",
    ];
    let of_others = of_others.map(|name| format!("PETSTORE_{name}"));
    let of_others: Vec<_> = of_others.iter().map(|name| (name.as_str(), "x")).collect();
    assert_eq!(config(&of_others), "");
}

#[test]
fn the_help_names_each_setting_with_its_variable_and_default() {
    let folder = TempDir::new().expect("a folder can be made");
    let help = run_ok(folder.path(), &["serve", "--help"]);
    // The check ignores line breaks.
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for (flag, variable, default) in [
        ("--listen", "PETSTORE_LISTEN", "127.0.0.1:8080"),
        ("--database", "PETSTORE_DATABASE", "sqlite:petstore.db"),
        ("--sunset", "PETSTORE_SUNSET", "announce"),
        ("--min-stability", "PETSTORE_MIN_STABILITY", "experimental"),
        (
            "--rate-limit-per-second",
            "PETSTORE_RATE_LIMIT_PER_SECOND",
            "off",
        ),
        ("--cors-origins", "PETSTORE_CORS_ORIGINS", "none"),
        ("--log", "PETSTORE_LOG", "info"),
        ("--max-in-flight", "PETSTORE_MAX_IN_FLIGHT", "512"),
    ] {
        assert!(
            help.contains(flag) && help.contains(&format!("[env: {variable}]")),
            "{flag}: {help}"
        );
        assert!(
            help.contains(&format!("[default: {default}]")),
            "{flag}: {help}"
        );
    }
    let output = run(folder.path(), &["--version"]);
    assert_eq!(
        output.stdout,
        format!("petstore-server {}\n", petstore_server::INFO.version).into_bytes()
    );
}
