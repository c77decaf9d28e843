//! Tests the configuration file and the messages about it.

use super::*;
use crate::{
    config::{Limits, Seconds, ServeSettings},
    info::TEST,
};
use clap::{CommandFactory as _, FromArgMatches as _};

#[derive(Debug, Parser)]
struct Cli {
    #[command(flatten)]
    settings: ServeSettings,
    /// Not a setting
    #[arg(long)]
    plain: Option<String>,
}

fn command() -> Command {
    with_variables(Cli::command(), &TEST)
}

/// Parses a file with this text.
fn parse(text: &str) -> Result<ServeSettings, ConfigError> {
    let values = values(text, &command(), &TEST)?;
    let matches = with_defaults(command(), &values).get_matches_from(["shop"]);
    Ok(Cli::from_arg_matches(&matches).expect("valid").settings)
}

#[test]
fn each_setting_has_an_environment_variable_and_the_help_names_the_service() {
    let command = command();
    let argument = |id: &str| {
        let found = command.get_arguments().find(|arg| arg.get_id() == id);
        found.expect("it is declared").clone()
    };
    let variable = |id: &str| argument(id).get_env().map(|name| name.to_owned());
    assert_eq!(variable("config"), Some("SHOP_CONFIG".into()));
    assert_eq!(variable("tls_cert"), Some("SHOP_TLS_CERT".into()));
    assert_eq!(
        variable("rate_limit_burst"),
        Some("SHOP_RATE_LIMIT_BURST".into())
    );
    assert_eq!(variable("plain"), None);
    let help = argument("log").get_help().map(ToString::to_string);
    assert!(help.is_some_and(|help| help.contains("shop_server::access")));
    let cli = Cli::from_arg_matches(&command.get_matches_from(["shop", "--log=warn"]));
    let cli = cli.expect("valid");
    assert_eq!(cli.settings.log.log.to_string(), "warn");
    assert_eq!(cli.plain, None);
}

#[test]
fn settings_that_a_configuration_file_does_not_set_keep_their_defaults() {
    let file = parse("max-in-flight = 3\nrequest-deadline-seconds = 1.5\n").expect("valid");
    let limits = file.limits;
    assert_eq!(limits.max_in_flight.get(), 3);
    assert_eq!(
        limits.request_deadline_seconds,
        "1.5".parse::<Seconds>().expect("valid")
    );
    assert_eq!(limits.body_max_bytes, Limits::default().body_max_bytes);
}

#[test]
fn a_list_in_a_configuration_file_may_be_an_array_or_a_text_with_commas() {
    let texts = [
        "cors-origins = [\"https://a.example\", \"https://b.example\"]",
        "cors-origins = \"https://a.example,https://b.example\"",
    ];
    for text in texts {
        let origins = parse(text).expect("valid").web.cors_origins;
        assert_eq!(origins.to_string(), "https://a.example,https://b.example");
    }
    assert!(parse("cors-origins = [1]").is_err());
}

#[test]
fn the_error_for_an_unknown_key_names_the_key_the_line_and_the_most_similar_key() {
    for (key, help) in [
        ("listne", "write `listen`"),
        ("max_in_flight", "write `max-in-flight`"),
        ("xyz", "`shop-server serve --help`"),
        ("config", "`shop-server serve --help`"),
    ] {
        let error = parse(&format!("# a line\n\n{key} = \"x\"\n")).expect_err("no setting");
        let text = error.to_string();
        let start = format!("line 3: the key `{key}` is unknown; ");
        assert!(text.starts_with(&start) && text.contains(help), "{text}");
    }
}

#[test]
fn the_error_for_an_invalid_value_names_the_key_and_the_remedy() {
    for (text, help) in [
        ("max-in-flight = 0", "a whole number, 1 or more"),
        ("max-in-flight = true", "a number"),
        ("tls-cert = true", "expected a text"),
        ("listen = \"nowhere\"", "an IP address and a port"),
        ("sunset = \"maybe\"", "announce, enforce"),
        ("body-read-seconds = \"10s\"", "a number of seconds"),
        ("tls-cert = \"\"", "not be empty"),
        (
            "compression = true",
            "write `\"on\"`, with quotes, instead of `true`",
        ),
        ("rate-limit-per-second = false", "write `\"off\"`"),
        ("rate-limit-burst = 4294967296", "write at most 4294967295"),
        (
            "max-in-flight = 99999999999999999999",
            "write at most 18446744073709551615",
        ),
        ("log = \"warning\"", "write `warn`"),
    ] {
        let key = text.split(' ').next().unwrap_or_default();
        let error = parse(&format!("# a line\n{text}"))
            .expect_err(text)
            .to_string();
        let start = format!("line 2: the value of `{key}` cannot be used: ");
        assert!(error.starts_with(&start) && error.contains(help), "{error}");
    }
}

#[test]
fn the_error_for_a_text_without_quotes_names_the_line() {
    for line in [
        "listen = 127.0.0.1:8080",
        "sunset = enforce",
        "log=info # all",
    ] {
        let key = line.split([' ', '=']).next().unwrap_or_default();
        let error = parse(&format!("# a line\n\n{line}\nmax-in-flight = 1\n"));
        let error = error.expect_err(line).to_string();
        let start = format!("line 3: the value of `{key}` is a text and needs quotes");
        assert!(error.starts_with(&start), "{error}");
    }
    for line in [
        "listen = ",
        "listen = \"127.0.0.1",
        "listen = [1",
        "a b = c",
    ] {
        let error = parse(line).expect_err(line).to_string();
        assert_eq!(error, "it is not valid TOML", "{line}");
    }
}

#[test]
fn configuration_files_in_other_formats_than_toml_are_rejected() {
    let error = parse("listen 127.0.0.1").expect_err("no TOML").to_string();
    assert_eq!(error, "it is not valid TOML");
}
