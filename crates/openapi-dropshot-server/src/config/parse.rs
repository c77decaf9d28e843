//! Parses the command line of a service, with the environment variable of each setting, and
//! reads the configuration file: flat TOML whose keys are the names of the flags. A value of
//! the file replaces the default. An unknown key is an error, so that a typing mistake is
//! noticed.

use super::Table;
use crate::ServiceInfo;
use clap::{
    Arg, ArgMatches, Command, Parser,
    error::{ContextKind, ContextValue},
};
use std::{
    collections::HashMap,
    error::Error as _,
    fs, io,
    path::{Path, PathBuf},
};

/// The placeholder in the help texts of settings for the name of the service's crate.
const PLACEHOLDER: &str = "SERVICE";
/// The flag that names the configuration file. It is not a key of the file.
const CONFIG: &str = "config";

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is missing or cannot be read.
    #[error("cannot read the configuration file `{}`", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Something in the file is wrong.
    #[error("the configuration file `{}` cannot be used", path.display())]
    Invalid {
        /// The path of the file.
        path: PathBuf,
        /// The problem.
        source: Box<ConfigError>,
    },
    /// The file is not TOML.
    #[error("it is not TOML")]
    NotToml(#[from] toml::de::Error),
    /// The file has a key that is not a setting.
    #[error(
        "the key `{key}` is unknown; the keys are the names of the flags, see `{program} serve --help`"
    )]
    UnknownKey {
        /// The key.
        key: String,
        /// The program, whose help names the keys.
        program: &'static str,
    },
    /// The value of a key is not valid for its setting.
    #[error("the value of `{key}` cannot be used: {problem}")]
    InvalidValue {
        /// The setting.
        key: String,
        /// The problem with the value.
        problem: String,
    },
    /// Two settings that exclude each other.
    #[error("{0}")]
    Contradiction(&'static str),
}

/// Parses the arguments of this process, the environment variables and the configuration file.
/// Prints a message and ends the process if an argument or a variable is not valid, and for
/// `--help` and `--version`.
///
/// # Errors
///
/// The configuration file cannot be read, or has an unknown key or an invalid value.
pub fn parse<T: Parser>(info: &ServiceInfo) -> Result<T, ConfigError> {
    let mut command = command::<T>(info);
    let mut matches = command.clone().get_matches();
    if let Some(path) = config_file(&matches) {
        let values = read(path, &command, info)?;
        command = with_defaults(command, &values);
        matches = command.clone().get_matches();
    }
    Ok(T::from_arg_matches_mut(&mut matches)
        .unwrap_or_else(|error| error.format(&mut command).exit()))
}

/// The command line of a service with the environment variable of each setting, for manual pages.
#[must_use]
pub fn command<T: Parser>(info: &ServiceInfo) -> Command {
    with_variables(T::command(), info)
}

/// Returns the key of a setting; `None` for other arguments. Only settings hide the value of
/// their variable in the help text.
fn key(arg: &Arg) -> Option<&str> {
    arg.get_long().filter(|_| arg.is_hide_env_values_set())
}

fn with_variables(command: Command, info: &ServiceInfo) -> Command {
    let with_variable = |arg: Arg| {
        let Some(variable) = key(&arg).map(|key| info.variable(key)) else {
            return arg;
        };
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        arg.env(variable)
            .help(help.replace(PLACEHOLDER, info.crate_name))
    };
    command
        .mut_args(with_variable)
        .mut_subcommands(|command| with_variables(command, info))
}

/// Returns the configuration file that the innermost subcommand names.
fn config_file(matches: &ArgMatches) -> Option<&PathBuf> {
    match matches.subcommand() {
        Some((_, matches)) => config_file(matches),
        None => matches.try_get_one(CONFIG).ok().flatten(),
    }
}

/// The values of a configuration file, by key.
type Values = HashMap<String, String>;

fn read(path: &Path, command: &Command, info: &ServiceInfo) -> Result<Values, ConfigError> {
    let path = path.to_owned();
    match fs::read_to_string(&path) {
        Err(source) => Err(ConfigError::Unreadable { path, source }),
        Ok(text) => values(&text, command, info).map_err(|source| ConfigError::Invalid {
            path,
            source: Box::new(source),
        }),
    }
}

/// Returns the values of a file. Each is valid for its setting.
fn values(text: &str, command: &Command, info: &ServiceInfo) -> Result<Values, ConfigError> {
    let table: Table = text.parse()?;
    let valid = |(key, value): (String, toml::Value)| {
        let Some(arg) = setting(command, &key) else {
            let program = info.program;
            return Err(ConfigError::UnknownKey { key, program });
        };
        match checked(arg, value) {
            Ok(text) => Ok((key, text)),
            Err(problem) => Err(ConfigError::InvalidValue { key, problem }),
        }
    };
    table.into_iter().map(valid).collect()
}

/// Returns the setting with this key, from any of the commands.
fn setting<'a>(command: &'a Command, of: &str) -> Option<&'a Arg> {
    let mut settings = command.get_arguments();
    settings
        .find(|arg| key(arg) == Some(of) && of != CONFIG)
        .or_else(|| {
            command
                .get_subcommands()
                .find_map(|command| setting(command, of))
        })
}

/// Returns the text of a value that the flag of the setting accepts; otherwise the problem.
fn checked(arg: &Arg, value: toml::Value) -> Result<String, String> {
    let text = match value {
        toml::Value::String(text) => text,
        toml::Value::Integer(_) | toml::Value::Float(_) => value.to_string(),
        toml::Value::Array(list) if list.iter().all(toml::Value::is_str) => {
            let texts: Vec<&str> = list.iter().filter_map(toml::Value::as_str).collect();
            texts.join(",")
        }
        _ => return Err("expected a text, a number or an array of texts".to_owned()),
    };
    let flag = format!("--{}={text}", arg.get_long().unwrap_or_default());
    let command = Command::new(CONFIG).no_binary_name(true).arg(arg.clone());
    match command.try_get_matches_from([flag]) {
        Ok(_) => Ok(text),
        Err(error) => Err(match (error.source(), error.get(ContextKind::ValidValue)) {
            (Some(problem), _) => problem.to_string(),
            (None, Some(ContextValue::Strings(values))) if !values.is_empty() => {
                format!("write one of: {}", values.join(", "))
            }
            _ => "it must not be empty".to_owned(),
        }),
    }
}

/// Makes the values of the file the defaults of the settings of a command.
fn with_defaults(command: Command, values: &Values) -> Command {
    let with_default = |arg: Arg| match key(&arg).and_then(|key| values.get(key)).cloned() {
        Some(value) => arg.default_value(value),
        None => arg,
    };
    command
        .mut_args(with_default)
        .mut_subcommands(|command| with_defaults(command, values))
}

#[cfg(test)]
mod tests {
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
    fn settings_have_variables_and_help_texts_name_the_service() {
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
    fn a_file_sets_its_keys_and_the_others_have_their_defaults() {
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
    fn a_list_may_be_an_array() {
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
    fn an_unknown_key_is_named() {
        for key in ["lissen", "plain", "config"] {
            let error = parse(&format!("{key} = \"x\"\n")).expect_err("no setting");
            let text = error.to_string();
            assert!(
                text.contains(&format!("`{key}`")) && text.contains("`shop-server serve --help`"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_value_that_is_none_is_named_with_its_key_and_what_to_write() {
        for (text, help) in [
            ("max-in-flight = 0", "zero"),
            ("max-in-flight = true", "a number"),
            ("listen = \"nowhere\"", "invalid socket address"),
            ("sunset = \"maybe\"", "announce, enforce"),
            ("body-read-seconds = \"10s\"", "a number of seconds"),
            ("tls-cert = \"\"", "not be empty"),
        ] {
            let key = text.split(' ').next().unwrap_or_default();
            let error = parse(text).expect_err(text).to_string();
            assert!(
                error.contains(&format!("`{key}`")) && error.contains(help),
                "{error}"
            );
        }
    }

    #[test]
    fn other_formats_than_toml_are_rejected() {
        assert!(matches!(
            parse("listen 127.0.0.1"),
            Err(ConfigError::NotToml(_))
        ));
    }
}
