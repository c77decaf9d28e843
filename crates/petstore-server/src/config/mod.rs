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
mod seconds;
mod store;

pub use file::{ConfigError, ConfigFile};
pub use lifecycle::{Lifecycle, LifecycleOptions, SunsetPolicy, UnknownSunsetPolicy};
pub use limits::{Limits, LimitsOptions};
pub use listen::{Listen, ListenOptions};
pub use log::{Log, LogOptions};
pub use seconds::{InvalidSeconds, Seconds};
pub use store::{StoreOptions, StoreSettings};

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
    /// Where the pets are.
    #[command(flatten)]
    pub store: StoreOptions,
    /// How much to take on.
    #[command(flatten)]
    pub limits: LimitsOptions,
    /// What to do at a removal date.
    #[command(flatten)]
    pub lifecycle: LifecycleOptions,
    /// What to log.
    #[command(flatten)]
    pub log: LogOptions,
}

/// The settings that `serve` runs with.
#[derive(Clone, Debug, Default)]
pub struct ServeConfig {
    /// Where it listens.
    pub listen: Listen,
    /// Where the pets are.
    pub store: StoreSettings,
    /// How much it takes on.
    pub limits: Limits,
    /// What it does at a removal date.
    pub lifecycle: Lifecycle,
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
            store: self.store.or(file.store).resolve(),
            limits: self.limits.or(file.limits).resolve(),
            lifecycle: self.lifecycle.or(file.lifecycle).resolve(),
            log: self.log.or(file.log).resolve(),
        };
        config.limits.check()?;
        Ok(config)
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
