//! The settings of the service: one struct a concern, where a field names its
//! variable and its default and is flag, key of the configuration file and help
//! text at once. A flag beats a variable, a variable beats the file, the file
//! beats the default. What is done with them is left to who takes them.

#[macro_use]
mod settings;

mod file;
mod lifecycle;
mod limits;
mod listen;
mod log;
mod rate_limit;
mod seconds;
mod store;
mod switch;
mod tls;
mod watch;
mod web;

pub use file::{ConfigError, ConfigFile};
pub use lifecycle::{
    Lifecycle, LifecycleOptions, MinStability, SunsetPolicy, UnknownStability, UnknownSunsetPolicy,
};
pub use limits::{Limits, LimitsOptions};
pub use listen::{Listen, ListenOptions};
pub use log::{Log, LogFormat, LogOptions, UnknownLogFormat};
pub use rate_limit::{InvalidRate, Rate, RateLimit, RateLimitOptions};
pub use seconds::{Delay, InvalidDelay, InvalidSeconds, Seconds};
pub use store::{StoreOptions, StoreSettings};
pub use switch::{Switch, UnknownSwitch};
pub use tls::{TlsFiles, TlsOptions};
pub use watch::{AdminListen, InvalidAdminListen, Watch, WatchOptions};
pub use web::{InvalidOrigin, Origins, Web, WebOptions};

use file::File;

/// What `serve` takes from its command line and its environment.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ServeOptions {
    /// Where the rest may stand.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Where to listen.
    #[command(flatten)]
    pub listen: ListenOptions,
    /// Whether to speak TLS.
    #[command(flatten)]
    pub tls: TlsOptions,
    /// Where the pets are.
    #[command(flatten)]
    pub store: StoreOptions,
    /// How much to take on.
    #[command(flatten)]
    pub limits: LimitsOptions,
    /// How much a key may ask for.
    #[command(flatten)]
    pub rate_limit: RateLimitOptions,
    /// What browsers are given.
    #[command(flatten)]
    pub web: WebOptions,
    /// Which operations are served, and how they end.
    #[command(flatten)]
    pub lifecycle: LifecycleOptions,
    /// What to tell of itself.
    #[command(flatten)]
    pub watch: WatchOptions,
    /// What to log.
    #[command(flatten)]
    pub log: LogOptions,
}

/// The settings that `serve` runs with.
#[derive(Clone, Debug, Default)]
pub struct ServeConfig {
    /// Where it listens.
    pub listen: Listen,
    /// With what it speaks TLS, if it does.
    pub tls: Option<TlsFiles>,
    /// Where the pets are.
    pub store: StoreSettings,
    /// How much it takes on.
    pub limits: Limits,
    /// How much a key may ask for.
    pub rate_limit: RateLimit,
    /// What browsers are given.
    pub web: Web,
    /// Which operations are served, and how they end.
    pub lifecycle: Lifecycle,
    /// What it tells of itself.
    pub watch: Watch,
    /// What it logs.
    pub log: Log,
}

impl ServeOptions {
    /// Adds what the configuration file says, and the defaults.
    ///
    /// # Errors
    ///
    /// The file cannot be read, has an unknown key or a value that is none, or
    /// two settings exclude each other.
    pub fn load(self) -> Result<ServeConfig, ConfigError> {
        let file = self.config.read()?;
        let config = ServeConfig {
            listen: self.listen.or(file.listen).resolve(),
            tls: self.tls.or(file.tls).resolve()?,
            store: self.store.or(file.store).resolve(),
            limits: self.limits.or(file.limits).resolve(),
            rate_limit: self.rate_limit.or(file.rate_limit).resolve(),
            web: self.web.or(file.web).resolve(),
            lifecycle: self.lifecycle.or(file.lifecycle).resolve(),
            watch: self.watch.or(file.watch).resolve(),
            log: self.log.or(file.log).resolve(),
        };
        config.limits.check()?;
        Ok(config)
    }
}

impl ServeConfig {
    /// The settings as a configuration file has them, but for the password of
    /// the database.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut table = toml::Table::new();
        self.listen.put(&mut table);
        if let Some(tls) = &self.tls {
            tls.put(&mut table);
        }
        self.store.without_password().put(&mut table);
        self.limits.put(&mut table);
        self.rate_limit.put(&mut table);
        self.web.put(&mut table);
        self.lifecycle.put(&mut table);
        self.watch.put(&mut table);
        self.log.put(&mut table);
        table.to_string()
    }
}

/// What the commands take that only look into the store.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct StoreCommandOptions {
    /// Where the rest may stand.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Where the pets are.
    #[command(flatten)]
    pub store: StoreOptions,
    /// What to log.
    #[command(flatten)]
    pub log: LogOptions,
}

impl StoreCommandOptions {
    /// Adds what the configuration file says, and the defaults.
    ///
    /// # Errors
    ///
    /// As [`ServeOptions::load`].
    pub fn load(self) -> Result<(StoreSettings, Log), ConfigError> {
        let file: File = self.config.read()?;
        Ok((
            self.store.or(file.store).resolve(),
            self.log.or(file.log).resolve(),
        ))
    }
}
