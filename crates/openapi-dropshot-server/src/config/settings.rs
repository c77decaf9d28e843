//! Defines the macro that declares the settings of a concern: each setting is a field with its
//! flag, variable, help text and key of the configuration file.

use clap::{Args, Command};
use std::fmt::Display;

/// The keys of a configuration file and their values.
pub use toml::Table;

/// The settings of one concern. [`settings!`](crate::settings) implements it.
pub trait Settings {
    /// Adds the settings to the table of a configuration file. Each value is written by its
    /// `Display`, so a secret needs a type whose `Display` hides it.
    fn put(&self, table: &mut Table);
}

/// Declares the settings of one concern or of several concerns.
///
/// `Name { /// help \n field: Type = "default"; }` makes the struct `Name`, which implements
/// [`clap::Args`], [`Settings`](crate::config::Settings) and `Default`. The flag and the key in
/// the file are the field's name with hyphens. The variable is the name of the service followed by
/// the field's name, in capitals. clap parses a value by its `ValueEnum` or its `FromStr`, whether
/// the value comes from a flag, a variable or the file. The value is displayed by its `Display`.
/// `SERVICE` in a help text is replaced with the name of the service's crate.
///
/// ```
/// openapi_dropshot_server::settings! {
///     /// Where bookmarks are kept.
///     Storage {
///         /// The folder of the bookmarks
///         folder: String = "bookmarks";
///     }
/// }
/// assert_eq!(Storage::default().folder, "bookmarks");
/// ```
#[macro_export]
macro_rules! settings {
    ($(
        $(#[$about:meta])*
        $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $default:literal;)+
        }
    )+) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, ::clap::Args)]
        pub struct $name {
            $(
                $(#[doc = $doc])+
                #[arg(
                    long,
                    hide_env_values = true,
                    hide_possible_values = true,
                    default_value = $default,
                    help = concat!($($doc),+).trim_start(),
                )]
                pub $field: $type,
            )+
        }

        impl $crate::config::Settings for $name {
            fn put(&self, table: &mut $crate::config::Table) {
                $($crate::config::put(table, stringify!($field), &self.$field);)+
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $crate::config::defaults()
            }
        }
    )+};
}

/// The settings of a service that has no settings besides those of this crate.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Args)]
pub struct NoSettings {}

impl Settings for NoSettings {
    fn put(&self, _: &mut Table) {}
}

/// Returns the settings of a concern with their declared defaults.
#[doc(hidden)]
pub fn defaults<T: Args>() -> T {
    let command = T::augment_args(Command::new("defaults").no_binary_name(true));
    let matches = command.try_get_matches_from([""; 0]);
    matches
        .and_then(|matches| T::from_arg_matches(&matches))
        .expect("each default in the source is a value of its setting")
}

/// Adds one key to the table of a configuration file.
#[doc(hidden)]
pub fn put(table: &mut Table, field: &str, value: &impl Display) {
    let text = value.to_string();
    let value = match text.parse() {
        Ok(number) if format!("{number}") == text => toml::Value::Integer(number),
        _ => toml::Value::String(text),
    };
    table.insert(field.replace('_', "-"), value);
}
