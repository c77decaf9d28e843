//! The macro that makes of one line a setting: a field of the effective
//! settings, a flag with its variable and its help, and a key of the
//! configuration file.

use super::ConfigError;
use std::{fmt::Display, str::FromStr};

/// The keys of a configuration file and their values.
pub use toml::Table;

/// The settings of one concern that were set; the others are `None`.
/// [`settings!`](crate::settings) implements it.
pub trait Options: clap::Args + Default {
    /// The same with all fields set.
    type Settings: Settings;

    /// These options, and `others` where these are not set.
    #[must_use]
    fn or(self, others: Self) -> Self;

    /// These options, and the defaults where they are not set.
    #[must_use]
    fn resolve(self) -> Self::Settings;

    /// Takes the keys of these options out of a configuration file.
    ///
    /// # Errors
    ///
    /// A value is none of its setting.
    fn take(table: &mut Table) -> Result<Self, ConfigError>;
}

/// Settings of one concern, all fields set.
pub trait Settings: Default {
    /// Puts them where a configuration file has them. A value is shown by its `Display`, so a
    /// secret needs a type that hides it.
    fn put(&self, table: &mut Table);
}

/// Declares the settings of one concern.
///
/// `Name / NameOptions { /// help \n field: Type = "default"; }` makes `Name` with all fields
/// set, and `NameOptions` with the fields that were set. The flag and the key in the file
/// are the field's name with hyphens, and the variable is the same in capitals after the name of
/// the service. A value is read by its `FromStr`, wherever it stands, and shown by its
/// `Display`. `SERVICE` in a help text becomes the name of the service's crate.
///
/// ```
/// openapi_dropshot_server::settings! {
///     /// Where bookmarks are kept.
///     Storage / StorageOptions {
///         /// The folder of the bookmarks
///         folder: String = "bookmarks";
///     }
/// }
/// assert_eq!(Storage::default().folder, "bookmarks");
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$about:meta])*
        $name:ident / $options:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $default:literal;)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        #[doc = concat!("The fields of [`", stringify!($name), "`] that were set.")]
        #[derive(Clone, Debug, Default, ::clap::Args)]
        pub struct $options {
            $(
                $(#[doc = $doc])+
                #[arg(
                    long,
                    hide_env_values = true,
                    help = concat!($($doc,)+ " [default: ", $default, "]").trim_start(),
                )]
                pub $field: Option<$type>,
            )+
        }

        impl $crate::config::Options for $options {
            type Settings = $name;

            fn or(self, others: Self) -> Self {
                Self { $($field: self.$field.or(others.$field),)+ }
            }

            fn resolve(self) -> $name {
                $name {
                    $($field: self.$field.unwrap_or_else(|| $crate::config::default($default)),)+
                }
            }

            fn take(
                table: &mut $crate::config::Table,
            ) -> Result<Self, $crate::config::ConfigError> {
                Ok(Self { $($field: $crate::config::take(table, stringify!($field))?,)+ })
            }
        }

        impl $crate::config::Settings for $name {
            fn put(&self, table: &mut $crate::config::Table) {
                $($crate::config::put(table, stringify!($field), &self.$field);)+
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $crate::config::Options::resolve($options::default())
            }
        }
    };
}

/// The settings of a service that has none beside those of this crate.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct NoSettings;

/// The options of [`NoSettings`].
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, clap::Args)]
pub struct NoOptions {}

impl Options for NoOptions {
    type Settings = NoSettings;

    fn or(self, _: Self) -> Self {
        self
    }

    fn resolve(self) -> NoSettings {
        NoSettings
    }

    fn take(_: &mut Table) -> Result<Self, ConfigError> {
        Ok(NoOptions {})
    }
}

impl Settings for NoSettings {
    fn put(&self, _: &mut Table) {}
}

/// A default that is written in the source.
#[doc(hidden)]
pub fn default<T: FromStr>(text: &str) -> T {
    let Ok(value) = text.parse() else {
        panic!("the default `{text}` is written in the source and is a value of its kind");
    };
    value
}

/// Puts one key where a configuration file has it, and as [`take`] reads it.
#[doc(hidden)]
pub fn put(table: &mut Table, field: &str, value: &impl Display) {
    let text = value.to_string();
    let value = match text.parse() {
        Ok(number) if format!("{number}") == text => toml::Value::Integer(number),
        _ => toml::Value::String(text),
    };
    table.insert(field.replace('_', "-"), value);
}

/// Takes one key out of a configuration file.
#[doc(hidden)]
pub fn take<T>(table: &mut Table, field: &str) -> Result<Option<T>, ConfigError>
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
