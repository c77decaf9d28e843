//! Declares the settings that only the pet store has: where pets and keys are
//! stored.

use openapi_dropshot_server::config::{Settings, Switch, Table};
use petstore_store::{DatabaseUrl, InvalidDatabaseUrl};
use std::{convert::Infallible, fmt, num::NonZeroU32, str::FromStr};

openapi_dropshot_server::settings! {
    /// Where pets and keys are stored.
    StoreSettings {
        /// The database: `sqlite:PATH`, `postgres://…`, or `sqlite::memory:` for a store in memory, which is lost when the service
        /// stops
        database: Database = "sqlite:petstore.db";
    }
}

openapi_dropshot_server::settings! {
    /// Whether events are recorded, and for how long they are kept.
    EventSettings {
        /// Whether changes of pets and orders are recorded as events: `on` or `off`. All servers that use the same database need the
        /// same setting
        events: Switch = "on";
        /// How many days events are kept. A client that has not read events for longer must synchronise again
        event_retention_days: NonZeroU32 = "30";
    }
}

/// The settings of the command `serve` that only the pet store has.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ServiceSettings {
    /// Where pets and keys are stored.
    #[command(flatten)]
    pub store: StoreSettings,
    /// Whether events are recorded, and for how long they are kept.
    #[command(flatten)]
    pub events: EventSettings,
}

impl Settings for ServiceSettings {
    fn put(&self, table: &mut Table) {
        self.store.put(table);
        self.events.put(table);
    }
}

/// The settings of the command `serve`.
pub type ServeSettings = openapi_dropshot_server::config::ServeSettings<ServiceSettings>;
/// The settings of the commands that only use the store.
pub type CommandSettings = openapi_dropshot_server::config::CommandSettings<StoreSettings>;

/// The text that names a database. `Display` hides its password. If the text does not name a database, `Display` hides all of it,
/// because a password may be anywhere in it.
#[derive(Clone, Eq, PartialEq)]
pub struct Database(String);

impl Database {
    /// Returns the database that the text names.
    ///
    /// # Errors
    ///
    /// Returns an error if the text does not name a database.
    pub fn url(&self) -> Result<DatabaseUrl, InvalidDatabaseUrl> {
        self.0.parse()
    }
}

impl FromStr for Database {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Database(text.to_owned()))
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.url() {
            Ok(url) => url.fmt(f),
            Err(_) => f.write_str("***"),
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Database({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        for text in ["postgres://a:secret@host/pets", "mysql://a:secret@host"] {
            let Ok(database) = text.parse::<Database>();
            assert!(!format!("{database} {database:?}").contains("secret"));
        }
    }
}
