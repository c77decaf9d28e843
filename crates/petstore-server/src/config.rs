//! Declares the settings that only the pet store has: where pets and keys are
//! stored.

use openapi_dropshot_server::config::{ConfigError, Networks, Settings, Switch, Table, put};
use openapi_dropshot_webhooks::url::Url;
use petstore_store::{DatabaseUrl, InvalidDatabaseUrl};
use std::{
    convert::Infallible,
    fmt::{self, Debug, Display},
    num::NonZeroU32,
    path::PathBuf,
    str::FromStr,
};

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

/// Whether and how webhooks are sent.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct WebhookSettings {
    /// Offer webhooks, and derive their secrets from the key in this file: at least 32 random bytes. All servers of a database need the same key [default: no webhooks]
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub webhook_key_file: Option<PathBuf>,
    /// Send webhooks through this HTTP proxy, as in `http://proxy.example:3128`. It resolves the names of receivers, so it must reject private addresses itself [default: no proxy]
    #[arg(long, hide_env_values = true, value_name = "URL")]
    pub webhook_proxy: Option<ProxyUrl>,
    /// To which receivers webhooks can be sent.
    #[command(flatten)]
    pub receivers: WebhookReceivers,
}

impl WebhookSettings {
    /// Returns the proxy for webhooks.
    ///
    /// # Errors
    ///
    /// The text is not the URL of an HTTP proxy. The error does not contain the text, because a password may be anywhere in it.
    pub fn proxy(&self) -> Result<Option<Url>, ConfigError> {
        let proxy = self.webhook_proxy.as_ref();
        let url = proxy.map(|proxy| {
            proxy.url().ok_or_else(|| {
                let problem = "it must begin with `http://` or `https://` and a host";
                ConfigError::invalid_value("webhook-proxy", problem)
            })
        });
        url.transpose()
    }
}

/// The text that names a proxy. `Display` hides its password, or all of the text if it is not a URL.
#[derive(Clone)]
pub struct ProxyUrl(String);

impl ProxyUrl {
    fn url(&self) -> Option<Url> {
        let url = Url::parse(&self.0).ok().filter(Url::has_host)?;
        matches!(url.scheme(), "http" | "https").then_some(url)
    }
}

impl FromStr for ProxyUrl {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(ProxyUrl(text.to_owned()))
    }
}

impl Display for ProxyUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(mut url) = self.url() else {
            return f.write_str("***");
        };
        if url.password().is_some() {
            // A URL that has a password can have another one.
            let _ = url.set_password(Some("***"));
        }
        Display::fmt(&url, f)
    }
}

impl Debug for ProxyUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

openapi_dropshot_server::settings! {
    /// To which receivers webhooks can be sent.
    WebhookReceivers {
        /// Addresses and networks that webhooks can be sent to although they are not part of the public internet, separated by commas (in the file also an array), as in `10.1.0.0/16`, or `none`
        webhook_allow_networks: Networks = "none";
        /// Whether webhooks can have an address with `http://`: `on` or `off`
        webhook_allow_http: Switch = "off";
    }
}

impl Settings for WebhookSettings {
    fn put(&self, table: &mut Table) {
        if let Some(file) = &self.webhook_key_file {
            put(table, "webhook_key_file", &file.display());
        }
        if let Some(proxy) = &self.webhook_proxy {
            put(table, "webhook_proxy", proxy);
        }
        self.receivers.put(table);
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
    /// Whether and how webhooks are sent.
    #[command(flatten)]
    pub webhooks: WebhookSettings,
}

impl Settings for ServiceSettings {
    fn put(&self, table: &mut Table) {
        self.store.put(table);
        self.events.put(table);
        self.webhooks.put(table);
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
            Ok(url) => Display::fmt(&url, f),
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
    fn the_password_in_a_database_url_is_not_shown() {
        for text in ["postgres://a:secret@host/pets", "mysql://a:secret@host"] {
            let Ok(database) = text.parse::<Database>();
            assert!(!format!("{database} {database:?}").contains("secret"));
        }
    }
}
