//! The macro that makes of one line a setting: a field of the effective
//! settings, a flag with its variable and its help, and a key of the
//! configuration file.

use super::ConfigError;
use std::{fmt::Display, str::FromStr};

/// Declares the settings of one concern.
///
/// `Name / NameOptions { /// help \n field: Type = "default", "VARIABLE"; }`
/// gives `Name` with all fields set, and `NameOptions` with what somebody set.
/// The flag and the key in the file are the field's name with hyphens; a value
/// is read by its `FromStr`, wherever it stands, and shown by its `Display`.
macro_rules! settings {
    (
        $(#[$about:meta])*
        $name:ident / $options:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $default:literal, $variable:literal;)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        #[doc = concat!("What was set of [`", stringify!($name), "`].")]
        #[derive(Clone, Debug, Default, clap::Args)]
        pub struct $options {
            $(
                $(#[doc = $doc])+
                #[arg(
                    long,
                    env = $variable,
                    hide_env_values = true,
                    help = concat!($($doc,)+ " [default: ", $default, "]").trim_start(),
                )]
                pub $field: Option<$type>,
            )+
        }

        impl $options {
            /// These, and `others` where these say nothing.
            #[must_use]
            pub fn or(self, others: Self) -> Self {
                Self { $($field: self.$field.or(others.$field),)+ }
            }

            /// These, and the defaults where they say nothing.
            #[must_use]
            pub fn resolve(self) -> $name {
                $name {
                    $($field: self.$field.unwrap_or_else(|| $crate::config::settings::default($default)),)+
                }
            }

            /// Takes what a configuration file says of them.
            pub(super) fn take(table: &mut toml::Table) -> Result<Self, $crate::config::ConfigError> {
                Ok(Self { $($field: $crate::config::settings::take(table, stringify!($field))?,)+ })
            }
        }

        impl $name {
            /// Puts them where a configuration file has them.
            pub(super) fn put(&self, table: &mut toml::Table) {
                $($crate::config::settings::put(table, stringify!($field), &self.$field);)+
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $options::default().resolve()
            }
        }
    };
}

/// A default of this source.
pub(super) fn default<T: FromStr>(text: &str) -> T {
    let Ok(value) = text.parse() else {
        panic!("the default `{text}` is written in the source and is a value of its kind");
    };
    value
}

/// Puts one key where a configuration file has it, and as [`take`] reads it.
pub(super) fn put(table: &mut toml::Table, field: &str, value: &impl Display) {
    let text = value.to_string();
    let value = match text.parse() {
        Ok(number) if format!("{number}") == text => toml::Value::Integer(number),
        _ => toml::Value::String(text),
    };
    table.insert(field.replace('_', "-"), value);
}

/// Takes one key out of a configuration file.
pub(super) fn take<T>(table: &mut toml::Table, field: &str) -> Result<Option<T>, ConfigError>
where
    T: FromStr<Err: Display>,
{
    let key = field.replace('_', "-");
    let text = match table.remove(&key) {
        None => return Ok(None),
        Some(toml::Value::String(text)) => text,
        Some(value @ (toml::Value::Integer(_) | toml::Value::Float(_))) => value.to_string(),
        Some(toml::Value::Array(list)) if list.iter().all(toml::Value::is_str) => {
            let texts: Vec<&str> = list.iter().filter_map(toml::Value::as_str).collect();
            texts.join(",")
        }
        Some(_) => {
            let problem = "expected a text, a number or an array of texts".to_owned();
            return Err(ConfigError::InvalidValue { key, problem });
        }
    };
    match text.parse() {
        Ok(value) => Ok(Some(value)),
        Err(error) => Err(ConfigError::InvalidValue {
            key,
            problem: error.to_string(),
        }),
    }
}
