//! The settings of a service: one struct for each concern. Each field declares a flag, a
//! variable, a key of the configuration file and a help text. A flag takes precedence over a
//! variable, a variable over the file, and the file over the default. A service declares its
//! own settings with [`settings!`](crate::settings).

mod command_line;
mod file;
mod lifecycle;
mod limits;
mod listen;
mod log;
mod rate_limit;
mod seconds;
mod settings;
mod switch;
mod tls;
mod watch;
mod web;

pub use command_line::{command, parse};
pub use file::{ConfigError, ConfigFile};
pub use lifecycle::{
    Lifecycle, LifecycleOptions, MinStability, SunsetPolicy, UnknownStability, UnknownSunsetPolicy,
};
pub use limits::{Limits, LimitsOptions};
pub use listen::{Listen, ListenOptions};
pub use log::{Log, LogFormat, LogOptions, UnknownLogFormat};
pub use rate_limit::{InvalidRate, Rate, RateLimit, RateLimitOptions};
pub use seconds::{Delay, InvalidDelay, InvalidSeconds, Seconds};
pub use settings::{NoOptions, NoSettings, Options, Settings, Table};
#[doc(hidden)]
pub use settings::{default, put, take};
pub use switch::{Switch, UnknownSwitch};
pub use tls::{TlsFiles, TlsOptions};
pub use watch::{AdminListen, InvalidAdminListen, Watch, WatchOptions};
pub use web::{InvalidOrigin, Origins, Web, WebOptions};

use crate::ServiceInfo;
use file::File;

/// The options of the command that serves; `O` are those of the service itself.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ServeOptions<O: Options = NoOptions> {
    /// The configuration file.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Where to listen.
    #[command(flatten)]
    pub listen: ListenOptions,
    /// Whether to speak TLS.
    #[command(flatten)]
    pub tls: TlsOptions,
    /// The options of the service itself.
    #[command(flatten)]
    pub service: O,
    /// How much to take on.
    #[command(flatten)]
    pub limits: LimitsOptions,
    /// How many requests a key may make.
    #[command(flatten)]
    pub rate_limit: RateLimitOptions,
    /// CORS and compression.
    #[command(flatten)]
    pub web: WebOptions,
    /// Which operations are served, and how they end.
    #[command(flatten)]
    pub lifecycle: LifecycleOptions,
    /// Health, metrics and access log.
    #[command(flatten)]
    pub watch: WatchOptions,
    /// What to log.
    #[command(flatten)]
    pub log: LogOptions,
}

/// The settings that the service runs with; `S` are those of the service itself.
#[derive(Clone, Debug, Default)]
pub struct ServeConfig<S = NoSettings> {
    /// Where it listens.
    pub listen: Listen,
    /// The certificate and its key, if it speaks TLS.
    pub tls: Option<TlsFiles>,
    /// The settings of the service itself.
    pub service: S,
    /// Its limits.
    pub limits: Limits,
    /// How many requests a key may make.
    pub rate_limit: RateLimit,
    /// CORS and compression.
    pub web: Web,
    /// Which operations are served, and how they end.
    pub lifecycle: Lifecycle,
    /// Health, metrics and access log.
    pub watch: Watch,
    /// What it logs.
    pub log: Log,
}

impl<O: Options> ServeOptions<O> {
    /// Adds the settings of the configuration file, and the defaults.
    ///
    /// # Errors
    ///
    /// The file cannot be read, has an unknown key or a value that is none, or
    /// two settings exclude each other.
    pub fn load(self, info: &ServiceInfo) -> Result<ServeConfig<O::Settings>, ConfigError> {
        let file: File<O> = self.config.read(info)?;
        let config = ServeConfig {
            listen: self.listen.or(file.listen).resolve(),
            tls: self.tls.or(file.tls).resolve()?,
            service: self.service.or(file.service).resolve(),
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

impl<S: Settings> ServeConfig<S> {
    /// The settings as a configuration file has them.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut table = Table::new();
        self.listen.put(&mut table);
        if let Some(tls) = &self.tls {
            tls.put(&mut table);
        }
        self.service.put(&mut table);
        self.limits.put(&mut table);
        self.rate_limit.put(&mut table);
        self.web.put(&mut table);
        self.lifecycle.put(&mut table);
        self.watch.put(&mut table);
        self.log.put(&mut table);
        table.to_string()
    }
}

/// The options of the other commands; `O` are those of the service itself.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CommandOptions<O: Options = NoOptions> {
    /// The configuration file.
    #[command(flatten)]
    pub config: ConfigFile,
    /// The options of the service itself.
    #[command(flatten)]
    pub service: O,
    /// What to log.
    #[command(flatten)]
    pub log: LogOptions,
}

impl<O: Options> CommandOptions<O> {
    /// Adds the settings of the configuration file, and the defaults.
    ///
    /// # Errors
    ///
    /// As [`ServeOptions::load`].
    pub fn load(self, info: &ServiceInfo) -> Result<(O::Settings, Log), ConfigError> {
        let file: File<O> = self.config.read(info)?;
        Ok((
            self.service.or(file.service).resolve(),
            self.log.or(file.log).resolve(),
        ))
    }
}
