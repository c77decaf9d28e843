//! The settings of a service: one struct for each concern. Each field declares a flag, an
//! environment variable, a key of the configuration file and a help text. A flag takes precedence
//! over a variable, a variable over the file, and the file over the default. A service declares its
//! own settings with [`settings!`](crate::settings).

mod concerns;
mod own_limits;
mod parse;
mod settings;
mod values;
mod variables;

pub use crate::{config_error::ConfigError, tls::TlsFiles};
pub use concerns::{
    Lifecycle, Limits, Listen, Log, Proxies, RateLimit, Start, TlsSettings, Watch, Web,
};
pub use own_limits::OwnLimits;
pub(crate) use parse::USAGE;
pub use parse::{command, parse};
pub use settings::{NoSettings, Settings, Table};
#[doc(hidden)]
pub use settings::{defaults, put};
pub use values::{
    AdminListen, ClientAddressHeader, CountCalls, Delay, HostNames, InvalidSetting, LogFilter,
    LogFormat, MinStability, Networks, Origins, Rate, Seconds, SunsetPolicy, Switch,
};
pub use variables::MistypedVariable;

use crate::{ServiceInfo, tls::Tls};
use std::{env, path::PathBuf};

/// The settings of the command that runs the service; `S` are the settings that only this service
/// has.
#[derive(Clone, Debug, clap::Args)]
pub struct ServeSettings<S: clap::Args = NoSettings> {
    /// A TOML file with settings, whose keys are the names of the flags
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where to listen.
    #[command(flatten)]
    pub listen: Listen,
    /// Whether the service uses TLS.
    #[command(flatten)]
    pub tls: TlsSettings,
    /// The settings that only this service has.
    #[command(flatten)]
    pub service: S,
    /// How the service starts.
    #[command(flatten)]
    pub start: Start,
    /// The limits of the service.
    #[command(flatten)]
    pub limits: Limits,
    /// How many requests a key may make.
    #[command(flatten)]
    pub rate_limit: RateLimit,
    /// CORS and compression.
    #[command(flatten)]
    pub web: Web,
    /// Which operations are served, and what happens to removed operations.
    #[command(flatten)]
    pub lifecycle: Lifecycle,
    /// The admin listener, the metrics and the access log.
    #[command(flatten)]
    pub watch: Watch,
    /// The proxies in front of the service, for the client address.
    #[command(flatten)]
    pub proxies: Proxies,
    /// What to log.
    #[command(flatten)]
    pub log: Log,
}

impl<S: clap::Args + Settings> ServeSettings<S> {
    /// Checks the settings against each other.
    ///
    /// # Errors
    ///
    /// Returns an error if two settings exclude each other.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.tls.files()?;
        self.listen.check(self.watch.admin_listen)?;
        self.limits.check()
    }

    /// Reads the certificate and the key if the settings name them, as [`Program::begin`] does.
    ///
    /// [`Program::begin`]: crate::program::Program::begin
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be read or are not valid.
    pub fn check_tls(&self) -> Result<(), ConfigError> {
        if let Ok(Some(files)) = self.tls.files() {
            Tls::load(&files)?;
        }
        Ok(())
    }

    /// Returns the environment variables of this process that are not settings, but whose names are
    /// similar to those of settings. [`Program::begin`](crate::program::Program::begin) logs a
    /// warning for each.
    #[must_use]
    pub fn mistyped_variables(info: &ServiceInfo) -> Vec<MistypedVariable> {
        let command = <Self as clap::Args>::augment_args(clap::Command::new("settings"));
        let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        variables::mistyped(&command, info, names)
    }

    /// The settings in the form of a configuration file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut table = Table::new();
        let concerns: [&dyn Settings; 11] = [
            &self.listen,
            &self.tls,
            &self.service,
            &self.start,
            &self.limits,
            &self.rate_limit,
            &self.web,
            &self.lifecycle,
            &self.watch,
            &self.proxies,
            &self.log,
        ];
        for concern in concerns {
            concern.put(&mut table);
        }
        table.to_string()
    }
}

/// The settings of the commands that do not run the service; `S` are the settings that only this
/// service has.
#[derive(Clone, Debug, clap::Args)]
pub struct CommandSettings<S: clap::Args = NoSettings> {
    /// A TOML file with settings, whose keys are the names of the flags
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The settings that only this service has.
    #[command(flatten)]
    pub service: S,
    /// What to log.
    #[command(flatten)]
    pub log: Log,
}
