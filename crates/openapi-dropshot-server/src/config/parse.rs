//! Parses the command line of a service and the environment variable of each setting, and reads the
//! configuration file: flat TOML whose keys are the names of the flags. A value of the file
//! replaces the default. An unknown key is an error, so that typing mistakes are found. Each error
//! names the flag, the variable or the line of the file that caused it.

use super::values::similar;
use crate::{ServiceInfo, config_error::ConfigError};
use clap::{
    Arg, ArgMatches, Command, Parser,
    error::{ContextKind, ContextValue, ErrorKind},
};
use std::{
    collections::HashMap,
    env,
    error::Error,
    ffi::OsString,
    fs,
    net::AddrParseError,
    num::{IntErrorKind, ParseIntError},
    path::{Path, PathBuf},
    process,
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The placeholder in the help texts of settings for the name of the service's crate.
const PLACEHOLDER: &str = "SERVICE";
/// The flag that names the configuration file. It is not a key of the file.
const CONFIG: &str = "config";

/// The exit code of a program whose settings cannot be used. It is the same for a command line that
/// cannot be parsed.
pub(crate) const USAGE: u8 = 2;

/// Parses the arguments of this process, the environment variables and the configuration file. If
/// an argument is not valid, prints a message and ends the process with the exit code 2. For
/// `--help` and `--version`, ends the process with the exit code 0.
///
/// # Errors
///
/// Returns an error if a variable is not valid, if the configuration file cannot be read, or if the
/// file has an unknown key or an invalid value. [`program::main`](crate::program::main) then also
/// ends with the exit code 2.
pub fn parse<T: Parser>(info: &ServiceInfo) -> Result<T, ConfigError> {
    let arguments: Vec<OsString> = env::args_os().collect();
    let mut command = command::<T>(info);
    let mut matches = matches(&command, &arguments, info)?;
    if let Some(path) = config_file(&matches) {
        let values = read(path, &command, info)?;
        command = with_defaults(command, &values);
        matches = self::matches(&command, &arguments, info)?;
    }
    Ok(T::from_arg_matches_mut(&mut matches)
        .unwrap_or_else(|error| error.format(&mut command).exit()))
}

/// Returns the command line of a service with the environment variable of each setting, for manual
/// pages.
#[must_use]
pub fn command<T: Parser>(info: &ServiceInfo) -> Command {
    with_variables(T::command(), info)
}

/// Parses the arguments and the variables. Ends the process if an argument is not valid.
fn matches(
    command: &Command,
    arguments: &[OsString],
    info: &ServiceInfo,
) -> Result<ArgMatches, ConfigError> {
    let error = match command.clone().try_get_matches_from(arguments) {
        Ok(matches) => return Ok(matches),
        Err(error) => error,
    };
    let Some((flag, value)) = rejected_value(&error) else {
        error.exit();
    };
    let key = flag.strip_prefix("--");
    let arg = key.and_then(|key| setting(command, key));
    // clap reads the variable only if the flag is not given.
    if let Some(key) = key
        && !is_given(flag, arguments)
        && env::var_os(info.variable(key)).is_some()
    {
        return Err(ConfigError::new(format!(
            "the value {value:?} of the variable `{}` cannot be used: {}",
            info.variable(key),
            problem(&error, arg)
        )));
    }
    if error.source().is_some() {
        eprintln!(
            "error: invalid value '{value}' for '{flag}': {}\n\nFor more information, try '--help'.",
            problem(&error, arg)
        );
        process::exit(USAGE.into());
    }
    error.exit();
}

/// The flag and the value that an error about the value of a flag names.
fn rejected_value(error: &clap::Error) -> Option<(&str, &str)> {
    if !matches!(
        error.kind(),
        ErrorKind::ValueValidation | ErrorKind::InvalidValue
    ) {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    // As in `--listen <LISTEN>`.
    let argument = text(ContextKind::InvalidArg)?;
    let flag = argument.split(' ').next().unwrap_or(argument);
    Some((flag, text(ContextKind::InvalidValue).unwrap_or_default()))
}

/// Whether the flag is among the arguments.
fn is_given(flag: &str, arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| {
        let argument = argument.to_string_lossy();
        let rest = argument.strip_prefix(flag);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

/// Describes the problem with a value, and what to write instead.
fn problem(error: &clap::Error, arg: Option<&Arg>) -> String {
    match (error.source(), error.get(ContextKind::ValidValue)) {
        (Some(source), _) => what_to_write(source, arg),
        (None, Some(ContextValue::Strings(values))) if !values.is_empty() => {
            format!("write one of: {}", values.join(", "))
        }
        _ => "it must not be empty".to_owned(),
    }
}

/// The errors of the standard library describe the problem, but not what to write instead.
fn what_to_write(error: &(dyn Error + 'static), arg: Option<&Arg>) -> String {
    if error.is::<AddrParseError>() {
        return "write an IP address and a port, as in `127.0.0.1:8080` or `[::1]:8080`".to_owned();
    }
    match error
        .downcast_ref::<ParseIntError>()
        .map(ParseIntError::kind)
    {
        Some(IntErrorKind::PosOverflow) => too_large(arg),
        Some(_) => "write a whole number, 1 or more, in digits only".to_owned(),
        None => error.to_string(),
    }
}

/// The message about a number that is too large for a setting. It names the largest valid number.
fn too_large(arg: Option<&Arg>) -> String {
    // The integer types that settings use.
    let limits = [u64::MAX, u64::from(u32::MAX), u64::from(u16::MAX)];
    let is_accepted = |limit: &u64| arg.is_some_and(|arg| accepts(arg, &limit.to_string()).is_ok());
    match limits.into_iter().find(is_accepted) {
        Some(limit) => format!("the number is too large; write at most {limit}"),
        None => "the number is too large".to_owned(),
    }
}

/// Checks whether a text is a valid value for the flag of a setting.
fn accepts(arg: &Arg, text: &str) -> Result<(), clap::Error> {
    let flag = format!("--{}={text}", arg.get_long().unwrap_or_default());
    let command = Command::new(CONFIG).no_binary_name(true).arg(arg.clone());
    command.try_get_matches_from([flag]).map(drop)
}

/// Returns the key of a setting; `None` for other arguments. Settings are the only arguments that
/// hide the value of their variable in the help text.
pub(super) fn key(arg: &Arg) -> Option<&str> {
    arg.get_long().filter(|_| arg.is_hide_env_values_set())
}

fn with_variables(command: Command, info: &ServiceInfo) -> Command {
    let with_variable = |arg: Arg| {
        // A value such as `-1` is reported as an invalid value, not as an unknown flag.
        let has_value = arg.get_action().takes_values() && !arg.is_positional();
        let arg = arg.allow_negative_numbers(has_value);
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
    let file = format!("the configuration file `{}`", path.display());
    let text = fs::read_to_string(path)
        .map_err(|error| ConfigError::because(format!("cannot read {file}"), error))?;
    values(&text, command, info)
        .map_err(|error| ConfigError::because(format!("{file} cannot be used"), error))
}

/// Returns the values of a file after checking each against its setting.
fn values(text: &str, command: &Command, info: &ServiceInfo) -> Result<Values, ConfigError> {
    let line_of = |offset: usize| 1 + text[..offset].matches('\n').count();
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map(|span| line_of(span.start));
        match line.and_then(|line| unquoted(text, line)) {
            Some(missing) => missing,
            None => ConfigError::because("it is not valid TOML", error),
        }
    })?;
    let valid = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let line = line_of(key.span().start);
        let key: &str = AsRef::<str>::as_ref(key.get_ref());
        let Some(arg) = setting(command, key) else {
            let instead = match similar_key(command, key) {
                Some(similar) => format!("write `{similar}`"),
                None => format!(
                    "the keys are the names of the flags, see `{} serve --help`",
                    info.program
                ),
            };
            return Err(ConfigError::new(format!(
                "line {line}: the key `{key}` is unknown; {instead}"
            )));
        };
        match checked(arg, value.get_ref()) {
            Ok(text) => Ok((key.to_owned(), text)),
            Err(problem) => Err(ConfigError::new(format!(
                "line {line}: the value of `{key}` cannot be used: {problem}"
            ))),
        }
    };
    table.get_ref().iter().map(valid).collect()
}

/// The error for a line that would be valid TOML if its value had quotes. The message does not
/// repeat the value, because it may contain a password.
fn unquoted(text: &str, line: usize) -> Option<ConfigError> {
    let (key, value) = text.lines().nth(line - 1)?.split_once('=')?;
    let (key, value) = (key.trim(), value.trim());
    let has_quotes = value.is_empty() || value.contains(['"', '\'', '[', '{']);
    let is_key = DeTable::parse(&format!("{key} = \"\"")).is_ok();
    (is_key && !has_quotes).then(|| {
        ConfigError::new(format!(
            "line {line}: the value of `{key}` is a text and needs quotes, as in `{key} = \"…\"`"
        ))
    })
}

fn settings(command: &Command) -> Vec<&Arg> {
    let own = command.get_arguments();
    let own = own.filter(|arg| key(arg).is_some_and(|key| key != CONFIG));
    let others = command.get_subcommands().flat_map(settings);
    own.chain(others).collect()
}

/// Returns the setting with this key.
fn setting<'a>(command: &'a Command, of: &str) -> Option<&'a Arg> {
    let mut settings = settings(command).into_iter();
    settings.find(|arg| key(arg) == Some(of))
}

/// Returns the key of a setting whose name is similar to a text.
fn similar_key<'a>(command: &'a Command, text: &str) -> Option<&'a str> {
    let keys = settings(command).into_iter().filter_map(key);
    // The names of variables contain `_`.
    similar(&text.replace('_', "-"), keys)
}

/// The problem with a value of the wrong type.
const EXPECTED: &str = "expected a text, a number or an array of texts";

/// Returns the text of a value if the flag of the setting accepts it; otherwise the problem.
fn checked(arg: &Arg, value: &DeValue<'_>) -> Result<String, String> {
    let list = |value: &DeValue<'_>| -> Option<String> {
        let texts: Option<Vec<&str>> = value
            .as_array()?
            .iter()
            .map(|text| text.get_ref().as_str())
            .collect();
        Some(texts?.join(","))
    };
    let text = match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_err(|_| too_large(Some(arg)))?
            .to_string(),
        DeValue::Float(number) => {
            let float: Result<f64, _> = number.as_str().parse();
            float.map_err(|_| "expected a number")?.to_string()
        }
        DeValue::Boolean(value) => {
            let switch = if *value { "on" } else { "off" };
            // Any text is a valid path.
            let is_switch = accepts(arg, switch).is_ok() && accepts(arg, "neither").is_err();
            return Err(match is_switch {
                true => format!("write `\"{switch}\"`, with quotes, instead of `{value}`"),
                false => EXPECTED.to_owned(),
            });
        }
        _ => list(value).ok_or(EXPECTED)?,
    };
    match accepts(arg, &text) {
        Ok(()) => Ok(text),
        Err(error) => Err(problem(&error, Some(arg))),
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
mod tests;
